"""Short names for kernels, for axes and tables."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.formulas.formula import transformer_name
from kernlearn.hyperkernels.base import Expansion
from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
    Bag,
    Centered,
    Columns,
    Completed,
    Features,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Normalized,
    Overlap,
    Polynomial,
    Power,
    Precomputed,
    Product,
    Stretched,
    TreePaths,
    WeightedSum,
    WhereKnown,
)
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Indices

LONGEST = 80
FEW_SCALES = 2


def kernel_label(kernel: Kernel) -> str:
    """A few words for a kernel; its constructor call where there are none better.

    Parameters
    ----------
    kernel : Kernel
        Any kernel.

    Returns
    -------
    str
        For example ``"Gaussian, γ = 0.0123"``.

    Examples
    --------
    >>> from kernlearn.kernels import Gaussian, Linear, Normalized
    >>> kernel_label(Gaussian(gamma=0.01234)), kernel_label(Normalized(Linear()))
    ('Gaussian, γ = 0.0123', 'linear')
    """
    match kernel:
        case Normalized() | WhereKnown() | Completed():
            return kernel_label(kernel.kernel)
        case Centered():
            return f"{kernel_label(kernel.kernel)}, centred"
        case Precomputed() if kernel.name is not None:
            return _shortened(kernel.name)
        case Columns(name=None):
            return f"{kernel_label(kernel.kernel)} on {_shortened(str(kernel.columns))}"
        case Columns():
            return f"{_shortened(str(kernel.name))}: {kernel_label(kernel.kernel)}"
        case Features():
            return f"{kernel_label(kernel.kernel)} of {transformer_name(kernel.transformer)}"
        case Stretched():
            return f"{kernel_label(kernel.kernel)}, with a scale for every column"
        case ANOVA():
            few = "each column" if kernel.degree == 1 else f"up to {kernel.degree} columns"
            return f"sum of Gaussians of {few}, γ = {kernel.gamma:.3g}"
        case TreePaths():
            return f"ways through {counted(len(np.asarray(kernel.roots)), 'tree')}"
        case Overlap():
            return "overlap of categories"
        case Bag():
            return f"bags, {kernel_label(kernel.kernel)}"
        case Expansion():
            n = len(kernel.pairs)
            sections = "one section" if n == 1 else f"a sum of {n} sections"
            return f"{sections} of {type(kernel.hyperkernel).__name__}"
        case Linear():
            return "linear"
        case Polynomial():
            return f"polynomial, degree {kernel.degree}"
        case Gaussian() | Laplacian():
            return f"{type(kernel).__name__}, γ = {kernel.gamma:.3g}"
        case ARDGaussian() if len(np.asarray(kernel.gammas)) <= FEW_SCALES:
            scales = " and ".join(dict.fromkeys(f"{g:.3g}" for g in np.asarray(kernel.gammas)))
            return f"Gaussian, γ = {scales}"
        case Power():
            return f"{kernel_label(kernel.kernel)}, power {kernel.exponent}"
        case WeightedSum():
            return _sum_label(kernel)
        case Product():
            return " × ".join(f"({kernel_label(part)})" for part in kernel.kernels)
        case Matern():
            return f"Matérn, ν = {kernel.nu:g}, ℓ = {kernel.length_scale:.3g}"
        case _:
            return _shortened(repr(kernel))


def _sum_label(kernel: WeightedSum) -> str:
    parts = [part.kernel for part in kernel.kernels if isinstance(part, Columns)]
    if len(parts) < len(kernel.kernels):
        line = _shortened(repr(kernel))
        used = int(np.count_nonzero(kernel.weights))
        return f"weighted sum of {counted(used, 'kernel')}" if line.endswith("…") else line
    kinds = {type(part).__name__ for part in parts}
    kind = f"{kinds.pop()} kernel" if len(kinds) == 1 else "kernel"
    return f"sum of {counted(len(parts), kind)} of columns"


def shown_kernels(estimator: BaseEstimator) -> Indices:
    """Numbers of the kernels to show: all of a list, of a family those with weight."""
    if isinstance(estimator.kernels_, list):
        return np.arange(len(estimator.kernels_))
    return np.flatnonzero(estimator.weights_)


def _shortened(text: str) -> str:
    """One line that fits beside a bar."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
