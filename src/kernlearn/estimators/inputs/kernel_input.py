"""Data as estimators of one kernel take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn._cluster import is_lazy, on_this_machine
from kernlearn._device import to_host
from kernlearn.estimators.inputs.dask_rows import chunked_table
from kernlearn.estimators.inputs.notebook_display import NotebookDisplay
from kernlearn.estimators.inputs.row_kinds import (
    judged_by_kernels,
    table_options,
    takes_sparse,
    takes_things,
    target_of,
    unchanged_rows,
)
from kernlearn.estimators.inputs.validation import as_floats, sample_weights, validate_table
from kernlearn.families.parametric import PARAMETRIC_KERNELS, parametric_kernel
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import as_pandas_frame
from kernlearn.typing import Array, Rows, Targets


class KernelInput(NotebookDisplay):
    """Checks of points, targets and weights for an estimator with a parameter ``kernel``."""

    kernel: Any

    def _checked(self, X: Rows, reset: bool) -> Rows:
        """Check X as scikit-learn does; a kernel takes a data frame as it came."""
        X = as_pandas_frame(X)
        if self._judged_by_kernel(X):
            return unchanged_rows(self, X, reset)
        options = table_options(self._reader)
        checked = validate_table(self, X, reset=reset, dtype="numeric", **options)
        return as_floats(self, checked)

    def _checked_with_target(self, X: Rows, y: Rows, **options: Any) -> tuple[Rows, Targets]:
        """X as :meth:`_checked` gives it, and y of the same length."""
        y = to_host(on_this_machine(y))
        if is_lazy(X):
            rows = chunked_table(self, X, as_frame=isinstance(self.kernel, Kernel), min_rows=2)
            return rows, target_of(self, rows, y, **options)
        X = as_pandas_frame(X)
        if self._judged_by_kernel(X):
            rows = unchanged_rows(self, X, reset=True)
            return rows, target_of(self, rows, y, **options)
        options = {**options, **table_options(self._reader), "ensure_min_samples": 2}
        table, target = validate_table(self, X, y, dtype="numeric", **options)
        return as_floats(self, table), target

    @property
    def _reader(self) -> Any:
        """The kernel, or the family of kernels, that determines which rows are accepted."""
        kernel = self.kernel
        is_name = isinstance(kernel, str) and kernel in PARAMETRIC_KERNELS
        return parametric_kernel(kernel) if is_name else kernel

    def _judged_by_kernel(self, X: Rows) -> bool:
        """Whether the kernel looks at the entries: at those of any data frame, in its columns."""
        reader = self._reader
        is_kernel = isinstance(reader, Kernel) or takes_things(reader)
        return is_kernel and (hasattr(X, "columns") or judged_by_kernels(reader, X))

    def __sklearn_tags__(self) -> Any:
        """Sparse rows, rows with gaps and rows of things are taken where the kernel takes them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self._reader)
        tags.input_tags.allow_nan = takes_things(self._reader)
        return tags

    def _sample_weight(self, sample_weight: Rows, n: int) -> Array:
        return sample_weights(to_host(on_this_machine(sample_weight)), np.empty((n, 1)))
