"""The judge's own interior-point method: many programs in step, each as it is alone."""

from __future__ import annotations

import numpy as np

from kernlearn.testing.certificate.machine_training import solve_boxes


def _programs(m, n, rng):
    """Programs with and without caps, over one simplex each."""
    factors = rng.normal(size=(m, n, n))
    caps = np.where(rng.random((m, n)) < 0.5, np.inf, 1.0)
    sums = rng.uniform(0.5, 1.5, size=(m, 1))
    return (
        factors @ factors.transpose(0, 2, 1),
        rng.normal(size=(m, n)),
        np.ones((1, n)),
        sums,
        caps,
    )


def test_a_solution_has_the_smallest_gradient_where_it_may_grow():
    Q, q, A, b, u = _programs(20, 6, np.random.default_rng(0))
    x, y = solve_boxes(Q, q, A, b, u)
    np.testing.assert_allclose(x.sum(axis=1, keepdims=True), b, atol=1e-12)
    assert (x > -1e-12).all()
    assert (x < u + 1e-12).all()
    slope = np.einsum("mij,mj->mi", Q, x) + q - y
    assert (slope[x < u - 1e-6] > -1e-9).all()
    assert (slope[x > 1e-6] < 1e-9).all()


def test_programs_in_step_end_where_each_ends_alone():
    Q, q, A, b, u = _programs(20, 6, np.random.default_rng(1))
    x, y = solve_boxes(Q, q, A, b, u)
    for i in range(len(Q)):
        each = slice(i, i + 1)
        alone = solve_boxes(Q[each], q[each], A, b[each], u[each])
        np.testing.assert_allclose(x[each], alone[0], atol=1e-10)
        np.testing.assert_allclose(y[each], alone[1], atol=1e-10)


def test_a_singular_system_stops_its_own_program_alone():
    # The first step of the first has the matrix 1 − 1: it stays where it starts.
    Q = np.array([[[-1.0 - 1e-14]], [[2.0]]])
    x, _ = solve_boxes(
        Q, -np.ones((2, 1)), np.zeros((0, 1)), np.zeros((2, 0)), np.full((2, 1), np.inf)
    )
    np.testing.assert_allclose(x, [[1.0], [0.5]], rtol=1e-9)
