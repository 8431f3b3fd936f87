"""Classification with a learned combination of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from kernlearn.bound import ErrorBound
from kernlearn.estimators.held_out.calibration import fit_calibration
from kernlearn.estimators.held_out.chance import chance_of_labels, tell_chance
from kernlearn.estimators.held_out.one_against_rest import OneAgainstRest
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.inputs.validation import check_labels_of_classes, class_weights
from kernlearn.estimators.mkl.combination import CombinationFit
from kernlearn.estimators.mkl.extension import ExtendableCombination
from kernlearn.estimators.mkl.held_out_loss import class_losses, hold_out_rule, losses_of
from kernlearn.estimators.mkl.options import MKLOptions
from kernlearn.estimators.mkl.table_inputs import TableInputs
from kernlearn.estimators.mkl.transduction import told_bound
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
    kernels : list of Kernel, or a family of kernels, optional
        What to combine. By default a linear, a quadratic and four Gaussian kernels, whose widths
        lie around the one at which a least-squares machine has the smallest leave-one-out loss on a
        sample of the rows; on columns scaled one by one if that predicts clearly better; through
        landmarks also kernels on the pairs of columns that say most together. Kernels that are
        nearly constant or nearly the identity are left out. If X holds several views, every kernel
        is on each of them, and ``Columns("genes", kernel)`` on the view of that name alone. A
        family, :class:`kernlearn.kernels.PerColumn`, :class:`kernlearn.kernels.Grid` or any object
        with a length that makes its i-th kernel on demand, may have hundreds of thousands: they are
        evaluated one by one and never stored. It takes positive weights of a machine at a given C,
        or at ``C="auto"``. :class:`kernlearn.kernels.GaussianRange` has every bandwidth of an
        interval.
    quality : str, default="soft_margin"
        What makes a kernel good: "soft_margin", "squared_soft_margin", "hard_margin",
        "lagrangian" (the squared soft margin with its intercept penalised too), "logistic",
        "nu_svm", "least_squares", "alignment", "centered_alignment" or "max_determinant" (−log det
        K, which looks at no label). The last three choose the kernel and then train a soft margin
        machine with it.
    C : float, "auto" or "learn", default=1.0
        The box 0 ≤ α ≤ C, with the default of scikit-learn's SVC. "auto" searches six values by
        cross-validation, from the middle on and with warm starts, on a sample of 500 rows if there
        are more. For kernel families, only kernels selected at the first C (on the sample) are
        carried along the path. Through landmarks "least_squares" uses all rows, at little cost.
        "learn" makes C one more weight, for "squared_soft_margin".
    weights : {"positive", "free"}, default="positive"
        Positive weights, or any sign with K(w) ⪰ 0 on the points given to ``fit``. On other points
        the kernel may be indefinite; then :class:`kernlearn.exceptions.IndefiniteKernelWarning` is
        raised, and ``extend`` is the cure.
    nu : float, default=0.3
        For "nu_svm", in (0, 1]: upper bound on the share of rows with a margin error. Ong et al.
        (2005) have 0.3, scikit-learn's NuSVC 0.5.
    class_weight : dict or "balanced", optional
        Multiplies C class by class.
    normalize : bool, default=False
        Give every kernel a unit diagonal, k(x, z)/√(k(x, x) k(z, z)). It is on by default for
        :class:`kernlearn.MKLNoveltyDetector` alone.
    missing : {None, "mean", "complete"}, default=None
        How to treat rows that lack a whole source, that is, all cells of a kernel's `Columns`, or
        its text or other thing. None refuses them. "mean" puts them at the mean of the rows that
        have the source, where their kernel with every row is zero
        (:class:`kernlearn.kernels.WhereKnown`). "complete" places them by what they have of the
        other sources (:class:`kernlearn.kernels.Completed`). Any pattern of gaps can be predicted;
        a row without any source is at the mean of each. Centring and the unit diagonal come after.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows. An integer approximates every kernel through that
        many landmarks (rows of X), in time linear in the rows and with nothing of size n × n.
        "auto" does so above 3000 rows, with as many as the held-out loss asks for. For
        "least_squares", "squared_soft_margin", "soft_margin" and "logistic". Not with
        ``X_unlabeled`` or
        ``C="learn"``. With "least_squares" and positive weights, kernels that are inner products
        of sparse features, such as words, need no landmarks.
    cv : int, splitter or iterable of pairs of rows, default=5
        Folds by which rows are held out, for ``C="auto"``, equal shares and probabilities.
        Closed-form leave-one-out needs no folds; with ``groups``, a splitter or pairs of rows these
        folds take its place.
    device : None, "cpu", "cuda" or the like of "cuda:1", default=None
        Where kernels and products over rows are computed when learning through landmarks, and
        predictions from them; and where the kernels of a :class:`kernlearn.kernels.Grid` on Gram
        matrices are priced. None follows X: an array of PyTorch or CuPy is worked on where it
        is, all else on the host. Fitted attributes and predictions are arrays of NumPy.
    tol : float, default=1e-6
        Relative duality gap to reach. The least-squares estimators, such as
        :class:`kernlearn.LSSVMClassifier`, solve no convex problem: their ``tol`` is on a slope.
    random_state : int, RandomState or None, default=0
        Seed of the sample from which the default kernels take their widths, of landmarks, and of
        folds.
    verbose : int, default=0
        Print a line of progress for every kernel tried.
    time_limit : float, optional
        Seconds after which the fit ends, checked after every step. After such an end, and after
        one by a callback or by Ctrl-C, what was learned so far is kept: ``duality_gap_``
        says how far it may be off, ``status_`` why it ended.
    options : MKLOptions, optional
        What few fits need, such as centring, constraints or a penalty on the weights, a share that
        is equal for all sources, or a callback: see :class:`kernlearn.MKLOptions`.

    Attributes
    ----------
    weights_ : ndarray of shape (m,)
        Learned weights; exactly zero for kernels that are not used.
    active_kernels_, active_weights_ : ndarray of shape (n_active,)
        Numbers of the kernels that have weight, and these weights.
    kernel_ : Kernel
        The learned kernel, to be called on new data or handed to ``SVC(kernel=...)``.
    kernels_ : list of Kernel
        The kernels that were combined, with normalising and centring where asked for. Of a family,
        the sequence of its kernels as they are; those with weight are in ``kernel_.kernels``.
    bank_notes_ : list of str
        Where the kernels were chosen for the data: at which width, and which were left out.
    views_ : dict
        Where X held several views: the name of each, and its place among all columns.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Signed dual coefficients.
    intercept_ : ndarray of shape (n_machines,)
        Intercepts.
    support_ : ndarray of shape (n_support,)
        Rows of X with a coefficient.
    support_vectors_ : array or data frame of shape (n_support, n_features)
        Those rows.
    objective_, lower_bound_, duality_gap_ : float
        The certificate: value, a bound no weights can beat, and the relative gap between them.
    status_ : Status
        How the solution ended.
    n_machine_solves_, n_iter_ : int
        Machines solved, and kernels tried.
    history_ : tuple of Step
        Objective and lower bound after every kernel tried.
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
    rank_ : int or None
        Columns of the largest factor through landmarks, 0 if no kernel needs any; None on Gram
        matrices. With landmarks there are no ``dual_coef_``, ``support_`` and
        ``support_vectors_``, but what follows.
    landmarks_, landmark_coef_ : list of m arrays
        The landmarks of each kernel, and the coefficients of k(x, landmark) for each machine. A
        kernel whose sparse features were taken as they are has None, and coefficients of these.
    residual_trace_ : ndarray of shape (m,)
        The part of each kernel's trace that its landmarks leave out.
    loss_by_rank_ : dict
        ``"rank"`` and ``"loss"``: the held-out squared error of least squares at the learned
        weights, for this and smaller ranks. If it still falls, more rank would help.
    device_ : str
        Where the rows were worked on: "cpu", or a library and its device, "torch:cuda:0".
    exact_lower_bound_ : float
        With the option ``certify="exact"``: a lower bound for any weights of the exact kernels.
    transduction_ : ndarray of shape (n_unlabeled,)
        Predicted labels of ``X_unlabeled``; only if given.
    transductive_bound_ : ErrorBound
        A bound on the share of errors among them, for two classes and as many rows without a label
        as with one: Theorem 24 of the paper, with δ = 0.05 and the number of labels from which on
        it says something. It is computed when it is first asked for;
        :func:`kernlearn.transductive_error_bound` takes another δ.
    certificate_covers_ : str
        Of a range of kernels: which of them the duality gap holds for.
    extension_ : Extension
        After ``extend``: whether the weights were kept or learned again. The labels of the new rows
        are in ``transduction_``, after those of ``X_unlabeled``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.

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
        kernels: Any = None,
        quality: str = "soft_margin",
        C: float | str = 1.0,
        weights: str = "positive",
        *,
        nu: float = 0.3,
        class_weight: Any = None,
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
        y: Any,
        *,
        sample_weight: Any = None,
        X_unlabeled: Rows = None,
        groups: Rows = None,
    ) -> Self:
        """Learn the kernel and the classifier.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features), or dict or list of these
            Training points. Of a dictionary or list of tables, each is a view with kernels of its
            own: the default bank, or those of ``kernels``, on its columns alone. Predictions take
            the same views, by their names and in any order if they have such. Rows of views belong
            together by position: data frames that have row labels in common, in other rows, are
            refused. The rows of a Dask array or data frame stay where they are.
        y : array-like of shape (n,)
            Labels of any type, at least two classes.
        sample_weight : array-like of shape (n,), optional
            Multiplies C point by point.
        X_unlabeled : array-like or data frame, optional
            Points without labels (section 4.1 of the paper): K ⪰ 0 and the trace are imposed on
            them too, and their predicted labels are in ``transduction_``.
        groups : array-like of shape (n,), optional
            A label for each row, such as the patient it is of. Rows of one group are held out
            together wherever rows are held out: for C, shares, the widths of the default kernels,
            ranks, probabilities and intervals.

        Returns
        -------
        self : MKLClassifier
            Fitted.
        """
        with rollback_on_error(self):
            inputs = TableInputs(self)
            rows, y = inputs.checked_with_target(X, y)
            unlabeled = inputs.checked_unlabeled(X, X_unlabeled)
            check_labels_of_classes(y)
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
            self._error_bound = told_bound(self)
        return self._error_bound

    def _finish(self, fit: CombinationFit) -> None:
        """Fit probabilities to held-out values."""
        held_out, data = fit.learned.held_out, fit.data
        assert held_out is not None
        Y, weight = np.column_stack(data.targets)[held_out.rows], data.weight[held_out.rows]
        if self.quality == "logistic" and Y.shape[1] == 1:
            self.calibration_ = np.array([1.0, 0.0])  # the values are log-odds themselves
        else:
            self.calibration_ = fit_calibration(held_out.values, Y, weight)
        together = None if data.groups is None else data.groups[held_out.rows]
        tell_chance(self, chance_of_labels(held_out.values, Y, weight, together))

    def _transduce(self, values: Array) -> None:
        self.transduction_ = self._labels(values)

    def _hold_out_rule(self) -> HoldOut:
        losses = losses_of(self, class_losses)
        return hold_out_rule(self._seed, losses, stratify=True, machines=False)

    def _class_factors(self, y: NDArray[Any], counted: NDArray[np.bool_]) -> Array:
        """What ``class_weight`` multiplies C by, point by point; rows of no weight do not count."""
        factors = np.ones(len(y))
        factors[counted] = class_weights(self.class_weight, y[counted])
        return factors
