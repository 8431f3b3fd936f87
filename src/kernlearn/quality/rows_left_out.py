r"""Leave-one-out decision values of a machine, in closed form.

Without row p its coefficient is zero, and the others change. As long as each of them keeps its
role (zero, at its bound, or in F: between, or on the margin itself), those of F and the intercept
solve the linear system of

.. math::

    M = \begin{pmatrix} K_{FF} + \operatorname{diag}(\tau_F) & E_F^\top \\ E_F & 0 \end{pmatrix},

and what is said of p becomes

- :math:`f_p` as it was where :math:`a_p = 0`: this is exact, for the machine does not change;
- :math:`f_p + \tau_p a_p - a_p / (M^{-1})_{pp}` for p in F;
- :math:`f_p - a_p \bigl(K_{pp} - c^\top M^{-1} c\bigr)`, :math:`c = (K_{Fp}, E_p)`, at a bound.

The factors of :math:`a_p` are the squared spans of Vapnik and Chapelle (2000). For least squares
all rows are in F and the values are exact. For other machines they are exact if no row changes its
role, and estimates otherwise. For the logistic loss τ is the second derivative of the entropy at a,
and the value is that of one Newton step from the machine with all rows: the approximate
leave-one-out of Cawley and Talbot (2008).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, solve_triangular

from kernlearn._device import lower_factor
from kernlearn.quality.machine import Machine, curvature_of
from kernlearn.typing import Array

# Relative to the mean of the diagonal: a matrix may be singular, or indefinite by rounding. A row
# that depends linearly on the other rows has a span of about this, which is next to none.
_RIDGE = 1e-8
_AT_BOUND = 1e-9
_ON_MARGIN = 1e-6


def values_left_out(machine: Machine, K: Array, a: Array, f: Array) -> Array | None:
    """Decision values of shape (n,), each of the machine without that row.

    K is without the machine's offset, and f is K a + b. None where too few coefficients are
    between their bounds to tell, or the machine without a row is another one, such as a ν-SVM.

    >>> import numpy as np
    >>> from kernlearn.quality.rows_left_out import values_left_out
    >>> from kernlearn.quality.margins import soft_margin
    >>> y, a = np.array([1.0, -1.0, -1.0]), np.array([1.0, -0.5, -0.5])
    >>> f = np.eye(3) @ a
    >>> values_left_out(soft_margin(y, np.full(3, 9.0)), np.eye(3), a, f).round(6).tolist()
    [-0.5, 0.25, 0.25]
    """
    if machine.rhs.any() or np.isfinite(machine.budget) or machine.slopes.shape[1] > 1:
        return None
    at_bound = np.abs(a) >= (1.0 - _AT_BOUND) * np.abs(machine.breakpoints).max(axis=1)
    # A row on the margin, whatever its coefficient, is ready to stand in for a copy of it.
    on_margin = np.abs(machine.linear - f - machine.ridge * a) <= _ON_MARGIN
    if machine.temperature:
        on_margin[:] = False
    tau = curvature_of(machine, a)
    is_free = on_margin | ((a != 0) & ~at_bound)
    free, bound = np.flatnonzero(is_free), np.flatnonzero((a != 0) & ~is_free)
    E = machine.rows
    if len(free) <= len(E):
        return None if len(free) + len(bound) else f.copy()
    wide = K.take(free, axis=0)
    A = wide.take(free, axis=1) + machine.offset
    A.flat[:: len(free) + 1] += tau[free] + _RIDGE * float(K.diagonal().mean())
    try:
        L = lower_factor(A)
        inverse = solve_triangular(L, np.eye(len(free)), lower=True, check_finite=False)
        border = inverse @ E[:, free].T
        # S = E A⁻¹ Eᵀ, and rows that are orthonormal in it.
        to_unit = np.linalg.inv(np.linalg.cholesky(border.T @ border)).T
    except (LinAlgError, np.linalg.LinAlgError):
        return None
    border = border @ to_unit
    left = f.copy()
    P = np.square(inverse).sum(axis=0) - np.square(inverse.T @ border).sum(axis=1)
    a_free = a[free]
    left[free] += tau[free] * a_free - a_free / P
    if len(bound):
        inner = inverse @ (wide.take(bound, axis=1) + machine.offset)
        beyond = border.T @ inner - to_unit.T @ E[:, bound]
        spans = K.diagonal()[bound] + machine.offset
        spans = spans - np.square(inner).sum(axis=0) + np.square(beyond).sum(axis=0)
        left[bound] -= a[bound] * spans
    return left
