"""Classification with a learned combination of kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from kernlearn.bound import ErrorBound
from kernlearn.estimators.held_out.calibration import fit_calibration
from kernlearn.estimators.held_out.chance import chance_of_labels, report_chance
from kernlearn.estimators.held_out.one_against_rest import OneAgainstRest
from kernlearn.estimators.inputs.labels import class_weights, labels_of_classes
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.mkl.combination import CombinationFit
from kernlearn.estimators.mkl.extension import ExtendableCombination
from kernlearn.estimators.mkl.held_out_loss import class_losses, hold_out_rule, losses_of
from kernlearn.estimators.mkl.options import MKLOptions
from kernlearn.estimators.mkl.table_inputs import TableInputs
from kernlearn.estimators.mkl.transduction import error_bound_of
from kernlearn.quality.registry import quality_names
from kernlearn.solvers.engine.statement import HoldOut
from kernlearn.typing import Array, FoldsLike, Indices, RandomState, Rows


class MKLClassifier(OneAgainstRest, ClassifierMixin, ExtendableCombination):  # type: ignore[misc]
    r"""Support vector classifier that learns how to combine several kernels.

    .. math::

        \min_w \sum_c V_c\Bigl(\sum_i w_i K_i\Bigr) \quad\text{subject to}\quad
        \sum_i w_i \operatorname{tr} K_i = c, \quad w \ge 0 \;\text{ or }\; K(w) \succeq 0,

    one machine for two classes, one per class against the rest for more, all with the same
    weights (Lanckriet et al. 2004).

    Parameters
    ----------
    quality : str, default="soft_margin"
        The criterion of a good kernel: "soft_margin", "squared_soft_margin", "hard_margin",
        "lagrangian" (the squared soft margin with its intercept penalised too), "logistic",
        "nu_svm", "least_squares", "alignment", "centered_alignment" or "max_determinant" (−log det
        K, which uses no labels). The last three choose the kernel and then train a soft margin
        machine with it.
    C : float, "auto" or "learn", default=1.0
        The box 0 ≤ α ≤ C, with the default of scikit-learn's SVC. "auto" searches six values by
        cross-validation, from the middle on and with warm starts, on a sample of 500 rows if there
        are more. For kernel families, only kernels selected at the first C (on the sample) are
        carried along the path. Through landmarks "least_squares" uses all rows, at little cost.
        "learn" makes C one more weight, for "squared_soft_margin".
    nu : float, default=0.3
        For "nu_svm", in (0, 1]: upper bound on the share of rows with a margin error. Ong et al.
        (2005) have 0.3, scikit-learn's NuSVC 0.5.
    class_weight : dict or "balanced", optional
        Multiplies C class by class.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows. An integer approximates every kernel through that
        many landmarks (rows of X), in time linear in the rows and with nothing of size n × n.
        "auto" does so above 3000 rows, with a number that the held-out loss chooses. For
        "least_squares", "squared_soft_margin", "soft_margin" and "logistic". Not with
        ``X_unlabeled`` or
        ``C="learn"``. With "least_squares" and positive weights, kernels that are inner products
        of sparse features, such as words, need no landmarks.
    cv : int, splitter or iterable of pairs of rows, default=5
        Folds by which rows are held out, for ``C="auto"``, equal shares and probabilities.
        Closed-form leave-one-out needs no folds; with ``groups``, a splitter or pairs of rows these
        folds take its place.

    Attributes
    ----------
    active_kernels_, active_weights_ : ndarray of shape (n_active,)
        Numbers of the kernels that have weight, and these weights.
    kernels_ : list of Kernel
        The kernels that were combined, with normalising and centring if asked for. With a family,
        the sequence of its kernels as they are; those with weight are in ``kernel_.kernels``.
    bank_notes_ : list of str
        How default kernels were chosen: their bandwidths, and the kernels that were left out.
    views_ : dict
        If X held several views, the name of each and its place among all columns.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    C_ : float
        The C used: the one given, chosen or learned.
    loss_by_C_ : ndarray of shape (n_tried, 2)
        With ``C="auto"``, every C and its loss on rows held out: the cross-entropy of a softmax of
        their decision values, the log loss of "logistic", or through landmarks the squared error
        of "least_squares".
    penalty_strength_ : float
        With a penalty of strength "auto": the strength with the smallest held-out loss.
    loss_by_strength_ : ndarray of shape (4, 2)
        Every strength of the penalty that was tried, and its loss on rows held out.
    equal_share_ : float
        The part of the total that sources share equally: the one given or chosen.
    calibration_ : ndarray of shape (2,)
        Slope and offset of the sigmoid, or softmax, of ``predict_proba``: fitted to decision values
        of rows left out one at a time, in closed form at the learned kernel. One and zero for two
        classes with "logistic", whose values are log-odds already. For several classes
        (but "least_squares"), for "nu_svm", through landmarks and with ``groups``, the values are
        those of machines that were trained without a fold each.
    loss_by_rank_ : dict
        ``"rank"`` and ``"loss"``: the held-out squared error of least squares at the learned
        weights, for this and smaller ranks. If it still falls, more rank would help.
    device_ : str
        Device of the computations over the rows: "cpu", or a library and its device, such as
        "torch:cuda:0".
    transduction_ : ndarray of shape (n_unlabeled,)
        Predicted labels of ``X_unlabeled``; only if given.
    transductive_bound_ : ErrorBound
        A bound on the share of errors among them, for two classes and as many rows without a label
        as with one: Theorem 24 of the paper, with δ = 0.05 and the number of labels from which on
        it is below one. It is computed when it is first asked for;
        :func:`kernlearn.transductive_error_bound` takes another δ.
    certificate_covers_ : str
        With a range of kernels: which of them the duality gap holds for.
    extension_ : Extension
        After ``extend``: whether the weights were kept or learned again. The labels of the new rows
        are in ``transduction_``, after those of ``X_unlabeled``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import MKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKLClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.95), bool(model.duality_gap_ <= 1e-6)
    (True, True)
    >>> views = {"sepals": X[:, :2], "petals": X[:, 2:]}
    >>> model = MKLClassifier().fit(views, y)
    >>> sorted({kernel.name for kernel in model.kernels_}), bool(model.score(views, y) > 0.95)
    (['petals', 'sepals'], True)
    """

    def __init__(
        self,
        kernels: object = None,
        quality: str = "soft_margin",
        C: float | str = 1.0,
        weights: str = "positive",
        *,
        nu: float = 0.3,
        class_weight: Mapping[object, float] | str | None = None,
        normalize: bool = False,
        missing: str | None = None,
        rank: int | str | None = "auto",
        cv: FoldsLike = 5,
        device: str | None = None,
        tol: float = 1e-6,
        random_state: RandomState = 0,
        verbose: int = 0,
        time_limit: float | None = None,
        options: MKLOptions | None = None,
    ) -> None:
        self.kernels = kernels
        self.quality = quality
        self.C = C
        self.weights = weights
        self.nu = nu
        self.class_weight = class_weight
        self.normalize = normalize
        self.missing = missing
        self.rank = rank
        self.cv = cv
        self.device = device
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.options = options

    def fit(
        self,
        X: Rows,
        y: Rows,
        *,
        sample_weight: Rows = None,
        X_unlabeled: Rows = None,
        groups: Rows = None,
    ) -> Self:
        """Learn the kernel and the classifier.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features), or dict or list of these
            Training rows. Each table of a dictionary or list is a view with kernels of its
            own: the default bank, or those of ``kernels``, on its columns alone. Predictions take
            the same views, by their names and in any order if they have names. Rows of views
            belong together by position: data frames that have row labels in common, in other
            rows, are refused. The rows of a Dask array or data frame stay where they are.
        y : array-like of shape (n,)
            Labels of any type, at least two classes.
        sample_weight : array-like of shape (n,), optional
            Multiplies C row by row.
        X_unlabeled : array-like or data frame, optional
            Rows without labels (section 4.1 of the paper): K ⪰ 0 and the trace are imposed on
            them too, and their predicted labels are in ``transduction_``.
        groups : array-like of shape (n,), optional
            A label for each row, such as the patient it is of. Rows of one group are held out
            together wherever rows are held out: for C, shares, the bandwidths of the default
            kernels, ranks, probabilities and intervals.

        Returns
        -------
        self : MKLClassifier
            Fitted.
        """
        with rollback_on_error(self):
            inputs = TableInputs(self)
            rows, y = inputs.checked_with_target(X, y)
            unlabeled = inputs.checked_unlabeled(X, X_unlabeled)
            y = labels_of_classes(y)
            weight = inputs.weights(sample_weight, rows)
            self._find_classes(y[weight > 0])
            weight = weight * self._class_factors(y, weight > 0)

            def targets(kept: Indices) -> Sequence[Array]:
                return list(self._signs(y[kept]).T)

            qualities = quality_names("labels", "either")
            fit = self._learn(rows, targets, weight, unlabeled, qualities, groups)
            self._finish(fit)
            if fit.transduced is not None:
                self._transduce(fit.transduced)
            return self

    @property
    def transductive_bound_(self) -> ErrorBound:
        """A bound on the share of errors among the labels of ``transduction_``."""
        if "_error_bound" not in vars(self):
            self._error_bound = error_bound_of(self)
        return self._error_bound

    def _finish(self, fit: CombinationFit) -> None:
        """Fit probabilities to held-out values."""
        held_out, data = fit.engine_fit.held_out, fit.data
        assert held_out is not None
        Y, weight = np.column_stack(data.targets)[held_out.rows], data.weight[held_out.rows]
        if self.quality == "logistic" and Y.shape[1] == 1:
            self.calibration_ = np.array([1.0, 0.0])  # the values are log-odds already
        else:
            self.calibration_ = fit_calibration(held_out.values, Y, weight)
        together = None if data.groups is None else data.groups[held_out.rows]
        report_chance(self, chance_of_labels(held_out.values, Y, weight, together))

    def _transduce(self, values: Array) -> None:
        self.transduction_ = self._labels(values)

    def _hold_out_rule(self) -> HoldOut:
        losses = losses_of(self, class_losses)
        return hold_out_rule(self._seed, losses, stratify=True, machines=False)

    def _class_factors(self, y: NDArray[Any], counted: NDArray[np.bool_]) -> Array:
        """The factor of C by ``class_weight``, point by point; rows of no weight do not count."""
        factors = np.ones(len(y))
        factors[counted] = class_weights(self.class_weight, y[counted])
        return factors
