"""The function of a mixture against the plain sum over its members."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.tree import DecisionTreeRegressor

from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.prediction.column_terms import AdditiveTerms, PairTerms
from kernlearn.estimators.mixture.prediction.function import MixtureFunction
from kernlearn.estimators.mixture.prediction.options import EvaluationOptions
from kernlearn.estimators.mixture.prediction.product_terms import DirectTerm, QuadraticTerm
from kernlearn.estimators.mixture.prediction.section_terms import SectionTerm
from kernlearn.hyperkernels import ARDHarmonic, Harmonic
from kernlearn.kernels import (
    ANOVA,
    Columns,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Stretched,
    TreePaths,
    WeightedSum,
)
from kernlearn.quality.discriminants import Discriminants
from kernlearn.quality.logarithms import Exponentials, Limits, Logarithms
from kernlearn.runtime.threads import threads_of_jobs

N, P, K = 60, 4, 2
SCALES = [0.5, 2.0, 0.0, 1e-3]


def _points(seed=0, n=N):
    generator = np.random.RandomState(seed)
    X = generator.normal(size=(n, P))
    X[:, 3] = generator.randint(0, 2, n)
    return X


POINTS = _points()
# New rows, rows that were seen and nearly so, and one that lies far from all.
NEW = np.vstack([_points(1, 20), POINTS[:3], POINTS[3:6] + 1e-9, [[40.0, -3.0, 0.0, 1.0]]])


def _trees():
    generator = np.random.RandomState(0)
    y = POINTS[:, 0] * POINTS[:, 1]
    grown = [
        DecisionTreeRegressor(max_depth=depth, random_state=generator).fit(POINTS, y)
        for depth in (1, 4, 6)
    ]
    constant = DecisionTreeRegressor().fit(POINTS, np.zeros(N))
    return TreePaths.of([*grown, constant])


def _sections(gamma):
    hyperkernel = ARDHarmonic(gammas=[gamma, 0.3, 0.0, 1.0])
    return hyperkernel.expansion(POINTS[:6].reshape(3, 2, P), [1.0, 0.0, 0.5])


KERNELS = {
    "linear": Linear(),
    "quadratic": Polynomial(2, 3.0),
    "cubic": Polynomial(3, 3.0),
    "Gaussian": Gaussian(0.3),
    "narrow Gaussian": Gaussian(300.0),
    "exponential": Matern(2.0, 0.5),
    "Matern 1.5": Matern(0.7, 1.5),
    "Matern 2.5": Matern(0.7, 2.5),
    "Matern inf": Matern(0.7, np.inf),
    "Laplacian": Laplacian(0.4),
    "ARD": Stretched(Matern(2.0, 0.5), SCALES),
    "no scale": Stretched(Gaussian(2.0), np.zeros(P)),
    "stretched ANOVA": Stretched(ANOVA(0.5, 2), SCALES),
    "additive": ANOVA(0.5, 1),
    "interactions": ANOVA(0.5, 2),
    "three columns": ANOVA(0.5, 3),
    "one column": Columns([1], Gaussian(2.0)),
    "category": Columns([2, 3], Gaussian(2.0)),
    "sum": Linear() + 0.5 * Gaussian(0.1) + Columns([0], Gaussian(1.0)),
    "bank": WeightedSum(
        [Linear(), Gaussian(0.1), Gaussian(0.3), Gaussian(1.0), Columns([3], Gaussian(1.0))],
        [0.5, 0.1, 0.0, 2.0, 0.3],
    ),
    "product": Gaussian(0.1) * Linear(),
    "wide sections": _sections(0.02),
    "narrow sections": _sections(50.0),
    "other sections": Harmonic().section(POINTS[:2]),
    "trees": _trees(),
}


def _machine(kernel, seed=0, link=None, table="standard"):
    generator = np.random.RandomState(seed)
    coef, intercept = generator.normal(size=(N, K)), generator.normal(size=K)
    machine = KernelMachine(table, kernel, 1.0, POINTS, coef, intercept, link=link)
    return machine._through_features()


def _plain(machines, factors, tables):
    parts = [machine.predict(tables[machine.table]) for machine in machines]
    return np.tensordot(factors, parts, axes=1)


def _check(machines, factors, tables, **options):
    options = EvaluationOptions(**options)
    found = MixtureFunction.of(machines, np.asarray(factors), options)(tables)
    plain = _plain(machines, factors, tables)
    np.testing.assert_allclose(found, plain, rtol=0, atol=1e-10 * max(1.0, np.abs(plain).max()))


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_gives_the_plain_sum(name):
    several_blocks = {"distances": 7 * N, "products": 7 * N, "polynomials": 300, "sections": 5 * N}
    _check([_machine(KERNELS[name])], [0.7], {"standard": NEW}, **several_blocks)
    _check([_machine(KERNELS[name])], [0.7], {"standard": NEW[:1]})


@pytest.mark.parametrize("shared_rows", [1024, 5])
def test_all_kernels_together_give_the_plain_sum(shared_rows):
    machines = [_machine(kernel, seed) for seed, kernel in enumerate(KERNELS.values())]
    machines += [_machine(Gaussian(0.3), 99, table="ranked")]
    tables = {"standard": NEW, "ranked": np.tanh(NEW)}
    with threads_of_jobs(2):
        _check(machines, np.linspace(0.1, 1.0, len(machines)), tables, shared_rows=shared_rows)


def test_rows_go_down_the_trees_together_or_tree_by_tree():
    blocks = {"tree_rows": 5, "few_tree_rows": 3}
    _check([_machine(KERNELS["trees"])], [0.7], {"standard": NEW[:12]}, **blocks)


def test_links_are_part_of_the_function():
    generator = np.random.RandomState(0)
    link = Discriminants(generator.normal(size=(K, K)), generator.normal(size=K))
    machines = [_machine(kernel, 1, link) for kernel in (Gaussian(0.3), Matern(1.0), Linear())]
    _check(machines, [0.2, 0.5, 0.3], {"standard": NEW})


def test_logarithms_are_taken_back_member_by_member():
    Y = np.exp(np.random.RandomState(0).normal(size=(N, K)))
    logarithms = Logarithms.of(Y, np.ones(N), np.zeros(K))
    exponentials = Exponentials.of(logarithms, 0.1 * Y, np.ones(N), Limits.of(Y))
    machines = [
        _machine(Gaussian(0.3), 1, exponentials),
        _machine(Gaussian(0.3), 2),
        _machine(Laplacian(0.1), 3, exponentials),
    ]
    _check(machines, [0.2, 0.5, 0.3], {"standard": NEW})


def test_sparse_tables_are_never_made_dense():
    points = csr_array(POINTS)
    machines = [
        KernelMachine("standard", kernel, 1.0, points, np.ones((N, K)), np.zeros(K))
        for kernel in (Gaussian(0.3), Polynomial(2))
    ]
    _check(machines, [0.5, 0.5], {"standard": csr_array(NEW)})


def test_kernels_that_share_distances_are_computed_together():
    kernels = [Gaussian(0.1), Gaussian(0.3), Matern(2.0, 0.5), WeightedSum([Gaussian(0.1)], [2.0])]
    ((_, together),) = MixtureFunction.of(
        [_machine(kernel) for kernel in kernels], np.ones(4)
    ).evaluators
    assert (together.gammas, together.materns) == ([0.1, 0.3], [(0.5, 2.0)])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("quadratic", QuadraticTerm),
        ("additive", AdditiveTerms),
        ("one column", AdditiveTerms),
        ("interactions", PairTerms),
        ("wide sections", SectionTerm),
        ("product", DirectTerm),
    ],
)
def test_kernels_collapse_where_they_can(name, kind):
    ((_, term),) = MixtureFunction.of([_machine(KERNELS[name])], np.ones(1)).evaluators
    assert isinstance(term, kind)


def test_columns_of_a_wide_range_are_computed_directly():
    machine = _machine(ANOVA(0.5, 2))
    wide = POINTS * [1e3, 1.0, 1.0, 1.0]
    machines = [
        KernelMachine("standard", machine.kernel, 1.0, wide, machine.coef, machine.intercept)
    ]
    ((_, term),) = MixtureFunction.of(machines, np.ones(1)).evaluators
    assert isinstance(term, DirectTerm)
    _check(machines, [1.0], {"standard": NEW * [1e3, 1.0, 1.0, 1.0]})


def test_equal_points_are_merged():
    codes = (POINTS > 0).astype(float)
    machine = KernelMachine("standard", Laplacian(1.0), 1.0, codes, np.ones((N, K)), np.zeros(K))
    ((_, term),) = MixtureFunction.of([machine], np.ones(1)).evaluators
    assert len(term.points) == len(np.unique(codes, axis=0)) < N / 2
    _check([machine], [1.0], {"standard": NEW})


@pytest.mark.parametrize("n_many", [0, 2])
def test_columns_of_two_values_are_one_product_of_city_blocks(n_many):
    generator = np.random.RandomState(0)
    levels = np.where(generator.randint(0, 2, (N, 5)), [0.3, 1.7, -2.0, 5.0, 1.0], 1.0)
    points = np.hstack([levels, generator.normal(size=(N, n_many))])
    scales = generator.uniform(0.1, 2.0, points.shape[1])
    kernel, coef = Stretched(Laplacian(0.4), scales), generator.normal(size=(N, K))
    machine = KernelMachine("standard", kernel, 1.0, points, coef, np.zeros(K))
    ((_, term),) = MixtureFunction.of([machine], np.ones(1)).evaluators
    assert (len(term.levels.columns), term.points.shape[1]) == (5, n_many)
    # Rows of these values, of others between them, and of others beyond them.
    new = np.vstack([points[:9], 3.0 * generator.normal(size=(9, points.shape[1]))])
    _check([machine], [1.0], {"standard": new}, distances=7 * N)


def test_rows_beyond_the_polynomials_of_columns_are_computed_directly():
    machines = [_machine(KERNELS["additive"]), _machine(KERNELS["one column"], 1)]
    far = NEW + np.array([0.0, 5.0, 0.0, 0.0])
    _check(machines, [0.7, 0.3], {"standard": np.vstack([NEW, far])}, polynomials=100)
    _check(machines, [0.7, 0.3], {"standard": far[:1]})
