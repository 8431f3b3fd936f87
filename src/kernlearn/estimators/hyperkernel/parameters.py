"""The parameters and attributes that the estimators of hyperkernels share."""

from __future__ import annotations

from kernlearn.hyperkernels import Hyperkernel
from kernlearn.typing import Array


class HyperkernelParameters:
    """Parameters and fitted attributes of an expansion in a hyperkernel.

    Parameters
    ----------
    lambda_q : float, default=1.0
        Weight of the kernel's norm in the hyper-RKHS.
    gamma_factor : float or "auto", default="auto"
        Factor of the γ of the default hyperkernel; 1 is the paper's rule. "auto" takes the one at
        which a section has the smallest leave-one-out loss, as the kernel of a least-squares
        machine on a sample of the rows.
    max_pivots : int, default=150
        Limit on the number of pairs.
    n_pairs : int, optional
        Size of a sample of pairs to choose the pivots from; by default all, and 20,000 through
        landmarks.
    random_state : int, RandomState or None, default=0
        Seed of samples of rows and pairs, and of folds.
    options : HyperkernelOptions, optional
        Options that few fits need, such as the squared norm, the value of the constraint or a
        callback: see :class:`kernlearn.HyperkernelOptions`.

    Attributes
    ----------
    hyperkernel_ : Hyperkernel
        The hyperkernel, with its bandwidths.
    weights_ : ndarray of shape (n_pivots,)
        The coefficients β.
    gamma_factor_ : float
        The factor that was used.
    kernel_ : Kernel
        The learned kernel, made of those pairs alone.
    pivots_ : ndarray of shape (n_pivots, 2, n_features)
        The pairs of the expansion.
    pivot_residual_ : float
        The part of the trace of the hyperkernel that the pivots do not represent.
    n_active_pivots_ : int
        The number of pivots with positive weight; often one.
    feature_scales_ : ndarray of shape (n_features,)
        The distance in each column over which the learned kernel falls off (ARDHarmonic).
    exact_lower_bound_ : float
        With the option ``certify="exact"``: a lower bound for any weights of the exact sections.
        The certificate itself holds for all pivots, seen through the landmarks.
    """

    hyperkernel: Hyperkernel | None
    lambda_q: float
    gamma_factor: float | str
    max_pivots: int | None
    n_pairs: int | None
    _seed: int
    verbose: int
    weights_: Array
