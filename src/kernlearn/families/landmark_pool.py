r"""More kernels than can be held, on more rows than matrices can have: seen through landmarks.

Through landmarks S a kernel is :math:`\hat K = Z Z^\top`, :math:`Z = K(X, S) L^{-\top}`, so that
:math:`f^\top \hat K f = \lVert c\rVert^2` with :math:`L c = K(S, X) f`: one more row of the
elimination that gives L, and nothing of Z is made. Landmarks of which those before leave less than
:data:`LEAST` are left out, for a wide kernel on a single column most of them; so L is far from
singular, and the form is known to more digits than a certificate needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sized

import numpy as np
from sklearn.utils import check_random_state

from kernlearn.families.column_products import ColumnProducts
from kernlearn.families.kernel_pool import KernelPool, naming_kernel
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.kernels._validation import take_rows
from kernlearn.runtime.threads import in_order
from kernlearn.typing import Array, Indices, RandomState

# Of its diagonal entry: what the landmarks before a landmark must leave of it.
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

    def noise(self, forms: Array, F: Array) -> Array:
        """What rounding may have taken off forms.

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
        sums = in_order(
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
            list(in_order(some, range(0, part.n_subsets, step), self.pool.workers, tick))
        )


def shared_landmarks(points: Sized, rank: int, random_state: RandomState) -> Indices:
    """Rows drawn at random, through which all kernels of a family are seen."""
    n = len(points)
    generator = check_random_state(random_state)
    return np.sort(generator.choice(n, min(rank, n), replace=False))
