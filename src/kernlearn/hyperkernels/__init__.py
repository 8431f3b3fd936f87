"""Hyperkernels k̲((x, z), (s, t)): kernels between pairs of points, whose sections are kernels."""

from kernlearn.hyperkernels.ard_harmonic import ARDHarmonic
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.hyperkernels.convolution import Convolution
from kernlearn.hyperkernels.expansion import Expansion
from kernlearn.hyperkernels.explicit import Explicit
from kernlearn.hyperkernels.gaussian import GaussianHyperkernel
from kernlearn.hyperkernels.harmonic import Harmonic
from kernlearn.hyperkernels.power_series import PowerSeries
from kernlearn.hyperkernels.series import TABLE_2, Series
from kernlearn.hyperkernels.translation_invariant import TranslationInvariant
from kernlearn.hyperkernels.wishart import Wishart

__all__ = [
    "TABLE_2",
    "ARDHarmonic",
    "Convolution",
    "Expansion",
    "Explicit",
    "GaussianHyperkernel",
    "Harmonic",
    "Hyperkernel",
    "PowerSeries",
    "Series",
    "TranslationInvariant",
    "Wishart",
]
