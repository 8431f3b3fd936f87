"""The parameters of an estimator of combinations: checked, and stated for the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernlearn._checks import (
    check_choice,
    check_flag,
    check_positive,
    check_settings,
    learns_C,
)
from kernlearn.estimators.inputs.device_parameter import DeviceParameter
from kernlearn.estimators.inputs.notebook_display import NotebookDisplay
from kernlearn.estimators.inputs.options import OptionsParameter
from kernlearn.estimators.inputs.row_kinds import judged_by_kernels, takes_sparse, takes_things
from kernlearn.estimators.inputs.row_limits import EXACT_ROWS
from kernlearn.estimators.mkl.bank import TRIED
from kernlearn.estimators.mkl.column_pairs import PairOptions
from kernlearn.estimators.mkl.equal_share import check_equal_share, even_shares, kernel_name
from kernlearn.estimators.mkl.numbered_kernels import NumberedKernels
from kernlearn.estimators.mkl.options import CombinationOptions, MKLOptions
from kernlearn.families.constraints import Constraint, LinearRows, check_constraints
from kernlearn.families.kernel_pool import is_family
from kernlearn.families.penalties import WeightPenalty
from kernlearn.families.prior_kernels import PriorPenalty
from kernlearn.kernels import Kernel
from kernlearn.kernels.ranges import KernelRange
from kernlearn.quality.registry import CRITERIA, QUALITIES
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Progress
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.engine.refits import N_FOLDS
from kernlearn.solvers.engine.statement import ChoiceOptions, HoldOut, Statement, no_penalty
from kernlearn.solvers.nystroem.rank import FactorLimits, RankOptions
from kernlearn.typing import Array, FoldsLike, Indices, Rows


@dataclass(frozen=True)
class EngineOptions:
    """Sizes and options of the engine that are no parameters of estimators."""

    exact_rows: int = EXACT_ROWS  # most rows for which Gram matrices are the default
    # Exponents p of γ = 2ᵖ/m² at which widths of the default bank are tried
    widths: tuple[float, ...] = TRIED
    choices: ChoiceOptions = field(default_factory=ChoiceOptions)  # of C and shares
    # Limits on the parts of a factor that are kept in memory
    limits: FactorLimits = field(default_factory=FactorLimits)
    ranks: RankOptions = field(default_factory=RankOptions)  # when rank="auto" is enough
    pairs: PairOptions = field(default_factory=PairOptions)  # kernels on pairs of columns


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows, their targets and their weights; further rows may have none."""

    X: Rows
    targets: Sequence[Array]
    weight: Array
    fold: Indices | None = None  # (n,): the fold of each row; None for folds to be drawn
    groups: Indices | None = None  # (n,): rows of one number are held out together

    def some(self, X: Rows, rows: Indices) -> Labelled:
        """The data of some rows, whose points are X."""
        fold = None if self.fold is None else self.fold[rows]
        groups = None if self.groups is None else self.groups[rows]
        targets = [target[rows] for target in self.targets]
        return Labelled(X, targets, self.weight[rows], fold, groups)


class CombinationParameters(DeviceParameter, OptionsParameter, NumberedKernels, NotebookDisplay):
    """Parameters and fitted attributes of an estimator of combinations, as its parts see them."""

    kernels: Any
    quality: str
    C: Any
    weights: str
    normalize: bool
    tol: float
    # Defaults of estimators without these parameters.
    cv: FoldsLike = N_FOLDS
    nu: float = 0.3
    ties: str = "efron"
    missing: str | None = None
    rank: Any = None
    # Set by a fit.
    epsilon_: Any = None  # of a tube, which regressors alone have
    kernels_: Sequence[Kernel]
    kernel_: Any
    weights_: Array
    status_: Status
    rank_: int | None
    intercept_: Array
    landmarks_: list[Rows]
    landmark_coef_: list[Array]
    bank_notes_: list[str]
    views_: dict[str, slice]
    equal_share_: float
    _view_columns: dict[str, Any]
    _seed: int
    _engine = EngineOptions()
    _options_type: type[CombinationOptions] = MKLOptions
    _options_example = "total=1.0"
    _callback_name = "options__callback"

    @property
    def _options(self) -> CombinationOptions:
        """The options given, or those that hold by default."""
        options: CombinationOptions = self._options_given()
        return options

    def _listener(self) -> Callable[[Progress], object] | None:
        return self._options.callback

    @property
    def _weight_signs(self) -> str:
        """Whether weights are not negative, or of any sign."""
        return self.weights

    def __sklearn_tags__(self) -> Any:
        """Tags: sparse rows, gaps and things are taken if the kernels take them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self._readers())
        tags.input_tags.allow_nan = self.missing is not None or takes_things(self._readers())
        return tags

    def _readers(self) -> Any:
        """The kernels that may read other rows than numbers, as the user has given them."""
        return self.kernels

    def _judged_by_kernels(self, X: Rows) -> bool:
        """Whether the kernels look at the entries of X, not scikit-learn."""
        return judged_by_kernels(self._readers(), X)

    def _n_views(self) -> int:
        """Number of views in X."""
        return len(getattr(self, "views_", {}))

    def _constraint(self) -> str:
        """The quantity with the given total: "trace" or "sum"."""
        return str(self._options.constraint)

    def _hold_out_rule(self) -> HoldOut | None:
        """Rule that holds out rows, for probabilities, intervals and ``C="auto"``, if any."""
        return None

    def _checked(self, X: Rows, reset: bool) -> Rows:
        """The table, in the form that the kernels take."""
        raise NotImplementedError

    def _prepared_kernels(self, X: Rows, labelled: Labelled) -> list[Kernel]:
        """The kernels to combine, centred around X; ``labelled`` chooses a bank."""
        raise NotImplementedError


def check_parameters(estimator: CombinationParameters, qualities: Sequence[str]) -> Control:
    """Refuse parameters that no fit can have; the stopping criteria are returned."""
    check_choice("quality", estimator.quality, qualities)
    check_choice("weights", estimator._weight_signs, ["positive", "free"])
    missing = estimator.missing
    if missing is not None:
        check_choice("missing", missing, ["mean", "complete"])
    if missing is not None and estimator.kernels is None and not estimator._n_views():
        raise ValueError(
            f"expected several views, or kernels, with missing={missing!r}, got one table and "
            "None; pass a dictionary of tables, or a list with a kernel for every source, such as "
            "Columns(['a', 'b'], Gaussian())"
        )
    check_flag("normalize", estimator.normalize)
    options = estimator._options
    options._check()
    if is_family(estimator.kernels):
        _check_family(estimator)
    return control_of(estimator)


def control_of(estimator: CombinationParameters) -> Control:
    """The stopping criteria of a search."""
    tol = check_positive("tol", estimator.tol)
    return Control(tol, estimator._options.max_iter, estimator._stopping_control())


def _check_family(estimator: CombinationParameters) -> None:
    """Refuse parameters that need all matrices at once.

    A price for every kernel proves a bound for positive weights of a machine that has a value at
    every kernel, and for nothing else.
    """
    refused, options = None, estimator._options
    if options.penalty is not None and isinstance(estimator.kernels, KernelRange):
        raise ValueError(
            f"expected no penalty on the weights of a {type(estimator.kernels).__name__}, got "
            f"{type(options.penalty).__name__}: a weight split between kernels of nearly the same "
            "parameter leaves the kernel as it is and the norm near zero, and the mass is held "
            "already; leave penalty out, or pass a list or a Grid of kernels"
        )
    if estimator._weight_signs == "free":
        refused = "weights='free'", "use weights='positive'"
    elif estimator.quality in (*CRITERIA, "hard_margin"):
        cure = "use quality='soft_margin', with a large C for a hard margin"
        refused = f"quality={estimator.quality!r}", cure
    elif isinstance(estimator.C, str) and estimator.C == "learn":
        refused = "C='learn'", "give C a number, or use C='auto'"
    elif estimator.missing is not None:
        refused = f"missing={estimator.missing!r}", "impute the missing cells first"
    elif options.psd in ("clip", "shift"):
        refused = f"psd={options.psd!r}", "leave indefinite kernels out of the family"
    elif options.constraints and isinstance(estimator.kernels, KernelRange):
        refused = "constraints", "leave constraints out"
    elif options.constraints and chooses_C(estimator):
        refused = "constraints and C='auto'", "give C a number"
    elif options.center and isinstance(estimator.kernels, KernelRange):
        refused = "center=True", "leave center out"
    elif isinstance(options.penalty, PriorPenalty):
        name = type(options.penalty).__name__
        refused = f"a penalty that compares Gram matrices, {name}", "use a norm of the weights"
    elif options.certify is not None:
        refused = f"certify={options.certify!r}", "use certify=None"
    if refused is not None:
        what, cure = refused
        raise ValueError(
            f"expected a list of kernels with {what}, got a family "
            f"({type(estimator.kernels).__name__}), whose kernels are looked at one by one; "
            f"{cure}, or pass a list"
        )


def state(
    estimator: CombinationParameters,
    data: Labelled,
    n_kernels: int,
    total: float | None,
    penalty: Callable[[float], Penalty | None] = no_penalty,
) -> Statement:
    """The learning problem, with the parameters of the machines checked."""
    quality, chooses, share = estimator.quality, chooses_C(estimator), equal_share_of(estimator)
    C, choices = 1.0 if chooses else estimator.C, estimator._engine.choices
    open_penalty = penalty(1.0) if estimator._options.penalty is not None else None
    if isinstance(open_penalty, WeightPenalty) and open_penalty.is_open:
        _check_can_choose_strength(estimator, open_penalty)
        penalty = no_penalty
    else:
        open_penalty = None
    level = estimator._options.quantile
    of_loss = estimator.nu, estimator.epsilon_
    parameters = C, *of_loss, data.weight, data.targets, level, estimator.ties
    return Statement(
        targets=data.targets,
        quality=quality,
        settings=check_settings(quality, *parameters),
        free_sign=estimator._weight_signs == "free",
        constraint=estimator._constraint(),
        total=total,
        start=warm_start(estimator, n_kernels),
        learn_C=learns_C(quality, estimator.C),
        factors_of_C=choices.factors_of_C if chooses else (),
        share=share,
        even=even_shares(estimator.kernels_) if share != 0.0 else None,
        penalty=penalty,
        open_penalty=open_penalty,
        constraints=_constraints(estimator),
        hold_out=estimator._hold_out_rule(),
        fold=data.fold,
        grouped=data.groups is not None,
        seed=estimator._seed,
        choices=choices,
    )


def _check_can_choose_strength(estimator: CombinationParameters, penalty: WeightPenalty) -> None:
    """Refuse an open strength of the penalty if no rows are held out to choose it."""
    if estimator._hold_out_rule() is None:
        raise ValueError(
            f"expected a penalty of a given strength for {type(estimator).__name__}, got "
            f"{penalty!r}: no rows with targets are held out to choose it; give strength a number"
        )


def _constraints(
    estimator: CombinationParameters,
) -> list[tuple[Constraint, LinearRows]]:
    """The constraints on the weights, with their rows for the kernels that are combined."""
    constraints = estimator._options.constraints
    if not constraints:
        return []
    return check_constraints(constraints, [kernel_name(kernel) for kernel in estimator.kernels_])


def checked_total(estimator: CombinationParameters) -> float | None:
    """The total of the constraint, or None for the default."""
    total = estimator._options.total
    return None if total is None else float(total)


def chooses_C(estimator: CombinationParameters) -> bool:
    """Whether C is to be chosen, which is refused if the quality has no C."""
    if not isinstance(estimator.C, str) or estimator.C != "auto":
        return False
    quality = estimator.quality
    uses = QUALITIES[quality].uses if quality in QUALITIES else ("C",)
    if "C" not in uses:
        raise ValueError(
            f"expected a quality that has a C with C='auto', got {quality!r}; leave C out"
        )
    return True


def equal_share_of(estimator: CombinationParameters) -> float | None:
    """The share of the total that all sources have equally; None if it is to be chosen."""
    share = check_equal_share(estimator._options.equal_share)
    machine = estimator.quality in QUALITIES and not learns_C(estimator.quality, estimator.C)
    can = machine and estimator._weight_signs == "positive" and not is_family(estimator.kernels)
    holds_out = estimator._hold_out_rule() is not None
    if share is None:
        open_ = can and holds_out and estimator.kernels is None and estimator._n_views() > 1
        return None if open_ else 0.0
    if share and not can:
        raise ValueError(
            f"expected equal_share=None, got {share!r}: a share for all sources goes with a "
            "list of kernels, weights='positive' and a machine at a given C or C='auto'; leave "
            "it out"
        )
    if isinstance(share, str) and not holds_out:
        raise ValueError(
            f"expected equal_share to be a number from 0 to 1 for {type(estimator).__name__}, got "
            f"{share!r}, which needs held-out rows with targets; try equal_share=0.5"
        )
    return None if isinstance(share, str) else share


def store_share(estimator: CombinationParameters, share: float) -> None:
    """Store the share if the estimator has the option."""
    if "equal_share" in vars(estimator._options):
        estimator.equal_share_ = share


def warm_start(estimator: CombinationParameters, n_kernels: int) -> Array | None:
    """The weights of the last fit, if they are to be used and of as many kernels."""
    if not estimator._options.warm_start:
        return None
    weights: Array | None = vars(estimator).get("weights_")
    return weights if weights is not None and len(weights) == n_kernels else None


def check_certify(certify: str | None, free_sign: bool) -> bool:
    """Whether a bound on the exact problem is requested."""
    if certify is None:
        return False
    if free_sign:
        raise ValueError(
            "expected weights='positive' with certify='exact', got weights='free', for which only "
            "the bound through landmarks is known; use certify=None"
        )
    return True


def all_finite(coef: Array) -> None:
    """Refuse coefficients that are no numbers."""
    if not np.isfinite(coef).all():
        raise ValueError(
            "expected kernels of sizes that a machine can be trained on, got some on which its "
            "coefficients are no numbers; rescale the columns first, for example with "
            "sklearn.preprocessing.StandardScaler"
        )
