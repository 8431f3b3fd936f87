r"""Linear constraints on the weights, beside their total: caps, floors, budgets, ties and orders.

They narrow the family F of ``min over k in F of Q(k) + λΩ(k)``: Lanckriet et al. (2004) minimise
over any convex set of kernels in (22), (29), (35), (40), (44) and (49). With :math:`r_i` and c of
the total :math:`\sum_i w_i r_i = c`, a kernel's share is :math:`s_i = w_i r_i / c`: the part of the
trace of K(w) that it makes, or of the sum of the weights. Shares add up to one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._validation import check_real
from kernlearn.typing import Array, Indices

UNITS = ("shares", "weights")
KernelsLike = int | str | Sequence[int | str]


class LinearRows(NamedTuple):
    """Rows ``lower ≤ matrix @ v ≤ upper``, where v holds the shares or the weights."""

    matrix: Array  # (k, m)
    lower: Array  # (k,)
    upper: Array  # (k,)
    of: str


class Constraint(ABC):
    """A linear constraint on the weights of kernels.

    Kernels are given by their numbers, from 0 on, or by their names: that of a
    :class:`kernlearn.kernels.Columns`, of a :class:`kernlearn.kernels.Precomputed` or of a view. A
    name stands for all kernels that have it. :func:`kernlearn.learn_weights` knows numbers alone.
    """

    of: str = "shares"

    @abstractmethod
    def rows(self, names: Sequence[str | None]) -> LinearRows:
        """The rows for kernels of these names."""

    def _kernel_numbers(self, kernels: KernelsLike, names: Sequence[str | None]) -> Indices:
        """The numbers of kernels, each once, in the order given."""
        listed: list[object] = [kernels]
        if isinstance(kernels, Iterable) and not isinstance(kernels, str):
            listed = list(kernels)
        found: list[int] = []
        for one in listed:
            found += self._numbers(one, names)
        if not found:
            raise ValueError(
                f"expected at least one kernel in {self!r}, got none; pass numbers from 0 to "
                f"{len(names) - 1}"
            )
        return np.array(list(dict.fromkeys(found)), dtype=np.intp)

    def _numbers(self, one: object, names: Sequence[str | None]) -> list[int]:
        m = len(names)
        if isinstance(one, str):
            matching = [i for i, name in enumerate(names) if name == one]
            if matching:
                return matching
            known = ", ".join(sorted({repr(name) for name in names if name is not None}))
            raise ValueError(
                f"expected the name of a kernel in {self!r}, got {one!r}; "
                + (f"the names are {known}" if known else "the kernels have no names: use numbers")
            )
        if isinstance(one, bool) or not isinstance(one, int | np.integer) or not 0 <= one < m:
            raise ValueError(
                f"expected numbers of kernels from 0 to {m - 1} in {self!r}, got {one!r}; count "
                "kernels from 0 on"
            )
        return [int(one)]

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__.removesuffix('Constraint')}({arguments})"


class AtMost(Constraint):
    r"""A cap: each of these kernels has at most this share, :math:`s_i \le b`.

    Parameters
    ----------
    kernels : int, str or list of these
        Numbers or names of kernels.
    limit : float
        The largest share of each.
    of : {"shares", "weights"}, default="shares"
        Whether the limit is on the shares wᵢrᵢ/c of the total, or on the weights wᵢ.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.where(np.abs(X[:, 0]) < 0.5, 1, -1)
    >>> grams = [kl.kernels.Linear()(X), kl.kernels.Gaussian(gamma=4.0)(X)]
    >>> s = kl.learn_weights(grams, y, constraints=[kl.constraints.AtMost(1, 0.75)])
    >>> float(round(s.weights[1] * 40 / sum(map(np.trace, grams)), 6)), s.status.is_optimal
    (0.75, True)
    """

    def __init__(self, kernels: KernelsLike, limit: float, of: str = "shares") -> None:
        self.kernels, self.limit, self.of = kernels, limit, of

    def rows(self, names: Sequence[str | None]) -> LinearRows:
        """One row for each kernel."""
        matrix = np.eye(len(names))[self._kernel_numbers(self.kernels, names)]
        return _bounded(self, matrix, None, self.limit)


class AtLeast(Constraint):
    r"""A floor: each of these kernels has at least this share, :math:`s_i \ge b`.

    Parameters
    ----------
    kernels : int, str or list of these
        Numbers or names of kernels.
    limit : float
        The smallest share of each.
    of : {"shares", "weights"}, default="shares"
        Whether the limit is on the shares wᵢrᵢ/c of the total, or on the weights wᵢ.

    Examples
    --------
    >>> import kernlearn as kl
    >>> kl.constraints.AtLeast(["genes", "note"], 0.1)
    AtLeast(kernels=['genes', 'note'], limit=0.1, of='shares')
    """

    def __init__(self, kernels: KernelsLike, limit: float, of: str = "shares") -> None:
        self.kernels, self.limit, self.of = kernels, limit, of

    def rows(self, names: Sequence[str | None]) -> LinearRows:
        """One row for each kernel."""
        matrix = np.eye(len(names))[self._kernel_numbers(self.kernels, names)]
        return _bounded(self, matrix, self.limit, None)


class Group(Constraint):
    r"""A budget that kernels share: :math:`a \le \sum_{i \in G} s_i \le b`.

    Parameters
    ----------
    kernels : int, str or list of these
        Numbers or names of kernels.
    at_most : float, optional
        The largest share of all of them together.
    at_least : float, optional
        The smallest share of all of them together.
    of : {"shares", "weights"}, default="shares"
        Whether the limits are on the shares wᵢrᵢ/c of the total, or on the weights wᵢ.

    Examples
    --------
    >>> import kernlearn as kl
    >>> kl.constraints.Group("genes", at_most=0.5)
    Group(kernels='genes', at_most=0.5, at_least=None, of='shares')
    """

    def __init__(
        self,
        kernels: KernelsLike,
        at_most: float | None = None,
        at_least: float | None = None,
        of: str = "shares",
    ) -> None:
        self.kernels, self.at_most, self.at_least, self.of = kernels, at_most, at_least, of

    def rows(self, names: Sequence[str | None]) -> LinearRows:
        """One row, of ones for the kernels of the group."""
        row = np.zeros((1, len(names)))
        row[0, self._kernel_numbers(self.kernels, names)] = 1.0
        return _bounded(self, row, self.at_least, self.at_most)


class Tie(Constraint):
    r"""These kernels have the same share: :math:`s_i = s_j`.

    Parameters
    ----------
    kernels : list of int or str, or str
        Numbers or names of at least two kernels.
    of : {"shares", "weights"}, default="shares"
        Whether their shares wᵢrᵢ/c of the total are the same, or their weights wᵢ.

    Examples
    --------
    >>> import kernlearn as kl
    >>> kl.constraints.Tie([0, 2])
    Tie(kernels=[0, 2], of='shares')
    """

    def __init__(self, kernels: KernelsLike, of: str = "shares") -> None:
        self.kernels, self.of = kernels, of

    def rows(self, names: Sequence[str | None]) -> LinearRows:
        """A row for every kernel after the first: the difference of two in a row is zero."""
        return _bounded(self, _differences(self, self.kernels, names), 0.0, 0.0)


class Order(Constraint):
    r"""Every kernel has at least the share of the next one: :math:`s_i \ge s_j \ge \dots`.

    Parameters
    ----------
    kernels : list of int or str
        Numbers or names of at least two kernels, from the largest share to the smallest.
    of : {"shares", "weights"}, default="shares"
        Whether the shares wᵢrᵢ/c of the total are in this order, or the weights wᵢ.

    Examples
    --------
    >>> import kernlearn as kl
    >>> kl.constraints.Order([2, 0, 1])
    Order(kernels=[2, 0, 1], of='shares')
    """

    def __init__(self, kernels: KernelsLike, of: str = "shares") -> None:
        self.kernels, self.of = kernels, of

    def rows(self, names: Sequence[str | None]) -> LinearRows:
        """A row for every kernel after the first: the difference of two in a row is positive."""
        return _bounded(self, _differences(self, self.kernels, names), 0.0, None)


class LinearConstraint(Constraint):
    r"""Any linear constraints: :math:`a \le A s \le b`.

    Parameters
    ----------
    A : array-like of shape (k, m) or (m,)
        One row for each constraint, with a column for each kernel.
    upper : array-like of shape (k,) or float, optional
        The b; infinite where there is none.
    lower : array-like of shape (k,) or float, optional
        The a; minus infinity where there is none. The same as `upper` for equations.
    of : {"shares", "weights"}, default="shares"
        Whether the rows are for the shares wᵢrᵢ/c of the total, or for the weights wᵢ.

    Examples
    --------
    >>> import kernlearn as kl
    >>> kl.constraints.Linear([[1.0, -2.0, 0.0]], 0.0)
    Linear(A=[[1.0, -2.0, 0.0]], upper=0.0, lower=None, of='shares')
    """

    def __init__(
        self,
        A: ArrayLike,
        upper: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        of: str = "shares",
    ) -> None:
        self.A, self.upper, self.lower, self.of = A, upper, lower, of

    def rows(self, names: Sequence[str | None]) -> LinearRows:
        """The rows as they were given."""
        check_real(self.A, "A")
        matrix = np.atleast_2d(np.asarray(self.A, dtype=float))
        if matrix.ndim != 2 or matrix.shape[1] != len(names) or not np.isfinite(matrix).all():
            raise ValueError(
                f"expected a finite A of shape (k, {len(names)}) in Linear, with a column for each "
                f"kernel, got shape {np.shape(self.A)}; write 0 for kernels without a part"
            )
        return _bounded(self, matrix, self.lower, self.upper)


def check_constraints(
    constraints: Sequence[Constraint] | Constraint | None, names: Sequence[str | None]
) -> list[tuple[Constraint, LinearRows]]:
    """Every constraint with its rows for kernels of these names; refused if it is none."""
    if constraints is None:
        return []
    listed = [constraints] if isinstance(constraints, Constraint) else constraints
    if not isinstance(listed, list | tuple) or not all(
        isinstance(each, Constraint) for each in listed
    ):
        raise ValueError(
            f"expected constraints to be a list of constraints on weights, got {constraints!r}; "
            "pass for example [kernlearn.constraints.AtMost(0, 0.5)]"
        )
    return [(each, each.rows(names)) for each in listed]


def _differences(
    constraint: Constraint, kernels: KernelsLike, names: Sequence[str | None]
) -> Array:
    picked = constraint._kernel_numbers(kernels, names)
    if len(picked) < 2:
        raise ValueError(
            f"expected at least two kernels in {constraint!r}, got one; name those to compare"
        )
    each = np.eye(len(names))[picked]
    return np.asarray(each[:-1] - each[1:])


def _bounded(
    constraint: Constraint, matrix: Array, lower: ArrayLike | None, upper: ArrayLike | None
) -> LinearRows:
    """The rows with their limits checked."""
    if constraint.of not in UNITS:
        raise ValueError(
            f"expected of to be 'shares' or 'weights' in {constraint!r}, got {constraint.of!r}; "
            "leave it out for shares of the total"
        )
    k = len(matrix)
    low, high = _limits(constraint, lower, -np.inf, k), _limits(constraint, upper, np.inf, k)
    if np.isinf(low).all() and np.isinf(high).all():
        raise ValueError(f"expected a limit in {constraint!r}, got none; say how much is allowed")
    if (low > high).any():
        raise ValueError(
            f"expected lower limits of at most the upper ones in {constraint!r}, got "
            f"{low[low > high][0]:g} above {high[low > high][0]:g}; exchange them"
        )
    return LinearRows(matrix, low, high, constraint.of)


def _limits(constraint: Constraint, limits: ArrayLike | None, none: float, k: int) -> Array:
    """One limit for each row."""
    if limits is None:
        return np.full(k, none)
    try:
        check_real(limits, "limits")
        values = np.broadcast_to(np.asarray(limits, dtype=float), (k,)).copy()
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if np.isnan(values).any() or (values == -none).any():
        raise ValueError(
            f"expected a number, or one for each of {k} rows, as a limit in {constraint!r}, got "
            f"{limits!r}; use None for no limit"
        )
    return values
