r"""The transductive error bound of Lanckriet et al. (2004), Theorem 24.

A random half of 2n points is labelled. For a margin γ and a bound β on the intercept that are fixed
in advance, with probability at least 1 − δ every function
:math:`f(x_j) = \sum_i \alpha_i K_{ij} + b` with :math:`\alpha^\top K\alpha \le 1/\gamma^2`, K in
the class 𝒦 and |b| ≤ β errs on the other half at most

.. math::

    \frac1n\sum_{i=1}^n \max(1 - y_i f(x_i), 0) + \frac1{\sqrt n}\Bigl(4 + \sqrt{2\log(1/\delta)}
    + \sqrt{\mathcal C(\mathcal K)/(n\gamma^2)} + \sqrt2\,\beta\Bigr),
    \qquad \mathcal C(\mathcal K) = \mathbf E\,\max_{K\in\mathcal K} \sigma^\top K\sigma,

with σ uniform on {−1, 1}²ⁿ.

A fitted function has its own norm and intercept, which depend on the labels. So the theorem is
applied to a geometric grid of J values for each of the last two terms, from ½ to √n, with δ/J² for
each pair (a union bound), and each term is rounded up to the grid. A term beyond √n makes the
value larger than one, so nothing is lost at the upper end.

The expectation 𝒞 is estimated from N draws of σ, which have a tenth of δ. The proof needs no more
than :math:`\mathbf E\sqrt{Z} \le \sqrt{\mathcal C}` with :math:`Z = \max_K \sigma^\top K\sigma`,
and √Z lies between 0 and the root of the closed form 2nλ. With s² the sample variance of √Z, the
empirical Bernstein inequality (Maurer and Pontil 2009, Theorem 4) adds
:math:`\sqrt{2 s^2 \log(2/\delta)/N} + 7\sqrt{2n\lambda}\,\log(2/\delta)/(3(N-1))` to the mean.

Three remarks. The paper bounds σᵀKσ ≤ λ‖σ‖² by nλ; σ has 2n entries, so ‖σ‖² is 2n, and 2n is what
stands here (with n the closed form can fall below the expectation it should bound). The paper's
functions have no intercept; one of size β adds at most √2 β inside the brackets, by the same
argument with the constant function. And the paper's proof, by 2n independent variables, gives
:math:`2\sqrt{\log(1/\delta)}` where the theorem has :math:`\sqrt{2\log(1/\delta)}`; drawing the
labelled points one by one without replacement gives a martingale with steps of at most 2/(2n − k),
whose squares add up to less than 4/n for n ≥ 2, so that the theorem's term holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from kernlearn._checks import check_choice, check_count, check_labels, check_positive
from kernlearn.families.matrices import GramStack
from kernlearn.families.weights import free_weights
from kernlearn.gram import check_stack
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.certificate import linear_minimum
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.weights.psd_cuts import PsdCuts
from kernlearn.typing import Array, RandomState

MAX_ROUNDS = 200
# The grid of margins and intercepts: its least value, beside a constant of four, and its ratio.
LEAST, RATIO = 0.5, np.sqrt(2.0)
# The share of δ that the Monte-Carlo estimate has.
ESTIMATE = 0.1


@dataclass(frozen=True)
class ErrorBound:
    """Theorem 24's bound on the share of errors on unlabelled points, and its parts.

    Attributes
    ----------
    value : float
        Bound on the share of errors on the unlabelled half; vacuous from one on.
    empirical_risk : float
        Mean hinge loss on the labelled half.
    margin : float
        The γ of the fitted function, one over its norm.
    complexity : float
        𝒞(𝒦), by Monte Carlo.
    complexity_error : float
        Standard error of that mean.
    complexity_bound : float
        Value that replaces 𝒞(𝒦) in ``value``: an upper confidence limit, or a closed form.
    by_number : float or None
        Closed form c·m for positive weights.
    by_spectrum : float
        Closed form 2nc·max λⱼ/tr Kⱼ for positive weights, 2nc for free ones.
    delta : float
        Probability with which the bound may fail.
    labels_needed : int or None
        Labels from which on the bound is below one, if the mean hinge loss, the margin, the
        intercept and the complexity per row stay what they are. None if that loss is one or more,
        for which no number is enough, and for a margin or intercept fixed in advance.
    """

    value: float
    empirical_risk: float
    margin: float
    complexity: float
    complexity_error: float
    complexity_bound: float
    by_number: float | None
    by_spectrum: float
    delta: float
    labels_needed: int | None = None

    @property
    def vacuous(self) -> bool:
        """Whether the bound is one or more, which no share of errors exceeds."""
        return self.value >= 1.0

    def __str__(self) -> str:
        summary = f"{self.value:.3g}, of which {self.empirical_risk:.3g} is the mean hinge loss"
        if self.vacuous:
            need = "it needs more points, a larger margin or fewer kernels"
            if self.labels_needed is not None:
                need = (
                    f"with this loss and this margin it says something from {self.labels_needed} "
                    "labels on, and with a larger margin or fewer kernels from fewer on"
                )
            return (
                f"vacuous: the bound on the share of errors is {summary}, and no share exceeds 1; "
                f"{need}"
            )
        return (
            f"with probability {1.0 - self.delta:g} the share of errors on the unlabelled half is "
            f"at most {summary}"
        )


def transductive_error_bound(
    grams: ArrayLike,
    y: ArrayLike,
    solution: Solution,
    *,
    weights: Literal["positive", "free"] = "positive",
    total: float | None = None,
    gamma: float | None = None,
    max_intercept: float | None = None,
    delta: float = 0.05,
    n_samples: int = 1000,
    complexity: Literal["monte_carlo", "by_number", "by_spectrum"] = "monte_carlo",
    psd: Literal["raise", "clip", "shift", "trust"] = "raise",
    random_state: RandomState = 0,
) -> ErrorBound:
    """Bound the error of a learned classifier on the unlabelled half of its points.

    The bound holds for all functions at once. So it also holds for the function that is chosen for
    the smallest bound, for example among several C, with the same matrices, total and draws.

    Parameters
    ----------
    grams : array-like of shape (m, 2n, 2n)
        Gram matrices of the labelled points, then of as many unlabelled ones.
    y : array-like of shape (n,)
        Labels of the first half, two classes.
    solution : Solution
        Result of :func:`kernlearn.learn_weights` for these matrices and labels.
    weights : {"positive", "free"}
        The class that the kernel was chosen from. For free signs the inner maximum is a
        semidefinite program for every σ, bounded from above by eigenvector cuts.
    total : float, optional
        Bound c on the trace; by default Σ tr Kᵢ. It may not depend on the labels.
    gamma : float, optional
        A margin fixed before the labels were seen; the function's norm must be at most 1/γ. By
        default a grid of margins shares δ.
    max_intercept : float, optional
        A bound on the intercept's size, fixed before the labels were seen. By default a grid of
        bounds shares δ.
    delta : float
        Probability with which the bound may fail.
    n_samples : int
        Number of σ drawn.
    complexity : {"monte_carlo", "by_number", "by_spectrum"}
        Value of 𝒞(𝒦) that enters the bound.
    psd : {"raise", "clip", "shift", "trust"}
        Refuse an indefinite matrix, zero its negative eigenvalues, lift its diagonal, or do not
        look.
    random_state : int, RandomState or None, default=0
        Draws the σ.

    Returns
    -------
    ErrorBound
        The bound and its parts.

    Examples
    --------
    Two clouds of points far apart, and 150 labels: enough for a bound below one.

    >>> import numpy as np
    >>> import kernlearn as kl
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.choice([-1.0, 1.0], size=300)
    >>> X = np.column_stack([labels, rng.normal(scale=0.1, size=300)])
    >>> grams = [kl.kernels.Normalized(kl.kernels.Linear())(X), kl.kernels.Gaussian(0.5)(X)]
    >>> solution = kl.learn_weights(grams, labels[:150], C=0.01)
    >>> bound = kl.transductive_error_bound(grams, labels[:150], solution, random_state=0)
    >>> round(bound.value, 1), bound.vacuous
    (0.9, False)
    """
    _check_request(solution, weights, complexity, delta, n_samples)
    gamma = None if gamma is None else check_positive("gamma", gamma)
    if max_intercept:  # zero is a bound too: of functions without an intercept
        max_intercept = check_positive("max_intercept", max_intercept)
    stack = check_stack(grams, psd=psd)
    target = check_labels(y)
    n = len(target)
    _check_sizes(stack, n, solution, weights)
    family = GramStack(stack, n)
    c = float(family.traces.sum()) if total is None else check_positive("total", total)
    signs = check_random_state(random_state).choice([-1.0, 1.0], size=(n_samples, 2 * n))
    found = _complexity(family, signs, c, weights == "free")
    chosen = found.upper_limit(complexity, ESTIMATE * delta)
    rest = (1.0 - ESTIMATE) * delta if complexity == "monte_carlo" else delta
    risk, norm, intercept = _risk_and_norm(family, target, solution, c)
    _check_in_class("a norm", norm, None if gamma is None else 1.0 / gamma)
    _check_in_class("an intercept", abs(intercept), max_intercept)
    terms = [
        (norm, None if gamma is None else 1.0 / gamma, np.sqrt(chosen / n)),
        (abs(intercept), max_intercept, np.sqrt(2.0)),
    ]
    return ErrorBound(
        value=risk + _deviation(terms, n, rest),
        empirical_risk=risk,
        margin=1.0 / norm if norm > 0 else np.inf,
        complexity=float(found.draws.mean()),
        complexity_error=float(found.draws.std(ddof=1) / np.sqrt(n_samples)),
        complexity_bound=chosen,
        by_number=found.by_number,
        by_spectrum=found.by_spectrum,
        delta=delta,
        labels_needed=_labels_needed(risk, terms, rest),
    )


@dataclass(frozen=True)
class _Complexity:
    """𝒞(𝒦): its largest value for every σ that was drawn, and its closed forms."""

    draws: Array
    by_number: float | None
    by_spectrum: float

    def upper_limit(self, kind: str, delta: float) -> float:
        """The closed form of this kind, or the least of a confidence limit and all closed forms."""
        closed = {"by_spectrum": self.by_spectrum}
        if self.by_number is not None:
            closed["by_number"] = self.by_number
        if kind in closed:
            return closed[kind]
        root = limit_of_mean(np.sqrt(self.draws), np.sqrt(self.by_spectrum), delta)
        return min(root**2, *closed.values())


def _complexity(family: GramStack, signs: Array, c: float, free_sign: bool) -> _Complexity:
    traces = np.where(family.traces > 0, family.traces, np.inf)  # zero matrices are never largest
    with threads_for(family.n_points):
        forms = np.column_stack([np.einsum("sn,sn->s", signs @ K, signs) for K in family.grams])
        # With positive weights a linear function is largest at a corner.
        draws = free_maxima(family, forms, c) if free_sign else (c * forms / traces).max(axis=1)
    tops = np.array([np.linalg.norm(K, 2) for K in family.grams])
    by_spectrum = family.n_points * c * (1.0 if free_sign else float((tops / traces).max()))
    return _Complexity(
        draws=np.minimum(draws, by_spectrum),  # which is above every draw but for rounding
        by_number=None if free_sign else c * family.n_matrices,
        by_spectrum=by_spectrum,
    )


def _labels_needed(
    risk: float, terms: Sequence[tuple[float, float | None, float]], delta: float
) -> int | None:
    """The least n from which on the bound is below one, if all but n stays what it is.

    The grid has one level more for twice the n, and between two powers of two the bound falls.
    """
    if risk >= 1.0 or any(fixed is not None for _, fixed, _ in terms):
        return None

    def is_informative(n: int) -> bool:
        return risk + _deviation(terms, n, delta) < 1.0

    high = 2
    while not (is_informative(high) and is_informative(high + 1)):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_informative(middle) else (middle, high)
    return high


def _deviation(terms: Sequence[tuple[float, float | None, float]], n: int, delta: float) -> float:
    """The part of the bound behind the risk, by a union bound over the grids of its terms.

    Each term has the size that the function has, the one fixed in advance if there is one, and a
    factor.
    """
    levels = LEAST * RATIO ** np.arange(np.ceil(np.log(np.sqrt(n) / LEAST) / np.log(RATIO)) + 1)
    total, n_classes = 4.0, 1
    for size, fixed, factor in terms:
        if fixed is not None:
            total += factor * fixed
            continue
        n_classes *= len(levels)
        above = levels[levels >= factor * size]
        # Beyond the grid one term alone exceeds √n, and the bound one.
        total += float(above[0]) if len(above) else factor * size
    return float((total + np.sqrt(2.0 * np.log(n_classes / delta))) / np.sqrt(n))


def limit_of_mean(draws: Array, largest: float, delta: float) -> float:
    """An upper confidence limit of the mean of draws from [0, largest]: empirical Bernstein."""
    n, log = len(draws), np.log(2.0 / delta)
    wide = np.sqrt(2.0 * draws.var(ddof=1) * log / n) + 7.0 * largest * log / (3.0 * (n - 1))
    return float(draws.mean() + wide)


def _check_request(
    solution: object, weights: object, complexity: object, delta: object, n_samples: object
) -> None:
    check_choice("weights", weights, ["positive", "free"])
    check_choice("complexity", complexity, ["monte_carlo", "by_number", "by_spectrum"])
    if weights == "free" and complexity == "by_number":
        raise ValueError(
            "expected complexity='monte_carlo' or 'by_spectrum' for weights='free', got "
            "'by_number', which holds for positive weights only"
        )
    if not isinstance(delta, float) or not 0 < delta < 1:
        raise ValueError(f"expected delta in (0, 1), got {delta!r}; 0.05 is usual")
    if check_count("n_samples", n_samples) < 2:
        raise ValueError(f"expected n_samples of at least 2, got {n_samples!r}; try 1000")
    if not isinstance(solution, Solution):
        raise ValueError(
            f"expected a Solution, got {type(solution).__name__}; pass what learn_weights returned "
            "for these matrices"
        )
    if solution.dual_coef is None or solution.intercept is None:
        raise ValueError(
            f"expected a solution with a trained machine, got one with status "
            f"'{solution.status}'; use a margin quality"
        )


def _check_sizes(stack: Array, n: int, solution: Solution, weights: str) -> None:
    if stack.shape[1] != 2 * n:
        raise ValueError(
            f"expected as many unlabelled points as labelled ones, got {n} labels for "
            f"{stack.shape[1]} points; the theorem needs halves of equal size"
        )
    if len(solution.weights) != len(stack) or np.asarray(solution.dual_coef).shape != (n,):
        raise ValueError(
            f"expected a solution for {len(stack)} matrices and {n} labels, got one for "
            f"{len(solution.weights)} matrices and coefficients of shape "
            f"{np.asarray(solution.dual_coef).shape}; pass what learn_weights returned for these"
        )
    if weights == "positive" and solution.weights.min() < 0:
        raise ValueError(
            f"expected positive weights, got one of {solution.weights.min():.3g}; pass "
            "weights='free', the class that the kernel was chosen from"
        )


def _check_in_class(name: str, size: float, fixed: float | None) -> None:
    if fixed is not None and size > fixed * (1.0 + 1e-9):
        raise ValueError(
            f"expected a function within the class that was fixed in advance, with {name} of at "
            f"most {fixed:.6g}, got {size:.6g}; leave it to the grid, or fit with a smaller C"
        )


def _risk_and_norm(
    family: GramStack, target: Array, solution: Solution, c: float
) -> tuple[float, float, float]:
    """Mean hinge loss, norm and intercept of the learned function, with a kernel of trace c."""
    a, intercept = np.asarray(solution.dual_coef), float(np.asarray(solution.intercept))
    values = family.combine(solution.weights) @ a
    # The same function with the kernel stretched to the trace c has this norm.
    stretch = float(solution.weights @ family.traces) / c
    norm = float(np.sqrt(max(float(a @ values) * stretch, 0.0)))
    return float(np.maximum(1.0 - target * (values + intercept), 0.0).mean()), norm, intercept


def free_maxima(family: GramStack, forms: Array, c: float) -> Array:
    """For every σ an upper bound on max σᵀK(w)σ over K(w) ⪰ 0 of trace c, tight up to 1e-6."""
    m, N = family.n_matrices, family.n_points
    domain = free_weights(family.inner_products, family.traces, c, m, c, N)
    cuts = PsdCuts(family, domain)
    maxima = np.empty(len(forms))
    for i, form in enumerate(forms):
        g = -(domain.basis.T @ form)
        for _ in range(MAX_ROUNDS):
            minimum, x = linear_minimum(g, domain)
            if not (cuts.cut_in_subspace(x) or cuts.cut_in_full(x)):
                break
        maxima[i] = -minimum
    return maxima
