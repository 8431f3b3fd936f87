"""Options of the estimators that learn in a hyper-RKHS: parameters that few fits need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kernlearn._checks import check_choice, check_flag
from kernlearn.estimators.mkl.options import CombinationOptions
from kernlearn.families.penalties import LpNorm
from kernlearn.hyperkernels.base import Expansion
from kernlearn.runtime.stopping import Progress


@dataclass(kw_only=True, eq=False, repr=False)
class HyperkernelOptions(CombinationOptions):
    r"""Options of the hyperkernel estimators, for their parameter ``options``.

    Values are checked by ``fit``. A search names them ``options__total`` and so on, also where the
    estimator has ``options=None``.

    Parameters
    ----------
    quantile : float, default=0.5
        The level of ``quality="quantile"``, between 0 and 1. The median is 0.5.
    weights : {"positive", "free"}, default="positive"
        Whether β ≥ 0 in the family F. With "free" the coefficients have any sign, and K(β) ⪰ 0 is
        asked of the rows of the fit (Lemma 7 of the paper, before Proposition 8), ``X_unlabeled``
        among them; the trace of K is held in place of 1ᵀβ. On other rows the sum need not be a
        kernel.
    squared : bool, default=False
        Whether to penalise the squared norm, as (24) of Ong et al. (2005) does, instead of the norm
        of (27).
    near : Expansion, optional
        A prior kernel k₀, such as the ``kernel_`` of a model saved from another study: the norm of
        k − k₀ is penalised instead of that of k. It has the same columns; its hyperkernel is used
        where the estimator has none.
    p : float, optional
        The Ω of the formula is :math:`\tfrac{1}{2}\lVert\beta\rVert_p^2` in place of the norm in
        the hyper-RKHS, 1 < p ≤ 2; section 3.1 of the paper names ℓp penalties. Near 1 few pairs
        have weight, at 2 most.
    total : float, optional
        The constant of :math:`1^\top\beta`, which breaks the scale of the kernel: a sum of
        coefficients, where :class:`kernlearn.MKLOptions` holds a trace. The default is 1, and the
        standard deviation of y for a regression other than "least_squares". With
        ``weights="free"`` it is the trace of the kernel matrix, by default the mean trace of the
        sections.
    pivot_tol : float, default=1e-6
        Residual of the factorisation over pairs, relative to its trace.
    certify : {"exact"}, optional
        Whether to bound the problem without landmarks too, in ``exact_lower_bound_``: every section
        is evaluated on all pairs of rows that have a coefficient, in blocks.
    max_iter : int, default=200
        Limit on the number of kernels tried.
    warm_start : bool, default=False
        Whether to begin near the weights of the last fit, if that had as many pivots. A new C or
        λ_Q then takes fewer machine solves, and the solution is the same.
    callback : callable, optional
        Called with a :class:`kernlearn.results.Progress` after every step; the fit ends when it
        returns True.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import HyperkernelClassifier, HyperkernelOptions
    >>> X, y = load_iris(return_X_y=True)
    >>> model = HyperkernelClassifier(options=HyperkernelOptions(total=2.0)).fit(X, y)
    >>> round(float(model.weights_.sum()), 6)
    2.0
    """

    quantile: float = 0.5
    weights: str = "positive"
    squared: bool = False
    near: Expansion | None = None
    p: float | None = None
    total: float | None = None
    pivot_tol: float = 1e-6
    certify: str | None = None
    max_iter: int = 200
    warm_start: bool = False
    callback: Callable[[Progress], object] | None = None

    constraint = "sum"
    psd = "trust"  # sections are kernels

    def _check(self) -> None:
        super()._check()
        check_choice("weights", self.weights, ["positive", "free"])
        check_flag("squared", self.squared)
        if self.near is not None and not isinstance(self.near, Expansion):
            raise ValueError(
                f"expected near to be an expansion in a hyperkernel, got {self.near!r}; pass the "
                "kernel_ of a fitted hyperkernel estimator"
            )
        if self.p is not None:
            LpNorm(self.p)  # which refuses other values
            if self.squared or self.near is not None:
                other = "squared=True" if self.squared else "near"
                raise ValueError(
                    f"expected p=None with {other}, got {self.p!r}: an ℓp norm of the coefficients "
                    "is squared already and has no prior kernel; leave one of them out"
                )
