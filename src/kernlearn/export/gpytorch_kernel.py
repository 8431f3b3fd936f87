"""Kernels as kernels of GPyTorch, whose parameters can be trained further."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb, inf, sqrt
from typing import Any, TypeAlias

import numpy as np

from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
    Columns,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Power,
    Product,
    Scaled,
    Stretched,
    Sum,
    WeightedSum,
)
from kernlearn.runtime.optional import Module, load_gpytorch, load_torch

# Most columns of which all pairs become kernels.
_MOST_PAIRED = 30


def to_gpytorch(kernel: Kernel, n_columns: int | None = None) -> Any:
    r"""Translate a kernel of numbers into a kernel of GPyTorch with the same values.

    Length scales, weights and offsets become parameters, so that a Gaussian process can go on
    from what was learned: a Gaussian with :math:`\gamma` has the length scale
    :math:`1 / \sqrt{2 \gamma}`, a weight is an output scale. Tensors are of double precision.

    Parameters
    ----------
    kernel : Kernel
        A kernel on columns of numbers, such as the ``kernel_`` of an estimator. That of a
        `KernelClassifier` reads rows as they came; translate ``kernel_.kernel``, and give it what
        ``kernel_.transformed(X)`` makes of rows.
    n_columns : int, optional
        Number of columns of the rows. `Laplacian`, `ANOVA` and slices of columns need it.

    Returns
    -------
    kernel : gpytorch.kernels.Kernel
        With the values of `kernel`, to rounding.

    Raises
    ------
    ImportError
        Without the package gpytorch, of the extra ``gpytorch``.
    ValueError
        If GPyTorch has no such kernel.

    Examples
    --------
    >>> from kernlearn.export import to_gpytorch
    >>> from kernlearn.kernels import Gaussian, Linear
    >>> k = to_gpytorch(2.0 * Gaussian(0.5) + Linear())  # doctest: +SKIP
    >>> round(k.kernels[0].outputscale.item(), 6)  # doctest: +SKIP
    2.0
    """
    gpytorch = load_gpytorch("translating a kernel")
    return _translated(kernel, gpytorch.kernels, _all_places(n_columns)).double()


_Translated: TypeAlias = Any
"""A kernel of GPyTorch, which has no types where it is not installed."""

_Places: TypeAlias = list[int] | None
"""The columns that a kernel reads; None for all, where their number is not known."""


def _all_places(n_columns: int | None) -> _Places:
    return None if n_columns is None else list(range(n_columns))


def _translated(kernel: Kernel, modules: Module, places: _Places) -> Any:
    translate = _KERNELS.get(type(kernel))
    if translate is None:
        raise ValueError(
            f"expected a kernel that GPyTorch has, got {type(kernel).__name__}; translate the "
            "Gaussian, Matérn, linear and polynomial kernels among its parts, or pass kernel(X) as "
            "a precomputed matrix"
        )
    return translate(kernel, modules, places)


def _with(kernel: _Translated, **parameters: float | list[float]) -> Any:
    """Set parameters, which GPyTorch would round to single precision as Python's numbers."""
    torch = load_torch("translating a kernel")
    kernel = kernel.double()
    for name, value in parameters.items():
        setattr(kernel, name, torch.tensor(value, dtype=torch.float64))
    return kernel


def _scale(kernel: _Translated, modules: Module, factor: float) -> Any:
    return _with(modules.ScaleKernel(kernel), outputscale=factor)


def _require_places(places: _Places, kernel: Kernel) -> list[int]:
    if places is None:
        raise ValueError(
            f"expected n_columns for {type(kernel).__name__}, which is a product or sum over "
            "columns, got None; pass the number of columns"
        )
    return places


def _gaussian(kernel: Gaussian, modules: Module, places: _Places) -> Any:
    return _rbf(float(kernel.gamma), modules, places)


def _rbf(gamma: float, modules: Module, places: _Places) -> Any:
    return _with(modules.RBFKernel(active_dims=places), lengthscale=sqrt(0.5 / gamma))


def _ard(kernel: ARDGaussian, modules: Module, places: _Places) -> Any:
    gammas = np.asarray(kernel.gammas, dtype=float)
    used = np.flatnonzero(gammas)
    of_all = list(range(len(gammas))) if places is None else places
    if not len(used):
        raise ValueError(
            "expected a positive width of some column of ARDGaussian, got zeros; fit again"
        )
    found = modules.RBFKernel(active_dims=[of_all[j] for j in used], ard_num_dims=len(used))
    return _with(found, lengthscale=np.sqrt(0.5 / gammas[used]).tolist())


def _matern(kernel: Matern, modules: Module, places: _Places) -> Any:
    if kernel.nu == inf:
        return _rbf(0.5 / float(kernel.length_scale) ** 2, modules, places)
    found = modules.MaternKernel(nu=kernel.nu, active_dims=places)
    return _with(found, lengthscale=float(kernel.length_scale))


def _laplacian(kernel: Laplacian, modules: Module, places: _Places) -> Any:
    """A product of exponentials of single columns."""
    width = 1.0 / float(kernel.gamma)
    parts = [
        _with(modules.MaternKernel(nu=0.5, active_dims=[j]), lengthscale=width)
        for j in _require_places(places, kernel)
    ]
    return modules.ProductKernel(*parts)


def _anova(kernel: ANOVA, modules: Module, places: _Places) -> Any:
    """A sum over sets of columns, each with a Gaussian of its own."""
    columns = _require_places(places, kernel)
    degree = min(int(kernel.degree), len(columns))
    if degree > 2 or (degree == 2 and len(columns) > _MOST_PAIRED):
        raise ValueError(
            f"expected an ANOVA kernel of degree one, or of two on {_MOST_PAIRED} columns at most, "
            f"got degree {degree} on {len(columns)}; choose another kernel"
        )
    parts = []
    for q in range(1, degree + 1):
        share = 1.0 / (degree * comb(len(columns), q))
        for some in combinations(columns, q):
            parts.append(_scale(_rbf(float(kernel.gamma), modules, list(some)), modules, share))
    return modules.AdditiveKernel(*parts)


def _linear(kernel: Linear, modules: Module, places: _Places) -> Any:
    return _with(modules.LinearKernel(active_dims=places), variance=1.0)


def _polynomial(kernel: Polynomial, modules: Module, places: _Places) -> Any:
    if not kernel.offset > 0:
        raise ValueError(
            "expected a positive offset of Polynomial, got 0; use Power(Linear(), degree)"
        )
    found = modules.PolynomialKernel(power=int(kernel.degree), active_dims=places)
    return _with(found, offset=float(kernel.offset))


def _stretched(kernel: Stretched, modules: Module, places: _Places) -> Any:
    scales = np.asarray(kernel.scales, dtype=float)
    if type(kernel.kernel) is not Gaussian:
        raise ValueError(
            f"expected a Gaussian of stretched columns, got {type(kernel.kernel).__name__}; give "
            "GPyTorch columns times scales, and translate the kernel within"
        )
    return _ard(ARDGaussian(float(kernel.kernel.gamma) * scales**2), modules, places)


def _columns(kernel: Columns, modules: Module, places: _Places) -> Any:
    if isinstance(kernel.columns, slice):
        chosen = _require_places(places, kernel)[kernel.columns]
    else:
        numbers: Sequence[Any] = np.atleast_1d(np.asarray(kernel.columns)).tolist()
        if not all(isinstance(each, int) for each in numbers):
            raise ValueError(
                f"expected columns by position, got {kernel.columns!r}; tensors have no names"
            )
        chosen = [each if places is None else places[each] for each in numbers]
    return _translated(kernel.kernel, modules, chosen)


def _sum(kernel: Sum | WeightedSum, modules: Module, places: _Places) -> Any:
    weights = getattr(kernel, "weights", [None] * len(kernel.kernels))
    parts = []
    for part, weight in zip(kernel.kernels, weights, strict=True):
        if weight is None:
            parts.append(_translated(part, modules, places))
        elif weight > 0:
            parts.append(_scale(_translated(part, modules, places), modules, float(weight)))
        elif weight < 0:
            raise ValueError(
                "expected weights that are not negative, got others; fit with weights='positive'"
            )
    return modules.AdditiveKernel(*parts)


def _product(kernel: Product, modules: Module, places: _Places) -> Any:
    return modules.ProductKernel(*(_translated(part, modules, places) for part in kernel.kernels))


def _scaled(kernel: Scaled, modules: Module, places: _Places) -> Any:
    return _scale(_translated(kernel.kernel, modules, places), modules, float(kernel.scale))


def _power(kernel: Power, modules: Module, places: _Places) -> Any:
    parts = [_translated(kernel.kernel, modules, places) for _ in range(int(kernel.exponent))]
    return modules.ProductKernel(*parts)


_KERNELS: dict[type[Kernel], Callable[[Any, Module, _Places], Any]] = {
    ANOVA: _anova,
    ARDGaussian: _ard,
    Columns: _columns,
    Gaussian: _gaussian,
    Laplacian: _laplacian,
    Linear: _linear,
    Matern: _matern,
    Polynomial: _polynomial,
    Power: _power,
    Product: _product,
    Scaled: _scaled,
    Stretched: _stretched,
    Sum: _sum,
    WeightedSum: _sum,
}
