"""Parameters of the kernels of a list, by their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from sklearn.base import BaseEstimator, clone

from kernlearn.kernels import Kernel, Sum


class NumberedKernels(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Mixin for estimators whose ``kernels`` may be a list."""

    kernels: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; ``kernels__0__gamma`` is γ of the first kernel of a list."""
        params: dict[str, Any] = super().get_params(deep)
        if deep and isinstance(self.kernels, list | tuple):
            for i, kernel in enumerate(self.kernels):
                params[f"kernels__{i}"] = kernel
                if isinstance(kernel, Kernel):
                    nested = kernel.get_params(deep=True)
                    params.update({f"kernels__{i}__{key}": value for key, value in nested.items()})
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by the names of ``get_params``; a list passed earlier is not changed."""
        if "kernels" in params:
            self.kernels = params.pop("kernels")
        within = {key: params.pop(key) for key in list(params) if key.startswith("kernels__")}
        if within and isinstance(self.kernels, list | tuple):
            _check_numbers_of_kernels(within, len(self.kernels))
            # A combination of kernels sets its parts itself, numbered as here.
            combination = Sum([clone(kernel) for kernel in self.kernels])
            names = {f"kernel_{key.removeprefix('kernels__')}": v for key, v in within.items()}
            self.kernels = list(combination.set_params(**names).kernels)
        elif within:
            params.update(within)
        super().set_params(**params)
        return self


def _check_numbers_of_kernels(names: Iterable[str], n_kernels: int) -> None:
    known = {str(i) for i in range(n_kernels)}
    for name in names:
        if name.split("__")[1] not in known:
            raise ValueError(
                f"expected the number of a kernel after kernels__, 0 to {n_kernels - 1} of this "
                f"list, got {name!r}; get_params() has all names"
            )
