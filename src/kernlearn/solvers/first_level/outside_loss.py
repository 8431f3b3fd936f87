"""The loss of a first-level machine on points that it was not trained on, with its derivatives."""

from __future__ import annotations

from dataclasses import dataclass

from kernlearn.typing import Array, Scalar


@dataclass(frozen=True, eq=False)
class Outside:
    """The loss of a machine on points outside, as a function of λ and θ."""

    loss: Scalar  # The sum of ½s(y - f)² over them, or of another loss
    by_theta: Array  # Derivatives of the loss by θ, of shape (p,)
    by_lam: Scalar  # Derivative of the loss by λ
    mixed: Array  # The derivatives by λ of the first p slopes of J, apart from that of μΩ (p,)

    def __getitem__(self, number: int) -> Outside:
        """The loss of one machine of a stack."""
        return Outside(
            self.loss[number], self.by_theta[number], self.by_lam[number], self.mixed[number]
        )
