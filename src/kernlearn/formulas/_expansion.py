"""Kernels that are sums of sections of a hyperkernel, as formulas."""

from __future__ import annotations

import numpy as np

from kernlearn.formulas._legend import Legend
from kernlearn.formulas._text import number
from kernlearn.hyperkernels import ARDHarmonic, Harmonic, Hyperkernel
from kernlearn.hyperkernels.base import Expansion


def expansion(kernel: Expansion, x: str, z: str, legend: Legend) -> str:
    """One section by its weight; more of them as a sum, whose pairs are only counted."""
    weights = np.asarray(kernel.weights, dtype=float)
    n = int(np.count_nonzero(weights))
    section = _section(kernel.hyperkernel, x, z, legend)
    if n == 1:
        legend.say("(s, t) is the pair of points that was kept")
        size = number(float(weights[weights != 0][0]))
        return section if size == "1" else f"{size}·{section}"
    legend.say(f"the sum runs over {n} pairs of points (s, t)")
    return f"Σ wₛₜ {section}"


def _section(hyperkernel: Hyperkernel, x: str, z: str, legend: Legend) -> str:
    if not isinstance(hyperkernel, Harmonic | ARDHarmonic):
        h = legend.name("h", f"a {type(hyperkernel).__name__}", verb="is")
        return f"{h}(({x}, {z}), (s, t))"
    lam, rest = number(hyperkernel.lambda_h), number(1.0 - hyperkernel.lambda_h)
    if isinstance(hyperkernel, Harmonic):
        squares = f"‖{x} − {z}‖² + ‖s − t‖²"
        return f"{rest} / (1 − {lam} exp(−{number(hyperkernel.gamma)} ({squares})))"
    gamma = legend.vector("γ", hyperkernel.gammas)
    squares = f"({x}ⱼ − {z}ⱼ)² + (sⱼ − tⱼ)²"
    return f"Πⱼ {rest} / (1 − {lam} exp(−{gamma}ⱼ ({squares})))"
