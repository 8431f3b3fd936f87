"""A lower bound is a lower bound: no feasible weights have a plane's value below it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernlearn.families.matrices import GramStack
from kernlearn.families.weights import free_weights, positive_weights
from kernlearn.solvers.core import certificate
from kernlearn.solvers.core.certificate import linear_minimum, lower_bound
from kernlearn.solvers.core.oracle import Plane
from kernlearn.solvers.core.problem import program_within
from kernlearn.solvers.weights.psd_cuts import PsdCuts

TOTAL = 3.0


@pytest.fixture(params=["standard", "duplicate", "rank one", "low rank"])
def family(request, make_stack):
    problem = make_stack(request.param, n=8, n_unlabelled=2, seed=15)
    return GramStack(problem.grams, problem.n)


def _planes(m, count=12):
    rng = np.random.default_rng(0)
    return [Plane(float(rng.normal()), rng.normal(size=m)) for _ in range(count)]


def _feasible_free_weights(family, count=60):
    """Random weights of the right trace, pulled towards the even mixture until K(w) ⪰ 0."""
    rng = np.random.default_rng(1)
    even = TOTAL / family.traces / family.n_matrices
    found = []
    for _ in range(count):
        direction = rng.normal(size=family.n_matrices) / family.traces
        direction -= (direction @ family.traces) * even / TOTAL
        for reach in [*np.geomspace(1.0, 1e-6, 40), 0.0]:
            weights = even + reach * direction
            if np.linalg.eigvalsh(family.combine(weights, False))[0] >= -1e-13:
                found.append(weights)
                break
    return np.array(found)


def test_positive_weights_never_go_below_and_a_corner_attains_it(family):
    domain = positive_weights(family.traces, TOTAL)
    shares = np.random.default_rng(2).dirichlet(np.ones(family.n_matrices), size=200)
    for plane in _planes(family.n_matrices):
        bound = lower_bound(plane, domain)
        values = plane.constant + (TOTAL * shares / family.traces) @ plane.gradient
        assert (values >= bound - 1e-12 * np.abs(values).max()).all()
        corners = plane.constant + TOTAL * plane.gradient / family.traces
        assert bound == pytest.approx(corners.min(), rel=1e-12)


@pytest.mark.parametrize("n_cuts", [0, 30])
def test_free_weights_never_go_below(family, n_cuts):
    m = family.n_matrices
    domain = free_weights(family.inner_products, family.traces, TOTAL, m, TOTAL, family.n_points)
    cuts = PsdCuts(family, domain)
    rng = np.random.default_rng(3)
    for x in domain.start + 0.3 * rng.normal(size=(n_cuts, len(domain.start))):
        cuts.cut_in_full(x)
    # Duplicates share their weight in the domain: compare planes that treat them alike.
    project = domain.basis @ np.linalg.pinv(domain.basis)
    feasible = _feasible_free_weights(family) @ project.T
    for plane in _planes(m):
        plane = Plane(plane.constant, project.T @ plane.gradient)
        values = plane.constant + feasible @ plane.gradient
        bound = lower_bound(plane, domain)
        assert np.isfinite(bound)
        assert (values >= bound - 1e-9 * np.abs(values).max()).all()


def test_cutting_where_the_bound_is_attained_makes_it_tight(make_stack):
    """With two kernels the feasible set is an interval, whose ends a bisection finds."""
    grams = make_stack(seed=16, n=10).grams[:2]
    family = GramStack(grams)
    domain = free_weights(family.inner_products, family.traces, TOTAL, 2, TOTAL, family.n_points)
    cuts = PsdCuts(family, domain)
    plane = Plane(0.0, np.array([1.0, 0.0]) / 10)

    def weights(first):
        return np.array([first, TOTAL - first * 10]) / np.array([1.0, 10.0])

    def is_psd(first):
        return np.linalg.eigvalsh(family.combine(weights(first)))[0] >= 0

    inside, outside = 0.15, -TOTAL
    for _ in range(60):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if is_psd(middle) else (inside, middle)
    exact = plane.gradient[0] * inside
    bounds = []
    for _ in range(40):
        minimum, x = linear_minimum(domain.basis.T @ plane.gradient, domain)
        bounds.append(minimum)
        assert minimum <= exact + 1e-9
        if not (cuts.cut_in_subspace(x) or cuts.cut_in_full(x)):
            break
    assert bounds[0] < exact - 1e-4
    assert (np.diff(bounds) >= -1e-9).all()
    assert bounds[-1] == pytest.approx(exact, abs=1e-6)


def test_the_bound_holds_however_badly_its_program_is_solved(family, monkeypatch):
    """Any multipliers give a bound, and the honest ones the best."""
    m = family.n_matrices
    domain = free_weights(family.inner_products, family.traces, TOTAL, m, TOTAL, family.n_points)
    cuts = PsdCuts(family, domain)
    for unit in np.eye(m):
        cuts.cut_in_full(domain.coordinates(TOTAL * (2.0 * unit - 1.0)))
    project = domain.basis @ np.linalg.pinv(domain.basis)
    feasible = _feasible_free_weights(family) @ project.T
    planes = [Plane(p.constant, project.T @ p.gradient) for p in _planes(m)]
    honest = [lower_bound(plane, domain) for plane in planes]
    rng = np.random.default_rng(4)

    def careless(*program):
        solution = program_within(*program)
        return replace(
            solution,
            equality=solution.equality + 0.3 * rng.normal(size=1),
            inequality=solution.inequality + 0.3 * rng.normal(size=len(solution.inequality)),
        )

    monkeypatch.setattr(certificate, "program_within", careless)
    for plane, best in zip(planes, honest, strict=True):
        bound = lower_bound(plane, domain)
        smallest = (plane.constant + feasible @ plane.gradient).min()
        assert bound <= smallest + 1e-9
        assert bound <= best + 1e-6
