"""The quality functional Q(k; X, y): what every one of them can do."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from numpy.typing import ArrayLike

from kernlearn.functionals._checks import Target, Targets, check_target, kernel_matrix
from kernlearn.kernels._validation import check_table
from kernlearn.runtime.threads import threads_for
from kernlearn.typing import Array, Rows


class QualityFunctional(ABC):
    r"""How bad a kernel is for given data, :math:`Q(k; X, y)`: small is good.

    It depends on the kernel only through the matrix :math:`K_{ij} = k(x_i, x_j)` (Ong et al.
    2005, Definition 1), and learns nothing: kernels are compared by calling it on each.

    A new functional is a frozen dataclass that stores its parameters and defines `_evaluate`;
    `kernlearn.testing.check_quality` tests it.

    Attributes
    ----------
    convex : bool
        Whether Q is convex in the matrix K.
    decreasing : bool
        Whether Q can only fall when a positive semidefinite matrix is added to K.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.functionals import Alignment
    >>> from kernlearn.kernels import Gaussian, Linear
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> y = np.abs(X[:, 0]) < 0.5
    >>> quality = Alignment(centered=True)
    >>> min([Linear(), Gaussian(gamma=4.0)], key=lambda kernel: quality(kernel, X, y))
    Gaussian(gamma=4.0)
    """

    convex: ClassVar[bool] = False
    decreasing: ClassVar[bool] = False

    @property
    def targets(self) -> Targets:
        """What y holds: "labels", "values", "either" (numbers are values) or "none"."""
        return "labels"

    @property
    def exchangeable(self) -> bool:
        """Whether the value stays when points and targets change places together."""
        return True

    def __call__(
        self, kernel: Callable[..., ArrayLike], X: Rows, y: ArrayLike | None = None
    ) -> float:
        """Return the badness of `kernel` on these data.

        Parameters
        ----------
        kernel : Kernel or callable
            A kernel of the library, or any function that takes two tables and returns the matrix
            of their rows. For a matrix K, pass ``Precomputed(K)`` with
            ``X = np.arange(len(K))[:, None]``.
        X : array-like or data frame of shape (n, d)
            One point in each row.
        y : array-like of shape (n,)
            Labels of any type, or numbers for regression.

        Returns
        -------
        value : float
            Small is good.
        """
        self._check_parameters()
        table = check_table(X, "X")
        target = check_target(y, len(table), self.targets)
        with threads_for(len(table)):
            return float(self._evaluate(kernel_matrix(kernel, table), target))

    @abstractmethod
    def _evaluate(self, K: Array, y: Target) -> float:
        """Compute Q; inputs are checked, and classes come as whole numbers 0, 1, …, in order."""

    def _parameters_in_use(self) -> list[str]:
        """Names of the parameters that matter, for the representation."""
        return list(inspect.signature(type(self)).parameters)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._parameters_in_use())
        return f"{type(self).__name__}({shown})"

    def _check_parameters(self) -> None:  # noqa: B027  # not every functional has any
        """Refuse parameters that make no functional; called before every evaluation."""
