"""A kernel, and with it a metric and an embedding, learned from pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics import roc_auc_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_count
from kernlearn._cluster import refuse_collection
from kernlearn.estimators.hyperkernel.pair_learner import PairLearner
from kernlearn.estimators.hyperkernel.pairs import merge_pairs, pairs_of_classes
from kernlearn.estimators.inputs.labels import labels_of_classes
from kernlearn.estimators.inputs.notebook_display import NotebookDisplay
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.inputs.row_kinds import judged_by_kernels, target_of, unchanged_rows
from kernlearn.estimators.inputs.validation import validate_table
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.hyperkernels._validation import check_pairs
from kernlearn.runtime.stopping import Progress
from kernlearn.typing import Array, Indices, RandomState, Rows


@dataclass(frozen=True)
class ScoringOptions:
    """Sizes of the sample of pairs that a score is computed on."""

    # Most pairs of a score: its standard error is about a quarter of a percent.
    pairs: int = 100_000
    # Pairs whose points are copied together.
    block: int = 4096


def _width(points: Array) -> int:
    """Features of each point; a thing counts as one."""
    return int(points.shape[1]) if points.ndim == 2 else 1


def _is_conic(model: PairLearner) -> bool:
    if model.combination != "conic":
        raise AttributeError(
            f"a {model.combination} combination of sections need not be a kernel, so it has no "
            "distance and no embedding; use combination='conic', or pair_score"
        )
    return True


class HyperkernelMetric(
    PairLearner,
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]  # scikit-learn has no types
    TransformerMixin,  # type: ignore[misc]
    NotebookDisplay,
):
    r"""Learn from labels, or from pairs, which points belong together.

    .. math::

        \min_{\alpha, b, \xi}\ \tfrac12 \alpha^\top \underline K \alpha + C \sum_p \xi_p
        \quad\text{s.t.}\quad t_p ((\underline K\alpha)_p + b) \ge 1 - \xi_p,\quad \xi \ge 0,
        \quad \alpha \ge 0

    over pairs p with :math:`t_p = 1` if their points belong together and −1 if not (Kondor and
    Jebara 2007, section 5). The learned kernel :math:`k = \sum_p \alpha_p \underline k(p, \cdot)`
    is a similarity, :math:`d(x, z)^2 = k(x, x) - 2k(x, z) + k(z, z)` a distance, and its kernel
    principal components a picture of the data.

    Parameters
    ----------
    hyperkernel : Hyperkernel, optional
        By default a :class:`~kernlearn.hyperkernels.GaussianHyperkernel` whose σ is half the median
        distance between two rows of X, with σ_h = 3σ. One that is built from kernels of strings,
        graphs or sets takes rows of these, and pairs of them.
    combination : {"conic", "linear"}, default="conic"
        Whether α ≥ 0. A conic result is a kernel. A linear one scores pairs, but need not be
        positive semidefinite: it has no `kernel_`, no distance and no embedding.
    C : float, default=10.0
        The weight of the loss of each distinct pair: a box on coefficients of pairs, where the
        other estimators have one on those of rows.
    n_pairs : int, optional
        Size of a sample of pairs to learn from, half of them from points of one class. By
        default all m(m + 1)/2 pairs of m points. For `fit` alone.
    n_components : int, default=2
        Columns of the embedding.
    pivot_tol : float, default=1e-6
        Up to 400 pairs are learned from with the whole matrix of the hyperkernel. More have a
        factor G of it in its place, :math:`\underline K \approx GG^\top`, which leaves out this
        part of its trace, or more where `max_pivots` ends it.
    max_pivots : int, optional, default=150
        Limit on the rank of that factor; time grows with its square.
    tol : float, default=1e-6
        Relative duality gap to reach.
    max_iter : int, default=200
        Limit on working-set rounds and Newton steps together.
    random_state : int, RandomState or None, default=0
        Chooses the sample of pairs, and the rows that bandwidths and the embedding are taken from
        if there are thousands.
    verbose : int, default=0
        Print the certificate after every step.
    callback : callable, optional
        Called with a :class:`kernlearn.results.Progress` after every step; the fit ends when it
        returns True.
    time_limit : float, optional
        Seconds after which the fit ends, checked after every step. After such an end, and after
        one by the callback or by Ctrl-C, what was learned so far is kept: ``duality_gap_``
        bounds the distance from the optimum, and ``status_`` gives the reason.

    Attributes
    ----------
    kernel_ : Kernel
        The learned kernel k, without b; call it on any points. Conic only.
    pairs_ : ndarray of shape (n_active, 2, n_features)
        The pairs with a coefficient: at most as many as the factor has columns, and none if no
        function of the sections is better than a constant.
    coef_ : ndarray of shape (n_active,)
        Their coefficients α.
    intercept_ : float
        b.
    hyperkernel_ : Hyperkernel
        The hyperkernel, with its bandwidths.
    classes_ : ndarray of shape (n_classes,)
        The classes, after `fit`.
    n_pairs_ : int
        Number of distinct pairs that were learned from.
    objective_, lower_bound_, duality_gap_ : float
        The minimum found, a lower bound for all other coefficients, and
        ``(objective_ - lower_bound_) / objective_``, rounding carried; each distinct pair counts
        once. All three are of the program above, with :math:`GG^\top` for the matrix where there
        is a factor, and with no coefficient for a pair of which the factor keeps nothing that is
        positive in the mean.
    whole_lower_bound_ : float
        A lower bound for all coefficients in the program with the whole matrix. It equals
        ``lower_bound_`` up to 400 pairs. Above, it carries what the factor leaves out, and is the
        closer the smaller `pivot_tol`; zero if nothing better is known.
    pivot_residual_ : float
        The part of the trace that the factor leaves out.
    status_ : Status
        How the fit ended.
    n_iter_ : int
        Working-set rounds and Newton steps.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import HyperkernelMetric
    >>> X, y = load_iris(return_X_y=True)
    >>> model = HyperkernelMetric(n_pairs=1000, random_state=0).fit(X, y)
    >>> model.predict_pairs([[X[0], X[1]], [X[0], X[100]]])
    array([ 1, -1])
    >>> model.transform(X).shape, bool(model.duality_gap_ <= 1e-6)
    ((150, 2), True)
    """

    _scoring = ScoringOptions()

    def __init__(
        self,
        hyperkernel: Hyperkernel | None = None,
        combination: str = "conic",
        C: float = 10.0,
        n_pairs: int | None = None,
        n_components: int = 2,
        *,
        pivot_tol: float = 1e-6,
        max_pivots: int | None = 150,
        tol: float = 1e-6,
        max_iter: int = 200,
        random_state: RandomState = 0,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.hyperkernel = hyperkernel
        self.combination = combination
        self.C = C
        self.n_pairs = n_pairs
        self.n_components = n_components
        self.pivot_tol = pivot_tol
        self.max_pivots = max_pivots
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit

    def fit(self, X: ArrayLike, y: ArrayLike | None) -> Self:
        """Learn from class labels: points of one class belong together.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The points.
        y : array-like of shape (n_samples,)
            Their classes, two or more.
        """
        with rollback_on_error(self):
            points, labels = self._rows_and_labels(X, y, reset=True)
            labels = labels_of_classes(labels)
            classes, codes = np.unique(labels, return_inverse=True)
            if len(classes) < 2:
                raise ValueError(
                    f"expected at least two classes in y, got one class ({classes.tolist()[0]!r}); "
                    "with pairs instead of classes, use fit_pairs"
                )
            if self.n_pairs is not None and check_count("n_pairs", self.n_pairs) < 2:
                raise ValueError(
                    "expected n_pairs of at least two, one of each label, got 1; raise it"
                )
            self.classes_ = classes
            total = len(points) * (len(points) + 1) // 2
            n_pairs = total if self.n_pairs is None else min(self.n_pairs, total)
            self._require_memory(n_pairs, _width(points))
            return self._learn(points, *pairs_of_classes(codes, self.n_pairs, self._seed))

    def fit_pairs(self, X: ArrayLike | None, pairs: ArrayLike, same: ArrayLike) -> Self:
        """Learn from stated pairs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or None
            The points that the pairs refer to.
        pairs : array-like of shape (n_pairs, 2), or (n_pairs, 2, n_features) with X=None
            Row numbers of X; or the points themselves, as in metric-learn. The order of the two
            is of no importance, and a repeated pair counts once.
        same : array-like of shape (n_pairs,)
            True (or 1) for points that belong together, False (or −1, or 0) for others.
        """
        with rollback_on_error(self):
            if X is None:
                values = check_pairs(pairs, "pairs")
                X, rows = np.unique(
                    values.reshape(-1, values.shape[2]), axis=0, return_inverse=True
                )
                pairs = rows.reshape(-1, 2)
            points = self._rows(X, reset=True)
            self.__dict__.pop("classes_", None)  # of an earlier fit
            return self._learn(points, *merge_pairs(pairs, same, len(points)))

    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None, **fit_params: Any) -> Array:
        """Fit, and return the embedding of the training points."""
        return np.asarray(self.fit(X, y, **fit_params).transform(X))

    def pair_score(self, pairs: ArrayLike) -> Array:
        """Return k(x, z) + b: above zero for points that belong together.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            New pairs, any number of them: memory stays bounded.
        """
        points = self._checked_pairs(pairs)
        return self._values(points[:, 0], points[:, 1]) + self.intercept_

    def predict_pairs(self, pairs: ArrayLike) -> Indices:
        """Return 1 for pairs that belong together (k + b > 0), and −1 for others."""
        return np.where(self.pair_score(pairs) > 0, 1, -1)

    def score(self, X: ArrayLike, y: ArrayLike | None) -> float:
        r"""Return the probability that a pair of one class scores above a pair of two classes.

        That is the area under the ROC curve of `pair_score` over pairs of different rows, one half
        for random scores. So ``GridSearchCV`` chooses σ and σ_h by held-out rows, as
        ``hyperkernel__sigma`` and ``hyperkernel__sigma_h``, and C (Kondor and Jebara 2007,
        section 5). The classes may be others than those of the fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that the metric was not learned from. With more than 446 rows, a sample of 100,000
            pairs is scored, half of them of one class.
        y : array-like of shape (n_samples,)
            Their classes: at least two, and one of them with two rows.

        Returns
        -------
        float
            Between 0 and 1.
        """
        check_is_fitted(self)
        points, labels = self._rows_and_labels(X, y, reset=False)
        codes, options = np.unique(labels, return_inverse=True)[1], self._scoring
        pairs, same = pairs_of_classes(codes, options.pairs, self._seed)
        kept = pairs[:, 0] != pairs[:, 1]
        pairs, same = pairs[kept], same[kept]
        if not 0 < (same > 0).sum() < len(same):
            raise ValueError(
                "expected rows of two classes or more, and two rows of one class, got "
                f"{codes.max() + 1} in {len(codes)} rows of y; score more rows"
            )
        blocks = np.array_split(pairs, -(-len(pairs) // options.block))
        values = [self._values(*points[block.T]) for block in blocks]
        return float(roc_auc_score(same > 0, np.concatenate(values)))

    @available_if(_is_conic)  # type: ignore[untyped-decorator]
    def pair_distance(self, pairs: ArrayLike, other: ArrayLike | None = None) -> Any:
        r"""Return :math:`\sqrt{k(x, x) - 2k(x, z) + k(z, z)}`, the distance in the learned kernel.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            Pairs of points; or the point x, if the other one is given.
        other : array-like of shape (n_features,), optional
            The point z. So ``KNeighborsClassifier(metric=model.pair_distance)`` works, though
            neighbours in ``model.transform`` or in a precomputed matrix are found faster.
        """
        if other is not None:
            return float(self.pair_distance(np.stack([pairs, other])[None])[0])
        points = self._checked_pairs(pairs)
        x, z = points[:, 0], points[:, 1]
        squared = self._values(x, x) - 2.0 * self._values(x, z) + self._values(z, z)
        same = (x == z).all(axis=1) if x.ndim == 2 else np.array([a is b for a, b in points])
        squared[same] = 0.0
        return np.sqrt(np.maximum(squared, 0.0))

    def transform(self, X: ArrayLike) -> Array:
        """Return the kernel principal components of points in the learned kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Any points; the components are those of the training points.
        """
        check_is_fitted(self)
        points = self._rows(X, reset=False)
        return self._embedding.transform(points)

    def _rows(self, X: Rows, reset: bool) -> Array:
        """The points: numbers, or things that the kernels of the hyperkernel take."""
        refuse_collection(X, "X")
        if not hasattr(X, "iloc") and judged_by_kernels(self.hyperkernel, X):
            return np.asarray(unchanged_rows(self, X, reset))
        return np.asarray(validate_table(self, X, dtype=np.float64, reset=reset))

    def _rows_and_labels(self, X: Rows, y: ArrayLike | None, reset: bool) -> tuple[Array, Any]:
        refuse_collection(X, "X")
        if not hasattr(X, "iloc") and judged_by_kernels(self.hyperkernel, X):
            rows = self._rows(X, reset)
            return rows, target_of(self, rows, y)
        fewest = {"ensure_min_samples": 2} if reset else {}
        table, labels = validate_table(self, X, y, dtype=np.float64, reset=reset, **fewest)
        return table, labels

    def __sklearn_tags__(self) -> Any:
        """Labels are required, and only a conic combination is a transformer."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if self.combination != "conic":
            tags.transformer_tags = None
        return tags

    @property
    def _n_features_out(self) -> int:
        return self._embedding.n_components


# Outside of the class, since scikit-learn wraps both for set_output when the class is made, and
# would hide the condition.
for _name in ("transform", "fit_transform"):
    setattr(HyperkernelMetric, _name, available_if(_is_conic)(getattr(HyperkernelMetric, _name)))
