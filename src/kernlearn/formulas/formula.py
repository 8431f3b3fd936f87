"""The learned kernel as a formula in plain characters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernlearn._checks import check_count
from kernlearn.hyperkernels import ARDHarmonic, Expansion, Harmonic, Hyperkernel
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
    Overlap,
    Polynomial,
    Power,
    Precomputed,
    Product,
    Scaled,
    Stretched,
    Substitution,
    Sum,
    TreePaths,
    WeightedSum,
    WhereKnown,
)
from kernlearn.runtime.phrases import counted

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MOST_SHOWN = 4


class Legend:
    """The sentences after "where", each said once.

    A letter that means two things gets a number, so that no formula says r = 1 and r = 2:

    >>> legend = Legend()
    >>> legend.name("r", "‖x − z‖ / 1"), legend.name("r", "‖x − z‖ / 2")
    ('r', 'r₂')
    >>> legend.name("r", "‖x − z‖ / 1"), str(legend)
    ('r', ', where r = ‖x − z‖ / 1; r₂ = ‖x − z‖ / 2')
    """

    def __init__(self) -> None:
        self._meanings: dict[str, Hashable] = {}
        self._sentences: list[str] = []

    def say(self, sentence: str) -> None:
        """Add a sentence, unless it is there."""
        if sentence not in self._sentences:
            self._sentences.append(sentence)

    def name(self, letter: str, text: str, meaning: Hashable = None, verb: str = "=") -> str:
        """The letter for this meaning, numbered from its second meaning on.

        `meaning` is what tells two of them apart where the text is shortened.
        """
        description = text if meaning is None else meaning
        names = (letter if i == 1 else letter + str(i).translate(LOWERED) for i in count(1))
        name = next(name for name in names if self._meanings.get(name, description) == description)
        self._meanings[name] = description
        self.say(f"{name} {verb} {text}")
        return name

    def vector(self, letter: str, values: ArrayLike) -> str:
        """The letter for these numbers, of which the first few are shown."""
        numbers = np.ravel(np.asarray(values, dtype=float)).tolist()
        shown = ", ".join(map(number, numbers[:MOST_SHOWN]))
        return self.name(letter, f"({shown}{_more(len(numbers))})", tuple(numbers))

    def __str__(self) -> str:
        return f", where {'; '.join(self._sentences)}" if self._sentences else ""


def columns(names: int | str | slice | Sequence[int | str]) -> str:
    """The columns of a view, the first few of them by name."""
    if isinstance(names, slice):
        ends = ["" if end is None else str(end) for end in (names.start, names.stop)]
        return ":".join(ends if names.step is None else [*ends, str(names.step)])
    chosen = np.atleast_1d(names)
    return ", ".join(str(name) for name in chosen[:MOST_SHOWN].tolist()) + _more(len(chosen))


def transformer_name(transformer: BaseEstimator) -> str:
    """The classes of a transformer and, of a pipeline, of its steps."""
    inner = getattr(transformer, "estimator", transformer)  # of a frozen one
    steps = getattr(inner, "steps", None)
    if steps:
        return ", ".join(transformer_name(step) for _, step in steps)
    return type(inner).__name__


def superscript(exponent: int) -> str:
    """An exponent in small figures."""
    return "" if exponent == 1 else str(exponent).translate(_RAISED)


def number(value: float) -> str:
    """Three digits, with the minus sign of print.

    >>> number(0.00001234)
    '1.23e−5'
    """
    text = f"{value:.3g}".replace("-", "−")
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return mantissa
    sign = "−" if exponent[0] == "−" else ""
    return f"{mantissa}e{sign}{exponent.lstrip('+−').lstrip('0')}"


def _more(n: int) -> str:
    return f", … {n} in all" if n > MOST_SHOWN else ""


_LETTERS: dict[type[Kernel], tuple[str, str]] = {
    Normalized: ("N", "N[k] = k(x, z) / √(k(x, x) k(z, z))"),
    Centered: ("C", "C[k] is k around the mean of the training points"),
    Completed: (
        "B",
        "B[k] is k, with rows that lack the source placed by what they have of the others",
    ),
    WhereKnown: (
        "A",
        "A[k] is k around the mean of the rows that have the source, zero where one lacks it",
    ),
}
_HAS_BRACKETS: tuple[type[Kernel], ...] = (Linear, *_LETTERS)
_HAS_UNIT_DIAGONAL = (ANOVA, Gaussian, ARDGaussian, Laplacian, Matern)


def kernel_formula(kernel: object, max_terms: int | None = None) -> str:
    """The kernel as one would write it on paper.

    Parameters
    ----------
    kernel : Kernel
        Any kernel; one that is not of this library is shown by its constructor call.
    max_terms : int, optional
        Largest number of terms shown: those of the largest weights, largest first. The others are
        counted. By default all are shown.

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
    if not isinstance(kernel, Kernel):
        cure = "model.kernel_" if hasattr(kernel, "kernel_") else "a kernel of kernlearn.kernels"
        raise ValueError(f"expected a kernel, got {type(kernel).__name__}; pass {cure}")
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
            case Normalized() | Centered() | Completed() | WhereKnown():
                letter, meaning = _LETTERS[type(kernel)]
                self.legend.say(meaning)
                return f"{letter}[{self.written(kernel.kernel, x, z)}]"
            case Columns():
                chosen = columns(kernel.columns) if kernel.name is None else kernel.name
                return self.written(kernel.kernel, f"{x}[{chosen}]", f"{z}[{chosen}]")
            case Stretched(kernel=Polynomial() as inner):
                eta = self.legend.vector("η", np.square(kernel.scales))
                offset = f"{number(inner.offset)} + " if inner.offset else ""
                return f"({offset}Σⱼ {eta}ⱼ {x}ⱼ {z}ⱼ){superscript(inner.degree)}"
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
                return f"{self.bracketed(kernel.kernel, x, z)}{superscript(kernel.exponent)}"
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
        """The factor, in brackets if it is a sum."""
        body = self.written(kernel, x, z)
        return f"({body})" if isinstance(kernel, Sum | WeightedSum | Expansion) else body

    def bracketed(self, kernel: Kernel, x: str, z: str) -> str:
        """The term, in brackets unless the kernel has its own."""
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
            return f"({offset}⟨{x}, {z}⟩){superscript(kernel.degree)}"
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
        case Substitution():
            matrix = f"the similarities of the letters {kernel.alphabet}"
            if kernel.word_length > 1:
                matrix = f"the similarities of words of {kernel.word_length} letters"
            S = legend.name("S", matrix, id(kernel), verb="are")
            pair = f"{S}[{x}ₚ, {z}ₚ]" if kernel.aligned else f"{S}[{x}ₚ, {z}ₜ]"
            offset = f"{number(kernel.offset)} + " if kernel.offset else ""
            score = f"{offset}mean {pair}"
            return f"({score}){superscript(kernel.degree)}"
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
