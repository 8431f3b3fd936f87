"""The convex core as a function of Gram matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlearn._checks import (
    check_choice,
    check_count,
    check_labels,
    check_memory_for_weights,
    check_positive,
    check_settings,
    check_values,
    learns_C,
)
from kernlearn.families.base import Family
from kernlearn.families.constraints import Constraint, check_constraints
from kernlearn.families.continuous_pool import ContinuousPool
from kernlearn.families.kernel_pool import KernelPool
from kernlearn.families.matrices import GramStack, RankOneStack, WithIdentity
from kernlearn.gram import check_stack
from kernlearn.gram.psd import Repair, check_matrix
from kernlearn.gram.stack import checked_stack
from kernlearn.kernels._validation import check_real
from kernlearn.kernels.ranges import RangeKernels
from kernlearn.quality.registry import DETERMINANT, QUALITIES, quality_names
from kernlearn.runtime.convergence_warnings import warn_if_unfinished
from kernlearn.runtime.stopping import Progress, stopping_control
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.engine.gram_problem import GramProblem
from kernlearn.solvers.engine.statement import Statement
from kernlearn.survival.outcome import survival_outcome
from kernlearn.typing import Array

UNLABELLED = ("one_class", "ranking", DETERMINANT)
GLANCED_AT = 1000  # points above which a factor of every matrix is not worth its price


def learn_weights(
    grams: ArrayLike | Sequence[ArrayLike] | RankOneStack | RangeKernels,
    y: ArrayLike | None = None,
    *,
    quality: str = "soft_margin",
    C: float | Literal["learn"] = 1.0,
    nu: float = 0.3,
    epsilon: float = 0.1,
    quantile: float = 0.5,
    ties: Literal["efron", "breslow"] = "efron",
    weights: Literal["positive", "free"] = "positive",
    constraint: Literal["trace", "sum"] = "trace",
    total: float | None = None,
    constraints: Sequence[Constraint] | None = None,
    penalty: Penalty | None = None,
    sample_weight: ArrayLike | None = None,
    psd: Repair = "raise",
    tol: float = 1e-6,
    max_iter: int = 200,
    start: ArrayLike | None = None,
    callback: Callable[[Progress], object] | None = None,
    time_limit: float | None = None,
) -> Solution:
    r"""Learn the weights of a combination of kernels.

    .. math::

        \min_w \; V\Bigl(\sum_i w_i K_i\Bigr) + \Omega(w) \quad\text{subject to}\quad
        \sum_i w_i r_i = c, \quad w \ge 0 \;\text{ or }\; \sum_i w_i K_i \succeq 0,

    where V is the optimal value of a kernel machine,
    :math:`V(K) = \max_{a \in A} \ell(a) - \tfrac12 a^\top K a`. With C-SVM this is half of
    Lanckriet's (20), so the programs (33), (38), (43), (47) for positive weights and (31), (36),
    (41), (45) for free ones are all here; (53) for the alignments. With a penalty,
    ``quality="alignment"`` minimises ½ yᵀK⁻¹y + Ω instead, as (32) of Ong et al. does.
    ``quality="max_determinant"`` minimises −log det K(w) over all points, whatever their labels.

    Parameters
    ----------
    grams : array-like of shape (m, N, N), sequence of matrices, RankOneStack, or RangeKernels
        Gram matrices. The first ``len(y)`` rows carry labels; any further rows are unlabelled
        points, on which K ⪰ 0 and the trace are imposed too (transduction). Or a range of kernels
        at the points, ``kernels = GaussianRange(low, high).bind(X)``, for positive weights of a
        machine at a given C: the weights are those of ``kernels.kernels``, which grow meanwhile,
        and the bound holds for ``kernels.covers``.
    y : array-like of shape (n,), or events and times
        Two classes of any type (the larger one in sorted order counts as +1), or targets of a
        regression. ``quality="cox"`` takes events and times in the forms that
        :func:`kernlearn.survival.survival_outcome` reads. Ignored by ``quality="one_class"`` and
        ``"ranking"``, which take its length from it if given, and by ``"max_determinant"``.
    quality : str
        ``"hard_margin"``, ``"soft_margin"``, ``"squared_soft_margin"``, ``"lagrangian"``,
        ``"logistic"``, ``"nu_svm"``, ``"one_class"``, ``"ranking"`` (on matrices of differences of
        two rows, the better one first; see :class:`kernlearn.ranking.MKLRanker`),
        ``"epsilon_svr"``, ``"nu_svr"``, ``"huber"``, ``"quantile"``, ``"least_squares"``, ``"cox"``
        (Cox's partial likelihood), ``"alignment"``, ``"centered_alignment"`` or
        ``"max_determinant"``.
    C : float or "learn"
        The box, 0 ≤ α ≤ C; 1/τ for the 2-norm soft margin and least squares; for ``"logistic"``,
        ``"huber"``, ``"quantile"`` and ``"cox"`` what multiplies the loss. ``"learn"``
        (``"squared_soft_margin"`` only) makes the identity one more matrix, section 4.6.
    nu : float
        Upper bound on the share of margin errors (``"nu_svm"``), of points outside the tube
        (``"nu_svr"``) or of outliers (``"one_class"``; :class:`kernlearn.MKLNoveltyDetector` has
        0.1 by default).
    epsilon : float
        Half the width of the tube of ``"epsilon_svr"``, or the residual beyond which the loss of
        ``"huber"`` is linear.
    quantile : float
        The level of ``"quantile"``, between 0 and 1: 0.5 is the median.
    ties : {"efron", "breslow"}
        Treatment of events at the same time by ``"cox"``: Efron's approximation, as R's ``coxph``
        has it, or Breslow's.
    weights : {"positive", "free"}
        w ≥ 0, or any sign with K(w) ⪰ 0.
    constraint : {"trace", "sum"}
        ``"trace"``: Σ wᵢ tr Kᵢ = total; ``"sum"``: Σ wᵢ = total.
    total : float, optional
        By default Σ tr Kᵢ (plus N with ``C="learn"``) for ``"trace"``, and 1 for ``"sum"``. The
        estimators have the mean of tr Kᵢ (:class:`kernlearn.MKLOptions`), so that the same C means
        the same for any number of kernels.
    constraints : list of Constraint, optional
        Further linear constraints on the weights, such as
        :class:`kernlearn.constraints.AtMost`: a set F that is any polytope, as in programs (22),
        (29), (35), (40), (44) and (49). Some positive weights must satisfy them all.
    penalty : Penalty, optional
        A convex function of the weights that is added to V, such as
        :class:`kernlearn.penalties.HyperNorm`. Its strength is a number.
    sample_weight : array-like of shape (n,), optional
        Multiplies C point by point.
    psd : {"raise", "clip", "shift", "trust"}
        Treatment of an indefinite matrix: refuse it, zero its negative eigenvalues, lift its
        diagonal, or not look. To refuse it, above 1000 points, means to look at 400 of them, and
        at all of them should K(w) turn out to be indefinite.
    tol : float
        Relative duality gap to reach.
    max_iter : int
        Limit on the number of kernels tried.
    start : array-like of shape (m,), optional
        Weights to begin near, for example those of the same kernels at another C. The solution is
        the same, and comes sooner. Without effect on alignments, on ``"max_determinant"`` and
        with ``C="learn"``.
    callback : callable, optional
        Called with a :class:`kernlearn.results.Progress` for every kernel tried; the search ends
        when it returns True.
    time_limit : float, optional
        Seconds after which the search ends, checked after every kernel tried.

    Returns
    -------
    Solution
        Weights, trained machine and certificate. After an early end, by Ctrl-C too, the best so
        far: its gap says how far it may be off, its status why, and there is a warning.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.where(np.abs(X[:, 0]) < 0.5, 1, -1)
    >>> grams = [kl.kernels.Linear()(X), kl.kernels.Gaussian(gamma=4.0)(X)]
    >>> s = kl.learn_weights(grams, y)
    >>> float(s.weights[0]), bool(s.weights[1] > 0), s.status.is_optimal, s.gap <= 1e-6
    (0.0, True, True, True)
    """
    stopping = stopping_control(callback, time_limit)
    control = Control(check_positive("tol", tol), check_count("max_iter", max_iter), stopping)
    check_choice("quality", quality, quality_names())
    check_choice("weights", weights, ["positive", "free"])
    check_choice("constraint", constraint, ["trace", "sum"])
    if isinstance(grams, RangeKernels):
        _check_range(quality, weights, C, penalty, constraints)
    check_memory_for_weights(grams, _n_points(grams), weights == "free")
    glance = _needs_only_a_glance(grams, quality, weights, psd)
    with threads_for(_n_points(grams)):  # one limit for what follows, which others lie within
        with np.errstate(all="ignore"):
            family = _family(grams, y, psd, glance)
        target = _target(quality, y, family.n_labelled)
        statement = Statement(
            targets=[target],
            quality=quality,
            settings=check_settings(
                quality, C, nu, epsilon, sample_weight, [target], quantile, ties
            ),
            free_sign=weights == "free",
            constraint=constraint,
            total=None if total is None else check_positive("total", total),
            start=None if start is None else _checked_start(start, family.n_matrices),
            learn_C=learns_C(quality, C),
            penalty=lambda C: penalty,
            constraints=check_constraints(constraints, [None] * family.n_matrices),
        )
        if total is None and constraint == "trace":
            statement = replace(statement, total=_total_trace(family, statement))
        problem = GramProblem(statement, family)
        solution = problem.learn(statement.settings.C, statement.start, control)
    if glance and solution.negative_eigenvalue < 0:
        check_stack(cast(ArrayLike, grams), psd=psd)  # names the culprit
    if stopping.stopped is not None:
        warn_if_unfinished("learn_weights", solution.status, stopping, solution.gap, tol)
    return solution


def _needs_only_a_glance(grams: object, quality: str, weights: str, psd: Repair) -> bool:
    """Whether a sample of the points of each matrix will do.

    Only K(w) must be positive semidefinite for the certificate, and its factor tells.
    """
    if isinstance(grams, RankOneStack | RangeKernels):
        return False
    only_the_sum = weights == "positive" and quality in QUALITIES
    return psd == "raise" and only_the_sum and _n_points(grams) > GLANCED_AT


def _check_range(
    quality: str, weights: str, C: object, penalty: object, constraints: object
) -> None:
    """Refuse what no bound over a range of kernels is known for."""
    refused = None
    if weights != "positive":
        refused = f"weights={weights!r}"
    elif quality not in QUALITIES or quality == "hard_margin":
        refused = f"quality={quality!r}"
    elif isinstance(C, str):
        refused = f"C={C!r}"
    elif penalty is not None or constraints:
        refused = "a penalty or constraints"
    if refused is not None:
        raise ValueError(
            "expected positive weights of a machine at a given C, without penalty and "
            f"constraints, for a range of kernels, got {refused}; pass Gram matrices"
        )


def _total_trace(family: Family | KernelPool, statement: Statement) -> float:
    """Σ tr Kᵢ, with that of the identity where C is learned; of a range, that of one kernel."""
    if isinstance(family, KernelPool):
        return float(family.n_points)
    traces = family.traces
    with np.errstate(over="ignore"):  # is refused in words
        total = float(traces.sum())
    if not statement.learn_C or not total > 0:
        return total
    return float(WithIdentity(family, 1.0 / statement.settings.sample_weight).traces.sum())


def _checked_start(start: ArrayLike, m: int) -> Array:
    check_real(start, "start")
    try:
        values: Array = np.asarray(start, dtype=float)
    except (TypeError, ValueError, OverflowError):
        values = np.empty(0)
    if values.shape != (m,) or not np.isfinite(values).all():
        raise ValueError(
            f"expected start of shape ({m},), one finite weight for each matrix, got "
            f"{start!r}; pass the weights of an earlier solution with the same matrices"
        )
    largest = float(np.abs(values).max())
    return values / largest if largest > 0 else values  # in any scale


def _n_points(grams: Any) -> int:
    """Size of the first matrix, or zero if this is no stack of matrices (to be refused later)."""
    if isinstance(grams, RangeKernels):
        return len(grams.points)
    try:
        return len(grams.vectors if isinstance(grams, RankOneStack) else grams[0])
    except (TypeError, IndexError, KeyError):
        return 0


def _family(grams: Any, y: ArrayLike | None, psd: Repair, glance: bool) -> Family | ContinuousPool:
    stack, psd_to_rounding = None, False
    if isinstance(grams, RangeKernels):
        n_points = _n_points(grams)
    elif isinstance(grams, RankOneStack):
        n_points = len(check_matrix(grams.vectors, "The vectors of a RankOneStack"))
    else:
        stack, psd_to_rounding = checked_stack(grams, psd, glance)
        n_points = stack.shape[1]
    values = None if y is None else _one_array(y)
    n = n_points if values is None else values.shape[0] if values.ndim else -1
    if not 1 <= n <= n_points:
        raise ValueError(
            f"expected y with one entry per labelled row, at most {n_points}, got "
            f"{'a scalar' if n < 0 else n}; the Gram matrices have {n_points} rows"
        )
    if isinstance(grams, RangeKernels):
        return ContinuousPool(grams, grams.points, n, "trust")
    if stack is None:
        return RankOneStack(grams.vectors, n)
    return GramStack(stack, n, psd_to_rounding)


def _one_array(y: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(y)
    except ValueError:
        raise ValueError(
            "expected y of shape (n,), got rows of several lengths; pass one label or number for "
            "each point"
        ) from None


def _target(quality: str, y: ArrayLike | None, n: int) -> Array:
    if quality in UNLABELLED:
        return np.zeros(n)
    if y is None:
        raise ValueError(
            f"expected y for quality={quality!r}, got None; only {' and '.join(UNLABELLED)} need "
            "none"
        )
    if quality in QUALITIES and QUALITIES[quality].targets == "times":
        outcome = survival_outcome(y)
        outcome.check_events(min_events=1)
        return outcome.signed
    values = _one_array(y)
    if values.ndim != 1:
        raise ValueError(f"expected y of shape (n,), got shape {values.shape}; use y.ravel()")
    labels = quality not in QUALITIES or QUALITIES[quality].targets == "labels"
    if labels or (quality == "least_squares" and values.dtype.kind not in "fiu"):
        return check_labels(values)
    return check_values(values, f"quality={quality!r}", "a classification quality")
