"""Base of the estimators that learn in a hyper-RKHS (Ong, Smola and Williamson 2005)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular

from kernlearn._checks import check_pivots, check_positive
from kernlearn._cluster import refuse_collection
from kernlearn._device import HOST
from kernlearn.estimators.hyperkernel.options import HyperkernelOptions
from kernlearn.estimators.hyperkernel.parameters import HyperkernelParameters
from kernlearn.estimators.mkl.candidates import Candidates
from kernlearn.estimators.mkl.held_out_width import can_hold_out, held_out_losses, sample_rows
from kernlearn.estimators.mkl.parameters import (
    CombinationParameters,
    EngineOptions,
    Labelled,
    check_certify,
    state,
)
from kernlearn.families.hyper_norm import HyperNorm
from kernlearn.families.kernel_pool import corner_of
from kernlearn.families.matrices import GramStack
from kernlearn.families.penalties import LpNorm
from kernlearn.gram.incomplete_cholesky import PairCholesky, checked_pair_cholesky
from kernlearn.hyperkernels import ARDHarmonic, Hyperkernel
from kernlearn.hyperkernels._validation import check_points, quiet
from kernlearn.hyperkernels.base import Expansion
from kernlearn.kernels import Kernel, WeightedSum
from kernlearn.numerics.rounding import first_least
from kernlearn.runtime.memory import combination_bytes, matrices, require
from kernlearn.runtime.phrases import counted
from kernlearn.solvers.core.problem import LARGEST, Control
from kernlearn.solvers.engine.backend import EngineFit
from kernlearn.solvers.engine.sections import SectionOptions, learn_sections
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.typing import Array, Indices, Rows

# Section 7 of the paper: exp(−d²/(50 q²)) with q the 90 % quantile of a column's differences.
WIDTH, QUANTILE = 50.0, 0.9
# Factors of γ that are tried, and the step to the two next to the best.
_FACTORS, _BETWEEN = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0), 2.0
# Quantiles of the differences of this many rows are those of all rows for any practical purpose.
ROWS_FOR_QUANTILES = 500
# Most memory beside the sections while they are filled.
GRID_BYTES = 100_000_000
# With more rows than these, pivots of so few pairs are chosen first, to see whether their sections
# fit.
MANY_ROWS, FEW_PAIRS = 1500, 2000


EXACT_ROWS_OF_SECTIONS = 2000
# Rows on which the factor of γ is chosen for sections through landmarks.
ROWS_FOR_FACTOR = 1000


class HyperkernelExpansion(HyperkernelParameters):
    """Mixin for estimators of combinations, whose candidates are sections of a hyperkernel."""

    kernels = None
    normalize = False
    _options_type = HyperkernelOptions
    # Sections are matrices in memory, up to 150 of them
    _engine = EngineOptions(exact_rows=EXACT_ROWS_OF_SECTIONS)
    _section_options = SectionOptions()

    _options: HyperkernelOptions

    @property
    def _weight_signs(self) -> str:
        """Whether β is not negative, or of any sign."""
        return self._options.weights

    def _candidates(self, points: ArrayLike, data: Labelled) -> Candidates:
        """Sections at the pivots of an incomplete Cholesky factorisation over pairs."""
        ys = data.targets
        check_pivots(self._options.pivot_tol, self.max_pivots)
        X = points_of(self, points)
        self.hyperkernel_ = self._prepared_hyperkernel(X, data).fitted_to(X)
        grams, K_pivots = self._sections(X, *self._chosen_pivots(X, len(ys)))
        penalty, total = self._penalty(K_pivots, ys), self._scale(ys)
        if self._weight_signs == "free" and self._options.total is None:
            traces = np.einsum("pii->p", grams)
            total = float(traces[traces > 0].mean()) * (1.0 if total is None else total)
        return Candidates(GramStack(grams, len(data.weight)), total, penalty)

    def _constraint(self) -> str:
        """The sum of the weights; for weights of any sign the trace, which bounds the kernels."""
        return "trace" if self._weight_signs == "free" else "sum"

    def _learn_approximately(
        self, data: Labelled, rank: int | str, control: Control
    ) -> EngineFit[LowRankSolution]:
        """Sections at pivots of a sample of the pairs, approximated through landmarks."""
        assert isinstance(self, CombinationParameters)
        check_pivots(self._options.pivot_tol, self.max_pivots)
        refuse_collection(data.X, "X")
        if self._options.near is not None:
            raise ValueError(
                f"expected at most {EXACT_ROWS_OF_SECTIONS:,} rows with a prior kernel, got "
                f"{len(data.weight):,}; fit to a sample of them, or leave the prior kernel out"
            )
        X, ys = points_of(self, data.X), data.targets
        if self._weight_signs == "free":
            raise ValueError(
                f"expected rank=None with weights='free', got {rank!r}: K ⪰ 0 is asked of "
                "Gram matrices alone; use rank=None, with fewer rows or pivots"
            )
        if X.dtype == object or X.ndim != 2:
            raise ValueError(
                f"expected rank=None for rows that are no numbers, got {rank!r}: there are no "
                "landmarks among them; use rank=None, with fewer rows or pivots"
            )
        self.device_ = HOST
        landmarks = self._section_options.landmarks if isinstance(rank, str) else rank
        self.hyperkernel_ = self._prepared_hyperkernel(X, data, landmarks).fitted_to(X)
        n_pairs = self._section_options.pairs if self.n_pairs is None else self.n_pairs
        limits = self._options.pivot_tol, self.max_pivots, n_pairs, self._seed
        chosen = checked_pair_cholesky(self.hyperkernel_, X, *limits)
        self.pivot_residual_, self.pivots_ = chosen.relative_residual, X[chosen.pivots]
        penalty = self._penalty(self.hyperkernel_(self.pivots_), ys)
        statement = state(self, data, len(self.pivots_), self._scale(ys), penalty)
        bound = check_certify(self._options.certify, statement.free_sign)
        fit, active, sections = learn_sections(
            self.hyperkernel_,
            self.pivots_,
            X,
            rank,
            replace(statement, exact_bound=bound),
            control,
            self._engine.limits,
            self._section_options,
        )
        print_pair_count(self, len(active))
        self.kernel_ = WeightedSum(sections, fit.solution.weights[active])
        return fit

    def _readers(self) -> Hyperkernel | None:
        """The hyperkernel, if its kernels read other rows than numbers."""
        chosen = self.hyperkernel
        return chosen if isinstance(chosen, Hyperkernel) and chosen.takes_things else None

    def _penalty(
        self, K_pivots: Array, ys: Sequence[Array]
    ) -> Callable[[float], HyperNorm | LpNorm]:
        """λ_Q Ω(k) at a C: the norm of k in the hyper-RKHS, or an ℓp norm of its coefficients."""
        lambda_q, options = check_positive("lambda_q", self.lambda_q), self._options
        if (p := options.p) is not None:
            return lambda C: LpNorm(p, lambda_q * self._penalty_factor(ys, C))
        prior = np.zeros(0)
        if options.near is not None:
            hyperkernel, pivots = self.hyperkernel_, self.pivots_
            K_pivots, prior = _with_prior(hyperkernel, pivots, options.near, K_pivots)
        # Its root takes an eigendecomposition, which is the same for every C.
        norm = HyperNorm(K_pivots, lambda_q, options.squared, prior)
        return lambda C: norm.at_strength(lambda_q * self._penalty_factor(ys, C))

    def _sections(self, X: Array, pivots: Indices, known: Array | None) -> tuple[Array, Array]:
        """The sections of the pivots, and the hyperkernel on the pivots themselves."""
        self.pivots_ = X[pivots]
        if known is None:
            return self.hyperkernel_.sections(X, self.pivots_), self.hyperkernel_(self.pivots_)
        K_pivots = known[:, pivots[:, 0], pivots[:, 1]]
        return known, 0.5 * (K_pivots + K_pivots.T)

    def _chosen_pivots(self, X: Array, n_machines: int) -> tuple[Indices, Array | None]:
        """The pivots, and their sections if known.

        Too many sections for the memory are refused. The factor is freed.
        """

        def check(n_pivots: int) -> None:
            width = X.shape[1] if X.ndim == 2 else 1
            grid = min(GRID_BYTES, 3 * matrices(n_pivots + width, len(X)))
            require(
                combination_bytes(n_pivots, len(X), n_machines) + grid,
                f"{type(self).__name__} with {counted(n_pivots, 'section')} on "
                f"{counted(len(X), 'point')}",
                "use fewer points, or lower max_pivots or raise the option pivot_tol, or use "
                "rank=64 with a quality that has no matrices, such as 'least_squares'",
            )

        def choose(n_pairs: int | None) -> PairCholesky:
            limits = self._options.pivot_tol, self.max_pivots, n_pairs, self._seed
            return checked_pair_cholesky(self.hyperkernel_, X, *limits, also=check)

        if self.n_pairs is None and len(X) > MANY_ROWS:
            # A few pairs decide in a moment what all of them would decide in minutes.
            choose(FEW_PAIRS)
        chosen = choose(self.n_pairs)
        self.pivot_residual_ = chosen.relative_residual
        return chosen.pivots, chosen.grams()

    def _combined(self, weights: Array) -> Kernel:
        kept = weights != 0
        print_pair_count(self, int(kept.sum()))
        if weights.min() < 0:  # a combination of sections, which need not be a kernel elsewhere
            sections = [self.hyperkernel_.section(pair) for pair in self.pivots_[kept]]
            return WeightedSum(sections, weights[kept])
        return self.hyperkernel_.expansion(self.pivots_[kept], weights[kept])

    @property
    def n_active_pivots_(self) -> int:
        """Number of pairs with weight; if one, the kernel is one section of the hyperkernel."""
        return int(np.count_nonzero(self.weights_))

    @property
    def feature_scales_(self) -> Array:
        r"""The distance in each column over which the learned kernel falls off.

        Near the diagonal k falls like :math:`\exp(-d_j^2 / (2 s_j^2))` with these s; infinite for a
        column that the kernel does not depend on. Known for the ARD hyperkernel.
        """
        hyperkernel = self.hyperkernel_
        if not isinstance(hyperkernel, ARDHarmonic):
            raise AttributeError(
                f"feature_scales_ is known for ARDHarmonic, not for {type(hyperkernel).__name__}"
            )
        gammas, lam = np.asarray(hyperkernel.gammas, dtype=float), hyperkernel.lambda_h
        apart = self.pivots_[:, 0] - self.pivots_[:, 1]
        near = lam * np.exp(-gammas * apart**2)
        # −∂²/∂d² log k at zero for each section, weighted by its share of k(x, x).
        curvature = 2.0 * gammas * near / (1.0 - near)
        shares = self.weights_ * np.prod((1.0 - lam) / (1.0 - near), axis=1)
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / np.sqrt(shares / shares.sum() @ curvature))

    def _prepared_hyperkernel(
        self, X: Array, data: Labelled, landmarks: int | None = None
    ) -> Hyperkernel:
        """The hyperkernel given, with widths from the data if it has none.

        With `landmarks`, the widths suit sections that are approximated through landmarks.
        """
        self.gamma_factor_ = 1.0
        near = self._options.near
        hyperkernel = self.hyperkernel
        if hyperkernel is None:
            hyperkernel = ARDHarmonic() if near is None else near.hyperkernel
        if not isinstance(hyperkernel, Hyperkernel):
            raise ValueError(
                f"expected a hyperkernel of kernlearn.hyperkernels, got {hyperkernel!r}; pass for "
                "example ARDHarmonic(lambda_h=0.6)"
            )
        if not isinstance(hyperkernel, ARDHarmonic) or hyperkernel.gammas is not None:
            return hyperkernel
        gammas, lambda_h = self._gammas(X), hyperkernel.lambda_h
        if isinstance(self.gamma_factor, str) and self.gamma_factor == "auto":
            few = () if landmarks is None else (ROWS_FOR_FACTOR,)
            rows = sample_rows(len(data.weight), self._seed, *few)
            sample = data.some(X[rows], rows)
            self.gamma_factor_ = _best_factor(sample, gammas, lambda_h, landmarks)
        else:
            self.gamma_factor_ = check_positive("gamma_factor", self.gamma_factor)
        return ARDHarmonic(lambda_h, self.gamma_factor_ * gammas)

    def _gammas(self, X: Array) -> Array:
        """One γ for every column; zero for an uninformative column, such as a constant one."""
        return _gammas_of_quantiles(X, self._seed)

    def _scale(self, ys: Sequence[Array]) -> float | None:
        """The constant of the scale-breaking constraint 1ᵀβ = c, 1 by default."""
        total = self._options.total
        return None if total is None else float(total)

    def _penalty_factor(self, ys: Sequence[Array], C: float) -> float:
        """The factor of λ_Q in the paper, whose program is written in other units."""
        return 1.0


def print_pair_count(estimator: HyperkernelExpansion, n_active: int) -> None:
    """Print how many pairs have weight, if progress is to be printed."""
    if estimator.verbose:
        sections = "one section" if n_active == 1 else "a sum of sections"
        print(
            f"{type(estimator).__name__}: the kernel keeps {n_active} of {len(estimator.pivots_)} "
            f"pairs: it is {sections} of the hyperkernel"
        )


def points_of(estimator: HyperkernelExpansion, X: Rows) -> Array:
    """The rows as the hyperkernel takes them: numbers, or things that its kernels take."""
    if estimator._readers() is None:
        return np.asarray(X, dtype=float)
    return check_points(X, "X", things=True)


def _best_factor(sample: Labelled, gammas: Array, lambda_h: float, landmarks: int | None) -> float:
    """The factor at which one section, that of a point with itself, predicts held-out rows best."""
    X, targets = sample.X, sample.targets
    is_uninformative = len(X) < 3 or all(np.ptp(y) == 0 for y in targets)
    if is_uninformative or not can_hold_out(sample.groups):
        return 1.0

    def losses(factors: Sequence[float]) -> Array:
        sections = (_section_of_itself(ARDHarmonic(lambda_h, f * gammas), X) for f in factors)
        grams = (K if landmarks is None else through_rows(K, landmarks) for K in sections)
        return held_out_losses(grams, targets, sample.weight, sample.groups)

    first = losses(_FACTORS)
    best = _FACTORS[first_least(first)]
    between = (best / _BETWEEN, best * _BETWEEN)
    return float((*_FACTORS, *between)[first_least([*first, *losses(between)])])


def _section_of_itself(hyperkernel: ARDHarmonic, X: Array) -> Array:
    """The section of a point with itself, which is the same for all points."""
    first, second = np.triu_indices(len(X))
    with quiet():
        table = hyperkernel._table(X[first], X[second])
        values = hyperkernel._evaluate(hyperkernel._table(X[:1], X[:1]), table)[0]
    hyperkernel._check_values(values)
    K = np.empty((len(X), len(X)))
    K[first, second] = K[second, first] = values
    return K


def through_rows(K: Array, n_landmarks: int) -> Array:
    """A Gram matrix approximated through landmarks: a narrow kernel loses most of its trace."""
    n = len(K)
    rows = np.sort(np.random.default_rng(0).choice(n, min(n_landmarks, n), replace=False))
    kept, corner = corner_of(K[np.ix_(rows, rows)])
    Z = solve_triangular(corner, K[rows[kept]], lower=True)
    return np.asarray(Z.T @ Z)


def _gammas_of_quantiles(X: Array, seed: int) -> Array:
    """One over 50 q², q the 90 % quantile of a column's differences; zero for a constant column."""
    n = len(X)
    if n > ROWS_FOR_QUANTILES:
        rng = np.random.default_rng(seed)
        X = X[rng.choice(n, ROWS_FOR_QUANTILES, replace=False)]
    first, second = np.triu_indices(len(X), 1)
    gammas = np.zeros(X.shape[1])
    for j, column in enumerate(X.T):
        with np.errstate(over="ignore"):
            differences = np.abs(column[first] - column[second])
        if not np.isfinite(differences).all():
            raise ValueError(
                f"expected columns whose differences are numbers, got column {j} with cells of up "
                f"to {np.abs(column).max():.3g}; rescale the data"
            )
        q = np.quantile(differences, QUANTILE) if len(differences) else 0.0
        q = q or differences.max(initial=0.0)  # a column that is constant nine times in ten
        if q > 0:
            gammas[j] = gamma_of(q)
    return gammas


def gamma_of(q: float) -> float:
    """One over 50 q², at most `LARGEST`: such a column varies by less than its rounding."""
    with np.errstate(over="ignore", divide="ignore"):
        return float(min((1.0 / np.float64(q)) / q / WIDTH, LARGEST))


def _with_prior(
    hyperkernel: Hyperkernel, pivots: Array, near: Expansion, K_pivots: Array
) -> tuple[Array, Array]:
    """The hyperkernel on the pivots and a prior kernel's pairs, and the weights of these."""
    if repr(near.hyperkernel) != repr(hyperkernel):
        raise ValueError(
            "expected a prior kernel in the hyperkernel of the fit, got one in "
            f"{near.hyperkernel!r}; pass hyperkernel=near.hyperkernel, or leave it out"
        )
    pairs = np.asarray(near.pairs, dtype=float)
    if pairs.shape[2] != pivots.shape[2]:
        raise ValueError(
            f"expected a prior kernel on {pivots.shape[2]} columns, got one on "
            f"{pairs.shape[2]}; learn it from the same columns"
        )
    cross, K_prior = hyperkernel(pivots, pairs), hyperkernel(pairs)
    return np.block([[K_pivots, cross], [cross.T, K_prior]]), np.asarray(near.weights, dtype=float)
