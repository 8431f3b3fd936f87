"""Families of infinitely many kernels: every Gaussian whose bandwidths lie in a range."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

from kernlearn.kernels._validation import check_numbers
from kernlearn.kernels.bandwidth_bounds import PairSums, largest_over_bandwidths
from kernlearn.kernels.bank import median_distance
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.radial import ARDGaussian, Gaussian
from kernlearn.typing import Array, Rows, Table

JOINING = 4  # kernels that a look over the range proposes, at most
FIRST = 9  # bandwidths to begin with
SAME = 1e-3  # logarithms of bandwidths that differ by less are those of one kernel


@dataclass(frozen=True, eq=False)
class RangePrices:
    """Prices of the kernels of a range: those with the highest, and an upper bound."""

    kernels: list[Kernel]  # the highest price first
    prices: Array  # ⟨A, K⟩ of each
    upper: float  # no kernel that the certificate covers has a larger price


class RangeKernels(Sequence[Kernel]):
    """The kernels of a range that were looked at so far, and how the others are priced.

    `points` is the table that the range was bound to.
    """

    points: Rows = None

    def __init__(self, kernels: list[Kernel], family: KernelRange, low: Array, high: Array) -> None:
        self.kernels, self.family, self.low, self.high = kernels, family, low, high

    def __len__(self) -> int:
        return len(self.kernels)

    @overload
    def __getitem__(self, i: int) -> Kernel: ...
    @overload
    def __getitem__(self, i: slice) -> list[Kernel]: ...
    def __getitem__(self, i: int | slice) -> Kernel | list[Kernel]:
        return self.kernels[i]

    def priced(
        self,
        points: Rows,
        A: Array,
        accuracy: float,
        tick: Callable[[], None],
    ) -> RangePrices:
        """The kernels of the largest ⟨A, K⟩ on these points, to an accuracy of the largest."""
        return self.family._priced(self, check_numbers(points, "X"), A, accuracy, tick)

    @property
    def covers(self) -> str:
        """The kernels that a certificate of the learned weights holds for, in words."""
        return self.family._covers(self)


class KernelRange(ABC, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type information
    """A family of kernels on an interval of parameters."""

    low: float | None
    high: float | None
    takes_things = False
    takes_sparse = False

    def bind(self, X: Table) -> RangeKernels:
        """The range at the scale of a table, with a few kernels to begin with.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            A table.

        Returns
        -------
        kernels : RangeKernels
            A sequence of kernels that grows when others are looked at.
        """
        table = check_numbers(X, "X")
        for name in ("low", "high"):
            _check_end(f"{name} of {type(self).__name__}", getattr(self, name))
        unit = median_distance(table, 0) ** -2.0
        shares = self._default_ends(table.shape[1])
        low = shares[0] * unit if self.low is None else float(self.low)
        high = shares[1] * unit if self.high is None else float(self.high)
        if not low < high:
            raise ValueError(
                f"expected low below high in {type(self).__name__}, got {low:g} and {high:g}; a "
                "single bandwidth is a kernel, Gaussian(gamma)"
            )
        bound = self._bound(table.shape[1], low, high)
        bound.points = X
        return bound

    @abstractmethod
    def _default_ends(self, n_columns: int) -> tuple[float, float]:
        """Ends of the range, in units of one over the squared median distance."""

    @abstractmethod
    def _bound(self, n_columns: int, low: float, high: float) -> RangeKernels:
        """The kernels to begin with, between these ends."""

    @abstractmethod
    def _priced(
        self,
        kernels: RangeKernels,
        X: Array,
        A: Array,
        accuracy: float,
        tick: Callable[[], None],
    ) -> RangePrices:
        """The kernels of the largest ⟨A, K⟩; inputs are checked."""

    @abstractmethod
    def _covers(self, kernels: RangeKernels) -> str:
        """The kernels for which a certificate holds."""


def _check_end(name: str, end: object) -> None:
    is_number = isinstance(end, int | float | np.number) and not isinstance(end, bool)
    if end is not None and not (is_number and 0.0 < float(end) < np.inf):  # type: ignore[arg-type]
        raise ValueError(
            f"expected {name} to be a number above 0 or None, got {end!r}; leave it out for a "
            "range around the median distance"
        )


class GaussianRange(KernelRange):
    r"""Every Gaussian kernel with γ between two numbers: infinite kernel learning.

    For ``kernels=`` of :class:`kernlearn.MKLClassifier`, :class:`kernlearn.MKLRegressor` and
    :class:`kernlearn.MKLNoveltyDetector`. The learned kernel is a mixture
    :math:`\int e^{-\gamma\lVert x - z\rVert^2}\,dm(\gamma)` of finitely many bandwidths. In the
    formula ``min over k in F of Q(k) + λΩ(k)`` the mixtures are F, and Ω is the mass of m, which is
    held at the total. New bandwidths are found by branch and bound over the whole interval, so that
    the duality gap holds for every γ in it.

    Parameters
    ----------
    low, high : float, optional
        Ends of the interval of γ; by default 1/16 and 8 times one over the squared median distance.
        Beyond these a kernel is nearly constant, or nearly the identity. At a fixed trace the
        margin favours narrow kernels, so that the upper end is to be chosen by held-out loss, as in
        ``GridSearchCV(model, {"kernels__high": [1.0, 10.0]})``.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import MKLClassifier
    >>> from kernlearn.kernels import GaussianRange
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.abs(X[:, 0]) < 0.5
    >>> model = MKLClassifier(GaussianRange(0.01, 100.0), C=10.0).fit(X, y)
    >>> model.certificate_covers_, bool(model.duality_gap_ <= 1e-6)
    ('every Gaussian with gamma from 0.01 to 100', True)
    """

    def __init__(self, low: float | None = None, high: float | None = None) -> None:
        self.low = low
        self.high = high

    def _default_ends(self, n_columns: int) -> tuple[float, float]:
        return 1.0 / 16.0, 8.0

    def _bound(self, n_columns: int, low: float, high: float) -> RangeKernels:
        first: list[Kernel] = [Gaussian(float(g)) for g in np.geomspace(low, high, FIRST)]
        return RangeKernels(first, self, np.array([low]), np.array([high]))

    def _priced(
        self,
        kernels: RangeKernels,
        X: Array,
        A: Array,
        accuracy: float,
        tick: Callable[[], None],
    ) -> RangePrices:
        sums = PairSums(cdist(X, X, "sqeuclidean"), A)
        ends = float(kernels.low[0]), float(kernels.high[0])
        found = largest_over_bandwidths(sums, *ends, accuracy, tick)
        made: list[Kernel] = [Gaussian(float(g)) for g in found.gammas[:JOINING]]
        return RangePrices(made, found.values[:JOINING], found.upper)

    def _covers(self, kernels: RangeKernels) -> str:
        return f"every Gaussian with gamma from {kernels.low[0]:g} to {kernels.high[0]:g}"


class ARDGaussianRange(KernelRange):
    r"""Gaussian kernels with a γ for every column, each between two numbers.

    As :class:`GaussianRange`, but a maximum over many bandwidths at once is sought from many starts
    by a descent, which may miss the highest. So the duality gap holds for the kernels that were
    looked at, and ``certificate_covers_`` says so.

    Parameters
    ----------
    low, high : float, optional
        Ends of the interval of every γ; by default 1/256, and 8 times the number of columns, in
        units of one over the squared median distance: a column may be left out, or be all there is.
    n_starts : int, default=8
        Number of random starts for every look at the range.
    random_state : int, default=0
        Draws the starts.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import MKLClassifier
    >>> from kernlearn.kernels import ARDGaussianRange
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> y = np.abs(X[:, 0]) < 0.5
    >>> model = MKLClassifier(ARDGaussianRange(0.001, 10.0), C=10.0, tol=1e-3).fit(X, y)
    >>> model.certificate_covers_
    'the ... Gaussians that were looked at; others with gammas from 0.001 to 10 may be better'
    """

    def __init__(
        self,
        low: float | None = None,
        high: float | None = None,
        n_starts: int = 8,
        random_state: int = 0,
    ) -> None:
        self.low = low
        self.high = high
        self.n_starts = n_starts
        self.random_state = random_state

    def _default_ends(self, n_columns: int) -> tuple[float, float]:
        return 1.0 / 256.0, 8.0 * n_columns

    def _bound(self, n_columns: int, low: float, high: float) -> RangeKernels:
        even = [np.full(n_columns, g) for g in np.geomspace(low, high, FIRST)]
        first: list[Kernel] = [ARDGaussian(gammas) for gammas in even]
        ends = np.full(n_columns, low), np.full(n_columns, high)
        return RangeKernels(first, self, *ends)

    def _priced(
        self,
        kernels: RangeKernels,
        X: Array,
        A: Array,
        accuracy: float,
        tick: Callable[[], None],
    ) -> RangePrices:
        squares = [np.subtract.outer(x, x) ** 2 for x in X.T]
        low, high = np.log(kernels.low), np.log(kernels.high)

        def price(log_gammas: Array) -> tuple[float, Array]:
            tick()
            gammas = np.exp(log_gammas)
            weighted = A * np.exp(-sum(g * D for g, D in zip(gammas, squares, strict=True)))
            slopes = [g * float(np.vdot(weighted, D)) for g, D in zip(gammas, squares, strict=True)]
            return -float(weighted.sum()), np.array(slopes)

        known: list[Any] = list(kernels)
        prices = [-price(np.log(kernel.gammas))[0] for kernel in known]
        # The same starts at every look: only A differs.
        rng = np.random.default_rng(self.random_state)
        starts = [np.log(known[int(np.argmax(prices))].gammas)]
        starts += [rng.uniform(low, high) for _ in range(self.n_starts)]
        bounds = list(zip(low, high, strict=True))
        found = [minimize(price, x, jac=True, method="L-BFGS-B", bounds=bounds) for x in starts]
        different: list[Any] = []
        for one in sorted(found, key=lambda one: float(one.fun)):
            if all(np.abs(one.x - other.x).max() > SAME for other in different):
                different.append(one)
        different = different[:JOINING]
        made: list[Kernel] = [ARDGaussian(np.exp(np.clip(one.x, low, high))) for one in different]
        values = np.array([-float(one.fun) for one in different])
        noise = 64.0 * len(A) * float(np.finfo(float).eps) * float(np.abs(A).sum())
        return RangePrices(made, values, max(*prices, float(values[0])) + noise)

    def _covers(self, kernels: RangeKernels) -> str:
        return (
            f"the {len(kernels)} Gaussians that were looked at; others with gammas from "
            f"{kernels.low[0]:g} to {kernels.high[0]:g} may be better"
        )
