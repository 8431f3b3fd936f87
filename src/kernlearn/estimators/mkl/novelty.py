"""Novelty detection with a learned combination of kernels."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from kernlearn.estimators.inputs.dask_rows import lazy_on_dask
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.mkl.combination import CombinationFit
from kernlearn.estimators.mkl.extension import ExtendableCombination
from kernlearn.estimators.mkl.options import MKLOptions
from kernlearn.estimators.mkl.table_inputs import TableInputs
from kernlearn.typing import Array, Indices, RandomState, Rows

# Support vectors lie on the edge up to rounding, and the edge belongs to the inside.
ON_THE_EDGE = 1e-9


class MKLNoveltyDetector(OutlierMixin, ExtendableCombination):  # type: ignore[misc]
    r"""One-class support vector machine that learns how to combine several kernels.

    Parameters
    ----------
    kernels : list of Kernel, or a family of kernels, optional
        The kernels to combine; by default Gaussian kernels around the data's own median distance,
        for which a row far out is like no other.
    nu : float, default=0.1
        In (0, 1]: upper bound on the share of training points called outliers. With
        ``quality="one_class"`` it is the ``nu`` of :func:`kernlearn.learn_weights`, whose default
        0.3 is that of all its machines.
    normalize : bool, default=True
        Give every kernel a unit diagonal, k(x, z)/√(k(x, x) k(z, z)). It is on by default, because
        without it the scale of a kernel would count as novelty.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows. An integer approximates every kernel through that
        many landmarks (rows of X), in time linear in the rows and with nothing of size n × n.
        "auto" does so above 3000 rows, with a number that the kernels' traces choose.
    random_state : int, RandomState or None, default=0
        Seed of the sample from which the default kernels take their bandwidths, and of landmarks.

    Attributes
    ----------
    offset_ : float
        Threshold: ``decision_function = score_samples − offset_``.
    kernels_ : list of Kernel
        The kernels that were combined, with normalising and centring if asked for. With a family,
        the sequence of its kernels as they are; those with weight are in ``kernel_.kernels``.
    bank_notes_ : list of str
        How default kernels were chosen: their bandwidths, and the kernels that were left out.
    views_ : dict
        If X held several views, the name of each and its place among all columns.
    active_kernels_, active_weights_ : ndarray of shape (n_active,)
        Numbers of the kernels that have weight, and these weights.
    C_ : float
        1, because a one-class machine has ν in place of C.
    equal_share_ : float
        The option ``equal_share``, 0 by default.
    loss_by_rank_ : dict
        ``"rank"`` and ``"loss"``: the part of the trace of the learned kernel that is left out, for
        this and smaller ranks. If it still falls, more rank would help.
    device_ : str
        Device of the computations over the rows: "cpu", or a library and its device, such as
        "torch:cuda:0".
    certificate_covers_ : str
        With a range of kernels: which of them the duality gap holds for.
    extension_ : Extension
        After ``extend``: whether the weights were kept or learned again.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import MKLNoveltyDetector
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> MKLNoveltyDetector().fit(X).predict([[0.0, 0.0], [9.0, -9.0]])
    array([ 1, -1])
    """

    quality = "one_class"
    C = 1.0

    def __init__(
        self,
        kernels: object = None,
        nu: float = 0.1,
        weights: str = "positive",
        *,
        normalize: bool = True,
        rank: int | str | None = "auto",
        device: str | None = None,
        tol: float = 1e-6,
        random_state: RandomState = 0,
        verbose: int = 0,
        time_limit: float | None = None,
        options: MKLOptions | None = None,
    ) -> None:
        self.kernels = kernels
        self.nu = nu
        self.weights = weights
        self.normalize = normalize
        self.rank = rank
        self.device = device
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.options = options

    def fit(self, X: Rows, y: object = None, *, sample_weight: Rows = None) -> Self:
        """Learn the kernel and the region where the data lie.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features), or dict or list of these
            Training rows. Each table of a dictionary or list is a view with kernels of its
            own: the default bank, or those of ``kernels``, on its columns alone. Predictions take
            the same views, by their names and in any order if they have names. Rows of views
            belong together by position: data frames that have row labels in common, in other
            rows, are refused. The rows of a Dask array or data frame stay where they are.
        y : None
            Ignored.
        sample_weight : array-like of shape (n,), optional
            Weight of every row.

        Returns
        -------
        self : MKLNoveltyDetector
            Fitted.
        """
        with rollback_on_error(self):
            inputs = TableInputs(self)
            rows = inputs.checked(X, reset=True)
            weight = inputs.weights(sample_weight, rows)
            self._finish(self._learn(rows, _no_targets, weight, None, ["one_class"]))
            return self

    @lazy_on_dask
    def score_samples(self, X: Rows) -> Array:
        """Similarity of every point to the training data; higher is more similar.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.

        Returns
        -------
        scores : ndarray of shape (n,)
            Values of K(w) @ dual_coef.
        """
        return self.decision_function(X) + self.offset_

    @lazy_on_dask
    def decision_function(self, X: Rows) -> Array:
        """Signed decision values, negative for novelties.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.

        Returns
        -------
        values : ndarray of shape (n,)
            Decision values.
        """
        return self._decision(X)[:, 0]

    @lazy_on_dask
    def predict(self, X: Rows) -> NDArray[np.intp]:
        """Tell novelties from the rest.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.

        Returns
        -------
        labels : ndarray of shape (n,)
            1 for points like the training data, −1 for novelties.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def _finish(self, fit: CombinationFit) -> None:
        """Let points on the edge count as inside."""
        self.intercept_ = self.intercept_ + ON_THE_EDGE * np.abs(self.intercept_)
        self.offset_ = -float(self.intercept_[0])


def _no_targets(kept: Indices) -> list[Array]:
    return [np.zeros(len(kept))]
