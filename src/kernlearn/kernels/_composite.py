"""Kernels made of kernels: the data are passed on as they came, and the parts check them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernlearn.kernels.base import Kernel


def check_part(kernel: Any, owner: str) -> None:
    """Refuse anything that is not a kernel object as a part of the kernel named `owner`."""
    if not isinstance(kernel, Kernel):
        raise ValueError(
            f"{owner} must be built from kernel objects, got {kernel!r}; pass for example "
            "kernlearn.kernels.Gaussian(gamma=1.0)."
        )


class _Wrapper(Kernel):
    """A kernel made of one other, stored as ``kernel``."""

    kernel: Kernel

    def _check_parameters(self) -> None:
        check_part(self.kernel, type(self).__name__)

    def _check_data(self, X: Any, name: str) -> Any:
        # Column names must survive, and text in columns that no part reads does no harm.
        return X


class _Combination(Kernel):
    """A kernel made of several, stored as ``kernels``.

    ``get_params`` names the parts ``kernel_0``, ``kernel_1``, ..., so that
    ``set_params(kernel_1__gamma=2.0)`` and a grid over that name work.
    """

    kernels: Sequence[Kernel]

    def __init__(self, kernels: Sequence[Kernel]) -> None:
        self.kernels = kernels

    def _check_parameters(self) -> None:
        if not isinstance(self.kernels, Sequence) or len(self.kernels) == 0:
            raise ValueError(
                f"{type(self).__name__} must be given a list of at least one kernel, got "
                f"{self.kernels!r}; pass for example [Linear(), Gaussian()]."
            )
        for kernel in self.kernels:
            check_part(kernel, type(self).__name__)

    def _check_data(self, X: Any, name: str) -> Any:
        return X

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with those of the parts when `deep`."""
        params: dict[str, Any] = {"kernels": self.kernels}
        if deep and isinstance(self.kernels, Sequence):
            for i, kernel in enumerate(self.kernels):
                params[f"kernel_{i}"] = kernel
                if isinstance(kernel, Kernel):
                    nested = kernel.get_params(deep=True)
                    params.update({f"kernel_{i}__{key}": value for key, value in nested.items()})
        return params

    def set_params(self, **params: Any) -> _Combination:
        """Set parameters by the names that `get_params` gives; the list passed in is kept as is."""
        if "kernels" in params:
            self.kernels = params.pop("kernels")
        parts = {f"kernel_{i}": i for i in range(len(self.kernels))}
        replaced = {parts[key]: params.pop(key) for key in list(params) if key in parts}
        if replaced:
            self.kernels = [replaced.get(i, kernel) for i, kernel in enumerate(self.kernels)]
        super().set_params(**params)
        return self
