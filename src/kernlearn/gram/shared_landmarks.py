r"""The same landmarks for any number of kernels: factors of each, and forms of all.

Through landmarks S a kernel is :math:`\hat K = Z Z^\top`, :math:`Z = K(X, S) L^{-\top}`, so that
:math:`f^\top \hat K f = \lVert c\rVert^2` with :math:`L c = K(S, X) f`: one more row of the
elimination that gives L, and nothing of Z is made. Landmarks of which those before leave less than
:data:`LEAST` are left out, for a wide kernel on a single column most of them; so L is far from
singular, and the form is known to more digits than a certificate needs.
"""

from __future__ import annotations

import numpy as np

from kernlearn.typing import Array, Indices

# Of its diagonal entry: what the landmarks before a landmark must leave of it.
LEAST = 1e-6


def eliminated(corners: Array, images: Array) -> tuple[Array, Array]:
    """Forms of many kernels at once, and which landmarks each of them keeps.

    Parameters
    ----------
    corners : ndarray of shape (b, r, r)
        K(S, S) of each kernel; changed.
    images : ndarray of shape (b, r, q)
        K(S, X)f for q vectors f; changed.

    Returns
    -------
    forms : ndarray of shape (b,)
        Sums of fᵀK̂f over the vectors.
    kept : ndarray of bool, shape (b, r)
        The landmarks that have a column.
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
