"""What is refused, and with which words."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.reference import (
    after_eq56,
    eq26,
    eq33,
    eq36,
    eq37,
    eq38,
    fixed_kernel_program,
    positive_weights_program,
)

K = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 1.0]])
GRAMS = np.stack([K, np.eye(3)])
Y = [1, -1, 1]


def _with(entry, value):
    grams = GRAMS.copy()
    grams[entry] = value
    return grams


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: eq36(K, Y, 1.0), r"shape \(m, N, N\), got shape \(3, 3\); build it with"),
        (lambda: eq36(np.ones((2, 3, 4)), Y, 1.0), r"got shape \(2, 3, 4\)"),
        (lambda: eq36(np.ones((0, 3, 3)), Y, 1.0), r"got shape \(0, 3, 3\)"),
        (lambda: eq36(_with((0, 0, 1), 0.9), Y, 1.0), r"differ from their mirror by 0\.4; replace"),
        (lambda: eq36(_with((0, 0, 0), np.nan), Y, 1.0), "grams: expected finite numbers"),
        (lambda: eq36(GRAMS, [1, -1, 1, 1], 1.0), r"with 1 to 3 entries, .* got shape \(4,\)"),
        (lambda: eq36(GRAMS, [], 1.0), r"with 1 to 3 entries, .* got shape \(0,\)"),
        (lambda: eq36(GRAMS, [1, 1, 1], 1.0), r"both present, got the values \[1\.0\]"),
        (lambda: eq36(GRAMS, [0, 1, 1], 1.0), r"got the values \[0\.0, 1\.0\]; encode"),
        (lambda: eq36(GRAMS, [1, -1, np.inf], 1.0), "y: expected finite numbers"),
        (lambda: eq36(GRAMS, Y, 0.0), r"C: expected a positive finite number, got 0\.0"),
        (lambda: eq36(GRAMS, Y, np.inf), "C: expected a positive finite number, got inf"),
        (lambda: eq26(GRAMS, Y, -1.0, 0.0), r"C: expected a positive number, got -1\.0"),
        (lambda: eq26(GRAMS, Y, 1.0, -0.5), r"tau: expected .* zero or above, got -0\.5"),
        (lambda: eq36(GRAMS, Y, 1.0, c=-1.0), r"c: expected a positive finite number, got -1\.0"),
        (lambda: eq36(GRAMS, Y, 1.0, solver="NONE"), "solver: expected one of .* got 'NONE'"),
        (lambda: eq38(_with(1, -np.eye(3)), Y, 1.0), "got matrix 1 with eigenvalues from -1 to -1"),
        (lambda: eq33(_with(1, 0.0), Y), "non-zero matrices .* got matrix 1 with eigenvalues"),
        (lambda: after_eq56(_with(1, -np.eye(3)), Y), "expected positive semidefinite"),
        (lambda: eq37(np.ones((3, 2)), Y, 1.0), "differs from the identity by 3; orthonormalise"),
        (lambda: eq37(np.ones(3), Y, 1.0), r"vectors: expected an array of shape \(N, m\)"),
        (lambda: fixed_kernel_program(K, Y, "svm"), r"machine: expected one of \['epsilon_svr'"),
        (lambda: fixed_kernel_program(K, None, "nu_svr"), "y: expected targets for the machine"),
        (lambda: fixed_kernel_program(K, Y, "nu_svm", nu=1.5), r"nu: expected .* got 1\.5"),
        (lambda: fixed_kernel_program(K, Y, "epsilon_svr", epsilon=-1), "epsilon: expected"),
        (
            lambda: positive_weights_program(GRAMS, Y, "soft_margin", constraint="norm"),
            "constraint: expected 'trace' or 'sum', got 'norm'",
        ),
        (lambda: positive_weights_program(GRAMS, Y, "soft_margin", total=0), "total: expected"),
    ],
)
def test_refusal_says_what_was_expected_and_what_came(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_rounding_is_forgiven_and_the_input_left_alone():
    grams = GRAMS.copy()
    grams[0, 0, 1] += 1e-12
    before, labels = grams.copy(), np.array(Y)
    expected = eq38(GRAMS, Y, 1.0).value
    assert eq38(grams, labels, 1.0).value == pytest.approx(expected, rel=1e-8)
    np.testing.assert_array_equal(grams, before)
    np.testing.assert_array_equal(labels, Y)
