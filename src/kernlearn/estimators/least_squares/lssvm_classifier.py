"""Classification by a least-squares support vector machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin

from kernlearn.estimators.held_out.calibration import shrunk_calibration
from kernlearn.estimators.held_out.chance import chance_of_labels, report_chance
from kernlearn.estimators.held_out.groups import RowGroups
from kernlearn.estimators.held_out.one_against_rest import OneAgainstRest
from kernlearn.estimators.inputs.labels import class_weights, labels_of_classes
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.least_squares.learning_data import LeastSquaresData
from kernlearn.estimators.least_squares.lssvm import LeastSquaresSVM
from kernlearn.families.parametric import ParametricKernel
from kernlearn.kernels import Kernel
from kernlearn.runtime.stopping import Progress
from kernlearn.typing import Array, FoldsLike, RandomState


class LSSVMClassifier(OneAgainstRest, ClassifierMixin, LeastSquaresSVM):  # type: ignore[misc]
    r"""Least-squares support vector classifier that selects its own kernel parameters.

    For labels ±1 it minimises

    .. math:: \tfrac12 \sum_i s_i (y_i - f(x_i))^2 + \tfrac{\lambda}{2} \|w\|^2, \qquad
              f(x) = \sum_i \alpha_i k(x_i, x; \theta) + b,

    which is one linear system, equation (3) of Cawley and Talbot (2014). λ and the kernel
    parameters θ are chosen by descent on a held-out loss in closed form. More than two classes
    are separated one against the rest, with the same λ and θ. Columns are used as they come;
    standardise them first, in a pipeline, if their units are arbitrary.

    Parameters
    ----------
    selection : {"loo", "cv", "bayes", "evidence"} or None, default="loo"
        The criterion that is minimised over λ and θ: the leave-one-out squared loss (PRESS), the
        k-fold squared loss, or PRESS with Bayesian regularisation of θ. "evidence" minimises the
        negative logarithm of the marginal likelihood of a Gaussian process of classes, by Laplace's
        approximation: nothing is held out, and the loss of the machine is the logistic one, not the
        squared one (see Notes). None takes ``lam`` and ``theta`` as they are.
    lam : float, optional
        λ; `selection` chooses it if not given, together with θ. In
        :class:`kernlearn.FirstLevelClassifier` λ and μ are chosen apart from θ, and each says how.
    cv : int, splitter or iterable, default=5
        For "cv": the number of folds, shuffled and stratified, or the folds themselves. Every row
        is held out once.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of the rows of each class, in training and in selection.
        "balanced" gives every class the same weight in all.
    tol : float, default=1e-4
        Largest slope of the criterion's logarithm, with respect to log λ and log θ, at the end. It
        is smaller than in :class:`kernlearn.FirstLevelClassifier`, whose loss has no closed form.
    max_iter : int, default=1000
        Limit on the steps of a descent over λ and all of θ. It is higher than in
        :class:`kernlearn.FirstLevelClassifier`, whose search is over two numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    loo_predictions_ : ndarray of shape (n,) or (n, n_classes)
        Decision value of every row of X by the machine trained without it, or without its group,
        for these λ and θ. Approximate for "evidence": the losses of the other rows stay the
        quadratic ones at the optimum.
    loo_loss_ : float
        Mean squared difference between ``loo_predictions_`` and ±1, summed over machines: PRESS
        over the total weight. Optimistic if λ and θ were selected by PRESS. For "evidence" the
        mean logistic loss.
    calibration_ : ndarray of shape (2,)
        Slope and offset of the sigmoid, or softmax, of ``predict_proba``: fitted to
        ``loo_predictions_``.
    objective_ : float
        The criterion at its minimum: PRESS, the k-fold squared loss, or for "bayes"
        (n/2) log PRESS + (p/2) log ½‖θ‖². For "evidence" minus the logarithm of the evidence,
        summed over machines. PRESS if nothing was selected.

    See Also
    --------
    kernlearn.LSSVMRegressor : The same for targets that are numbers.

    Notes
    -----
    With ``selection="evidence"`` the machine is kernel logistic regression,

    .. math:: \min_{w, b} \; \sum_i s_i \log\bigl(1 + e^{-y_i f(x_i)}\bigr)
              + \tfrac{\lambda}{2} \|w\|^2 + \tfrac{b^2}{50},

    the mode of a Gaussian process with the covariance :math:`K(\theta)/\lambda`, K centred. The
    intercept, a log-odds, has the variance 25. Laplace's approximation around the mode,

    .. math:: -\log p(y) \approx \tfrac12 f^\top A^{-1} f - \log p(y \mid f)
              + \tfrac12 \log |I + WA|,

    is the quality Q(k) of ``min over k in F of Q(k) + λΩ(k)``: A the covariance of f with its
    intercept, W the second derivatives of the loss. Decision values are log-odds.

    References
    ----------
    G. C. Cawley and N. L. C. Talbot (2014), Kernel learning at the first level of inference,
    Neural Networks 53. "bayes" is from their paper of 2007, Preventing over-fitting during model
    selection via Bayesian regularisation of the hyper-parameters, JMLR 8. "evidence" is section
    3.4 of C. E. Rasmussen and C. K. I. Williams (2006), Gaussian processes for machine learning.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import LSSVMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LSSVMClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.loo_predictions_.shape
    (True, (150, 3))
    """

    def __init__(
        self,
        kernel: str | Kernel | ParametricKernel = "rbf",
        selection: str | None = "loo",
        lam: float | None = None,
        theta: ArrayLike | None = None,
        *,
        cv: FoldsLike = 5,
        class_weight: Mapping[object, float] | str | None = None,
        tol: float = 1e-4,
        max_iter: int = 1000,
        starts: str = "several",
        random_state: RandomState = 0,
        rank: int | str | None = "auto",
        device: str | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.selection = selection
        self.lam = lam
        self.theta = theta
        self.cv = cv
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.starts = starts
        self.random_state = random_state
        self.rank = rank
        self.device = device
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> LSSVMClassifier:
        """Select λ and θ, and train.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Training rows. Rows of a Dask array or data frame stay where they are.
        y : array-like of shape (n,)
            Labels of any type, two classes or more.
        sample_weight : array-like of shape (n,), optional
            The weights s of the squared errors, in training and in selection.
        groups : array-like of shape (n,), optional
            Labels of the rows that belong together, patients for example: rows of one group are
            left out together, and are in one fold. With groups there is no solver through
            landmarks.

        Returns
        -------
        self : LSSVMClassifier
            Fitted.
        """
        with rollback_on_error(self):
            data = self._prepared(X, y, sample_weight, groups)
            self._learn(data)
            self._calibrate(data)
            return self

    def _prepared(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> LeastSquaresData:
        """Checked rows with targets of ±1."""
        rows, labels = self._checked_with_target(X, y)
        labels = labels_of_classes(labels)
        weight = self._sample_weight(sample_weight, len(labels))
        kept = weight > 0
        self._find_classes(labels[kept])
        factors = np.ones(len(weight))
        factors[kept] = class_weights(self.class_weight, labels[kept])
        compared = rows if self._options.copies_together else None
        together = RowGroups.of(compared, groups, len(labels))
        signs = self._signs(labels)
        return LeastSquaresData(rows, signs, labels, weight * factors, True, together)

    def _calibrate(self, data: LeastSquaresData) -> None:
        """Calibrate probabilities on leave-one-out values, and report a fit at chance."""
        self.calibration_ = self._calibration(data)
        values = self.loo_predictions_.reshape(data.Y.shape)
        report_chance(self, chance_of_labels(values, data.Y, data.weight, data.groups.known))

    def _calibration(self, data: LeastSquaresData) -> Array:
        """The calibration from the values of the machines to probabilities."""
        signs, weight, kept = data.Y, data.weight, data.kept
        values = self.loo_predictions_.reshape(signs.shape)
        groups = data.groups.known
        of_groups = None if groups is None else groups[kept]
        return shrunk_calibration(values[kept], signs[kept], weight[kept], of_groups)
