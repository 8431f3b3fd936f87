"""The quality functional Q(k; X, y): what every one of them can do."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlearn._checks import (
    check_choice,
    check_finite_target,
    check_positive,
    check_settings,
    check_values,
    sorted_classes,
)
from kernlearn.gram import check_gram
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import check_table
from kernlearn.quality.registry import QUALITIES
from kernlearn.runtime.threads import threads_for
from kernlearn.typing import Array, Rows, Table

TargetKind = Literal["labels", "values", "either", "times", "none"]
Classes = NDArray[np.int64]
Target = NDArray[Any]  # classes as whole numbers 0, 1, …, or targets of regression
_SETTINGS = ("C", "nu", "epsilon", "quantile")


def check_machine(
    quality: str,
    choices: Sequence[str],
    C: float,
    nu: float,
    epsilon: float,
    quantile: float = 0.5,
) -> None:
    """Refuse the name of no machine, and settings that suit no data."""
    check_choice("quality", quality, choices)
    check_positive("C", C)  # "learn" included: a C that changes with the kernel compares nothing
    # Two classes of equal size admit every ν; real ones are checked with their targets.
    check_settings(quality, C, nu, epsilon, None, [np.array([-1.0, 1.0])], quantile)


def settings_in_use(quality: str, names: Sequence[str]) -> list[str]:
    """`names` without the settings that this machine does not look at."""
    used = QUALITIES[quality].uses if quality in QUALITIES else _SETTINGS
    return [name for name in names if name not in _SETTINGS or name in used]


def kernel_matrix(kernel: Callable[..., ArrayLike], X: Table) -> Array:
    """K of the rows of `X`: finite, symmetric, positive semidefinite and not zero."""
    if not callable(kernel):
        raise ValueError(
            f"expected a kernel that can be called as k(X, Y), got {type(kernel).__name__}; pass "
            "for example kernlearn.kernels.Gaussian(), or a matrix as "
            "kernlearn.kernels.Precomputed(K)"
        )
    # A function from elsewhere may insist on its second argument.
    K, n = kernel(X) if isinstance(kernel, Kernel) else kernel(X, X), X.shape[0]
    if np.shape(K) != (n, n):
        raise ValueError(
            f"expected a kernel that returns a matrix of shape {(n, n)} for {n} points, got shape "
            f"{np.shape(K)}; return k(x, z) for every row x of X and z of Y"
        )
    name = "The matrix of the kernel"
    matrix = check_gram(K, psd="trust", name=name)
    # A matrix that needs no repair comes back as it is.
    if check_gram(matrix, psd="clip", name=name) is not matrix:
        raise ValueError(
            "expected a kernel whose matrix is positive semidefinite, got one with negative "
            "eigenvalues on these points; use another kernel, or mend its matrix with "
            "kernlearn.gram.check_gram(K, psd='clip') and pass Precomputed"
        )
    if not matrix.diagonal().any():
        raise ValueError(
            "expected a kernel that is not zero on all of these points, got a zero matrix; check "
            "the kernel's parameters"
        )
    return matrix


def check_target(y: ArrayLike | None, n_points: int, targets: TargetKind) -> Target:
    """Classes as whole numbers 0, 1, …, in sorted order; targets of regression as floats."""
    if targets == "none":
        return np.zeros(n_points)
    if y is None:
        raise ValueError("expected y, got None; only the one-class machine needs none")
    values = np.asarray(y)
    if values.ndim != 1:
        raise ValueError(f"expected y of shape (n,), got shape {values.shape}; use y.ravel()")
    if len(values) != n_points:
        raise ValueError(
            f"expected y with one entry for each of the {n_points} rows of X, got {len(values)}; "
            "pass both with the same points"
        )
    if values.dtype.kind == "f":
        check_finite_target(values)
    numbers = values.dtype.kind in "fiu"
    if targets == "values" or (targets == "either" and numbers):
        machine = "a machine for classification, such as 'soft_margin'"
        return check_values(values, "regression", machine)
    return _classes(values)


def one_vs_rest(classes: Classes) -> list[Array]:
    """Labels −1 and +1: one vector for two classes, else one for each class against the rest."""
    n_classes = int(classes.max()) + 1
    positive = [1] if n_classes == 2 else range(n_classes)
    return [np.where(classes == c, 1.0, -1.0) for c in positive]


def _classes(values: Target) -> Classes:
    classes, numbers = sorted_classes(values)
    if len(classes) < 2:
        raise ValueError(
            f"expected at least two classes in y, got one ({classes.tolist()[0]!r}); add examples "
            "of another class"
        )
    if len(classes) > 2 and values.dtype.kind == "f" and (classes != np.floor(classes)).any():
        raise ValueError(
            f"expected classes in y, got {len(classes)} different numbers with fractions; for "
            "regression use a functional of a regression machine, such as "
            "RegularizedRisk('epsilon_svr')"
        )
    return numbers.astype(np.int64)


class QualityFunctional(ABC):
    r"""Badness of a kernel for given data, :math:`Q(k; X, y)`: small is good.

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
    def targets(self) -> TargetKind:
        """Kind of y: "labels", "values", "either" (numbers are values) or "none"."""
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
