"""The regulariser Ω(θ) of first-level learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kernlearn.families.parametric._letter_pairs import (
    from_symmetric,
    moved_basis,
    slope_by_root,
    to_symmetric,
    twice_by_root,
)
from kernlearn.typing import Array, Scalar


class ThetaPenalty(Protocol):
    """A smooth function of θ, not negative."""

    def value(self, theta: Array) -> Scalar:
        """Ω(θ)."""

    def gradient(self, theta: Array) -> Array:
        """Gradient of Ω, of shape (p,)."""

    def hessian(self, theta: Array) -> Array:
        """Hessian of Ω, of shape (p, p)."""


def penalized_slopes(
    penalty: ThetaPenalty, theta: Array, slopes: Array, mu: Array | float
) -> Array:
    """The slopes of a criterion, with those of μΩ added; where Ω has a kink, the least sum."""
    choose = getattr(penalty, "subgradient", None)
    if choose is None or not mu > 0:
        return np.asarray(slopes + mu * penalty.gradient(theta))
    return np.asarray(slopes + mu * choose(theta, slopes / mu))


@dataclass(frozen=True)
class SquaredNorm:
    """½‖θ‖², as in the paper; axes before that of θ are carried along."""

    def value(self, theta: Array) -> Scalar:
        """Half of the squared length."""
        return 0.5 * (theta**2).sum(axis=-1)

    def gradient(self, theta: Array) -> Array:
        """θ itself."""
        return theta

    def hessian(self, theta: Array) -> Array:
        """The identity."""
        return np.eye(theta.shape[-1])


@dataclass(frozen=True, eq=False)
class NearMatrix:
    """½‖S − S₀‖² of the matrix S = R² whose packed root is θ."""

    prior: Array  # S₀

    def value(self, theta: Array) -> Scalar:
        """Half of the squared distance."""
        R = to_symmetric(theta)
        return 0.5 * float(((R @ R - self.prior) ** 2).sum())

    def gradient(self, theta: Array) -> Array:
        """The slope S − S₀ by S, by the root."""
        R = to_symmetric(theta)
        return from_symmetric(slope_by_root(R @ R - self.prior, R))

    def hessian(self, theta: Array) -> Array:
        """Hessian by the change of S, and by its curvature."""
        R = to_symmetric(theta)
        moved = moved_basis(R)
        return np.asarray(moved @ moved.T + twice_by_root(R @ R - self.prior))


@dataclass(frozen=True, eq=False)
class AlongRay:
    """A penalty of c·u as one of c."""

    penalty: ThetaPenalty
    direction: Array  # u

    def value(self, theta: Array) -> Scalar:
        """Ω(c·u)."""
        return self.penalty.value(theta * self.direction)

    def gradient(self, theta: Array) -> Array:
        """Slope of Ω by c, of shape (1,)."""
        return np.array([self.direction @ self.penalty.gradient(theta * self.direction)])

    def hessian(self, theta: Array) -> Array:
        """Curvature of Ω by c, of shape (1, 1)."""
        u = self.direction
        return np.array([[u @ self.penalty.hessian(theta * u) @ u]])
