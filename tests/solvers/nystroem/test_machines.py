"""Machines through factors against the exact solver, and their parts against plain formulas."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import kernlearn as kl
from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.kernels import Columns, Gaussian, Laplacian, Linear
from kernlearn.quality.machine import phi
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.quality.risk_sets import RiskCurvature
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.machine.solve import solve_machine
from kernlearn.solvers.nystroem import systems
from kernlearn.solvers.nystroem.machines import FactorObjective
from kernlearn.solvers.nystroem.proximal import ProximalNewton, Responses, with_sum
from kernlearn.solvers.nystroem.systems import CoupledCurvature, DiagonalCurvature, Root
from kernlearn.solvers.nystroem.weight_search import learn_machines
from kernlearn.survival import SurvivalOutcome

RNG = np.random.default_rng(0)
N = 100
X = RNG.standard_normal((N, 3))
VALUES = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * RNG.standard_normal(N)
THETA = RNG.uniform(0.3, 2.0, N)
KERNELS = [Gaussian(0.1), Laplacian(0.5), Columns([1, 2], Gaussian(1.0)), Linear()]
VALUED = ["epsilon_svr", "huber", "quantile", "least_squares"]
SEPARABLE = ["squared_soft_margin", "soft_margin", "logistic", "one_class", *VALUED]
MACHINES = [*SEPARABLE, "cox"]
# With ties, and rows that are censored before the first event.
OUTCOME = SurvivalOutcome(np.ceil(10 * np.exp(-VALUES)), RNG.random(N) < 0.7)
OUTCOME.event[OUTCOME.time == OUTCOME.time.min()] = False
NU, EPSILON = 0.2, 0.1


def target(quality):
    if quality == "one_class":
        return np.zeros(N)
    if quality == "cox":
        return OUTCOME.signed
    return VALUES if quality in VALUED else np.sign(VALUES)


def machine_of(quality, C, theta=None):
    theta = np.ones(N) if theta is None else theta
    return QUALITIES[quality].build(target(quality), Settings(C, NU, EPSILON, theta))


def rows_of(rank=N, keep=True, kernels=KERNELS, **options):
    factors = Factors.through_landmarks(kernels, X, rank, "random", 0)
    return FactorRows(X, factors, keep, **options)


def traces_of(rows):
    exact = [each.kernel.diag(X).sum() for each in rows.factors.maps]
    return np.array([exact, rows.factors.membership.T @ (rows.factors(X) ** 2).sum(axis=0)])


def learn(rows, machines, tol, free=False, near=None, **options):
    traces = traces_of(rows)
    start = None if near is None else near.weights
    weight_set = WeightSet(traces[1 if free else 0], 0.5 * float(traces[0].sum()), free, start)
    return learn_machines(rows, machines, traces, weight_set, Control(tol=tol), near, **options)


# Small C with equal rows, and large C with weighted rows, in turn.
SETTINGS = [(0.2, None), (20.0, THETA)]


@pytest.mark.parametrize(
    ("quality", "C", "theta"),
    [(quality, *SETTINGS[turn % 2]) for turn, quality in enumerate(MACHINES)],
    ids=MACHINES,
)
def test_at_full_rank_it_is_the_exact_solver(quality, C, theta):
    rows = rows_of()
    found = learn(rows, [machine_of(quality, C, theta)], 1e-12)
    grams = [k(X) for k in KERNELS]
    exact = kl.learn_weights(
        grams,
        {"one_class": None, "cox": OUTCOME.structured}.get(quality, target(quality)),
        quality=quality,
        C=C,
        nu=NU,
        epsilon=EPSILON,
        total=0.5 * sum(np.trace(K) for K in grams),
        sample_weight=theta,
        tol=1e-12,
    )
    np.testing.assert_allclose(found.weights, exact.weights, atol=1e-6 * exact.weights.max())
    assert found.objective == pytest.approx(exact.objective, rel=1e-8)
    assert found.gap <= 1e-7
    assert found.lower_bound <= exact.objective + 1e-9 * abs(exact.objective)
    values = np.tensordot(exact.weights, grams, 1) @ exact.dual_coef + exact.intercept
    through_factors = rows.factors(X) @ found.coef[:, 0] + found.intercept[0]
    np.testing.assert_allclose(through_factors, values, atol=2e-6)


@pytest.mark.parametrize("quality", MACHINES)
def test_value_plane_and_curvature_are_those_of_the_dense_problem(quality):
    rows = rows_of(rank=15)
    Z, membership = rows.factors(X), rows.factors.membership
    machine = machine_of(quality, 1.0, THETA)
    objective = FactorObjective(rows, [machine])
    weights, step = np.array([0.5, 0.2, 0.0, 0.3]), 1e-5

    def value(w):
        return solve_machine((Z * (membership @ w)) @ Z.T, machine, None, 1e-12).upper

    found = objective.evaluate(weights, None, 1e-12)
    assert found.upper == pytest.approx(value(weights), rel=1e-9)
    plane = found.plane.constant + found.plane.gradient @ weights
    assert plane == pytest.approx(value(weights), rel=1e-9)
    up = [objective.evaluate(weights + step * e, found, 1e-13) for e in np.eye(4)]
    slopes = np.array([(u.plane.gradient - found.plane.gradient) / step for u in up])
    np.testing.assert_allclose(found.hessian, slopes, atol=0.05 * np.abs(slopes).max())
    ahead = np.array([0.01, 0.0, 0.01, -0.02])
    moved = found.predicted_plane(ahead)
    there = value(weights + ahead)
    below = moved.constant + moved.gradient @ (weights + ahead)
    assert there - 1e-2 * abs(there) < below <= there + 1e-9 * abs(there)


def test_a_rough_solution_still_gives_bounds():
    rows = rows_of(rank=15)
    machine = machine_of("soft_margin", 1.0)
    Z, membership = rows.factors(X), rows.factors.membership
    weights = np.array([0.5, 0.2, 0.0, 0.3])
    exact = solve_machine((Z * (membership @ weights)) @ Z.T, machine, None, 1e-12).upper
    rough = FactorObjective(rows, [machine]).evaluate(weights, None, 0.3)
    assert rough.noise > 1e-4 * exact
    assert rough.plane.constant + rough.plane.gradient @ weights < exact < rough.upper


def test_machines_share_one_kernel():
    rows = rows_of(rank=20)
    machines = [machine_of("soft_margin", 1.0), machine_of("squared_soft_margin", 1.0)]
    together = learn(rows, machines, 1e-7)
    assert together.coef.shape == (rows.n_columns, 2)
    assert together.gap <= 1e-7
    objective = FactorObjective(rows, machines)
    w = RNG.dirichlet(np.ones(4))
    both = objective.evaluate(w, None, 1e-9).upper
    alone = [FactorObjective(rows, [m]).evaluate(w, None, 1e-9).upper for m in machines]
    assert both == pytest.approx(sum(alone), rel=1e-8)


def test_free_signs_are_those_of_the_exact_solver():
    kernels = [Gaussian(0.3), Gaussian(0.6), Linear()]
    rows = rows_of(kernels=kernels)
    found = learn(rows, [machine_of("squared_soft_margin", 10.0)], 1e-7, free=True)
    grams = [k(X) for k in kernels]
    exact = kl.learn_weights(
        grams,
        target("squared_soft_margin"),
        quality="squared_soft_margin",
        C=10.0,
        weights="free",
        total=0.5 * sum(np.trace(K) for K in grams),
        tol=1e-7,
    )
    assert exact.weights.min() < 0
    assert found.objective == pytest.approx(exact.objective, rel=1e-6)
    np.testing.assert_allclose(found.weights, exact.weights, atol=2e-3 * exact.weights.max())


def test_a_start_from_few_rows_ends_at_the_same_solution():
    rows = rows_of(rank=20)
    cold = learn(rows, [machine_of("soft_margin", 1.0)], 1e-10)
    warm = learn(rows, [machine_of("soft_margin", 1.0)], 1e-10, coarse_rows=40)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-9)
    assert warm.n_machine_solves != cold.n_machine_solves


def test_machines_near_by_are_where_to_begin(monkeypatch):
    """Steps of all machines together, with the factors of another rank in between."""
    steps = []
    step = ProximalNewton._step
    monkeypatch.setattr(ProximalNewton, "_step", lambda *args: steps.append(1) or step(*args))
    machines = [machine_of("soft_margin", 1.0), machine_of("epsilon_svr", 2.0)]
    near = learn(rows_of(rank=25), machines, 1e-7)
    rows, taken, values = rows_of(rank=30), [], []
    for known in (replace(near, dual_coef=None), near):  # weights alone, and machines too
        steps.clear()
        values.append(learn(rows, machines, 1e-7, near=known).objective)
        taken.append(len(steps))
    assert values[1] == pytest.approx(values[0], rel=2e-7)
    assert taken[1] < 0.9 * taken[0]


def test_blocks_made_again_are_those_that_were_kept(capfd):
    kept, again = rows_of(rank=20, columns_at_once=7), rows_of(rank=20, keep=False)
    some = np.array([3, 70, 5])
    u, a = RNG.standard_normal((kept.n_columns, 2)), RNG.standard_normal(N)
    for rows in (None, some):
        n = N if rows is None else 3
        np.testing.assert_allclose(kept.times(u, rows), again.times(u, rows))
        np.testing.assert_allclose(
            kept.transposed_times(a[:n], rows), again.transposed_times(a[:n], rows)
        )
    columns = np.array([0, 4, 5])
    products = again.products(some, THETA[:3], columns)
    Z = again.factors(X)[np.ix_(some, columns)]
    np.testing.assert_allclose(products, np.tril((Z.T * THETA[:3]) @ Z))
    diagonal = np.where(again.factors.owner == 0, 0.0, RNG.uniform(0.5, 2.0, again.n_columns))
    Z = again.factors(X)[some]
    for rows in (kept, again):
        outer = rows.outer_products(some, diagonal)
        np.testing.assert_allclose(outer, np.tril((Z * diagonal) @ Z.T))
        np.testing.assert_array_equal(rows.outer_products(some, 0.0 * diagonal), 0.0)
    assert capfd.readouterr() == ("", "")  # BLAS has nothing to complain of
    found = learn(again, [machine_of("soft_margin", 1.0)], 1e-7)
    assert found.objective == pytest.approx(
        learn(kept, [machine_of("soft_margin", 1.0)], 1e-7).objective, rel=1e-7
    )


def test_both_systems_are_the_bordered_one():
    rows = rows_of(rank=10)
    diagonal = rows.factors.membership @ np.array([0.5, 0.0, 0.2, 0.3])
    inside, theta = np.arange(5, 60), RNG.uniform(0.5, 2.0, 55)
    root = Root(diagonal)
    Z = rows.factors(X[inside])[:, diagonal > 0] * np.sqrt(diagonal[diagonal > 0])
    q = Z.shape[1]
    A = np.block(
        [
            [np.eye(q) + (Z.T * theta) @ Z, (Z.T @ theta)[:, None]],
            [(Z.T @ theta)[None], np.array([[theta.sum()]])],
        ]
    )
    right = RNG.standard_normal(q + 1)
    expected = np.linalg.solve(A, right)
    K = np.diag(1 / theta) + Z @ Z.T
    inverse = np.linalg.inv(K)
    P = inverse - np.outer(inverse.sum(axis=0), inverse.sum(axis=0)) / inverse.sum()
    images = RNG.standard_normal((55, 3))
    whole = np.zeros(N)
    whole[inside] = theta
    primal = systems.PrimalSystem(rows, root, DiagonalCurvature(whole))
    for made in (primal, systems.DualSystem(rows, root, inside, theta)):
        dv, db = made.step(right[:-1], right[-1])
        np.testing.assert_allclose(np.append(dv, db), expected, atol=1e-9)
        np.testing.assert_allclose(made.project(images), P @ images, atol=1e-9)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_both_systems_of_risk_sets_are_the_dense_one(ties):
    rows = rows_of(rank=10)
    diagonal = rows.factors.membership @ np.array([0.5, 0.0, 0.2, 0.3])
    settings = Settings(2.0, NU, EPSILON, THETA, ties=ties)
    risk_sets = QUALITIES["cox"].build(OUTCOME.signed, settings).risk_sets
    curvature = CoupledCurvature(RiskCurvature(risk_sets, VALUES), block_rows=20)
    W = RiskCurvature(risk_sets, VALUES).times(np.eye(N))
    Z, columns = rows.factors(X), np.flatnonzero(diagonal)
    products = np.tril(Z[:, columns].T @ W @ Z[:, columns])
    np.testing.assert_allclose(curvature.products(rows, columns), products, atol=1e-10)
    root = Root(diagonal)
    Z = Z[:, columns] * np.sqrt(diagonal[columns])
    g, images = RNG.standard_normal(Z.shape[1]), RNG.standard_normal((N, 3))
    step = np.linalg.solve(np.eye(len(g)) + Z.T @ W @ Z, g)
    answers = np.linalg.solve(np.eye(N) + W @ Z @ Z.T, W @ images)
    for kind in (systems.PrimalSystem, systems.CoupledDualSystem):
        system = kind(rows, root, curvature)
        np.testing.assert_allclose(system.step(g, 0.0)[0], step, atol=1e-9)
        assert system.step(g, 0.0)[1] == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(system.project(images), answers, atol=1e-9)


def test_a_machine_of_risk_sets_is_that_of_scipy():
    rows, machine = rows_of(rank=3, kernels=KERNELS[:2]), machine_of("cox", 0.5, THETA)
    Z = rows.factors(X)

    def value(v):
        return 0.5 * v @ v + machine.risk_sets.losses(Z @ v).sum()

    def slope(v):
        return v - Z.T @ machine.risk_sets.coefficients(Z @ v)

    best = minimize(value, np.zeros(Z.shape[1]), jac=slope, tol=1e-12)
    found = FactorObjective(rows, [machine]).evaluate(np.ones(2), None, 1e-12)
    assert found.upper == pytest.approx(best.fun, rel=1e-12)
    assert found.noise <= 1e-12 * best.fun
    np.testing.assert_allclose(found.solutions[0].columns, best.x, atol=1e-6)


@pytest.mark.parametrize("quality", SEPARABLE)
def test_the_response_maximises_its_parabola(quality):
    machine = machine_of(quality, 2.0, THETA)
    # An entropy is curved by itself, and has no δ.
    delta = 0.0 if machine.temperature else 0.7
    g, centre = 3 * RNG.standard_normal(N), RNG.standard_normal(N)
    low = np.maximum(machine.breakpoints[:, 0], -50.0)
    high = np.minimum(machine.breakpoints[:, -1], 50.0)
    responses = Responses(machine, centre, delta)
    f = machine.linear - g
    found = responses.at(f)

    def value(a):
        return g * a - phi(machine, a) - 0.5 * delta * (a - centre) ** 2

    assert (found.a >= machine.breakpoints[:, 0]).all()
    assert (found.a <= machine.breakpoints[:, -1]).all()
    for share in np.linspace(0, 1, 2001):
        assert (value(low + share * (high - low)) <= value(found.a) + 1e-9).all()
    slope = (responses.at(f - 1e-6).a - found.a) / 1e-6
    assert np.abs(slope - found.curvature.theta).max() < 1e-3
    along = responses.along(f, np.ones(N))
    np.testing.assert_allclose(along(1e-6), responses.at(f + 1e-6).a, atol=1e-9)
    np.testing.assert_array_equal(along(0.0), found.a)


def test_sums_are_repaired_inside_the_box():
    machine = machine_of("soft_margin", 1.0)
    a = np.clip(machine.linear * RNG.uniform(-0.5, 1.5, N), *machine.breakpoints.T)
    inside = (a != 0) & (np.abs(a) != 1)
    repaired = with_sum(machine, a, inside, 0.0)
    assert abs(repaired.sum()) < 1e-12
    assert machine.infeasibility(repaired) < 1e-14
    np.testing.assert_array_equal(repaired[~inside], a[~inside])
    unchanged = with_sum(machine, np.zeros(N), inside, 0.0)
    assert not unchanged.any()
