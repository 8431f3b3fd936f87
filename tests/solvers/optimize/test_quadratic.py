"""The quadratic-programming package through its one door, against algebra."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.quality import QUALITIES
from kernlearn.reference import fixed_kernel_program
from kernlearn.solvers.machine.interior import interior_points, smallest_hull_distance
from kernlearn.solvers.optimize.quadratic import active_set_program, quadratic_program


def test_projection_on_the_simplex_and_its_multipliers():
    """The nearest point of the simplex is (point − θ)₊, and the bound's multiplier is its rest."""
    point = np.array([0.9, 0.6, -0.4, 0.1])
    theta = 0.25  # (0.9 − θ) + (0.6 − θ) = 1, and 0.1 < θ
    solution = quadratic_program(
        P=np.eye(4),
        q=-point,
        A=np.ones((1, 4)),
        b=np.ones(1),
        low=np.zeros(4),
        high=np.full(4, np.inf),
    )
    assert solution.exact
    np.testing.assert_allclose(solution.x, [0.65, 0.35, 0.0, 0.0], atol=1e-8)
    np.testing.assert_allclose(solution.lower, [0.0, 0.0, 0.65, 0.15], atol=1e-7)
    assert solution.equality[0] == pytest.approx(theta, abs=1e-8)


def test_an_inequality_binds_with_a_positive_multiplier():
    """Nearest point to (2, 1) with x₁ + x₂ ≤ 1 and x₁ = x₂: the midpoint, multiplier 2."""
    solution = quadratic_program(
        P=np.eye(2),
        q=np.array([-2.0, -1.0]),
        A=np.array([[1.0, -1.0]]),
        b=np.zeros(1),
        low=np.full(2, -9.0),
        high=np.full(2, 9.0),
        G=np.array([[1.0, 1.0]]),
        h=np.ones(1),
    )
    np.testing.assert_allclose(solution.x, [0.5, 0.5], atol=1e-8)
    assert solution.inequality[0] == pytest.approx(1.0, abs=1e-7)


def test_no_solution_is_none():
    """The first coordinate alone would have to exceed its bound."""
    contradiction = quadratic_program(
        P=np.eye(2),
        q=np.zeros(2),
        A=np.ones((1, 2)),
        b=np.array([5.0]),
        low=np.zeros(2),
        high=np.ones(2),
    )
    assert contradiction is None


# Those with an entropy are no quadratic programs: Newton steps of their own solve them.
@pytest.mark.parametrize("name", sorted(set(QUALITIES) - {"hard_margin", "logistic", "cox"}))
def test_the_interior_point_method_agrees_with_the_reference(
    name, make_stack, make_machine, target_of
):
    problem = make_stack(seed=12)
    K, machine = problem.grams[1], make_machine(name, problem, C=3.0)
    a, multipliers = next(interior_points(K + machine.offset, machine))
    expected = fixed_kernel_program(K, target_of(name, problem), name, C=3.0, nu=0.3).value
    assert machine.infeasibility(a) <= 1e-8
    K = K + machine.offset
    assert machine.lower_value(a, K @ a) == pytest.approx(expected, rel=1e-6)
    assert machine.upper_value(a, K @ a, multipliers) == pytest.approx(expected, rel=1e-6)


def test_the_distance_between_hulls_gives_the_hard_margin(make_stack, make_machine):
    problem = make_stack(seed=13)
    K, machine = problem.grams[1], make_machine("hard_margin", problem)
    a, multipliers = next(smallest_hull_distance(K, machine))
    expected = fixed_kernel_program(K, problem.y, "hard_margin").value
    assert machine.lower_value(a, K @ a) == pytest.approx(expected, rel=1e-6)
    assert machine.upper_value(a, K @ a, multipliers) == pytest.approx(expected, rel=1e-6)
    assert not list(smallest_hull_distance(np.ones_like(K), machine))


def program(seed, p=240, rank=20, planes=3):
    """A model as one step minimises it: planes under a quadratic of low rank, on the simplex."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(rank, p))
    P = np.zeros((p + 1, p + 1))
    P[:p, :p] = root.T @ root / rank + 1e-9 * np.eye(p)
    gradients = -(rng.normal(size=(planes, p)) ** 2)
    G = np.column_stack([gradients, -np.ones(planes)])
    return {
        "P": P,
        "q": np.append(-P[:p, :p] @ np.full(p, 1.0 / p), 1.0),
        "A": np.append(np.ones(p), 0.0)[None, :],
        "b": np.ones(1),
        "low": np.append(np.zeros(p), -np.inf),
        "high": np.append(np.ones(p), np.inf),
        "G": G,
        "h": rng.normal(size=planes),
    }


def value(given, x):
    return 0.5 * x @ given["P"] @ x + given["q"] @ x


@pytest.mark.parametrize("seed", range(6))
def test_the_solution_is_that_of_the_whole_program(seed):
    given = program(seed, rank=(3, 20, 60)[seed % 3], planes=1 + seed)
    whole = quadratic_program(**given)
    sizes = []

    def counted(P, *others):
        sizes.append(len(P))
        return quadratic_program(P, *others)

    sifted = active_set_program(**given, solve=counted)
    assert max(sizes) < 200
    assert value(given, sifted.x) == pytest.approx(value(given, whole.x), abs=1e-8)
    np.testing.assert_allclose(sifted.x, whole.x, atol=1e-4)
    assert sifted.exact
    assert abs(sifted.x[:-1].sum() - 1.0) < 1e-9
    slack = given["P"] @ sifted.x + given["q"]
    slack += given["A"].T @ sifted.equality + given["G"].T @ sifted.inequality - sifted.lower
    np.testing.assert_allclose(slack[:-1][sifted.x[:-1] < 0.9], 0.0, atol=1e-6)
    assert (sifted.lower >= 0).all()


def test_few_variables_and_free_signs_are_solved_at_once():
    calls = []

    def counted(P, *others):
        calls.append(len(P))
        return quadratic_program(P, *others)

    active_set_program(**program(0, p=100), solve=counted)
    free = program(1)
    free["low"] = np.append(np.full(240, -1.0), -np.inf)
    active_set_program(**free, solve=counted)
    assert calls == [101, 241]


def test_where_the_first_few_cannot_do_it():
    given = program(2)
    guess = given["q"] + given["G"].mean(axis=0)
    # Only the variables that are looked at last can be large.
    given["high"][:-1][np.argsort(guess[:-1])[:100]] = 1e-4
    sifted = active_set_program(**given)
    whole = quadratic_program(**given)
    np.testing.assert_allclose(sifted.x, whole.x, atol=1e-4)
