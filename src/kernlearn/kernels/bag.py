"""Kernels between sets."""

from __future__ import annotations

import numpy as np

from kernlearn.kernels._composite import check_part, with_parts
from kernlearn.kernels._matrices import divide_by_roots
from kernlearn.kernels._validation import check_rows
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.structured_inputs import _ParsedInputs
from kernlearn.typing import Array, Indices, Rows, Things

_NORMS = ("mean", "unit")


class Bag(_ParsedInputs):
    r"""The kernel between sets whose members have a kernel, in the mean.

    .. math:: K(X, Z) = \frac{1}{|X| |Z|} \sum_{x \in X} \sum_{z \in Z} k(x, z)

    is the inner product of the means of the two sets in feature space (Smola, Gretton, Song and
    Schölkopf, 2007); divided by the lengths of both means it is the normalised set kernel (Gärtner,
    Flach, Kowalczyk and Smola, 2002). Members are rows of an array, one array for each set, or
    things: sets of texts, of sequences, of graphs.

    Parameters
    ----------
    kernel : Kernel
        The kernel k between members.
    norm : {"mean", "unit"}, default="mean"
        The mean map, or the normalised set kernel with K(X, X) = 1.

    Examples
    --------
    >>> from kernlearn.kernels import Bag, Linear
    >>> Bag(Linear())([[[1.0, 0.0], [3.0, 0.0]], [[2.0, 2.0]]])
    array([[4., 4.],
           [4., 8.]])
    """

    values_at_once = 10_000_000
    """Values of the kernel between members that are held at once."""

    def __init__(self, kernel: Kernel, norm: str = "mean") -> None:
        self.kernel = kernel
        self.norm = norm

    def _check_parameters(self) -> None:
        check_part(self.kernel, "Bag")
        if self.norm not in _NORMS:
            raise ValueError(
                f"Bag's norm must be one of {', '.join(_NORMS)}, got {self.norm!r}; choose one."
            )

    def _fitted(self, X: Rows) -> Kernel:
        part = self.kernel.fitted_to(_members(self._check_data(X, "X")))
        return self if part is self.kernel else with_parts(self, kernel=part)

    def _read(self, thing: Rows, where: str) -> Rows:
        is_set = isinstance(thing, list | tuple | np.ndarray) or hasattr(thing, "iloc")
        if not is_set or (isinstance(thing, np.ndarray) and thing.ndim == 0):
            raise ValueError(
                f"A bag must be an array of rows or a list of members, got {type(thing).__name__} "
                f"in {where}; drop such rows, or put a single member into a list."
            )
        if len(thing) == 0:
            raise ValueError(
                f"A bag must have at least one member, got none in {where}; drop such rows."
            )
        if isinstance(thing, np.ndarray) and thing.ndim == 1 and thing.dtype.kind in "biuf":
            raise ValueError(
                f"A bag of numbers must be an array with rows, got shape {thing.shape} in {where}; "
                "use reshape(-1, 1) for members of a single number."
            )
        return check_rows(thing, where)

    def _evaluate(self, X: Things, Y: Things) -> Array:
        K = self._means(X, Y)
        if self.norm == "mean":
            return K
        rows = self._lengths(X)
        K = divide_by_roots(K, rows, rows if Y is X else self._lengths(Y))
        if Y is X:
            np.fill_diagonal(K, rows > 0)
        return K

    def _diag(self, X: Things) -> Array:
        lengths = self._lengths(X)
        return lengths if self.norm == "mean" else (lengths > 0).astype(float)

    def _lengths(self, X: Things) -> Array:
        return np.array([self.kernel(bag).mean() for bag in X])

    def _means(self, X: Things, Y: Things) -> Array:
        others = _members(Y)
        sizes = np.array([bag.shape[0] for bag in Y])
        starts = np.cumsum(sizes) - sizes
        K = np.empty((len(X), len(Y)))
        for chosen in _groups(X, max(1, self.values_at_once // len(others))):
            bags = X[chosen]
            values = np.add.reduceat(self.kernel(_members(bags), others), starts, axis=1)
            counts = np.array([bag.shape[0] for bag in bags])
            sums = np.add.reduceat(values, np.cumsum(counts) - counts, axis=0)
            K[chosen] = sums / np.multiply.outer(counts, sizes)
        return K


def _members(bags: Things) -> Things:
    """All members of all bags, in one table or one array of things."""
    widths = {bag.shape[1] if bag.ndim == 2 else None for bag in bags}
    if len(widths) > 1:
        raise ValueError(
            "Bags must have members of one kind, got arrays with different numbers of columns or "
            "things among them; give all members the same columns."
        )
    if all(hasattr(bag, "iloc") for bag in bags):
        return np.concatenate([bag.to_numpy() for bag in bags])
    return np.concatenate([np.asarray(bag) for bag in bags])


def _groups(bags: Things, max_members: int) -> list[Indices]:
    """Neighbouring bags with at most `max_members` members together, or one bag with more."""
    ends = np.cumsum([bag.shape[0] for bag in bags])
    return np.split(np.arange(len(bags)), np.flatnonzero(np.diff((ends - 1) // max_members)) + 1)
