"""Hyperkernels k̲((x, z), (s, t)): kernels between pairs of points, whose sections are kernels."""

from kernlearn.hyperkernels.base import Expansion, Hyperkernel
from kernlearn.hyperkernels.convolution import Convolution, GaussianHyperkernel
from kernlearn.hyperkernels.harmonic import ARDHarmonic, Harmonic
from kernlearn.hyperkernels.radial_scales import BallSpline, DampedOscillator
from kernlearn.hyperkernels.series import TABLE_2, Explicit, PowerSeries, Series
from kernlearn.hyperkernels.translation_invariant import TranslationInvariant
from kernlearn.hyperkernels.wishart import Wishart

__all__ = [
    "TABLE_2",
    "ARDHarmonic",
    "BallSpline",
    "Convolution",
    "DampedOscillator",
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
