"""The expected quality of a kernel: Ong et al. (2005), Definition 2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import _safe_indexing, check_random_state

from kernlearn._checks import check_count
from kernlearn.functionals.base import QualityFunctional
from kernlearn.kernels._validation import check_table
from kernlearn.typing import Array, RandomState, Rows


@dataclass(frozen=True, eq=False)
class ExpectedQuality:
    """An estimate of the expected quality of a kernel, with its standard error.

    Parameters
    ----------
    value : float
        Mean of the quality over the blocks.
    standard_error : float
        Standard error of that mean.
    values : ndarray of shape (n_blocks,)
        The quality on each block.
    n_rows : int
        Rows in each block.
    """

    value: float
    standard_error: float
    values: Array
    n_rows: int

    def __str__(self) -> str:
        return (
            f"{self.value:.4g} ± {self.standard_error:.2g} on {self.n_rows} rows, the mean of "
            f"{len(self.values)} disjoint blocks"
        )


def expected_quality(
    functional: QualityFunctional,
    kernel: Callable[..., ArrayLike],
    X: Rows,
    y: ArrayLike | None = None,
    *,
    n_rows: int | None = None,
    random_state: RandomState = 0,
) -> ExpectedQuality:
    r"""Estimate :math:`Q(k) = \mathbf E_{X, Y}\, Q_{\mathrm{emp}}(k, X, Y)` (Definition 2).

    In :math:`\min_{k \in F} Q(k) + \lambda\Omega(k)` a program sees the empirical quality of one
    sample, and the kernel that it finds makes that sample look good. The expected quality is what
    the same kernel has on other samples of the same size. Disjoint blocks of rows are such
    samples, so the mean over them is unbiased, and their spread gives its standard error.

    Parameters
    ----------
    functional : QualityFunctional
        A functional, such as ``RegularizedRisk()`` or ``Alignment()``.
    kernel : Kernel or callable
        A kernel that was not learned from these rows; the `kernel_` of an estimator that was
        fitted to others, for example.
    X : array-like or data frame of shape (n, d)
        Rows, drawn independently from one distribution.
    y : array-like of shape (n,)
        Labels of any type, or numbers for regression.
    n_rows : int, optional
        Rows in each block, by default a tenth of all. The quality depends on it: compare with the
        empirical quality of as many training rows.
    random_state : int, RandomState or None, default=0
        Seed of the partition.

    Returns
    -------
    ExpectedQuality
        The estimate, with its standard error.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernlearn.functionals import Alignment, expected_quality
    >>> from kernlearn.kernels import Gaussian
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> narrow, wide = Gaussian(gamma=1.0), Gaussian(gamma=0.01)
    >>> for kernel in (narrow, wide):
    ...     print(expected_quality(Alignment(centered=True), kernel, scale(X), y, n_rows=50))
    0.8558 ± 0.00017 on 50 rows, the mean of 11 disjoint blocks
    0.3944 ± 0.017 on 50 rows, the mean of 11 disjoint blocks
    """
    table = check_table(X, "X")
    n = len(table)
    size = max(n // 10, 1) if n_rows is None else check_count("n_rows", n_rows)
    if n // size < 2:
        raise ValueError(
            f"expected at least two blocks of {size} rows, got {n} rows in all; lower n_rows"
        )
    order = check_random_state(random_state).permutation(n)
    values = []
    for start in range(0, n - size + 1, size):
        rows = order[start : start + size]
        target = None if y is None else _safe_indexing(y, rows)
        values.append(functional(kernel, _safe_indexing(X, rows), target))
    qualities = np.array(values)
    error = qualities.std(ddof=1) / np.sqrt(len(qualities))
    return ExpectedQuality(float(qualities.mean()), float(error), qualities, size)
