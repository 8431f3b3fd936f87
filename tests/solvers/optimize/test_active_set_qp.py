"""Sifting gives the solution of the whole program."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.solvers.optimize.active_set_qp import active_set_program
from kernlearn.solvers.optimize.quadratic import quadratic_program


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
