"""Kernels that are made of no others, and sums of sections of a hyperkernel, as formulas."""

from __future__ import annotations

import math

import numpy as np

from kernlearn.formulas._text import Legend, number, raised
from kernlearn.hyperkernels import ARDHarmonic, Expansion, Harmonic, Hyperkernel
from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Overlap,
    Polynomial,
    Precomputed,
    TreePaths,
)
from kernlearn.runtime.phrases import counted

_MATERN = {
    0.5: "exp(−{r})",
    1.5: "(1 + √3 {r}) exp(−√3 {r})",
    2.5: "(1 + √5 {r} + 5{r}²/3) exp(−√5 {r})",
    math.inf: "exp(−{r}²/2)",
}


def elementary(kernel: Kernel, x: str, z: str, legend: Legend) -> str:
    """The right-hand side; a kernel that is not of this library shows its constructor call."""
    match kernel:
        case Linear():
            return f"⟨{x}, {z}⟩"
        case Polynomial():
            offset = f"{number(kernel.offset)} + " if kernel.offset else ""
            return f"({offset}⟨{x}, {z}⟩){raised(kernel.degree)}"
        case Gaussian():
            return f"exp(−{number(kernel.gamma)} ‖{x} − {z}‖²)"
        case Laplacian():
            return f"exp(−{number(kernel.gamma)} ‖{x} − {z}‖₁)"
        case ARDGaussian():
            gamma = legend.vector("γ", kernel.gammas)
            return f"exp(−Σⱼ {gamma}ⱼ ({x}ⱼ − {z}ⱼ)²)"
        case ANOVA():
            term = f"exp(−{number(kernel.gamma)} ({x}ⱼ − {z}ⱼ)²)"
            if kernel.degree == 1:
                return f"meanⱼ {term}"
            sets = legend.name("S", f"the sets of at most {kernel.degree} columns, each size alike")
            return f"mean over J in {sets} of Πⱼ {term}"
        case Matern():
            r = legend.name("r", f"‖{x} − {z}‖ / {number(kernel.length_scale)}")
            return _MATERN[float(kernel.nu)].format(r=r)
        case Precomputed() if kernel.name is not None:
            return f"{kernel.name}({x}, {z})"
        case TreePaths():
            trees = counted(len(np.asarray(kernel.roots)), "tree")
            text = f"the nodes that a row comes to in tree t of {trees}"
            P = legend.name("P", text, id(kernel), verb="are")
            return f"meanₜ |{P}({x}) ∩ {P}({z})|"
        case Overlap():
            return f"Overlap(alpha={kernel.alpha!r})({x}, {z})"
        case _:
            call = " ".join(repr(kernel).split())
            return f"{call}({x}, {z})" if kernel.takes_things else call


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
    gamma = legend.vector("γ", np.asarray(hyperkernel.gammas))
    squares = f"({x}ⱼ − {z}ⱼ)² + (sⱼ − tⱼ)²"
    return f"Πⱼ {rest} / (1 − {lam} exp(−{gamma}ⱼ ({squares})))"
