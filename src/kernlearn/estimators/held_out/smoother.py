r"""A least-squares machine as weights on its targets, f(x) = h(x)ᵀy, and what follows from them.

With the bordered matrix of :mod:`kernlearn.quality.ls_svm` and P, q the blocks of its inverse (q
the column next to P), α = Py and b = qᵀy, so that :math:`h(x) = P k_x + q` with
:math:`k_x = (k(x, x_i))_i`. Its entries sum to one. Three things follow.

**Leave-one-out machines at new points.** Eliminating row i from the system changes the
coefficients by :math:`-P_{:i} r_i` and b by :math:`-q_i r_i`, where :math:`r_i = \alpha_i / P_{ii}`
is the leave-one-out residual. Hence

.. math:: f^{(-i)}(x) = f(x) - h_i(x)\, r_i,

n machines at new points for the price of one product. Without a block G of rows the coefficients
change by :math:`-P_{:G} r_G` with :math:`r_G = P_{GG}^{-1} \alpha_G`, and f by
:math:`-\sum_{i \in G} h_i(x) r_i`.

**The variance.** Read as a Gaussian process with covariance :math:`s^2 k`, an intercept of which
nothing is known, and noise :math:`s^2 \Lambda`, the error of f at x has the variance
:math:`s^2 (k(x,x) - 2 h^\top k_x + h^\top (K + \Lambda) h)`; since h solves
:math:`(K + \Lambda) h + \mu 1 = k_x`, this is :math:`s^2 (k(x,x) - h^\top k_x - \mu)`. A new
observation has the noise :math:`s^2\lambda` besides. With a small ridge the second form loses its
digits, since h does by as many as P is large, and the first does not: it is least at h, where
errors of h count by their squares. It takes K, which is kept for that.

**Its scale.** The leave-one-out residuals have variances :math:`s^2 / P_{ii}`, so that
:math:`s^2 = \tfrac1n \sum_i r_i^2 P_{ii}` makes them of size one.

As everywhere, adding :math:`u 1^\top + 1 u^\top` to K changes none of this, and the kernel is
centred first: then :math:`h = 1/n + P (k_x - \Lambda 1/n)` and
:math:`\mu = -1^\top \Lambda h / n`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.quality.held_out import left_out_residuals
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.quality.ridge_path import stacked
from kernlearn.runtime.threads import threads_for
from kernlearn.typing import Array, Indices

# Ridge relative to the diagonal: below it, variances have fewer than four digits without K.
_SMALL = 1e-6


@dataclass(frozen=True, eq=False)
class Smoother:
    """The weights h of a trained machine."""

    inverse: Array  # P, of shape (n, n)
    ridge: Array  # the diagonal of Λ, of shape (n,)
    row_means: Array  # means of the rows of K, of shape (n,)
    # K + Λ of shape (n, n), K centred; None if the ridge is so large that K is not needed.
    noisy: Array | None = None

    # Rows that are left out together; all others are left out one by one.
    blocks: Sequence[Indices] = ()

    @classmethod
    def of(cls, K: Array, ridge: Array, blocks: Sequence[Indices] = ()) -> Smoother:
        """Factorise; inputs are checked, and K is refused as `fit_ls_svm` refuses it."""
        with threads_for(len(K)):
            fit = fit_ls_svm(K, np.zeros((len(K), 1)), ridge)
        means, noisy = K.mean(axis=0), None
        if fit.ridge.min() < _SMALL * float(K.diagonal().mean()):
            noisy = K - means - (means[:, None] - means.mean())
            noisy[np.diag_indices_from(noisy)] += fit.ridge
        return cls(fit.inverse, fit.ridge, means, noisy, blocks)

    def residuals(self, dual_coef: Array) -> Array:
        """Leave-one-out residuals r of the machines with coefficients α of shape (n, k)."""
        return left_out_residuals(self.inverse, dual_coef, self.blocks)

    def held_out_variance(self) -> Array:
        """The variance of every row for s² = 1, by the machine without it, of shape (n,)."""
        variance = 1.0 / self.inverse.diagonal()
        for rows in stacked(self.blocks):
            P = self.inverse[rows[:, :, None], rows[:, None, :]]
            variance[rows] = np.diagonal(np.linalg.inv(P), axis1=1, axis2=2)
        return np.asarray(variance)

    def left_out_changes(self, K_new: Array, residuals: Array) -> Array:
        """Falls of the predictions at new points without each row, of shape (n_new, n, k)."""
        changes = self.weights(K_new)[:, :, None] * residuals
        for rows in self.blocks:
            changes[:, rows] = changes[:, rows].sum(axis=1, keepdims=True)
        return np.asarray(changes)

    def scale(self, dual_coef: Array) -> Array:
        """The squares s² of shape (k,)."""
        r = self.residuals(dual_coef)
        return np.asarray((r * dual_coef).mean(axis=0))

    def weights(self, K_new: Array) -> Array:
        """The vectors h for the rows of `K_new`, kernel values of shape (n_new, n)."""
        n = len(self.ridge)
        return 1.0 / n + (self._centred(K_new) - self.ridge / n) @ self.inverse

    def variance(self, K_new: Array, diagonal: Array) -> Array:
        """The variance of f, for s² = 1, at points with these k(x, x_i) and k(x, x)."""
        h = self.weights(K_new)
        centred = diagonal - 2.0 * K_new.mean(axis=1) + self.row_means.mean()
        if self.noisy is None:
            of_ridge = self.ridge / len(self.ridge)
            explained = np.einsum("ij,ij->i", h, self._centred(K_new) - of_ridge)
        else:
            explained = np.einsum("ij,ij->i", h, 2.0 * self._centred(K_new) - h @ self.noisy)
        return np.asarray(np.maximum(centred - explained, 0.0))

    def _centred(self, K_new: Array) -> Array:
        means = K_new.mean(axis=1, keepdims=True)
        return np.asarray(K_new - means - (self.row_means - self.row_means.mean()))
