"""Ranking with a learned combination of kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_count
from kernlearn._device import HOST
from kernlearn.estimators.held_out.groups import group_codes
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.mkl.combination import (
    KernelCombination,
    check_solved,
    forget_fit,
    store_certificate,
    warn_unless_finished,
)
from kernlearn.estimators.mkl.held_out_loss import class_losses, held_out_together, hold_out_rule
from kernlearn.estimators.mkl.options import MKLOptions
from kernlearn.estimators.mkl.parameters import (
    EngineOptions,
    Labelled,
    check_parameters,
    state,
)
from kernlearn.estimators.mkl.table_inputs import TableInputs
from kernlearn.estimators.ranking.preferences import (
    Preferences,
    checked_grades,
    checked_pairs,
    normalized_gain,
    pair_accuracy,
    pairs_of_grades,
)
from kernlearn.families.kernel_pool import is_family
from kernlearn.families.matrices import GramStack
from kernlearn.kernels import Columns, Kernel, Linear, Normalized, Polynomial, Stretched
from kernlearn.runtime.memory import matrices, require
from kernlearn.runtime.phrases import counted
from kernlearn.solvers.engine.backend import learn
from kernlearn.solvers.engine.exact import ExactBackend
from kernlearn.solvers.engine.statement import ChoiceOptions, HoldOut
from kernlearn.typing import Array, FoldsLike, Indices, RandomState, Rows

# The gain of a larger one is no number, or swamps all others.
_LARGEST_GRADE = 1000.0


class MKLRanker(KernelCombination):
    r"""Learns to rank from pairs of rows, and how to combine several kernels for that.

    The function f is to be larger by one at the first row of every pair (a, c) than at its second.
    With differences :math:`f(a) - f(c)`, the hinge loss and weights w of the kernels, that is

    .. math:: \min_{w \ge 0,\ w^\top r = c} \; \min_f \; \tfrac12 \|f\|_{K(w)}^2
              + C \sum_p \max\bigl(0,\ 1 - f(a_p) + f(c_p)\bigr) ,

    a ranking SVM whose kernel is learned: ``learn_weights(grams, quality="ranking")`` on the
    matrices of :math:`k(a, a') - k(a, c') - k(c, a') + k(c, c')`. It is convex, and a duality gap
    bounds what other weights could gain.

    Parameters
    ----------
    kernels : list of Kernel, optional
        The kernels to combine: by default a linear, a quadratic and four Gaussian kernels whose
        bandwidths suit the share of pairs that each row wins. If X holds several sources, every
        kernel is on each of them.
    C : float or "auto", default="auto"
        Multiplies the loss. "auto" searches five values for the smallest loss on held-out pairs;
        pairs of one group are held out together, unless there are fewer groups than folds.
    n_pairs : int or None, default=1000
        Most pairs to learn from, drawn at random where the grades of `fit` have more. None for all:
        time and memory grow with their cube and their square.
    cv : int, splitter or iterable of pairs of numbers, default=5
        Folds of the pairs by which C is chosen.
    random_state : int, RandomState or None, default=0
        Seed of the pairs that are drawn, of folds, and of the sample for the default kernels.
    options : MKLOptions, optional
        Constraints on the weights, a penalty and the like: see :class:`kernlearn.MKLOptions`.

    Attributes
    ----------
    weights_ : ndarray of shape (m,)
        Learned weights.
    kernels_ : list of Kernel
        The kernels that were combined.
    pairs_ : ndarray of shape (n_pairs, 2)
        The pairs that were learned from, by numbers of rows, the better row first.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients of the rows; they sum to zero.
    intercept_ : ndarray of shape (1,)
        Zero: only differences of scores have a meaning.
    C_ : float
        The C used.
    loss_by_C_ : ndarray of shape (n_tried, 2)
        With ``C="auto"``, every C that was tried and its loss on held-out pairs.
    views_ : dict
        If X held several sources, the name of each and its place among all columns.
    bank_notes_ : list of str
        How default kernels were chosen: their bandwidths, and the kernels that were left out.
    equal_share_ : float
        The option ``equal_share``.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.kernels import Gaussian, Linear
    >>> from kernlearn.ranking import MKLRanker
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> y = np.round(np.sin(X[:, 0]) + X[:, 1])
    >>> model = MKLRanker([Linear(), Gaussian(0.5)], C=1.0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9), bool(model.duality_gap_ <= 1e-6)
    (True, True)
    """

    quality = "ranking"
    weights = "positive"
    # Each row is in many pairs, so that C is smaller than that of a machine of rows.
    _engine = EngineOptions(choices=ChoiceOptions(factors_of_C=(0.002, 0.02, 0.1, 0.5, 2.5)))

    def __init__(
        self,
        kernels: object = None,
        C: float | str = "auto",
        *,
        n_pairs: int | None = 1000,
        normalize: bool = False,
        cv: FoldsLike = 5,
        tol: float = 1e-6,
        random_state: RandomState = 0,
        verbose: int = 0,
        time_limit: float | None = None,
        options: MKLOptions | None = None,
    ) -> None:
        self.kernels = kernels
        self.C = C
        self.n_pairs = n_pairs
        self.normalize = normalize
        self.cv = cv
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.options = options

    def fit(self, X: Rows, y: Rows, *, groups: Rows = None) -> Self:
        """Learn from grades: rows of higher grades come before others of their group.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features), or dict or Sources
            Rows; several sources have kernels of their own.
        y : array-like of shape (n,)
            Grades, larger ones first: relevance, marks, prices.
        groups : array-like of shape (n,), optional
            The query, race or customer of each row: only rows of one group are compared. By default
            all rows are one group.

        Returns
        -------
        self : MKLRanker
            Fitted.
        """
        with rollback_on_error(self):
            rows, grades = TableInputs(self).checked_with_target(X, y, y_numeric=True)
            grades = grades.astype(float)
            codes = _group_codes(groups, grades)
            if self.n_pairs is not None:
                check_count("n_pairs", self.n_pairs, usual=1000)
            random_state = check_random_state(self._seed)
            pairs, of_pairs = pairs_of_grades(grades, codes, self.n_pairs, random_state)
            if not len(pairs):
                raise ValueError(_nothing_to_learn(grades, codes))
            return self._learn_pairs(rows, pairs, of_pairs)

    def fit_pairs(self, X: Rows, pairs: ArrayLike) -> Self:
        """Learn from stated pairs.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features), or dict or Sources
            The rows that the pairs refer to.
        pairs : array-like of int, of shape (n_pairs, 2)
            Row numbers, the better row first. Pairs may repeat and contradict each other.

        Returns
        -------
        self : MKLRanker
            Fitted.
        """
        with rollback_on_error(self):
            rows = TableInputs(self).checked(X, reset=True)
            return self._learn_pairs(rows, checked_pairs(pairs, rows.shape[0]), None)

    def predict(self, X: Rows) -> Array:
        """Scores: the row with the largest one comes first.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n,)
            Values of f, up to a constant.
        """
        return np.asarray(self._decision(X)[:, 0])

    def score(self, X: Rows, y: Rows, *, groups: Rows = None) -> float:
        """The share of pairs that are ordered rightly; with groups, the mean NDCG of the groups.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows that the ranking was not learned from.
        y : array-like of shape (n,)
            Their grades. NDCG has the gains 2^grade − 1, so that grades are not negative.
        groups : array-like of shape (n,), optional
            The group of each row. Groups of equal grades do not count.

        Returns
        -------
        float
            Between 0 and 1.
        """
        check_is_fitted(self)
        scores = self.predict(X)
        grades = checked_grades(y, len(scores))
        codes = _group_codes(groups, grades)
        if codes is None:
            pairs, _ = pairs_of_grades(grades, None, None, check_random_state(0))
            if not len(pairs):
                raise ValueError(_nothing_to_learn(grades, codes))
            return pair_accuracy(scores, pairs)
        if grades.min() < 0:
            raise ValueError(
                f"expected grades of zero or more for NDCG, got {grades.min():g}; shift them, or "
                "leave groups out for the share of pairs"
            )
        if grades.max() > _LARGEST_GRADE:
            raise ValueError(
                f"expected grades of at most {_LARGEST_GRADE:g} for NDCG, whose gains are 2^grade "
                f"− 1, got {grades.max():g}; leave groups out for the share of pairs"
            )
        each = [
            normalized_gain(scores[codes == code], grades[codes == code])
            for code in np.unique(codes)
        ]
        known = [gain for gain in each if gain is not None]
        if not known:
            raise ValueError(_nothing_to_learn(grades, codes))
        return float(np.mean(known))

    def _learn_pairs(self, X: Rows, pairs: Indices, groups: Indices | None) -> Self:
        """State the problem of the differences, let the engine learn, and store."""
        if is_family(self.kernels):
            raise ValueError(
                "expected MKLRanker with a list of kernels, got a family of kernels made on "
                "demand; pass list(kernels)"
            )
        control = check_parameters(self, [self.quality])
        forget_fit(self)
        self.device_, self.pairs_ = HOST, pairs
        known = Preferences.of(pairs, groups)
        n_pairs = len(pairs)
        rows = _safe_indexing(X, known.rows)
        ones = np.ones(n_pairs)
        of_rows = Labelled(rows, [known.wins], np.ones(len(known.rows)))
        grams = self._candidates(rows, of_rows).family
        assert isinstance(grams, GramStack)
        require(matrices(3 * grams.n_matrices, n_pairs), counted(n_pairs, "pair"), "lower n_pairs")
        family = GramStack(known.differences(grams.grams), n_pairs)
        if groups is not None and isinstance(self.cv, int) and len(np.unique(groups)) < self.cv:
            groups = None  # too few to hold any out
        held_out = held_out_together(self, [ones], np.arange(n_pairs), n_pairs, groups)
        data = replace(of_rows, targets=[ones], weight=ones)
        data = replace(data, fold=held_out[0], groups=held_out[1])
        statement = state(self, data, family.n_matrices, self._options.total)
        engine_fit = learn(ExactBackend(statement, family), control)
        check_solved(self, engine_fit, self.quality)
        self.kernel_ = self._combined(engine_fit.solution.weights)
        store_certificate(self, engine_fit)
        coef = known.of_rows(np.asarray(engine_fit.solution.dual_coef).reshape(-1))
        used = np.flatnonzero(coef)
        used = used if len(used) else np.arange(1)
        self.dual_coef_, self.intercept_ = coef[None, used], np.zeros(1)
        self.support_, self.rank_ = known.rows[used], None
        self.support_vectors_ = _safe_indexing(rows, used)
        warn_unless_finished(self, engine_fit.solution, control)
        return self

    def _prepared_kernels(self, X: Rows, labelled: Labelled) -> list[Kernel]:
        """Kernels without unit diagonals in the default bank: lengths of rows are informative."""
        found = super()._prepared_kernels(X, labelled)
        return found if self.kernels is not None else [_with_lengths(one) for one in found]

    def _hold_out_rule(self) -> HoldOut:
        return hold_out_rule(self._seed, class_losses, stratify=False, machines=False)

    def __sklearn_tags__(self) -> Any:
        """Tags: grades are required."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _with_lengths(kernel: Kernel) -> Kernel:
    """A kernel of the bank, linear and polynomial ones without a unit diagonal."""
    if isinstance(kernel, Columns):
        return Columns(kernel.columns, _with_lengths(kernel.kernel), kernel.name)
    if isinstance(kernel, Stretched):
        return Stretched(_with_lengths(kernel.kernel), kernel.scales)
    if isinstance(kernel, Normalized) and isinstance(kernel.kernel, Linear | Polynomial):
        return kernel.kernel
    return kernel


def _group_codes(groups: Rows, grades: Array) -> Indices | None:
    """Numbers of the groups; None without any."""
    return None if groups is None else group_codes(groups, len(grades))


def _nothing_to_learn(grades: Array, groups: Indices | None) -> str:
    """The reason why no pair has two grades."""
    if groups is not None and np.bincount(groups).max() == 1:
        return (
            f"expected groups of two rows or more, got {counted(len(grades), 'group')} of one row "
            "each; leave groups out to compare all rows"
        )
    where = "in y" if groups is None else "in some group"
    n_samples = f" (n_samples = {len(grades)})"
    return f"expected two different grades {where}, got equal ones{n_samples}; add rows of others"
