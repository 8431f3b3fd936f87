"""Kernels made of kernels: the data are passed on as they came, and the parts check them."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar

from kernlearn.kernels._validation import check_rows, check_table
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Rows, Table

_K = TypeVar("_K", bound=Kernel)


def check_part(kernel: object, owner: str) -> None:
    """Refuse anything that is not a kernel object as a part of the kernel named `owner`."""
    if not isinstance(kernel, Kernel):
        raise ValueError(
            f"{owner} must be built from kernel objects, got {kernel!r}; pass for example "
            "kernlearn.kernels.Gaussian(gamma=1.0)."
        )


def with_parts(whole: _K, /, **parts: object) -> _K:
    """Return a copy of a kernel with other parts; all else is shared with it."""
    copied = copy.copy(whole)
    for name, part in parts.items():
        setattr(copied, name, part)
    return copied


class _Composite(Kernel):
    """A kernel made of others: rows reach the parts as they came, and the parts check them."""

    passes_arrays = False
    """Whether it takes arrays of any library if its parts do."""

    @property
    @abstractmethod
    def _parts(self) -> Sequence[Kernel]:
        """The kernels that it is made of, not yet checked."""

    @property
    def takes_things(self) -> bool:  # type: ignore[override]
        """Whether a part takes other rows than numbers."""
        return any(getattr(part, "takes_things", False) for part in self._parts)

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether all parts take sparse tables."""
        return all(getattr(part, "takes_sparse", False) for part in self._parts)

    @property
    def follows_arrays(self) -> bool:  # type: ignore[override]
        """Whether all parts take arrays of any library, and this one passes them on."""
        follow = (getattr(part, "follows_arrays", False) for part in self._parts)
        return self.passes_arrays and all(follow)

    def _check_table(self, X: object, name: str) -> Rows:
        return check_rows(X, name) if self.takes_things else check_table(X, name, sparse=True)

    def _check_data(self, X: Table, name: str) -> Table:
        # Column names must survive, and text in columns that no part reads does no harm.
        return X


class _Wrapper(_Composite):
    """A kernel made of one other, stored as ``kernel``."""

    kernel: Kernel

    @property
    def _parts(self) -> Sequence[Kernel]:
        return [self.kernel]

    def _check_parameters(self) -> None:
        check_part(self.kernel, type(self).__name__)
        super()._check_parameters()

    def _fitted(self, X: Table) -> Kernel:
        part = self.kernel.fitted_to(X)
        return self if part is self.kernel else with_parts(self, kernel=part)


class _Combination(_Composite):
    """A kernel made of several, stored as ``kernels``.

    ``get_params`` names the parts ``kernel_0``, ``kernel_1``, ..., so that
    ``set_params(kernel_1__gamma=2.0)`` and a grid over that name work.
    """

    kernels: Sequence[Kernel]

    def __init__(self, kernels: Sequence[Kernel]) -> None:
        self.kernels = kernels

    def _check_parameters(self) -> None:
        kernels: object = self.kernels
        if not isinstance(kernels, Sequence) or len(kernels) == 0:
            raise ValueError(
                f"{type(self).__name__} must be given a list of at least one kernel, got "
                f"{self.kernels!r}; pass for example [Linear(), Gaussian()]."
            )
        for kernel in self.kernels:
            check_part(kernel, type(self).__name__)

    @property
    def _parts(self) -> Sequence[Kernel]:
        return self.kernels

    def _fitted(self, X: Table) -> Kernel:
        parts = [kernel.fitted_to(X) for kernel in self.kernels]
        is_same = all(new is old for new, old in zip(parts, self.kernels, strict=True))
        return self if is_same else with_parts(self, kernels=parts)

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
