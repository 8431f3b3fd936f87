"""Classification with a kernel learned at the first level of inference."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from kernlearn.estimators.least_squares.first_level import FirstLevel
from kernlearn.estimators.least_squares.first_level_options import FirstLevelOptions
from kernlearn.estimators.least_squares.learning_data import LeastSquaresData
from kernlearn.estimators.least_squares.lssvm_classifier import LSSVMClassifier
from kernlearn.families.parametric import ParametricKernel
from kernlearn.families.penalties import WeightPenalty
from kernlearn.kernels import Kernel
from kernlearn.runtime.stopping import Progress
from kernlearn.typing import Array, FoldsLike, RandomState


class FirstLevelClassifier(FirstLevel, LSSVMClassifier):
    r"""Least-squares support vector classifier that learns a scale for every column.

    For labels ±1 it minimises over the machine and the kernel parameters at once

    .. math:: \tfrac12 \sum_i s_i (y_i - f(x_i))^2 + \tfrac{\lambda}{2}\|w\|^2
              + \tfrac{\mu}{2}\|\theta\|^2, \qquad
              f(x) = \sum_i \alpha_i k(x_i, x; \theta) + b,

    equation (5) of Cawley and Talbot (2014). With ``loss="logistic"`` the sum is that of
    log(1 + exp(−y f(x))), and f are log-odds. In ``min over k in F of Q(k) + λΩ(k)`` the loss and
    ‖w‖² are Q, and Ω is ½‖θ‖² or another ``penalty``.

    Only λ and μ are left to cross-validation, so that one scale for every column can be learned
    without over-fitting: ``theta_`` shows which columns matter. More than two classes are
    separated one against the rest, with one θ for the sum of their criteria. Columns are used as
    they come; standardise them first, in a pipeline, as the paper does, since μ weighs all scales
    alike.

    Parameters
    ----------
    lam : float, "cv" or "evidence", default="cv"
        λ, or how it is chosen: by the loss on held-out folds, or by the evidence for λ and
        μ, in Laplace's approximation, for which nothing is held out.
    loss : {"squared", "logistic"}, default="squared"
        The loss of the training criterion, and of the held-out folds by which λ and μ are chosen.
        "logistic" takes some times as long, trains on the matrix of all rows and on the host alone.
    cv : int, splitter or iterable, default=5
        The number of folds, shuffled and stratified, or the folds themselves. Every row is held
        out once.
    tol : float, default=3e-4
        Largest slope of the logarithm of that loss, by log λ and log μ, at the end; if the
        loss has a kink, λ and μ are found to half a per cent. For the simplex, its size. It is
        larger than in :class:`kernlearn.LSSVMClassifier`, whose criterion has a closed form: here θ
        is found by a descent in every fold.
    max_iter : int, default=200
        Limit on the evaluations of that loss, and on the machines trained for each θ. The search
        is over λ and μ alone; that of :class:`kernlearn.LSSVMClassifier` is over all of θ, too, and
        may take 1000 steps.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    loo_predictions_ : ndarray of shape (n,) or (n, n_classes)
        Decision value of every row of X by the machine trained without it, or without its group,
        for these λ and θ.
    loo_loss_ : float
        Mean squared difference between them and ±1, summed over machines; for "logistic" their
        mean log loss, where the values are those of one Newton step. Optimistic, since θ was
        learned with the row; ``cv_loss_`` is not.
    calibration_ : ndarray of shape (2,)
        Slope and offset of the sigmoid, or softmax, of ``predict_proba``: fitted to
        ``loo_predictions_``. One and zero for two classes with "logistic".
    cv_loss_ : float or None
        Mean of ½(y - f)², or of the log loss, over held-out points, summed over machines; None
        where λ and μ were given.

    See Also
    --------
    kernlearn.LSSVMClassifier : Selects θ at the second level, by held-out loss.
    kernlearn.inspection.ThetaDisplay : A picture of ``theta_``.

    References
    ----------
    G. C. Cawley and N. L. C. Talbot (2014), Kernel learning at the first level of inference,
    Neural Networks 53.

    Examples
    --------
    The second column is noise:

    >>> import numpy as np
    >>> from kernlearn import FirstLevelClassifier
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = FirstLevelClassifier().fit(X, X[:, 0] > 0)
    >>> bool(model.theta_[1] < 0.1 * model.theta_[0]), bool(model.score(X, X[:, 0] > 0) > 0.95)
    (True, True)
    """

    _losses = ("squared", "logistic")

    def __init__(
        self,
        kernel: str | Kernel | ParametricKernel = "ard",
        lam: float | str = "cv",
        mu: float | str = "cv",
        *,
        loss: str = "squared",
        penalty: WeightPenalty | None = None,
        cv: FoldsLike = 5,
        class_weight: Mapping[object, float] | str | None = None,
        tol: float = 3e-4,
        max_iter: int = 200,
        random_state: RandomState = 0,
        rank: int | str | None = "auto",
        device: str | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        time_limit: float | None = None,
        options: FirstLevelOptions | None = None,
    ) -> None:
        self.kernel = kernel
        self.lam = lam
        self.mu = mu
        self.loss = loss
        self.penalty = penalty
        self.cv = cv
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.rank = rank
        self.device = device
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit
        self.options = options

    def _calibration(self, data: LeastSquaresData) -> Array:
        """From what was left out; the logistic loss of two classes has probabilities itself."""
        if self.loss == "logistic" and data.Y.shape[1] == 1:
            return np.array([1.0, 0.0])
        return super()._calibration(data)
