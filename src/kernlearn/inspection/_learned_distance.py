"""The distance that a learned kernel makes between rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, SVR
from sklearn.utils.validation import check_is_fitted

from kernlearn.estimators.mixture.input_checks import checked_rows
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.kernels import Gaussian, Kernel
from kernlearn.typing import Array, Rows

# Rows whose kernel with all others is in memory at once.
_ROWS_AT_ONCE = 1000


@dataclass(frozen=True, eq=False)
class LearnedDistance:
    r"""Squared distances in the feature space of the learned kernel.

    .. math:: d^2(x, z) = \frac{k(x, x) + k(z, z) - 2 k(x, z)}{2 \, \overline{k(z, z)}}

    with the mean of k(z, z) over the rows z to which x is compared. For a kernel with k(z, z) = 1
    it is one minus the kernel. For a mixture it is the mean over the members, by their weights.
    """

    members: Sequence[tuple[float, str, Kernel]]
    """Weight, prepared table and kernel of each."""
    prepare: Callable[[Any], dict[str, Any]]
    """From rows, as the user has them, to the tables that the kernels see."""

    @classmethod
    def of(cls, estimator: BaseEstimator) -> LearnedDistance | None:
        """The distance of a fitted estimator, or of a Pipeline; None if it has no kernel."""
        check_is_fitted(estimator)
        before, step = None, estimator
        if isinstance(estimator, Pipeline):
            before, step = estimator[:-1] if len(estimator) > 1 else None, estimator[-1]
        members, tables = _parts(step)
        if not members:
            return None
        return cls(members, lambda X: tables(X if before is None else before.transform(X)))

    def __call__(self, X: Rows, Z: Rows) -> Array:
        """Squared distances of the rows of X from those of Z, of shape (n, m)."""
        return self.between(self.prepare(X), self.prepare(Z))

    def between(self, rows: dict[str, Any], others: dict[str, Any]) -> Array:
        """Squared distances of the rows of prepared tables, of shape (n, m)."""
        weights = np.array([weight for weight, _, _ in self.members])
        # If all weights are zero, the members count alike.
        shares = (
            weights / weights.sum() if weights.any() else np.full_like(weights, 1.0) / len(weights)
        )
        parts = zip(shares, self.members, strict=True)
        return np.asarray(
            sum(
                share * _squares(kernel, rows[name], others[name])
                for share, (_, name, kernel) in parts
            )
        )


def _squares(kernel: Kernel, X: Rows, Z: Rows) -> Array:
    own = kernel.diag(Z)
    blocks = range(0, X.shape[0], _ROWS_AT_ONCE)
    parts = [X[start : start + _ROWS_AT_ONCE] for start in blocks]
    found = [kernel.diag(part)[:, None] + own - 2.0 * kernel(part, Z) for part in parts]
    unit = 2.0 * float(own.mean()) or 1.0
    return np.maximum(np.concatenate(found), 0.0) / unit


def _parts(
    step: BaseEstimator,
) -> tuple[list[tuple[float, str, Kernel]], Callable[[Any], dict[str, Any]]]:
    """The kernels of an estimator, and what makes their tables of rows."""
    if isinstance(step, KernelMixture):
        found = step._members
        members = [
            (abs(float(factor)), machine.table, machine.kernel)
            for machine, factor in zip(found.machines, found.factors, strict=True)
        ]
        names = {name for _, name, _ in members}
        preparation = step.preparation_

        def tables(X: Rows) -> dict[str, Any]:
            made: dict[str, Any] = preparation.apply_all(checked_rows(step, X, reset=False), names)
            return made

        return members, tables
    kernel = getattr(step, "kernel_", None)
    if isinstance(step, SVC | SVR) and step.kernel == "rbf":
        kernel = Gaussian(float(step._gamma))
    if not isinstance(kernel, Kernel):
        return [], lambda X: {}
    return [(1.0, "", kernel)], lambda X: {"": X if hasattr(X, "shape") else np.asarray(X)}
