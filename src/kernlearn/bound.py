r"""The transductive error bound of Lanckriet et al. (2004), Theorem 24.

Of 2n points a random half is labelled. With probability at least 1 − δ, every function
:math:`f(x_j) = \sum_i \alpha_i K_{ij}` with :math:`\alpha^\top K\alpha \le 1/\gamma^2` and K in the
class 𝒦 errs on the other half at most

.. math::

    \frac1n\sum_{i=1}^n \max(1 - y_i f(x_i), 0) + \frac1{\sqrt n}\Bigl(4 + \sqrt{2\log(1/\delta)}
    + \sqrt{\mathcal C(\mathcal K)/(n\gamma^2)}\Bigr),
    \qquad \mathcal C(\mathcal K) = \mathbf E\,\max_{K\in\mathcal K} \sigma^\top K\sigma,

with σ uniform on {−1, 1}²ⁿ.

Two remarks. The paper bounds σᵀKσ ≤ λ‖σ‖² by nλ; σ has 2n entries, so ‖σ‖² is 2n, and 2n is what
stands here (with n the closed form can fall below the expectation it should bound). And the
paper's functions have no intercept; one of size |b| adds at most √2 |b| inside the brackets, by
the same argument with the constant function.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from kernlearn._checks import check_choice, check_count, check_labels, check_positive
from kernlearn._threads import threads_for
from kernlearn.families.stack import GramStack
from kernlearn.families.weights import free_weights
from kernlearn.gram import check_stack
from kernlearn.solvers.certificate import linear_minimum
from kernlearn.solvers.psd_cuts import PsdCuts
from kernlearn.solvers.solution import Solution

Array = NDArray[np.float64]

MAX_ROUNDS = 50


@dataclass(frozen=True)
class ErrorBound:
    """The bound and what it is made of.

    Attributes
    ----------
    value : float
        Bound on the share of errors on the unlabelled half; above one it says nothing.
    empirical_risk : float
        Mean hinge loss on the labelled half.
    margin : float
        The γ, one over the norm of f.
    complexity : float
        𝒞(𝒦), by Monte Carlo.
    complexity_error : float
        Standard error of that mean.
    by_number : float or None
        Closed form c·m for positive weights.
    by_spectrum : float
        Closed form 2nc·max λⱼ/tr Kⱼ for positive weights, 2nc for free ones.
    """

    value: float
    empirical_risk: float
    margin: float
    complexity: float
    complexity_error: float
    by_number: float | None
    by_spectrum: float


def transductive_error_bound(
    grams: ArrayLike,
    y: ArrayLike,
    solution: Solution,
    *,
    weights: Literal["positive", "free"] = "positive",
    total: float | None = None,
    delta: float = 0.05,
    n_samples: int = 1000,
    complexity: Literal["monte_carlo", "by_number", "by_spectrum"] = "monte_carlo",
    psd: Literal["raise", "clip", "shift", "trust"] = "raise",
    random_state: Any = None,
) -> ErrorBound:
    """Bound the error of a learned classifier on the unlabelled half of its points.

    Parameters
    ----------
    grams : array-like of shape (m, 2n, 2n)
        Gram matrices of the labelled points, then of as many unlabelled ones.
    y : array-like of shape (n,)
        Labels of the first half, two classes.
    solution : Solution
        What :func:`kernlearn.learn_weights` made of these matrices and labels.
    weights : {"positive", "free"}
        The class that the kernel was chosen from. For free signs the inner maximum is a
        semidefinite program for every σ, bounded from above by eigenvector cuts.
    total : float, optional
        Bound c on the trace; by default Σ tr Kᵢ.
    delta : float
        Probability with which the bound may fail.
    n_samples : int
        Number of σ drawn.
    complexity : {"monte_carlo", "by_number", "by_spectrum"}
        Which value of 𝒞(𝒦) enters the bound.
    psd : {"raise", "clip", "shift", "trust"}
        As in :func:`kernlearn.learn_weights`.
    random_state : int, RandomState or None
        Draws the σ.

    Returns
    -------
    ErrorBound
        The bound and its parts.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> y = np.where(X[:40, 0] > 0, 1, -1)
    >>> grams = [kl.kernels.Normalized(kl.kernels.Linear())(X), kl.kernels.Gaussian(0.5)(X)]
    >>> b = kl.transductive_error_bound(grams, y, kl.learn_weights(grams, y), random_state=0)
    >>> b.complexity <= b.by_number and b.empirical_risk < b.value
    True
    """
    _check_request(solution, weights, complexity, delta, n_samples)
    stack = check_stack(grams, psd=psd)
    target = check_labels(y)
    n = len(target)
    _check_sizes(stack, n, solution)
    family = GramStack(stack, n)
    c = float(family.traces.sum()) if total is None else check_positive("total", total)
    signs = check_random_state(random_state).choice([-1.0, 1.0], size=(n_samples, 2 * n))
    free_sign = weights == "free"
    maxima = _free_maxima if free_sign else _positive_maxima
    with threads_for(family.n_points):
        draws = maxima(family, signs, c)
    by_number = None if free_sign else c * family.n_matrices
    by_spectrum = 2.0 * n * c * (1.0 if free_sign else _largest_share(family))
    choices = {"monte_carlo": float(draws.mean()), "by_spectrum": by_spectrum}
    chosen = choices.get(complexity, c * family.n_matrices)
    risk, norm, intercept = _risk_and_norm(family, target, solution)
    deviation = 4.0 + np.sqrt(2.0 * np.log(1.0 / delta)) + np.sqrt(2.0) * abs(intercept)
    deviation += np.sqrt(chosen / n) * norm
    return ErrorBound(
        value=risk + float(deviation / np.sqrt(n)),
        empirical_risk=risk,
        margin=1.0 / norm if norm > 0 else np.inf,
        complexity=float(draws.mean()),
        complexity_error=float(draws.std(ddof=1) / np.sqrt(n_samples)),
        by_number=by_number,
        by_spectrum=by_spectrum,
    )


def _check_request(
    solution: Any, weights: Any, complexity: Any, delta: Any, n_samples: Any
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


def _check_sizes(stack: Array, n: int, solution: Solution) -> None:
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


def _risk_and_norm(
    family: GramStack, target: Array, solution: Solution
) -> tuple[float, float, float]:
    """Mean hinge loss, norm and intercept of the learned function."""
    a, intercept = np.asarray(solution.dual_coef), float(np.asarray(solution.intercept))
    values = family.combine(solution.weights) @ a
    norm = float(np.sqrt(max(float(a @ values), 0.0)))
    return float(np.maximum(1.0 - target * (values + intercept), 0.0).mean()), norm, intercept


def _positive_maxima(family: GramStack, signs: Array, c: float) -> Array:
    """For every σ the largest c σᵀKⱼσ / tr Kⱼ: a linear function is largest at a corner."""
    return np.asarray((c * _forms(family, signs) / _safe(family.traces)).max(axis=1))


def _forms(family: GramStack, signs: Array) -> Array:
    """The numbers σᵀKⱼσ, of shape (number of σ, m)."""
    columns = [np.einsum("sn,sn->s", signs @ K, signs) for K in family.grams]
    return np.column_stack(columns)


def _safe(traces: Array) -> Array:
    """Traces, with infinity for zero matrices, which are never the largest."""
    return np.where(traces > 0, traces, np.inf)


def _largest_share(family: GramStack) -> float:
    """The largest λⱼ / tr Kⱼ."""
    tops = np.array([np.linalg.norm(K, 2) for K in family.grams])
    return float((tops / _safe(family.traces)).max())


def _free_maxima(family: GramStack, signs: Array, c: float) -> Array:
    """For every σ an upper bound on max σᵀK(w)σ over K(w) ⪰ 0 of trace c, tight up to 1e-6."""
    m, N = family.n_matrices, family.n_points
    domain = free_weights(family.inner_products, family.traces, c, m, c, N)
    cuts = PsdCuts(family, domain)
    maxima = np.empty(len(signs))
    for i, forms in enumerate(_forms(family, signs)):
        g = -(domain.basis.T @ forms)
        for _ in range(MAX_ROUNDS):
            minimum, x = linear_minimum(g, domain)
            if not (cuts.cut_in_subspace(x) or cuts.cut_in_full(x)):
                break
        maxima[i] = -minimum
    return maxima
