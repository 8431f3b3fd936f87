r"""Pools of more kernels than fit in memory; each kernel is computed when it is used.

Kernels on too many rows for a matrix are approximated through landmarks S. A kernel is then
:math:`\hat K = Z Z^\top`, :math:`Z = K(X, S) L^{-\top}`, so that
:math:`f^\top \hat K f = \lVert c\rVert^2` with :math:`L c = K(S, X) f`: one more row of the
elimination that gives L, and nothing of Z is made. Landmarks of which those before leave less than
:data:`LEAST` are left out, for a wide kernel on a single column most of them; so L is far from
singular, and the form is known to more digits than a certificate needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from kernlearn._device import Place
from kernlearn.families.column_products import DEFAULT_BLOCKS, BlockOptions, ColumnProducts
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.gram.psd import Repair, check_gram
from kernlearn.kernels import Columns, Kernel, WeightedSum
from kernlearn.kernels._validation import check_numbers, is_frame, take_rows
from kernlearn.kernels.grid import GridKernels
from kernlearn.runtime.threads import map_in_threads
from kernlearn.typing import Array, DeviceArray, Indices, RandomState, Rows, Table

KERNELS_AT_A_TIME = 64
# A form this far below zero, relative to the largest that the trace allows, is no rounding.
INDEFINITE = 1e-8


class KernelPool:
    """Kernels of any number on the rows of a table, the first of which carry labels.

    Every kernel contributes a number: a trace, or a form aᵀKᵢa. Only kernels with weight become
    matrices. `prepared` is applied to every kernel that is made, centring
    for example; kernels that are looked at all together are so at `place`, by default the host.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        points: Rows,
        n_labelled: int,
        psd: Repair,
        workers: int = 1,
        prepared: Callable[[Kernel], Kernel] | None = None,
        place: Place | None = None,
        options: BlockOptions = DEFAULT_BLOCKS,
    ) -> None:
        self.kernels, self.points, self.psd, self.workers = kernels, points, psd, workers
        self.n_matrices, self.n_labelled = len(kernels), n_labelled
        self.n_points = len(points) if isinstance(points, list) else points.shape[0]
        self._prepared, self.place, self.options = prepared, place, options

    @property
    def max_active(self) -> int:
        """Largest number of kernels with weight."""
        return self.n_matrices

    def kernel(self, i: int) -> Kernel:
        """The i-th kernel, fitted to the rows."""
        kernel = self.kernels[i]
        if not isinstance(kernel, Kernel):
            raise ValueError(
                f"expected kernels of kernlearn.kernels in a family, got {kernel!r} as the "
                f"kernel {i}; derive your own from kernlearn.kernels.Kernel"
            )
        with naming_kernel(i):
            fitted = kernel.fitted_to(self.points)
            return fitted if self._prepared is None else self._prepared(fitted)

    def gram(self, i: int) -> Array:
        """The matrix of the i-th kernel on all rows."""
        kernel = self.kernel(i)
        with naming_kernel(i):
            return check_gram(kernel(self.points), psd=self.psd, name="its Gram matrix")

    def on_rows(self, rows: Indices) -> KernelPool:
        """The same kernels on some of the labelled rows."""
        some = take_rows(self.points, rows)
        others = self.psd, self.workers, self._prepared, self.place, self.options
        return KernelPool(self.kernels, some, len(rows), *others)

    def gram_elsewhere(self, i: int) -> DeviceArray:
        """The matrix of the i-th kernel on the pool's device, computed there if possible."""
        assert self.place is not None
        for indices, part in self.parts:
            if i in indices:
                return part.gram(int(np.searchsorted(indices, i)))
        return self.place.put(self.gram(i))

    @cached_property
    def traces(self) -> Array:
        """The traces over all rows."""
        traces = self.gathered(
            lambda part: part.traces(),
            lambda i: float(self.kernel(i).diag(self.points).sum()),
            lambda: None,
        )
        if traces.min() < 0:
            i = int(traces.argmin())
            raise ValueError(
                f"kernel {i} of the family must be positive semidefinite, got a trace of "
                f"{traces[i]:.3g}; leave it out, or add to its diagonal"
            )
        return traces

    def forms(self, F: Array, tick: Callable[[], None]) -> Array:
        """The sums Σ fᵀKᵢf over the rows f of F (q, n), for every kernel; `tick` may end the work.

        Only labelled rows count where one f is not zero.
        """
        rows = np.flatnonzero((F != 0).any(axis=0))
        if len(rows) == 0:
            return np.zeros(self.n_matrices)
        A, some = F[:, rows].T @ F[:, rows], take_rows(self.points, rows)

        def form(i: int) -> float:
            kernel = self.kernel(i)
            with naming_kernel(i):
                return float(np.vdot(kernel(some), A))

        values = self.gathered(lambda part: part.products(A, rows, self.workers, tick), form, tick)
        low = values + INDEFINITE * float(np.trace(A)) * self.traces
        if self.psd != "trust" and low.min() < 0:
            i = int(low.argmin())
            raise ValueError(
                f"kernel {i} of the family must be positive semidefinite, got a form of "
                f"{values[i]:.3g} on these data; leave it out, or add to its diagonal"
            )
        return values

    def noise(self, forms: Array, F: Array) -> Array:
        """Rounding error of forms, beyond that of a sum over the rows."""
        return np.zeros(len(forms))

    def combine(self, weights: Array, labelled_only: bool = True) -> Array:
        """The matrix Σ wᵢKᵢ, a new array that the caller may change."""
        n = self.n_labelled if labelled_only else self.n_points
        K = np.zeros((n, n))
        for i in np.flatnonzero(weights):
            K += weights[i] * self.gram(int(i))[:n, :n]
        return K

    def combined(self, weights: Array) -> Kernel:
        """The kernel Σ wᵢkᵢ, of those that have weight."""
        active = np.flatnonzero(weights)
        return WeightedSum([self.kernel(int(i)) for i in active], weights[active])

    def gathered(
        self,
        of_part: Callable[[ColumnProducts], Array],
        of_kernel: Callable[[int], float],
        tick: Callable[[], None],
    ) -> Array:
        """A number for every kernel: together where they are products over columns."""
        values = np.empty(self.n_matrices)
        for indices, part in self.parts:
            values[indices] = of_part(part)
        chunks = [
            self._others[start : start + KERNELS_AT_A_TIME]
            for start in range(0, len(self._others), KERNELS_AT_A_TIME)
        ]
        found = map_in_threads(
            lambda chunk: [of_kernel(i) for i in chunk], chunks, self.workers, tick
        )
        for chunk, numbers in zip(chunks, found, strict=True):
            values[list(chunk)] = numbers
        return values

    @cached_property
    def parts(self) -> list[tuple[Indices, ColumnProducts]]:
        """Kernels that are products over columns, on all subsets each."""
        grid = self.kernels
        is_table = isinstance(self.points, np.ndarray) or is_frame(self.points)
        if not isinstance(grid, GridKernels) or self._prepared is not None or not is_table:
            return []
        products = [k for k, kernel in enumerate(grid.kernels) if kernel.is_product]
        if not products:
            return []
        groups = list(grid.groups())
        used = np.unique(np.concatenate([subsets.ravel() for _, subsets in groups]))
        table = Columns([int(column) for column in used], grid.kernels[0]).selected(self.points)
        columns = np.ascontiguousarray(check_numbers(table, "X").T)
        if self.place is not None:
            columns = self.place.put(columns)
        groups = [(numbers, np.searchsorted(used, subsets)) for numbers, subsets in groups]
        parts = []
        for k in products:
            grid.kernels[k]._check_parameters()
            indices = np.arange(grid.n_subsets) * len(grid.kernels) + k
            part = ColumnProducts(grid.kernels[k], columns, groups, self.options)
            parts.append((indices, part))
        return parts

    @cached_property
    def _others(self) -> Sequence[int]:
        """The kernels that are looked at one by one."""
        if not self.parts:
            return range(self.n_matrices)
        left = np.ones(self.n_matrices, dtype=bool)
        for indices, _ in self.parts:
            left[indices] = False
        return [int(i) for i in np.flatnonzero(left)]


@contextmanager
def naming_kernel(i: int) -> Iterator[None]:
    """Names the kernel in the message of an error."""
    try:
        yield
    except ValueError as error:
        if str(error).startswith("kernel "):
            raise
        raise ValueError(f"kernel {i} of the family: {error}") from error


def bound_family(kernels: Any, X: Table) -> Sequence[Kernel]:
    """The kernels of a family on a table: of those that ask for its columns, what they bind to."""
    bound = kernels.bind(X) if hasattr(kernels, "bind") else kernels
    if len(bound) == 0:
        raise ValueError(
            f"expected at least one kernel, got a family of length zero "
            f"({type(kernels).__name__}); pass kernels=None for a default bank"
        )
    sequence: Sequence[Kernel] = bound
    return sequence


def is_family(kernels: object) -> bool:
    """Whether this is a family of kernels made on demand, rather than a list of them."""
    if isinstance(kernels, Kernel | list | tuple | str | bytes | dict | np.ndarray):
        return False
    return hasattr(kernels, "bind") or (
        hasattr(kernels, "__len__") and hasattr(kernels, "__getitem__")
    )


# Least residual of a landmark, relative to its diagonal entry.
LEAST = 1e-6


def eliminated(corners: Array, images: Array) -> tuple[Array, Array]:
    """Sums of fᵀK̂f for many kernels (b,), and which landmarks each of them keeps (b, r).

    `corners` are the K(S, S) (b, r, r), `images` the K(S, X)f (b, r, q) of q vectors f; both are
    overwritten.
    """
    b, r = corners.shape[:2]
    least = LEAST * np.diagonal(corners, axis1=1, axis2=2)
    kept, forms = np.zeros((b, r), dtype=bool), np.zeros(b)
    for j in range(r):
        left = corners[:, j, j]
        kept[:, j] = left > least[:, j]
        scale = np.where(kept[:, j], 1.0 / np.sqrt(np.where(kept[:, j], left, 1.0)), 0.0)
        column = corners[:, j + 1 :, j] * scale[:, None]
        c = images[:, j] * scale[:, None]
        forms += (c**2).sum(axis=1)
        corners[:, j + 1 :, j + 1 :] -= column[:, :, None] * column[:, None, :]
        images[:, j + 1 :] -= column[:, :, None] * c[:, None, :]
    return forms, kept


def corner_of(K: Array) -> tuple[Indices, Array]:
    """The landmarks that one kernel keeps, and L over them, from K(S, S)."""
    r = len(K)
    kept = eliminated(K[None].copy(), np.zeros((1, r, 1)))[1][0]
    places = np.flatnonzero(kept)
    if len(places) == 0:
        return places, np.zeros((0, 0))
    return places, np.asfortranarray(np.linalg.cholesky(K[np.ix_(places, places)]))


EPS = float(np.finfo(float).eps)


class LandmarkPool:
    """The kernels of a pool, each approximated through the same rows of it."""

    def __init__(self, pool: KernelPool, landmarks: Indices) -> None:
        self.pool, self.landmarks = pool, landmarks
        self.n_matrices, self.n_points = pool.n_matrices, pool.n_points
        self.marks = take_rows(pool.points, landmarks)

    @property
    def traces(self) -> Array:
        """The traces of the exact kernels over all rows."""
        return self.pool.traces

    def map(self, i: int) -> NystroemMap:
        """The map from rows to the factor of the i-th kernel."""
        kernel = self.pool.kernel(i)
        with naming_kernel(i):
            kept, corner = corner_of(kernel(self.marks))
        return NystroemMap(kernel, take_rows(self.marks, kept), self.landmarks[kept], corner)

    def forms(self, F: Array, tick: Callable[[], None]) -> Array:
        """The sums Σ fᵀK̂ᵢf over the rows f of F, for every kernel; see :class:`KernelPool`."""
        rows = np.flatnonzero((F != 0).any(axis=0))
        if len(rows) == 0:
            return np.zeros(self.n_matrices)
        vectors, some = np.ascontiguousarray(F[:, rows]), take_rows(self.pool.points, rows)

        def form(i: int) -> float:
            kernel = self.pool.kernel(i)
            with naming_kernel(i):
                corner, image = kernel(self.marks).copy(), kernel(self.marks, some) @ vectors.T
            return float(eliminated(corner[None], image[None])[0][0])

        def of_part(part: ColumnProducts) -> Array:
            return self._of_products(part, vectors, rows, tick)

        return self.pool.gathered(of_part, form, tick)

    def exact_forms(self, F: Array, tick: Callable[[], None]) -> Array:
        """Forms of the kernels themselves, on all pairs of rows with a coefficient."""
        return self.pool.forms(F, tick)

    def noise(self, forms: Array, F: Array) -> Array:
        """Rounding error of forms.

        An entry of K(S, X)f is off by about ε√n ‖f‖ √(k(s, s) tr K), and the elimination divides
        by no less than √(LEAST k(s, s)).
        """
        n = F.shape[1]
        off = EPS * (4.0 + np.sqrt(n)) * float(np.linalg.norm(F)) * np.sqrt(self.traces / LEAST)
        return np.asarray(2.0 * np.sqrt(forms) * off + off**2)

    def _of_products(
        self, part: ColumnProducts, vectors: Array, rows: Indices, tick: Callable[[], None]
    ) -> Array:
        """Forms of kernels that are products over columns: a sum over rows for every landmark."""
        sums = map_in_threads(
            lambda mark: part.images(vectors, rows, int(mark)),
            self.landmarks,
            self.pool.workers,
            tick,
        )
        images = np.stack(list(sums), axis=1)  # (subsets, r, q)
        corners = part.corners(self.landmarks)
        step = part.options.kernels

        def some(start: int) -> Array:
            chosen = slice(start, start + step)
            return eliminated(corners(chosen), images[chosen])[0]

        return np.concatenate(
            list(map_in_threads(some, range(0, part.n_subsets, step), self.pool.workers, tick))
        )


def shared_landmarks(points: Sized, rank: int, random_state: RandomState) -> Indices:
    """Rows drawn at random, the landmarks of all kernels of a family."""
    n = len(points)
    generator = check_random_state(random_state)
    return np.sort(generator.choice(n, min(rank, n), replace=False))
