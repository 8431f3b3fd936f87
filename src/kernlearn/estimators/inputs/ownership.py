"""Copies of inputs, so that later changes of them do not affect a fitted estimator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from kernlearn.kernels import Kernel
from kernlearn.typing import RandomState, Rows

K = TypeVar("K", bound=Kernel)


@contextmanager
def rollback_on_error(estimator: BaseEstimator) -> Iterator[None]:
    """The block of a fit: draw its seed, and leave the estimator as it was if it ends in an error.

    The seed is drawn here and nowhere else, so that all parts of a fit agree on it.
    """
    before = dict(vars(estimator))
    try:
        estimator._seed = draw_seed(estimator.random_state)
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def draw_seed(random_state: RandomState) -> int:
    """The seed of one fit, as scikit-learn understands the parameter.

    An integer is the seed. A generator draws one, so that the next fit has another; None
    uses NumPy's global generator.

    Examples
    --------
    >>> draw_seed(7)
    7
    """
    if isinstance(random_state, int | np.integer) and 0 <= random_state < 2**32:
        return int(random_state)
    try:
        generator = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            "expected random_state to be an integer from 0 to 2**32 - 1, a RandomState of NumPy or "
            f"None, got {random_state!r}; pass for example random_state=0"
        ) from None
    return int(generator.randint(np.iinfo(np.int32).max))


def copied_kernel(kernel: K) -> K:
    """The same kernel with parameters of its own, so that the user's may change.

    Kernels within it are copied too; matrices and fitted transformers, which are large, are not.

    >>> from kernlearn.kernels import Gaussian, Linear
    >>> theirs = Linear() + Gaussian(2.0)
    >>> ours = copied_kernel(theirs)
    >>> theirs.kernels[1].gamma = 50.0
    >>> ours
    Sum(kernels=[Linear(), Gaussian(gamma=2.0)])
    """
    duplicate = copy(kernel)
    for name, value in vars(kernel).items():
        if isinstance(value, Kernel):
            setattr(duplicate, name, copied_kernel(value))
        elif isinstance(value, list | tuple) and any(isinstance(one, Kernel) for one in value):
            parts = [copied_kernel(one) if isinstance(one, Kernel) else one for one in value]
            setattr(duplicate, name, type(value)(parts))
    return duplicate


def copied_rows(rows: Rows) -> Rows:
    """The same rows, which stay as they are when the user's array changes."""
    return rows.copy() if hasattr(rows, "copy") else rows
