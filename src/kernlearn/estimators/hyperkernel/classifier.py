"""Classification with a kernel learned in a hyper-RKHS."""

from __future__ import annotations

from collections.abc import Mapping

from kernlearn.estimators.hyperkernel.hyperkernel import HyperkernelExpansion
from kernlearn.estimators.hyperkernel.options import HyperkernelOptions
from kernlearn.estimators.mkl.classifier import MKLClassifier
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.typing import FoldsLike, RandomState


class HyperkernelClassifier(HyperkernelExpansion, MKLClassifier):
    r"""Support vector classifier that learns its kernel from a hyperkernel.

    .. math::

        \min_{\beta \ge 0,\; 1^\top\beta = 1} V\Bigl(\sum_p \beta_p\,
        \underline k(\text{pair}_p, \cdot)\Bigr) +
        \tfrac{\lambda_Q}{2}\,\lVert\underline K^{1/2}\beta\rVert

    The pairs are pivots of an incomplete Cholesky factorisation over all pairs of training points.
    With the default hyperkernel every column of the data has its own scale, found without
    cross-validation, on raw columns; the parameters are those of section 7 of Ong, Smola and
    Williamson (2005), but for ``gamma_factor``. The optimum often sits at one pair: the learned
    kernel is then one section of the hyperkernel.

    Parameters
    ----------
    hyperkernel : Hyperkernel, optional
        By default ``ARDHarmonic(lambda_h=0.6)`` with length scales from the data:
        γ is ``gamma_factor`` times that of the paper's rule, 1/(50 q²) with q the 90 % quantile of
        a column's differences. One that is built from kernels of strings, graphs or sets takes
        rows of these.
    quality : str, default="soft_margin"
        The machine: "soft_margin", "nu_svm", "lagrangian", or any that MKLClassifier takes.
    C : float or "auto", default=100.0
        The box 0 ≤ α ≤ C, 100 as in section 7 of the paper; "auto" as in
        :class:`kernlearn.MKLClassifier`, whose default is that of scikit-learn's SVC.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows, one for each pivot. An integer approximates all
        sections through that many landmarks (rows of X), in time linear in the rows. "auto" does
        so above 2000 rows, with 64 landmarks or more, chosen by the held-out loss. For
        "soft_margin", "squared_soft_margin", "logistic" and "least_squares".
    cv : int, splitter or iterable of pairs of rows, default=5
        Folds by which rows are held out, for ``C="auto"`` and probabilities.
        Closed-form leave-one-out needs no folds; with ``groups``, a splitter or pairs of rows these
        folds take its place.

    Attributes
    ----------
    pivots_ : ndarray of shape (n_pivots, 2, n_features)
        The pairs of the expansion; their shape is (n_pivots, 2) if rows are no numbers.
    loss_by_rank_ : dict
        ``"rank"`` and ``"loss"``: the held-out squared error of least squares at the learned
        weights, for this and smaller ranks. If it still falls, more rank would help.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    calibration_ : ndarray of shape (2,)
        Slope and offset of the sigmoid, or softmax, of ``predict_proba``: fitted to decision values
        of rows left out one at a time, in closed form at the learned kernel. For several classes
        (but "least_squares"), for "nu_svm", through landmarks and with ``groups``, the values are
        those of machines that were trained without a fold each.
    C_ : float
        The C used: the one given, chosen or learned.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import HyperkernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = HyperkernelClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.95), bool(model.duality_gap_ <= 1e-6)
    (True, True)
    """

    def __init__(
        self,
        hyperkernel: Hyperkernel | None = None,
        quality: str = "soft_margin",
        C: float | str = 100.0,
        lambda_q: float = 1.0,
        *,
        nu: float = 0.3,
        class_weight: Mapping[object, float] | str | None = None,
        gamma_factor: float | str = "auto",
        max_pivots: int | None = 150,
        n_pairs: int | None = None,
        rank: int | str | None = "auto",
        cv: FoldsLike = 5,
        tol: float = 1e-6,
        random_state: RandomState = 0,
        verbose: int = 0,
        time_limit: float | None = None,
        options: HyperkernelOptions | None = None,
    ) -> None:
        self.hyperkernel = hyperkernel
        self.quality = quality
        self.C = C
        self.lambda_q = lambda_q
        self.nu = nu
        self.class_weight = class_weight
        self.gamma_factor = gamma_factor
        self.max_pivots = max_pivots
        self.n_pairs = n_pairs
        self.rank = rank
        self.cv = cv
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.options = options
