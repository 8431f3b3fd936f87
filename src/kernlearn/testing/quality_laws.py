"""The laws that every quality functional obeys, as a check suite for new ones."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.functionals import QualityFunctional
from kernlearn.functionals.base import check_target, kernel_matrix
from kernlearn.kernels import Precomputed
from kernlearn.kernels._validation import check_table, is_frame
from kernlearn.testing._laws import Laws
from kernlearn.typing import Array, Rows, Targets

# Machines are solved to a relative gap of 1e-6, and libsvm to about as much.
_LAW = Laws("Quality", relative=1e-5)
_N_PERMUTATIONS = 3
_SHARES = (0.25, 0.5, 0.75)


def check_quality(
    functional: QualityFunctional,
    kernel: Callable[..., ArrayLike],
    X: Rows,
    y: ArrayLike | None = None,
) -> None:
    r"""Check that `functional` obeys, on these data, the laws that the library relies on.

    The laws: the value is a finite float and the same at every call; it depends on the kernel
    only through its matrix on the data (Ong 2005, Definition 1); it stays when points and targets
    change places together (if `exchangeable`) and when classes get other names;
    :math:`Q((1-t)K + tL) \le (1-t)Q(K) + tQ(L)` (if `convex`); :math:`Q(K + L) \le Q(K)` for L ⪰ 0
    (if `decreasing`); the data are left as they were.

    Parameters
    ----------
    functional : QualityFunctional
        The functional to check.
    kernel : Kernel or callable
        A kernel to call it on.
    X : array-like or data frame of shape (n, d)
        A few dozen points at most.
    y : array-like of shape (n,)
        Labels or targets, as the functional takes them.

    Raises
    ------
    AssertionError
        With a sentence that says which law was broken, and by how much.

    Examples
    --------
    >>> from kernlearn.functionals import Alignment
    >>> from kernlearn.kernels import Gaussian
    >>> from kernlearn.testing import check_quality
    >>> check_quality(Alignment(), Gaussian(), [[0.0], [2.0], [0.5]], ["a", "b", "a"])
    """
    table, labels = check_table(X, "X"), None if y is None else np.asarray(y)
    before = copy.deepcopy((table, labels))
    value = functional(kernel, table, labels)
    returned: object = value
    _check_unchanged(table, labels, before)
    _LAW.require(
        isinstance(returned, float) and math.isfinite(value),
        f"the value must be a finite float, got {value!r} of type {type(value).__name__}",
    )
    again = functional(kernel, table, labels)
    _LAW.require(again == value, f"the value must not change between calls, {value!r}, {again!r}")
    K = kernel_matrix(kernel, table)
    rows = np.arange(len(K))[:, None]
    by_matrix = functional(Precomputed(K), rows, labels)
    _require_same(by_matrix, value, "it depends on the kernel only through its matrix on the data")
    if functional.exchangeable:
        _check_exchangeable(functional, K, labels, value)
    if labels is not None:
        _check_renamed(functional, K, labels, value)
    _check_shape(functional, K, labels, value)
    _check_unchanged(table, labels, before)


def _check_exchangeable(
    functional: QualityFunctional, K: Array, y: Targets | None, value: float
) -> None:
    rng = np.random.default_rng(0)
    for _ in range(_N_PERMUTATIONS):
        order = rng.permutation(len(K))
        permuted = functional(Precomputed(K), order[:, None], None if y is None else y[order])
        law = "it stays when points and targets change places together"
        _require_same(permuted, value, law)


def _check_renamed(functional: QualityFunctional, K: Array, y: Targets, value: float) -> None:
    """Other names for the classes; of more than two they keep their order, which breaks ties."""
    classes = check_target(y, len(K), functional.targets)
    if classes.dtype.kind != "i":
        return
    rows = np.arange(len(K))[:, None]
    names = np.array([f"class {c:06d}" for c in range(int(classes.max()) + 1)])
    for chosen in [names, names[::-1]] if len(names) == 2 else [names]:
        renamed = functional(Precomputed(K), rows, chosen[classes])
        _require_same(renamed, value, "it stays when the classes get other names")


def _check_shape(functional: QualityFunctional, K: Array, y: Targets | None, value: float) -> None:
    """Convexity in K, and its fall when K grows."""
    rows = np.arange(len(K))[:, None]
    root = np.random.default_rng(1).normal(size=K.shape)
    other = root @ root.T
    other *= np.trace(K) / np.trace(other)

    def at(matrix: Array) -> float:
        return functional(Precomputed(matrix), rows, y)

    if functional.convex:
        end = at(other)
        for t in _SHARES:
            between = at((1 - t) * K + t * other)
            law = f"it is convex, Q((1 − t)K + tL) ≤ (1 − t)Q(K) + tQ(L) at t = {t}"
            _require_at_most(between, (1 - t) * value + t * end, law, max(abs(value), abs(end)))
    if functional.decreasing:
        law = "it cannot rise when a positive semidefinite matrix is added, Q(K + L) ≤ Q(K)"
        _require_at_most(at(K + other), value, law, abs(value))


def _require_same(found: float, expected: float, law: str) -> None:
    _LAW.require_close(found, np.asarray(expected), law, np.asarray([found, expected]))


def _require_at_most(found: float, bound: float, law: str, size: float) -> None:
    excess = found - bound
    allowed = _LAW.relative * size
    sentence = f"{law}: broken by {excess:.3g}, with {allowed:.3g} allowed for rounding"
    _LAW.require(found <= bound or excess <= allowed, sentence)


def _check_unchanged(table: Rows, y: Targets | None, before: tuple[Any, Any]) -> None:
    same = table.equals(before[0]) if is_frame(table) else np.array_equal(table, before[0])
    same = same and (y is None or np.array_equal(y, before[1]))
    _LAW.require(bool(same), "X and y must be left as they were, but were modified")
