"""Column generation against all matrices at once, and its bound against plain NumPy."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import kernlearn as kl
from benchmarks.hostile.weights import make_problem
from kernlearn.families.kernel_pool import KernelPool
from kernlearn.families.matrices import GramStack
from kernlearn.kernels import Gaussian, Grid, Linear, PerColumn, Precomputed
from kernlearn.quality import QUALITIES, Settings
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.core.oracle import Plane
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.weights.column_generation import ColumnGenerationOptions, learn_by_columns
from kernlearn.solvers.weights.column_master import MasterOptions
from kernlearn.solvers.weights.search import learn_with_proof
from kernlearn.testing.certificate import Case, complaints

MACHINES = ["soft_margin", "squared_soft_margin", "least_squares", "epsilon_svr", "nu_svm"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((32, 4))
    value = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.2 * rng.standard_normal(32)
    return X, value


def family(X):
    return Grid([Gaussian(0.1), Gaussian(1.0), Linear()], size=[1, 2]).bind(X)


def problem(X, value, quality, constraint="trace", C=1.0, n_machines=1):
    pool = KernelPool(family(X), X, len(X), "trust")
    labels = QUALITIES[quality].targets == "labels"
    middles = np.quantile(value, [0.5, 0.3][:n_machines])
    ys = [np.where(value > m, 1.0, -1.0) if labels else value - m for m in middles]
    settings = Settings(C, 0.3, 0.1, np.ones(len(X)))
    machines = [QUALITIES[quality].build(y, settings) for y in ys]
    r = pool.traces if constraint == "trace" else np.ones(pool.n_matrices)
    total = float(r.mean())
    return pool, machines, WeightSet(r, total, False), ys


@pytest.mark.parametrize(
    ("quality", "constraint"),
    [*((quality, "trace") for quality in MACHINES), ("soft_margin", "sum")],
)
def test_it_finds_what_all_matrices_at_once_give(table, quality, constraint):
    X, value = table
    pool, machines, weight_set, ys = problem(X, value, quality, constraint)
    found = learn_by_columns(pool, machines, weight_set, Control(1e-8))
    whole = kl.learn_weights(
        np.stack([kernel(X) for kernel in pool.kernels]),
        ys[0],
        quality=quality,
        constraint=constraint,
        total=weight_set.total,
        tol=1e-8,
    )
    assert found.status.is_optimal
    assert found.gap <= 1e-8
    assert found.objective == pytest.approx(whole.objective, rel=3e-8)
    assert found.weights @ weight_set.normaliser == pytest.approx(weight_set.total)
    K, other = pool.combine(found.weights), pool.combine(whole.weights)
    assert np.abs(K - other).max() < 3e-3 * np.abs(other).max()


@pytest.mark.parametrize("quality", MACHINES[:-1])
def test_no_weights_are_below_the_bound_and_the_objective_is_that_of_the_weights(table, quality):
    """The value at random corners and mixtures, by a solver that knows nothing of columns."""
    X, value = table
    pool, machines, weight_set, ys = problem(X, value, quality)
    found = learn_by_columns(pool, machines, weight_set, Control(1e-4))
    grams = np.stack([kernel(X) for kernel in pool.kernels])
    rng = np.random.default_rng(0)
    tried = [found.weights]
    for count in (1, 2, 5, 30):
        share = np.zeros(pool.n_matrices)
        share[rng.choice(pool.n_matrices, count, replace=False)] = rng.dirichlet(np.ones(count))
        tried.append(share * weight_set.total / weight_set.normaliser)
    values = []
    for w in tried:
        K = np.tensordot(w, grams, 1)
        one = kl.learn_weights(
            [K], ys[0], quality=quality, constraint="sum", total=1.0, psd="trust", tol=1e-9
        )
        values.append(one.objective)
    assert min(values) >= found.lower_bound - 1e-9 * abs(found.objective)
    assert values[0] == pytest.approx(found.objective, rel=1e-6)
    # The bound itself, with all prices, from the coefficients of the solution.
    a = found.dual_coef
    largest = max((a @ K @ a) / r for K, r in zip(grams, weight_set.normaliser, strict=True))
    by_hand = machines[0].linear_value(a) - 0.5 * weight_set.total * largest
    assert by_hand <= found.objective
    assert found.lower_bound <= min(values) + 1e-12


def test_machines_share_the_weights(table):
    X, value = table
    pool, machines, weight_set, ys = problem(X, value, "soft_margin", n_machines=2)
    found = learn_by_columns(pool, machines, weight_set, Control(1e-7))
    assert found.dual_coef.shape == (2, len(X))
    assert found.status.is_optimal
    alone = [
        kl.learn_weights([pool.combine(found.weights)], y, constraint="sum", total=1.0, tol=1e-9)
        for y in ys
    ]
    assert sum(one.objective for one in alone) == pytest.approx(found.objective, rel=1e-6)


def test_kernels_of_rank_one_have_kinks_and_are_certified_all_the_same(table):
    X, value = table
    y = np.where(value > 0, 1, -1)
    model = kl.MKLClassifier(PerColumn(Linear()), C=10.0).fit(X, y)
    other = kl.MKLClassifier(list(model.kernels_), C=10.0).fit(X, y)
    assert model.status_.is_optimal
    assert model.objective_ == pytest.approx(other.objective_, rel=2e-6)


def test_a_warm_start_begins_with_its_kernels(table):
    X, value = table
    pool, machines, weight_set, _ = problem(X, value, "soft_margin")
    cold = learn_by_columns(pool, machines, weight_set, Control(1e-7))
    given = WeightSet(weight_set.normaliser, weight_set.total, False, cold.weights)
    warm = learn_by_columns(pool, machines, given, Control(1e-7))
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)
    assert warm.n_machine_solves < cold.n_machine_solves


def test_a_master_with_little_room_still_bounds_all_kernels(table):
    X, value = table
    pool, machines, weight_set, _ = problem(X, value, "soft_margin")
    two = MasterOptions(smallest=2, largest=2)
    again = KernelPool(pool.kernels, X, len(X), "trust")
    whole = learn_by_columns(again, machines, weight_set, Control(1e-6), room=two)
    assert np.count_nonzero(whole.weights) <= 2
    assert whole.status is Status.NO_ROOM
    best = learn_by_columns(pool, machines, weight_set, Control(1e-7))
    assert whole.lower_bound <= best.objective <= whole.objective


def test_few_join_at_a_time(table):
    """Rounds in which kernels leave and join end at the same optimum."""
    X, value = table
    pool, machines, weight_set, _ = problem(X, value, "soft_margin")
    best = learn_by_columns(pool, machines, weight_set, Control(1e-7))
    three = ColumnGenerationOptions(joining=3)
    few = learn_by_columns(pool, machines, weight_set, Control(1e-7), three)
    assert few.status.is_optimal
    assert few.objective == pytest.approx(best.objective, rel=1e-6)


def test_threads_change_no_digit(table):
    X, _ = table
    kernels = family(X)
    with threadpool_limits(1):
        one, two = (
            KernelPool(kernels, X, len(X), "trust", workers).forms(X.T, lambda: None)
            for workers in (1, 2)
        )
    np.testing.assert_array_equal(one, two)


def test_a_listener_hears_bounds_of_all_kernels_and_may_end_it(table):
    X, value = table
    pool, machines, weight_set, _ = problem(X, value, "soft_margin")
    heard = []
    best = learn_by_columns(pool, machines, weight_set, Control(1e-8))
    learn_by_columns(
        pool, machines, weight_set, Control(1e-8, 200, StoppingControl(heard.append, keeps=True))
    )
    assert max(p.lower_bound for p in heard) <= best.objective
    assert heard[-1].gap <= 1e-8
    assert "kernels in the master problem" in heard[-1].message
    stopping = StoppingControl(lambda progress: True, keeps=True)
    ended = learn_by_columns(pool, machines, weight_set, Control(1e-8, 200, stopping))
    assert ended.status is stopping.stopped
    assert ended.lower_bound <= best.objective <= ended.objective


def test_the_iteration_limit_is_kept(table):
    X, value = table
    pool, machines, weight_set, _ = problem(X, value, "soft_margin")
    ended = learn_by_columns(pool, machines, weight_set, Control(1e-12, 1))
    assert "iteration limit" in str(ended.status)
    assert np.isfinite(ended.gap)


def test_a_proof_is_what_the_bound_is_made_of(make_stack, make_machine):
    """Recomputed from coefficients and shares."""
    for seed in range(3):
        stack = make_stack("low rank", n=24, seed=seed)
        machine, r = make_machine("soft_margin", stack), np.trace(stack.grams, axis1=1, axis2=2)
        found, proof = learn_with_proof(
            GramStack(stack.grams), [machine], WeightSet(r, 24.0, False), Control(1e-7)
        )
        assert proof.shares.sum() == pytest.approx(1.0)
        coefs = proof.coefs[:, 0]
        prices = [proof.shares @ np.einsum("si,ij,sj->s", coefs, K, coefs) for K in stack.grams]
        linear = proof.shares @ [machine.linear_value(a) for a in coefs]
        bound = linear - 12.0 * np.max(prices / r)
        assert bound == pytest.approx(found.lower_bound, rel=1e-9)


def test_a_mixture_of_planes_knows_its_coefficients_by_their_shares():
    a, b = np.array([1.0, -1.0]), np.array([0.0, 0.5])
    first = Plane(1.0, np.zeros(2), 0.0, coefs=((1.0, (a,)),))
    second = Plane(2.0, np.ones(2), 0.0, coefs=((0.25, (b,)), (0.75, (a,))))
    mixed = Plane.mixture(np.array([1.0, 3.0]), [first, second])
    assert [share for share, _ in mixed.coefs] == [0.25, 0.1875, 0.5625]
    assert [parts[0] is a for _, parts in mixed.coefs] == [True, False, True]
    only = Plane.mixture(np.array([0.0, 2.0]), [first, second])
    assert [share for share, _ in only.coefs] == [0.25, 0.75]


@pytest.mark.parametrize("seed", [0, 5, 8, 16, 21, 33])
def test_hostile_problems_are_judged_true(seed):
    """By a judge that shares no code with the solvers, and two kernels joining at a time."""
    problem = make_problem(seed)
    options = {**problem.options, "weights": "positive", "quality": "soft_margin", "C": 1.0}
    y = np.where(problem.y > np.median(problem.y), 1.0, -1.0)
    grams = np.asarray(problem.matrices, dtype=float)
    rows = np.arange(grams.shape[1], dtype=float)[:, None]
    pool = KernelPool([Precomputed(K) for K in grams], rows, len(y), "trust")
    case = Case(grams, y, **options)
    weight = np.ones(len(y)) if case.sample_weight is None else case.sample_weight
    machine = QUALITIES["soft_margin"].build(y, Settings(1.0, 0.3, 0.1, weight))
    weight_set = WeightSet(case.normaliser, case.c, False)
    two = ColumnGenerationOptions(joining=2)
    found = learn_by_columns(pool, [machine], weight_set, Control(case.tol), two)
    with np.errstate(all="ignore"):
        assert complaints(case, found, seed) == []
