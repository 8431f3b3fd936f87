"""The classifier to start with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from kernlearn.estimators.held_out.calibration import (
    probabilities,
    shrunk_calibration,
    shrunk_to_shares,
)
from kernlearn.estimators.held_out.chance import chance_of_labels, report_chance
from kernlearn.estimators.held_out.one_against_rest import OneAgainstRest
from kernlearn.estimators.held_out.scoring import HeldOutLabels, Scoring, held_out_score
from kernlearn.estimators.inputs.labels import class_weights
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.mixture.input_checks import TrainingInput, checked_with_target
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.targets.grades import Ordinal, ordered_classes
from kernlearn.estimators.mixture.targets.several_labels import (
    chance_of_several,
    label_calibrations,
    label_probabilities,
)
from kernlearn.quality.grades import middle_grades
from kernlearn.quality.label_loss import LabelLoss
from kernlearn.quality.predictive import LogLoss
from kernlearn.runtime.stopping import Progress
from kernlearn.typing import Array, FoldsLike, Indices, RandomState, Rows, Targets


class KernelClassifier(OneAgainstRest, ClassifierMixin, KernelMixture):  # type: ignore[misc]
    r"""Classifier that learns its kernel by held-out loss.

    The estimator to start with. The candidates are least-squares machines with kernels of many
    families: linear, polynomial, Gaussian, Matérn, Laplacian, sums over columns and pairs of
    columns, and tree-path kernels. They have many bandwidths, read raw or rank-transformed columns,
    and have one scale for all columns or a learned scale for each. A candidate is judged by its
    held-out predictions :math:`f^{(-i)}(x_i)`, in closed form if there is one, else by folds. The
    model is a mixture of a few,

    .. math:: f(x) = \sum_j w_j a_j f_j(x), \qquad w \ge 0,\ 1^\top w = 1,

    whose weights fall with the McNemar evidence that a candidate makes more held-out errors than
    the best one. The factor :math:`a_j` turns the values of a machine into log-odds. With more than
    two classes :math:`f_j` are linear discriminants of the one-against-rest machines.
    Nothing has to be scaled, encoded or tuned first: numbers are standardised, missing cells
    filled, categories one-hot encoded, and free text in a data frame becomes the TF-IDF of its
    words. With several sources, every source alone and combinations of all are candidates.

    Parameters
    ----------
    candidates : "auto" or list of str and Kernel, default="auto"
        The candidates to try: all, or some by name ("linear", "sparse linear", "polynomial",
        "Gaussian", "Matérn", "exponential", "Laplacian", "additive", "interactions", "combination",
        "hyperkernel", "trees", "linear SVM", "Gaussian SVM", and "ARD" for scales of columns; for
        several sources "combined sources", "equal sources" and the same with " SVM"), and kernels
        of your own, which read the standardised columns.
    max_members : int, default=8
        The largest number of candidates with weight; one that would have less than a hundredth of
        the largest has none. With one member, the mixture is one kernel machine. The default of
        :class:`kernlearn.KernelRegressor` is 5, because its weights minimise a squared error.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, in training and in judging. "balanced" gives every class the same
        weight in all.
    ordinal : "auto", bool or sequence of labels, default="auto"
        Whether the classes are ordered grades. "auto" takes those of an ordered categorical of
        pandas for grades, in its order. True orders grades that are numbers. A sequence names the
        grades from the lowest to the highest. With three grades or more, the best candidates are
        also tried with increasing thresholds on one function, and the median of the predicted
        distribution is returned.
    scoring : str, callable or None, default=None
        Metric of ``held_out_score_``: a name such as "roc_auc", or a scorer of scikit-learn's.
        None: accuracy. Candidates are judged by errors and log loss in any case.

    Attributes
    ----------
    candidates_ : dict of ndarray
        Candidates that were tried, best first, in the columns "candidate", "held_out_loss" (log
        loss), "standard_error", "seconds" and "weight" (in the mixture), for
        ``pandas.DataFrame``.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted: the columns of ``predict_proba``.
    grades_ : ndarray of shape (n_classes,) or None
        The labels from the lowest grade to the highest; None for classes without an order.
    held_out_score_ : float
        Accuracy, or the metric of ``scoring``, on rows held out, in which every row counts once:
        each fold is predicted by machines that were trained, and mixed, without it. Up to 200 rows,
        bandwidths and ridges are chosen without it, too. With more rows the score is slightly
        optimistic, since they were chosen with all of them.
    calibration_ : ndarray of shape (2,) or (n_labels, 2)
        Slope and offset from decision values to log-odds. The slope is shrunk by what chance would
        gain, so that without evidence probabilities are the shares of the classes. Up to 60 rows,
        no probability is beyond those of the rule of succession, 1 / (n + 2).
    compression_ : dict or None
        After a compression: the number of its rows (``n_points``), the growth of the held-out loss
        (``loss``) with its standard error (``error``), and the expected growth of the share of
        wrong labels (``wrong``), all in standard errors of what grows. None for a mixture.

    See Also
    --------
    kernlearn.KernelRegressor : The same for numbers.
    kernlearn.FirstLevelClassifier : One machine with a scale for every column.
    kernlearn.MKLClassifier : Combinations of given kernels, with a certificate.

    Notes
    -----
    Up to 250 rows every family is searched on all of them. Beyond, on a sample, and only the best
    on up to 1500 rows, by which the mixture is judged; its members are then trained on all rows.
    Above 6000 rows, trees are grown by gradient boosting, with categories as the mean
    targets of their levels out of fold. If no kernel beats the trees on held-out rows, the trees
    are the model. Else the three best candidates are judged once more on up to 10,000 rows, beside
    narrower kernels and a combination that sees pairs of columns, and trained through landmarks.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from kernlearn import KernelClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = KernelClassifier(["linear", "Gaussian"]).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.95), model.predict_proba(X[:2]).shape
    (True, (2, 3))
    """

    grades_: Targets | None = None
    _has_labels = False  # whether a row may have several labels

    def __init__(
        self,
        candidates: object = "auto",
        *,
        effort: object = "default",
        standardize: bool = True,
        columns: Mapping[str | int, str] | None = None,
        max_members: int = 8,
        compress: bool = False,
        class_weight: object = None,
        ordinal: Ordinal = "auto",
        cv: FoldsLike = 5,
        scoring: Scoring = None,
        device: str | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.candidates = candidates
        self.effort = effort
        self.standardize = standardize
        self.columns = columns
        self.max_members = max_members
        self.compress = compress
        self.class_weight = class_weight
        self.ordinal = ordinal
        self.cv = cv
        self.scoring = scoring
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit

    def fit(
        self, X: Rows, y: Rows, *, sample_weight: Rows = None, groups: Rows = None
    ) -> KernelClassifier:
        """Try the candidates, mix the best, and train them on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, Dask collection, dict or Sources
            Training rows: numbers, NaN where missing; columns of a data frame may hold categories,
            dates or free text. The columns of a sparse matrix are scaled, not centred. More than
            50,000 rows of a memory map, and those of a Dask array or data frame, are read in
            blocks. A dict or :class:`kernlearn.Sources` has several sources of the same rows:
            tables, sparse matrices, lists of texts, sequences or graphs, square kernel matrices. A
            list of texts or of graphs is taken, too.
        y : array-like of shape (n,) or (n, n_labels)
            Labels of any type, two classes or more; or zeros and ones in several columns, if a row
            may have any of several labels.
        sample_weight : array-like of shape (n,), optional
            How much each row counts, beside ``class_weight``: by default one for all. Only ratios
            matter; a row of weight zero is left out.
        groups : array-like of shape (n,), optional
            Labels of the rows that belong together, patients for example: rows of one group are
            held out together, wherever rows are held out. A new group is then predicted as well as
            ``held_out_score_`` says.

        Returns
        -------
        self : KernelClassifier
            Fitted.
        """
        with rollback_on_error(self):
            exact = self._options.exact_rows
            inputs = checked_with_target(self, X, y, sample_weight, groups, False, exact)
            labels = inputs.target
            self._has_labels = labels.ndim == 2
            if self._has_labels:
                self._learn_labels(inputs)
                return self
            self._find_classes(labels)
            self.grades_ = ordered_classes(self, self.ordinal, y, self.classes_)
            weight = inputs.weight * class_weights(self.class_weight, labels)
            loss = LogLoss(self._signs(labels), weight, self._order)
            usual, _ = self._learn(inputs, loss, stratify=True)
            self._store_held_out(usual)
            return self

    def _learn_labels(self, inputs: TrainingInput) -> None:
        """Machines of all labels, which share kernels and weights."""
        signs = 2.0 * inputs.target - 1.0
        self.classes_, self.grades_ = np.arange(signs.shape[1]), None
        self._store_held_out(self._learn(inputs, LabelLoss(signs, inputs.weight), False)[0])

    def _store_held_out(self, usual: Array) -> None:
        """Set calibration and held-out score, and warn if accuracy is that of guessing.

        The `usual` values of held-out rows, by candidates that were searched with these rows, have
        the scale of the model.
        """
        self._calibrate(usual)
        values, signs, weight = self._members.held_out, self._members.Y, self._members.weight
        groups = self._members.groups
        # The rule of succession: what n rows agree on has the probability (n + 1) / (n + 2).
        is_small = len(values) <= self._options.nested_rows
        self._most_certain = float(np.log(len(values) + 1.0)) if is_small else np.inf
        held_out, truth = self._predictions(values), self._truth(signs)
        right = held_out.labels == truth
        self.held_out_score_ = float(np.mean(right.all(axis=1) if self._has_labels else right))
        if self.scoring is not None:
            self.held_out_score_ = held_out_score(self.scoring, held_out, truth)
        chance = chance_of_several if self._has_labels else chance_of_labels
        found = chance(values, signs, weight, groups)
        report_chance(self, found, stacklevel=3)

    def _calibrate(self, usual: Array) -> None:
        """Find the calibration; values without evidence are moved towards the shares of classes."""
        members = self._members
        calibration_inputs = usual, members.Y, members.weight, members.groups, members.held_out
        if self._has_labels:
            self.calibration_ = label_calibrations(*calibration_inputs)
            return
        calibration, constants = shrunk_to_shares(*calibration_inputs)
        shifted = members.shifted(constants)
        if shifted is None:
            self.calibration_ = shrunk_calibration(*calibration_inputs)
        else:
            self.calibration_, self._members = calibration, shifted

    def _predictions(self, values: Array) -> HeldOutLabels:
        """Labels and probabilities of values of the mixture."""
        chances = self._probabilities(values)
        return HeldOutLabels(self.classes_, self._labels(values), values, chances)

    def _truth(self, Y: Array) -> Targets:
        """Labels of the signs that the machines learn."""
        return (Y > 0).astype(int) if self._has_labels else super()._labels(Y)

    def _probabilities(self, values: Array) -> Array:
        if self._has_labels:
            return label_probabilities(values, self.calibration_, self._most_certain)
        return super()._probabilities(values)

    @property
    def _order(self) -> Indices | None:
        """The columns of three grades or more, from the lowest; None for classes."""
        if self.grades_ is None or len(self.grades_) == 2:
            return None
        return np.searchsorted(self.classes_, self.grades_)

    def _labels(self, values: Array) -> Targets:
        if self._has_labels:
            return self._truth(values)
        order = self._order
        if order is None or not self.calibration_[0] > 0.0:
            return super()._labels(values)
        chances = probabilities(values, self.calibration_, self._most_certain)
        return np.asarray(self.classes_[middle_grades(chances, order)])

    def _decision(self, X: Rows) -> Array:
        return self._values(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
