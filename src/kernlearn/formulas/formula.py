"""The learned kernel as a formula in plain characters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kernlearn._checks import check_count
from kernlearn.formulas._elementary import elementary, expansion
from kernlearn.formulas._text import Legend, columns, number, raised, transformer_name
from kernlearn.hyperkernels.base import Expansion
from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
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
    Polynomial,
    Power,
    Product,
    Scaled,
    Stretched,
    Sum,
    WeightedSum,
    WhereKnown,
)

_NORMALISED = "N[k] = k(x, z) / √(k(x, x) k(z, z))"
_CENTRED = "C[k] is k around the mean of the training points"
_COMPLETED = "B[k] is k, with rows that lack the source placed by what they have of the others"
_KNOWN = "A[k] is k around the mean of the rows that have the source, zero where one lacks it"
_HAS_BRACKETS = (Linear, Normalized, Centered, WhereKnown, Completed)
_HAS_UNIT_DIAGONAL = (ANOVA, Gaussian, ARDGaussian, Laplacian, Matern)


def kernel_formula(kernel: Kernel, max_terms: int | None = None) -> str:
    """The kernel as one would write it on paper.

    Parameters
    ----------
    kernel : Kernel
        Any kernel; one that is not of this library is shown by its constructor call.
    max_terms : int, optional
        Of a sum with more terms than that, show those of the largest weights, largest first, and
        count the others. By default all are shown.

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
    >>> bank = [Gaussian(gamma=2.0**i) for i in range(100)]
    >>> print(kernel_formula(WeightedSum(bank, [0.01] * 99 + [0.5]), max_terms=2))
    k(x, z) = 0.5·exp(−6.34e29 ‖x − z‖²) + 0.01·exp(−1 ‖x − z‖²) + … (98 more terms)
    """
    if max_terms is not None:
        check_count("max_terms", max_terms)
    writer = _Writer(max_terms)
    return f"k(x, z) = {writer.written(kernel, 'x', 'z')}{writer.legend}"


@dataclass(frozen=True)
class _Writer:
    """Right-hand sides; what their letters mean is added to the legend."""

    max_terms: int | None
    legend: Legend = field(default_factory=Legend)

    def written(self, kernel: Kernel, x: str, z: str) -> str:
        """The kernel of the points called x and z."""
        match kernel:
            case Normalized() if isinstance(kernel.kernel, _HAS_UNIT_DIAGONAL):
                return self.written(kernel.kernel, x, z)
            case Normalized() | Centered():
                letter = "N" if isinstance(kernel, Normalized) else "C"
                self.legend.say(_NORMALISED if letter == "N" else _CENTRED)
                return f"{letter}[{self.written(kernel.kernel, x, z)}]"
            case Completed():
                self.legend.say(_COMPLETED)
                return f"B[{self.written(kernel.kernel, x, z)}]"
            case WhereKnown():
                self.legend.say(_KNOWN)
                return f"A[{self.written(kernel.kernel, x, z)}]"
            case Columns():
                chosen = columns(kernel.columns) if kernel.name is None else kernel.name
                return self.written(kernel.kernel, f"{x}[{chosen}]", f"{z}[{chosen}]")
            case Stretched(kernel=Polynomial() as inner):
                eta = self.legend.vector("η", np.square(kernel.scales))
                offset = f"{number(inner.offset)} + " if inner.offset else ""
                return f"({offset}Σⱼ {eta}ⱼ {x}ⱼ {z}ⱼ){raised(inner.degree)}"
            case Stretched():
                s = self.legend.vector("s", kernel.scales)
                return self.written(kernel.kernel, f"{s}∘{x}", f"{s}∘{z}")
            case Features():
                made = transformer_name(kernel.transformer)
                phi = self.legend.name("φ", f"what {made} makes of a row", verb="is")
                return self.written(kernel.kernel, f"{phi}({x})", f"{phi}({z})")
            case Expansion():
                return expansion(kernel, x, z, self.legend)
            case Sum() | WeightedSum() | Scaled():
                return self.terms(list(_flat(kernel, 1.0)), x, z)
            case Product():
                return "·".join(self.factor(part, x, z) for part in kernel.kernels)
            case Power():
                return f"{self.bracketed(kernel.kernel, x, z)}{raised(kernel.exponent)}"
            case _:
                return elementary(kernel, x, z, self.legend)

    def terms(self, terms: list[tuple[Kernel, float]], x: str, z: str) -> str:
        """A sum with weights: minus signs between the terms, ones and zeros left out."""
        there = [term for term in terms if term[1] != 0]
        shown = there
        if self.max_terms is not None and len(there) > self.max_terms:
            shown = sorted(there, key=lambda term: -abs(term[1]))[: self.max_terms]
        text = ""
        for kernel, weight in shown:
            sign = ("−" if weight < 0 else "") if not text else (" − " if weight < 0 else " + ")
            size = number(abs(weight))
            body = self.factor(kernel, x, z)
            text += sign + (body if size == "1" else f"{size}·{body}")
        n_more = len(there) - len(shown)
        if n_more:
            text += f" + … ({n_more} more {'term' if n_more == 1 else 'terms'})"
        return text or "0"

    def factor(self, kernel: Kernel, x: str, z: str) -> str:
        """In brackets where it is a sum."""
        body = self.written(kernel, x, z)
        return f"({body})" if isinstance(kernel, Sum | WeightedSum | Expansion) else body

    def bracketed(self, kernel: Kernel, x: str, z: str) -> str:
        """In brackets unless the kernel has its own."""
        body = self.written(kernel, x, z)
        return body if isinstance(kernel, _HAS_BRACKETS) else f"[{body}]"


def _flat(kernel: Kernel, weight: float) -> Iterator[tuple[Kernel, float]]:
    """The terms of a sum with their weights: a + b + c is made as (a + b) + c."""
    match kernel:
        case Scaled():
            yield from _flat(kernel.kernel, weight * float(kernel.scale))
        case Sum() if weight == 1:
            for part in kernel.kernels:
                yield from _flat(part, 1.0)
        case WeightedSum() if weight == 1:
            for part, share in zip(kernel.kernels, kernel.weights, strict=True):
                yield from _flat(part, float(share))
        case _:
            yield kernel, weight
