"""What a fitted estimator holds is its own, whatever becomes of what it was given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, TypeVar

from kernlearn.kernels import Kernel

__all__ = ["all_or_nothing", "own_kernel", "own_rows"]

K = TypeVar("K", bound=Kernel)


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Leave the estimator as it was if what is done here ends in an error."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def own_kernel(kernel: K) -> K:
    """The same kernel with parameters of its own, so that the user's may change.

    Kernels within it are copied too; matrices and fitted transformers, which are large, are not.

    >>> from kernlearn.kernels import Gaussian, Linear
    >>> theirs = Linear() + Gaussian(2.0)
    >>> ours = own_kernel(theirs)
    >>> theirs.kernels[1].gamma = 50.0
    >>> ours
    Sum(kernels=[Linear(), Gaussian(gamma=2.0)])
    """
    mine = copy(kernel)
    for name, value in vars(kernel).items():
        if isinstance(value, Kernel):
            setattr(mine, name, own_kernel(value))
        elif isinstance(value, list | tuple) and any(isinstance(one, Kernel) for one in value):
            parts = [own_kernel(one) if isinstance(one, Kernel) else one for one in value]
            setattr(mine, name, type(value)(parts))
    return mine


def own_rows(rows: Any) -> Any:
    """The same rows, which stay as they are when the user's array changes."""
    return rows.copy() if hasattr(rows, "copy") else rows
