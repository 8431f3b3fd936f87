"""Data as estimators of one kernel take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from kernlearn.estimators._shows_kernel import ShowsKernel
from kernlearn.kernels import Kernel

Array = NDArray[np.float64]


class KernelInputs(ShowsKernel):
    """Checks of points, targets and weights for an estimator with a parameter ``kernel``."""

    kernel: Any

    def _checked(self, X: Any, reset: bool) -> Any:
        """Check X as scikit-learn does; a kernel sees a data frame where one came."""
        if hasattr(X, "iloc") and isinstance(self.kernel, Kernel):
            # Kernels look at the columns they read; text in the others does no harm.
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        return np.asarray(validate_data(self, X, reset=reset, dtype="numeric"), dtype=float)

    def _checked_with_target(self, X: Any, y: Any, **options: Any) -> tuple[Any, NDArray[Any]]:
        """X as :meth:`_checked` gives it, and y of the same length."""
        if hasattr(X, "iloc") and isinstance(self.kernel, Kernel):
            rows = self._checked(X, reset=True)
            target = check_array(y, ensure_2d=False, dtype=None) if options else column_or_1d(y)
            check_consistent_length(rows, target)
            return rows, target
        table, target = validate_data(self, X, y, dtype="numeric", ensure_min_samples=2, **options)
        return np.asarray(table, dtype=float), target

    def _sample_weight(self, sample_weight: Any, n: int) -> Array:
        weight: Array = _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64)
        if (weight < 0).any() or not (weight > 0).any():
            raise ValueError(
                "expected non-negative sample weights, not all zero, got a smallest of "
                f"{weight.min():g} and a largest of {weight.max():g}; drop rows that should not "
                "count"
            )
        return weight
