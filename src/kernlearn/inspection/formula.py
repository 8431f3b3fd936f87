"""The learned kernel as a formula in plain characters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kernlearn.families.parametric.scaled_polynomial import ScaledPolynomial
from kernlearn.hyperkernels import ARDHarmonic, Harmonic, Hyperkernel
from kernlearn.hyperkernels.expansion import Expansion
from kernlearn.inspection._formula_text import columns, number, raised, vector
from kernlearn.kernels import (
    ARDGaussian,
    Centered,
    Columns,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Normalized,
    Polynomial,
    Power,
    Product,
    Scaled,
    Sum,
    WeightedSum,
)

# What the letters of a formula mean, said once below it.
_NORMALISED = "N[k] = k(x, z) / √(k(x, x) k(z, z))"
_CENTRED = "C[k] is k around the mean of the training points"
_HAS_UNIT_DIAGONAL = (Gaussian, ARDGaussian, Laplacian, Matern)


def kernel_formula(kernel: Kernel) -> str:
    """The kernel as one would write it on paper.

    Parameters
    ----------
    kernel : Kernel
        Any kernel; one that is not of this library is shown by its constructor call.

    Returns
    -------
    str
        In plain characters, terms of weight zero left out; after "where", what the letters mean.

    Examples
    --------
    >>> from kernlearn.kernels import Gaussian, Linear, Normalized, WeightedSum
    >>> print(kernel_formula(WeightedSum([Linear(), Gaussian(gamma=0.25)], [2.0, 0.5])))
    k(x, z) = 2·⟨x, z⟩ + 0.5·exp(−0.25 ‖x − z‖²)
    >>> print(kernel_formula(Normalized(Linear())))
    k(x, z) = N[⟨x, z⟩], where N[k] = k(x, z) / √(k(x, x) k(z, z))
    """
    legend: list[str] = []
    body = _written(kernel, "x", "z", legend)
    where = f", where {'; '.join(dict.fromkeys(legend))}" if legend else ""
    return f"k(x, z) = {body}{where}"


def _written(kernel: Kernel, x: str, z: str, legend: list[str]) -> str:
    """The right-hand side; what its letters mean is added to the legend."""
    match kernel:
        case Normalized() if isinstance(kernel.kernel, _HAS_UNIT_DIAGONAL):
            return _written(kernel.kernel, x, z, legend)
        case Normalized() | Centered():
            letter = "N" if isinstance(kernel, Normalized) else "C"
            legend.append(_NORMALISED if letter == "N" else _CENTRED)
            return f"{letter}[{_written(kernel.kernel, x, z, legend)}]"
        case Columns():
            chosen = columns(kernel.columns)
            return _written(kernel.kernel, f"{x}[{chosen}]", f"{z}[{chosen}]", legend)
        case Expansion():
            return _expansion(kernel, x, z, legend)
        case WeightedSum():
            weights = np.asarray(kernel.weights, dtype=float).tolist()
            return _terms(kernel.kernels, weights, x, z, legend)
        case Sum():
            return _terms(kernel.kernels, [1.0] * len(kernel.kernels), x, z, legend)
        case Scaled():
            return _terms([kernel.kernel], [float(kernel.scale)], x, z, legend)
        case Product():
            return "·".join(_factor(part, x, z, legend) for part in kernel.kernels)
        case Power():
            return f"{_bracketed(kernel.kernel, x, z, legend)}{raised(kernel.exponent)}"
        case _:
            return _elementary(kernel, x, z, legend)


def _elementary(kernel: Kernel, x: str, z: str, legend: list[str]) -> str:
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
            legend.append(f"γ = {vector(kernel.gammas)}")
            return f"exp(−Σⱼ γⱼ ({x}ⱼ − {z}ⱼ)²)"
        case ScaledPolynomial():
            legend.append(f"η = {vector(kernel.scales)}")
            offset = f"{number(kernel.offset)} + " if kernel.offset else ""
            return f"({offset}Σⱼ ηⱼ {x}ⱼ {z}ⱼ){raised(kernel.degree)}"
        case Matern():
            legend.append(f"r = ‖{x} − {z}‖ / {number(kernel.length_scale)}")
            return _MATERN[float(kernel.nu)]
        case _:
            return " ".join(repr(kernel).split())


_MATERN = {
    0.5: "exp(−r)",
    1.5: "(1 + √3 r) exp(−√3 r)",
    2.5: "(1 + √5 r + 5r²/3) exp(−√5 r)",
    math.inf: "exp(−r²/2)",
}


def _terms(kernels: Any, weights: list[float], x: str, z: str, legend: list[str]) -> str:
    """A sum with weights: minus signs between the terms, ones and zeros left out."""
    text = ""
    for kernel, weight in zip(kernels, weights, strict=True):
        if weight == 0:
            continue
        sign = ("−" if weight < 0 else "") if not text else (" − " if weight < 0 else " + ")
        size = number(abs(weight))
        writer: Callable[..., str] = _written if size == "1" and weight > 0 else _factor
        text += sign + ("" if size == "1" else f"{size}·") + writer(kernel, x, z, legend)
    return text or "0"


def _factor(kernel: Kernel, x: str, z: str, legend: list[str]) -> str:
    """In brackets where it is a sum."""
    body = _written(kernel, x, z, legend)
    return f"({body})" if isinstance(kernel, Sum | WeightedSum | Expansion) else body


def _bracketed(kernel: Kernel, x: str, z: str, legend: list[str]) -> str:
    body = _written(kernel, x, z, legend)
    return body if isinstance(kernel, Linear | Normalized | Centered) else f"[{body}]"


def _expansion(kernel: Expansion, x: str, z: str, legend: list[str]) -> str:
    weights = np.asarray(kernel.weights, dtype=float)
    n = int(np.count_nonzero(weights))
    section = _section(kernel.hyperkernel, x, z, legend)
    if n == 1:
        legend.append("(s, t) is the pair of points that was kept")
        size = number(float(weights[weights != 0][0]))
        return section if size == "1" else f"{size}·{section}"
    legend.append(f"the sum runs over {n} pairs of points (s, t)")
    return f"Σ wₛₜ {section}"


def _section(hyperkernel: Hyperkernel, x: str, z: str, legend: list[str]) -> str:
    if not isinstance(hyperkernel, Harmonic | ARDHarmonic):
        legend.append(f"h is a {type(hyperkernel).__name__}")
        return f"h(({x}, {z}), (s, t))"
    lam, rest = number(hyperkernel.lambda_h), number(1.0 - hyperkernel.lambda_h)
    if isinstance(hyperkernel, Harmonic):
        squares = f"‖{x} − {z}‖² + ‖s − t‖²"
        return f"{rest} / (1 − {lam} exp(−{number(hyperkernel.gamma)} ({squares})))"
    legend.append(f"γ = {vector(hyperkernel.gammas)}")
    squares = f"({x}ⱼ − {z}ⱼ)² + (sⱼ − tⱼ)²"
    return f"Πⱼ {rest} / (1 − {lam} exp(−γⱼ ({squares})))"
