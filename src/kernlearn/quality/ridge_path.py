r"""Held-out residuals of a least-squares machine at every λ, from one decomposition.

Let :math:`D = \operatorname{diag}(\sqrt{s_i})` and u be the direction of D1.
Then α = Dβ with :math:`(M + \lambda I)\,\beta = (I - uu^\top) D y`,
:math:`M = (I - uu^\top)\, D K D\, (I - uu^\top)` and :math:`u^\top \beta = 0`. One
eigendecomposition :math:`M = V \operatorname{diag}(e) V^\top` off u serves all λ,

.. math:: \beta = V \operatorname{diag}\Bigl(\frac{1}{e + \lambda}\Bigr) V^\top D y, \qquad
          P_{ii} = s_i \sum_j \frac{V_{ij}^2}{e_j + \lambda} .

Up to a thousand rows it costs less than three factorisations with their inverses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kernlearn._device import lower_factor, solve_lower
from kernlearn.typing import Array, Indices


def stacked(blocks: Sequence[Indices]) -> list[Indices]:
    """Blocks of one size as the rows of one array each.

    >>> [rows.tolist() for rows in stacked([np.array([0, 1]), np.array([3]), np.array([2, 4])])]
    [[[3]], [[0, 1], [2, 4]]]
    """
    by_size: dict[int, list[Indices]] = {}
    for block in blocks:
        by_size.setdefault(len(block), []).append(block)
    return [np.array(by_size[size]) for size in sorted(by_size)]


@dataclass(frozen=True, eq=False)
class RidgePath:
    """The decomposition."""

    values: Array  # e, not negative; of shape (n - 1,)
    vectors: Array  # V, of shape (n, n - 1)
    squares: Array  # The squares of its entries, of shape (n, n - 1)
    projected: Array  # VᵀDy, of shape (n - 1, k)
    root: Array  # The diagonal of D, of shape (n,)

    @classmethod
    def of(cls, K: Array, Y: Array, weight: Array) -> Self:
        """Decompose a Gram matrix; LinAlgError where it is not finite.

        >>> import numpy as np
        >>> path = RidgePath.of(np.eye(3), np.array([[1.0], [2.0], [6.0]]), np.ones(3))
        >>> path.residuals(1.0).round(3).ravel().tolist()
        [-3.0, -1.5, 4.5]
        """
        if not np.isfinite(K).all():
            raise np.linalg.LinAlgError("the kernel matrix is not finite")
        root = np.sqrt(weight)
        u = root / np.linalg.norm(root)
        # Adding v1ᵀ + 1vᵀ to K changes nothing: a kernel that is nearly constant is centred first,
        # before products with u lose the digits that matter.
        means = K.mean(axis=0)
        M = K - means
        M -= (means - means.mean())[:, None]
        M *= root
        M *= root[:, None]
        image = M @ u
        image -= (0.5 * (u @ image)) * u
        # Lifted above all others, u comes last and is left out: among the null directions of the
        # kernel it could not be identified.
        lift = 2.0 * float(M.trace() - 2.0 * (u @ image)) or 1.0
        image -= (0.5 * lift) * u
        outer = np.outer(image, u)
        M -= outer
        M -= outer.T
        values, vectors = np.linalg.eigh(M)  # other threads may work meanwhile, unlike with SciPy's
        V = vectors[:, :-1]
        offset = weight @ Y / weight.sum()  # no digits are lost to it
        projected = V.T @ (root[:, None] * (Y - offset))
        return cls(np.maximum(values[:-1], 0.0), V, V * V, projected, root)

    def rotated(self, axes: Array) -> Self:
        """The path of the targets along orthonormal directions, the columns of an array."""
        return replace(self, projected=self.projected @ axes)

    def residuals(self, lam: float, blocks: Sequence[NDArray[np.intp]] = ()) -> Array:
        """Leave-one-out residuals at λ, of shape (n, k); the rows of a block are left out together.

        >>> path = RidgePath.of(np.eye(3), np.array([[1.0], [2.0], [6.0]]), np.ones(3))
        >>> path.residuals(1.0, [np.array([1, 2])]).round(3).ravel().tolist()
        [-3.0, 1.0, 5.0]
        """
        return np.asarray(self.residuals_at(np.array([lam]), blocks)[0])

    def residuals_at(self, lams: Array, blocks: Sequence[NDArray[np.intp]] = ()) -> Array:
        """Leave-one-out residuals at several λ, of shape (number of λ, n, k)."""
        shrunk = 1.0 / (self.values[:, None] + lams)
        n, k = len(self.root), self.projected.shape[1]
        products = (shrunk[:, :, None] * self.projected[:, None]).reshape(len(shrunk), -1)
        beta = (self.vectors @ products).reshape(n, len(lams), k)
        found = beta / (self.root[:, None] * (self.squares @ shrunk))[..., None]
        for rows in stacked(blocks):
            for place, factors in enumerate(shrunk.T):
                halves = self.vectors[rows] * np.sqrt(factors)
                P = halves @ halves.swapaxes(1, 2)
                solved = np.linalg.solve(P, beta[rows, place])
                found[rows, place] = solved / self.root[rows][..., None]
        return np.asarray(found.swapaxes(0, 1))

    def coefficients(self, lam: Array) -> Array:
        """The α of shape (n, k), of every target at a λ of its own, all of shape (k,)."""
        shrunk = self.projected / (self.values[:, None] + lam)
        return np.asarray(self.root[:, None] * (self.vectors @ shrunk))

    def fold_residuals(self, lam: float, folds: Sequence[NDArray[np.intp]]) -> Array:
        r"""Residuals of every row by the machine trained without its fold, of shape (n, k).

        :math:`r_F = P_{FF}^{-1} \alpha_F` (:mod:`kernlearn.quality.held_out`), for folds that hold
        every row once.
        """
        halves = self.vectors / np.sqrt(self.values + lam)
        beta = halves @ (self.projected / np.sqrt(self.values + lam)[:, None])
        residuals = np.empty_like(beta)
        for rows in folds:
            block = halves[rows] @ halves[rows].T
            factor = lower_factor(block)
            solved = solve_lower(factor, solve_lower(factor, beta[rows]), transposed=True)
            residuals[rows] = solved / self.root[rows, None]
        return residuals
