r"""Domain of the weights, in coordinates that suit the solver.

Weights are ``w = basis @ x``. The coordinates x are bounded by construction:

* positive weights: :math:`x_i` is proportional to the trace that the i-th matrix contributes, so
  that a coordinate says how much of K(w) it makes, whatever the size of the matrix;
* free-sign weights: coordinates in which :math:`\lVert K(w)\rVert_F = c\,\lVert x\rVert`. Since
  K ⪰ 0 has :math:`\lVert K\rVert_F \le \operatorname{tr} K = c`, the feasible set lies in the unit
  ball, whatever the kernels. Every matrix is brought to unit size before directions are compared.

Directions in which the matrices cancel to the last digits (one kernel twice) have no coordinate.
Their possible effect on the kernel is carried along as :attr:`Domain.loose`, for weights whose
parts are up to :data:`LARGEST_PART` times the whole; bounds allow for it.

Further limits of the weights are rows of a cone (:mod:`kernlearn.families.weight_limits`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernlearn.families.weight_limits import EmptySetError, WeightLimits, interior
from kernlearn.typing import Array, Mask

# Matrices of unit size that cancel to less than this differ by rounding.
CANCELLED = 1e-14
LARGEST_PART = 1e6
# Combinations that cancel to less than this may do so entirely, but for a part of another one.
DOUBTFUL = 1e-10
# Eigenvalues of the (scaled) inner products from which on one pass is accurate.
WELL_CONDITIONED = 1e-6
MAX_PASSES = 6
# Distance from orthonormal combinations after a pass that is accurate, at most.
ORTHONORMAL = 1e-9
MOSTLY_NOISE = 1e-3


@dataclass(eq=False)
class Domain:
    """An affine slice ``equality @ x == 1``, ``low ≤ x ≤ high``, and cuts ``cuts @ x ≥ 0``.

    There are p coordinates x, and m weights ``basis @ x``.
    """

    basis: Array
    equality: Array
    low: Array
    high: Array
    start: Array  # a point of the set, well inside
    free_sign: bool  # whether the set is further bounded by K ⪰ 0
    n_ball: int = 0  # with free signs, the number of first coordinates that lie in a ball
    radius: float = 1.0  # of this ball: one, if the combinations were exactly orthonormal
    unseen: bool = False  # whether no plane sees the others, which change no kernel
    loose: float = 0.0  # Frobenius norm of what weights may add to K(w) beside the coordinates
    loose_equality: float = 0.0  # by how much that may change the left side of the equality
    # The directions that have no coordinate, of shape (m, q).
    dropped: Array = field(default_factory=lambda: np.zeros((0, 0)))
    limits: WeightLimits | None = None  # of the weights
    flat: Mask | None = None  # of the limits, those that no allowed weights leave room in
    cuts: Array = field(init=False)
    cut_noise: Array = field(init=False)

    def __post_init__(self) -> None:
        self.cuts = np.zeros((0, len(self.equality)))
        self.cut_noise = np.zeros(0)

    @cached_property
    def coordinate_limits(self) -> WeightLimits | None:
        """The limits of the coordinates, each row of a size of one."""
        if self.limits is None:
            return None
        limits = self.limits.combined(self.basis)
        reach = 1.0 if self.free_sign else 1.0 / self.equality
        return limits.scaled(np.maximum((np.abs(limits.rows) * reach).max(axis=1), 1e-300))

    @cached_property
    def share_limits(self) -> WeightLimits | None:
        """The limits of the shares eᵢxᵢ, for positive weights."""
        limits = self.coordinate_limits
        return None if limits is None else limits.combined(np.diag(1.0 / self.equality))

    @property
    def step_rows(self) -> tuple[Array, Array]:
        """Rows that are zero, and rows that are non-negative, at the coordinates of a step."""
        limits = self.coordinate_limits
        if limits is None:
            none = np.zeros((0, len(self.equality)))
            return none, none
        flat = limits.is_tie if self.flat is None else self.flat
        return limits.rows[flat], limits.rows[~flat]

    def weights(self, x: Array) -> Array:
        """The weights at coordinates ``x``."""
        return np.asarray(self.basis @ x)

    def slopes(self, gradients: Array) -> Array:
        """Gradients (..., m) in the weights as gradients (..., p) in the coordinates.

        The effect of unseen coordinates on K(w) is part of :attr:`loose`.
        """
        slopes = gradients @ self.basis
        if self.unseen:
            slopes[..., self.n_ball :] = 0.0
        return np.asarray(slopes)

    def coordinates(self, weights: Array) -> Array:
        """The coordinates of ``weights``, or the nearest there are."""
        # Rows of one size, so that no small matrix is lost beside a large one.
        size = np.abs(self.basis).max(axis=1, initial=0.0)
        size = np.where(size > 0, size, 1.0)
        scaled = self.basis / size[:, None]
        return np.asarray(np.linalg.lstsq(scaled, weights / size)[0], dtype=float)

    def part(self, coordinates: NDArray[np.intp], start: Array) -> tuple[Domain, NDArray[np.intp]]:
        """Domain in these coordinates, with the others at zero, and the matrices used there."""
        basis = self.basis[:, coordinates]
        used = np.flatnonzero(basis.any(axis=1))
        part = replace(
            self,
            basis=basis[used],
            equality=self.equality[coordinates],
            low=self.low[coordinates],
            high=self.high[coordinates],
            start=start[coordinates] / float(self.equality[coordinates] @ start[coordinates]),
        )
        return part, used

    def forget_slack_cuts(self, x: Array, n_kept: int) -> None:
        """Keep only the cuts that are tightest at ``x``."""
        tightest = np.sort(np.argsort(self.cuts @ x, kind="stable")[:n_kept])
        self.cuts, self.cut_noise = self.cuts[tightest], self.cut_noise[tightest]

    def add_cuts(self, rows: Array, noise: Array) -> bool:
        """Add cuts ``rows @ w ≥ 0`` whose rows are forms vᵀKᵢv; return whether any was added.

        A direction in which every kernel is zero gives a row of rounding errors, which would cut
        anywhere. Cuts carry their `noise`, a bound on the error of each column or entry, and those
        that are mostly noise are left out.
        """
        rows = rows @ self.basis
        length = np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1e-300)
        error = np.sqrt(np.square(noise @ np.abs(self.basis)).sum(axis=-1)) + self.loose
        relative = error / length
        clear = np.flatnonzero(relative < MOSTLY_NOISE)
        self.cuts = np.concatenate([self.cuts, rows[clear] / length[clear, None]])
        self.cut_noise = np.concatenate([self.cut_noise, relative[clear]])
        return len(clear) > 0


def positive_weights(
    normaliser: Array,
    total: float,
    traces: Array | None = None,
    least: Array | None = None,
    limits: WeightLimits | None = None,
) -> Domain:
    r"""The set w ≥ 0, Σ wᵢrᵢ = total; a matrix with r = 0 has no effect and gets no weight.

    With shares :math:`s_i` that each matrix has at least, σ their sum, it is the simplex made
    smaller by 1 − σ and moved: :math:`w = (1 - \sigma) w' + u` with w' in the set above and
    :math:`u_i = s_i c / r_i`. Coordinates are those of w'. Since the equality is one on all of
    them, u is linear in the coordinates, too, and planes are still smallest at corners. The shares
    `least` of matrices that get no weight do not count. `traces` say how large the matrices are,
    where the normaliser r does not. A matrix that `limits` leave no weight has no coordinate.
    """
    used = np.flatnonzero(normaliser > 0)
    p = len(used)
    reach = total / normaliser[used]  # the weight of a matrix alone
    effect = reach * (normaliser if traces is None else traces)[used]
    # A zero matrix has no effect to be measured by: its coordinate is its share of the total.
    share = np.where(effect > 0, effect / effect.max(), 1.0)
    # Beyond this ratio a matrix makes no difference to a sum; coordinates need not tell.
    share = np.maximum(share, 1e-12)
    basis = np.zeros((len(normaliser), p))
    basis[used, np.arange(p)] = reach / share
    equality = 1.0 / share
    if least is not None:
        weights = np.zeros(len(normaliser))
        weights[used] = least[used] * reach
        basis = (1.0 - float(least[used].sum())) * basis + np.outer(weights, equality)
    domain = Domain(
        basis=basis,
        equality=equality,
        low=np.zeros(p),
        high=share,
        start=share / p,
        free_sign=False,
    )
    return limited(domain, limits)


def limited(domain: Domain, limits: WeightLimits | None) -> Domain:
    """The domain with a start inside these limits, and coordinates that may be positive."""
    if limits is None:
        return domain
    domain = replace(domain, limits=limits)
    assert domain.share_limits is not None
    inside = interior(domain.share_limits)
    if inside is None:
        raise EmptySetError(
            "expected limits that some weights satisfy, got some that no positive weights do; "
            "drop or loosen one"
        )
    used = inside.is_used
    return replace(
        domain,
        basis=domain.basis[:, used],
        equality=domain.equality[used],
        low=domain.low[used],
        high=domain.high[used],
        start=(inside.shares / domain.equality)[used],
        flat=inside.is_flat,
    )


def free_weights(
    inner_products: Callable[[Array], Array],
    normaliser: Array,
    total: float,
    n_signed: int,
    length: float,
    n_points: int,
) -> Domain:
    """The set Σ wᵢrᵢ = total, K(w) ⪰ 0, with weights from the ``n_signed``-th on non-negative.

    `inner_products` maps a basis (m, p) to the Frobenius inner products of its combinations (p, p);
    `length` bounds ‖K(w)‖_F over the set, as the trace does.
    """
    m = len(normaliser)
    signed, dropped, lost = orthonormal(inner_products, np.eye(m)[:, :n_signed])
    # If rounding has kept combinations from being orthonormal, the ball is larger.
    shortest = np.linalg.eigvalsh(inner_products(signed)).min(initial=1.0)
    fixed = np.eye(m)[:, n_signed:]
    if fixed.shape[1]:
        fixed = fixed / np.sqrt(np.diagonal(inner_products(fixed)))
    basis = length * np.hstack([signed, fixed])
    p = basis.shape[1]
    low = np.full(p, -1.0)
    low[signed.shape[1] :] = 0.0
    domain = Domain(
        basis=basis,
        equality=(basis.T @ normaliser) / total,
        low=low,
        high=np.ones(p),
        start=np.zeros(p),
        free_sign=True,
        n_ball=p,
        radius=(1.0 + ORTHONORMAL) / float(np.sqrt(max(shortest, 1e-300))),
        loose=LARGEST_PART * length * float(lost.sum()),
        loose_equality=LARGEST_PART * float(lost.sum()) * float(np.sqrt(n_points)),
        dropped=dropped,
    )
    return replace(domain, start=domain.coordinates(even_weights(normaliser, total)))


def orthonormal(
    inner_products: Callable[[Array], Array], basis: Array
) -> tuple[Array, Array, Array]:
    """Combinations that are orthonormal as matrices, those that cancel, and their lengths.

    Every pass brings the combinations to unit length, then turns them until they are orthogonal.
    If matrices are close to dependent, squaring the condition number costs a pass its small
    directions; the next one sees them at unit length. `basis` holds columns of the identity, one
    for each matrix. Combinations that cancel are of matrices of unit size.
    """
    products = inner_products(np.eye(len(basis)))
    norms = np.sqrt(np.diagonal(products))
    empty = norms[np.abs(basis).argmax(axis=0)] == 0.0
    dropped, lengths = [], []
    basis = basis[:, ~empty]  # a matrix of zeros gets no weight
    for number in range(MAX_PASSES):
        S = inner_products(basis) if number else basis.T @ products @ basis
        length = np.sqrt(np.maximum(np.diagonal(S), 0.0))
        size = norms @ np.abs(basis)
        doubtful = length <= DOUBTFUL * size
        if doubtful.any() and not doubtful.all():
            basis = _less_longer(basis, S, doubtful)
            S = inner_products(basis)
            length = np.sqrt(np.maximum(np.diagonal(S), 0.0))
            size = norms @ np.abs(basis)
        gone = length <= CANCELLED * size
        dropped.append(basis[:, gone] / size[gone])
        lengths.append(np.maximum(length, np.finfo(float).eps * size)[gone] / size[gone])
        basis = basis[:, ~gone] / length[~gone]
        S = S[np.ix_(~gone, ~gone)] / np.outer(length[~gone], length[~gone])
        values, vectors = np.linalg.eigh(S)
        if len(values) == 0:
            break
        if values[0] > WELL_CONDITIONED:
            basis = basis @ (vectors / np.sqrt(values))
            break
        basis = basis @ vectors
    else:
        # Combinations that no pass could separate are kept as they are.
        S = inner_products(basis)
        values, vectors = np.linalg.eigh(S)
        kept = values > WELL_CONDITIONED
        size = norms @ np.abs(basis @ vectors)
        dropped.append((basis @ vectors[:, ~kept]) / size[~kept])
        lengths.append(np.sqrt(np.maximum(values[~kept], 0.0)) / size[~kept])
        basis = basis @ (vectors[:, kept] / np.sqrt(values[kept]))
    cancelling = np.hstack(dropped)
    if cancelling.shape[1]:
        basis = _without(cancelling, basis, norms)
        # Directions cancel up to rounding, of which large parts of them leave something behind.
        values, vectors = np.linalg.eigh(inner_products(basis))
        if (values > WELL_CONDITIONED).all():
            basis = basis @ ((vectors / np.sqrt(values)) @ vectors.T)
    return basis, cancelling, np.concatenate(lengths)


def _less_longer(basis: Array, S: Array, short: Mask) -> Array:
    """The combinations, with components along the others taken off the short ones.

    Eigenvectors of a large condition number hold traces of each other, which may be longer than
    what is left of a combination that cancels.
    """
    length = np.sqrt(np.diagonal(S)[~short])
    among = S[np.ix_(~short, ~short)] / np.outer(length, length)
    parts = np.linalg.lstsq(among, S[np.ix_(~short, short)] / length[:, None])[0]
    basis = basis.copy()
    basis[:, short] -= (basis[:, ~short] / length) @ parts
    return basis


def _without(directions: Array, basis: Array, norms: Array) -> Array:
    """The combinations without their components along directions that cancel."""
    size = np.where(norms > 0, norms, 1.0)[:, None]
    Q = np.linalg.qr(directions * size)[0]
    scaled = basis * size
    for _ in range(2):  # twice is enough for orthogonality
        scaled = scaled - Q @ (Q.T @ scaled)
    return np.asarray(scaled / size)


def even_weights(normaliser: Array, total: float) -> Array:
    """Weights that give every matrix with effect the same share."""
    used = normaliser > 0
    return np.where(used, total / np.where(used, normaliser, 1.0) / used.sum(), 0.0)
