"""Options of the estimators that combine kernels: parameters that few fits need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from kernlearn._checks import check_choice, check_count, check_flag, check_positive
from kernlearn.estimators.mkl.equal_share import check_equal_share
from kernlearn.families.constraints import Constraint
from kernlearn.runtime.stopping import Progress
from kernlearn.solvers.core.oracle import Penalty


class CombinationOptions(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """All options of a combination; the values are for estimators that do not offer them."""

    quantile: float = 0.5
    center: bool = False
    constraint: str = "trace"
    total: float | None = None
    equal_share: float | str | None = 0.0
    constraints: Sequence[Constraint] | None = None
    penalty: Penalty | None = None
    psd: str = "auto"
    certify: str | None = None
    max_iter: int = 200
    warm_start: bool = False
    callback: Callable[[Progress], object] | None = None

    def _check(self) -> None:
        """Refuse values that no fit can have."""
        check_flag("center", self.center)
        check_choice("constraint", self.constraint, ["trace", "sum"])
        if self.total is not None:
            check_positive("total", self.total)
        check_equal_share(self.equal_share)
        check_choice("psd", self.psd, ["auto", "raise", "clip", "shift", "trust"])
        if self.certify is not None:
            check_choice("certify", self.certify, ["exact"])
        check_count("max_iter", self.max_iter)
        check_flag("warm_start", self.warm_start)


@dataclass(kw_only=True, eq=False, repr=False)
class MKLOptions(CombinationOptions):
    r"""Options of the estimators that combine kernels, for their parameter ``options``.

    Values are checked by ``fit``. A search names them ``options__total`` and so on, also where the
    estimator has ``options=None``.

    Parameters
    ----------
    quantile : float, default=0.5
        The level of ``quality="quantile"``, between 0 and 1. The median is 0.5.
    center : bool, default=False
        Whether to centre every kernel in feature space first.
    constraint : {"trace", "sum"}, default="trace"
        What is held at ``total``: Σ wᵢ tr Kᵢ or Σ wᵢ.
    total : float, optional
        Value of the constraint. The default for "trace" is the mean of tr Kᵢ, so that C means the
        same for any number of kernels; :func:`kernlearn.learn_weights` follows the paper and has
        the sum of tr Kᵢ. The default for "sum" is 1.
    equal_share : float, "auto" or None, default=None
        The part of the total that all sources, and the kernels of each, share equally: 0 learns
        all weights, 1 gives equal weights. A source is what kernels on the same `Columns` see.
        "auto" chooses among 1, ⅔, ⅓ and 0 by held-out rows: the most equal share whose loss is
        within a standard error of the smallest. None is "auto" for several views with their
        default kernels, else 0. A novelty detector holds no rows out, so None is 0 there. A share
        needs a list of kernels, positive weights and a machine at a given C or ``C="auto"``.
    constraints : list of Constraint, optional
        Further linear constraints on the weights, such as
        ``[AtMost("genes", 0.5), Order([2, 0])]`` of :mod:`kernlearn.constraints`. Kernels are given
        by their numbers in ``kernels_``, or by the names of views and of columns. A family of
        kernels with constraints has at most 2000 of them, Gram matrices and a given C.
    penalty : Penalty, optional
        A convex function of the weights that is added to the objective, such as those of
        :mod:`kernlearn.penalties` or any object with ``value``, ``gradient`` and ``hessian``. A
        strength of "auto", the default of most, is chosen by held-out rows, through landmarks by
        those of a sample. A prior kernel, weights of both signs and sparse rows need Gram matrices
        of all rows. A family of kernels has at most 2000 of them with a penalty, which is a norm or
        linear. A range of bandwidths has none.
    psd : {"auto", "raise", "clip", "shift", "trust"}, default="auto"
        How to treat indefinite Gram matrices; "auto" checks precomputed ones only.
    certify : {"exact"}, optional
        Whether to bound the problem without landmarks too, in ``exact_lower_bound_``: every kernel
        is evaluated on all pairs of rows, in blocks.
    max_iter : int, default=200
        Limit on the number of kernels tried. For a family of kernels it limits the rounds, and the
        kernels tried in each.
    warm_start : bool, default=False
        Whether to begin near the weights of the last fit, if that had as many kernels. A new C
        then takes fewer machine solves, and the solution is the same. Alignments and ``C="learn"``
        ignore it.
    callback : callable, optional
        Called with a :class:`kernlearn.results.Progress` after every step; the fit ends when it
        returns True.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import MKLClassifier, MKLOptions
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKLClassifier(options=MKLOptions(center=True, total=100.0)).fit(X, y)
    >>> traces = [kernel.diag(X).sum() for kernel in model.kernels_]
    >>> round(float(model.weights_ @ traces), 6)
    100.0
    >>> MKLClassifier().set_params(options__total=100.0)
    MKLClassifier(options=MKLOptions(total=100.0))
    """

    quantile: float = 0.5
    center: bool = False
    constraint: str = "trace"
    total: float | None = None
    equal_share: float | str | None = None
    constraints: Sequence[Constraint] | None = None
    penalty: Penalty | None = None
    psd: str = "auto"
    certify: str | None = None
    max_iter: int = 200
    warm_start: bool = False
    callback: Callable[[Progress], object] | None = None
