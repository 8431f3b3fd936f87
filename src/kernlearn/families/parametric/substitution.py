"""Substitution matrices of letters, learned."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from kernlearn.families.parametric._letter_pairs import (
    from_symmetric,
    pair_forms,
    slope_by_root,
    to_symmetric,
    twice_by_root,
    word_blocks,
    word_forms,
)
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.families.parametric.theta_penalties import (
    NearMatrix,
    SquaredNorm,
    ThetaPenalty,
)
from kernlearn.kernels import Substitution
from kernlearn.kernels._validation import check_things
from kernlearn.kernels.sequences.substitution import (
    check_similarities,
    check_words,
    training_alphabet,
    word_rows,
)
from kernlearn.typing import Array, Rows


class SubstitutionFamily(ParametricKernel):
    r"""All kernels on sequences by a substitution matrix :math:`S \succeq 0` (Cawley 2014, 4).

    The kernel at θ is :class:`kernlearn.kernels.Substitution`,
    :math:`k(x, z; S) = (c + s(x, z))^d` with :math:`s = \frac1L \sum_p S[x_p, z_p]`; the name of
    the family is ``"substitution"``. θ holds the symmetric root R of :math:`S = R^2`: its upper
    triangle, row by row, off the diagonal times :math:`\sqrt2`, so that
    :math:`\|\theta\|^2 = \|R\|_F^2 = \operatorname{tr} S`. Any θ gives an :math:`S \succeq 0`, and
    every S has such a θ, so nothing has to be projected. In
    ``min over k in F of Q(k) + μΩ(k)`` the regulariser Ω is

    - :math:`\tfrac12\|S - S_0\|_F^2` with a `prior` :math:`S_0`: for large μ the kernel is that of
      :math:`S_0`;
    - :math:`\tfrac12\|\theta\|^2 = \tfrac12\|S\|_*`, half of the nuclear norm, without one, which
      prefers a matrix of low rank.

    Parameters
    ----------
    alphabet : str, optional
        The letters; all that occur in the training rows when not given. Other letters are unknown:
        their similarity with every letter is zero.
    word_length : int, default=1
        Letters in a word, if S compares words that overlap and not single letters; at most 32
        different words.
    degree, offset : int, float, default=1 and 1.0
        The power d and the constant c.
    aligned : bool, default=True
        Whether letters at the same position are compared; sequences have one length then. Else all
        letters of one sequence are compared with all of the other.
    prior : "identity", array-like of shape (m, m) or None, default="identity"
        :math:`S_0`, where learning starts, or None for the nuclear norm.

    Notes
    -----
    With degree one K is linear in S, and so the criterion (5) is a convex function of S for given λ
    and μ. With α of the machine, :math:`M = \lambda\sum_b t_b t_b^T` and
    :math:`t_b = U_b^T\alpha`, U_b the indicators of the words at position b over :math:`\sqrt L`,

    .. math:: J(S) \ge \lambda\alpha^Ty - \tfrac{\lambda^2}{2}\alpha^T\alpha
              + \min_{S \succeq 0}\; \mu\Omega(S) - \tfrac12\langle M, S\rangle ,

    where the minimum is at the positive part of :math:`S_0 + M/2\mu`, and zero for the nuclear norm
    if :math:`M \preceq \mu I`. This is the ``lower_bound_`` of the estimators. A minimum over R is
    one over S: where the slope :math:`GR + RG` vanishes and R has no two eigenvalues of opposite
    sign, :math:`GR = 0`; on the null space of R the curvature is that of G, so :math:`G \succeq 0`.

    Examples
    --------
    >>> from kernlearn.families.parametric import SubstitutionFamily
    >>> family = SubstitutionFamily().fitted_to(["AC", "AG", "GC"])
    >>> family.alphabet, family.kernel(family.start(None)).similarities()["A"]
    ('ACG', {'A': 1.0, 'C': 0.0, 'G': 0.0})
    """

    takes_things = True
    signed = True

    def __init__(
        self,
        alphabet: str | None = None,
        *,
        word_length: int = 1,
        degree: int = 1,
        offset: float = 1.0,
        aligned: bool = True,
        prior: str | ArrayLike | None = "identity",
    ) -> None:
        self.alphabet = alphabet
        self.word_length = word_length
        self.degree = degree
        self.offset = offset
        self.aligned = aligned
        self.prior = prior

    def fitted_to(self, X: Rows) -> SubstitutionFamily:
        """The family with the alphabet of these sequences, where none was given."""
        things = check_things(X, "X")
        alphabet = training_alphabet(things) if self.alphabet is None else self.alphabet
        fitted: SubstitutionFamily = clone(self).set_params(alphabet=alphabet)
        fitted.kernel(fitted.start(None))._check_parameters()
        if not fitted.read(things).any():
            raise ValueError(
                f"Substitution must find words of its alphabet {alphabet!r} in X, got none; write "
                "the sequences in these letters, or pass another alphabet."
            )
        return fitted

    def read(self, X: Rows) -> Array:
        """Indicators or shares of the words, a block of columns for every position."""
        things = check_things(X, "X")
        return word_rows(things, _known(self.alphabet), self.word_length, self.aligned, "X")

    def start(self, X: Array | None) -> Array:
        """The root of the prior, or of the identity."""
        values, vectors = np.linalg.eigh(self._prior())
        return from_symmetric((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)

    def size(self, start: Array) -> Array:
        """One size for all entries: that of an entry on the diagonal."""
        return np.full(len(start), np.linalg.norm(start) / np.sqrt(len(to_symmetric(start))))

    def kernel(self, theta: Array) -> Substitution:
        """The kernel with this matrix."""
        R = to_symmetric(theta)
        return Substitution(
            _known(self.alphabet),
            R @ R,
            word_length=self.word_length,
            degree=self.degree,
            offset=self.offset,
            aligned=self.aligned,
        )

    def matrix(self, X: Array, Y: Array | None, theta: Array) -> Array:
        """The powers of c + s for all pairs."""
        return self._powers(X, Y, theta, 0)

    def diag(self, X: Array, theta: Array) -> Array:
        """The powers of c + s of every sequence with itself."""
        images = word_blocks(X, to_symmetric(theta)) @ to_symmetric(theta)
        return np.asarray((self.offset + (images**2).sum(axis=(1, 2))) ** self.degree)

    def gradient(self, X: Array, theta: Array, K: Array, W: Array, Y: Array | None = None) -> Array:
        r"""By S it is :math:`\sum_b U_b^T (W \circ d(c + s)^{d-1}) U_b`."""
        R = to_symmetric(theta)
        return from_symmetric(
            slope_by_root(word_forms(X, W * self._powers(X, Y, theta, 1), Y, R), R)
        )

    def jacobian_products(
        self, X: Array, theta: Array, K: Array, v: Array, Y: Array | None = None
    ) -> Array:
        r"""By S it is :math:`\sum_b u_{ib} (\sum_j d(c + s_{ij})^{d-1} v_j u_{jb})^T`."""
        R = to_symmetric(theta)
        weighted = v[:, None] * (X if Y is None else Y)
        if self.degree == 1:
            sums = np.broadcast_to(weighted.sum(axis=0), X.shape)
        else:
            sums = self._powers(X, Y, theta, 1) @ weighted
        outer = word_blocks(X, R).transpose(0, 2, 1) @ word_blocks(sums, R)
        return from_symmetric(slope_by_root(outer, R))

    def second(self, X: Array, theta: Array, K: Array, W: Array) -> Array:
        """By S through the pairs of words of every two sequences, and by R twice."""
        R = to_symmetric(theta)
        found = twice_by_root(word_forms(X, W * self._powers(X, None, theta, 1), None, R))
        if self.degree > 1:
            found += pair_forms(X, W * self._powers(X, None, theta, 2), R)
        return found

    @property
    def penalty(self) -> ThetaPenalty:
        """Ω: ½‖S − S₀‖², or half of the nuclear norm."""
        return SquaredNorm() if self.prior is None else NearMatrix(self._prior())

    def dual_minimum(self, X: Array, a: Array, mu: float) -> tuple[float, float] | None:
        """In closed form for degree one; see the notes of the class."""
        if self.degree > 1:
            return None
        t = np.concatenate(list(word_blocks(a.T @ X, self._prior())))
        M, S_0 = t.T @ t, self._prior()
        if self.prior is None:
            largest = float(np.linalg.eigvalsh(M)[-1])
            return min(1.0, float(np.sqrt(mu / max(largest, 1e-300)))), 0.0
        values, vectors = np.linalg.eigh(S_0 + 0.5 * M / mu)
        S = (vectors * np.maximum(values, 0.0)) @ vectors.T
        return 1.0, 0.5 * mu * float(((S - S_0) ** 2).sum()) - 0.5 * float(np.vdot(M, S))

    def _powers(self, X: Array, Y: Array | None, theta: Array, order: int) -> Array:
        """The derivative of (c + s)^d of this order by s, for all pairs."""
        R = to_symmetric(theta)
        left = (word_blocks(X, R) @ R).reshape(len(X), -1)
        right = left if Y is None else (word_blocks(Y, R) @ R).reshape(len(Y), -1)
        factor = float(np.prod([self.degree - each for each in range(order)]))
        return np.asarray(factor * (self.offset + left @ right.T) ** max(self.degree - order, 0))

    def _prior(self) -> Array:
        """S₀, the identity where there is none."""
        alphabet, given = _known(self.alphabet), self.prior
        check_words(alphabet, self.word_length)
        if isinstance(given, str) and given != "identity":
            raise ValueError(
                f"SubstitutionFamily's prior must be 'identity', a matrix or None, got {given!r}; "
                "pass the matrix of a learned kernel, say."
            )
        matrix = None if isinstance(given, str) else given
        return check_similarities(matrix, len(alphabet) ** self.word_length)


def _known(alphabet: str | None) -> str:
    """The alphabet, or a sentence on how to find one."""
    if alphabet is None:
        raise ValueError(
            "SubstitutionFamily must know its alphabet before it is used, got none; call "
            "family.fitted_to(X_train) first, as the estimators do."
        )
    return alphabet
