"""The parameters and attributes that estimators of least squares share."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from kernlearn.estimators.inputs.device_parameter import DeviceParameter
from kernlearn.estimators.inputs.kernel_input import KernelInput
from kernlearn.estimators.inputs.options import OptionsParameter
from kernlearn.estimators.inputs.stopping import StoppingParameters
from kernlearn.families.parametric import ParametricKernel
from kernlearn.families.penalties import WeightPenalty
from kernlearn.runtime.status import Status
from kernlearn.typing import Array, FoldsLike, Indices, Rows


class LeastSquaresParameters(DeviceParameter, StoppingParameters, KernelInput):
    """Parameters and fitted attributes of a least-squares machine, as its parts see them.

    Parameters
    ----------
    kernel : {"rbf", "ard", "ard_polynomial"}, ParametricKernel or Kernel, default="rbf"
        A family K(θ) by name: a Gaussian with one scale, or with one for every column, or a
        polynomial with one for every column; a family of one's own; or any kernel of
        :mod:`kernlearn.kernels`, for which λ alone is selected. The default is one scale, since
        many overfit without the μ of first-level learning, whose default is "ard".
    theta : float or array-like of shape (p,), optional
        The kernel parameters; selected if not given.
    starts : {"several", "one"}, default="several"
        Where the descent starts, for kernels with a scale for every column. "one": from equal
        scales, as in the paper. "several": also from scales that differ by column, by the slopes
        of a first machine and by each column alone, where the criterion is lower there.
    random_state : int, RandomState or None, default=0
        For shuffling rows into folds. Rows of small tables are sorted before, so that the order in
        which they came changes nothing.
    rank : int, "auto" or None, default="auto"
        None trains on the matrix of all rows. An integer is the number of landmarks (rows of X)
        that approximate the kernel, with nothing of size n × n. "auto" does so above 3000 rows,
        and the held-out loss chooses the number. θ is then selected by leave-one-out on a sample of
        8000 rows through 400 landmarks, λ by the loss on held-out folds of all rows. For "loo" and
        None.
    device : None, "cpu", "cuda" or the like of "cuda:1", default=None
        Where kernels and products over rows are computed when learning through landmarks, and
        predictions from them. Without landmarks, too, the held-out losses of the selection, for the
        kernels "rbf" and "ard"; the machine that is kept is trained on the host. None follows X: an
        array of PyTorch or CuPy is worked on where it is, all else on the host. Fitted attributes
        and predictions are arrays of NumPy.
    verbose : int, default=0
        Print a line for every machine trained in the selection.
    callback : callable, optional
        Called with a :class:`kernlearn.results.Progress` for every such machine; the fit ends when
        it returns True.
    time_limit : float, optional
        Seconds after which the fit ends, checked after each of them. After such an end, and after
        one by the callback or by Ctrl-C, what was learned so far is kept: the best λ
        and θ, and the machine trained with them; ``status_`` says why it ended.

    Attributes
    ----------
    theta_ : ndarray of shape (p,)
        The kernel parameters; for "ard" one for every column, near zero where it does not matter.
        Empty for a kernel without parameters.
    lam_ : float
        λ as it was used: raised, where it would be lost in the rounding of the kernel matrix.
    kernel_ : Kernel
        The kernel at ``theta_``, to be called on new data.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        α: one row for two classes, one row for each class for more.
    intercept_ : ndarray of shape (n_machines,)
        b.
    support_ : ndarray of shape (n_support,)
        Rows of X of positive weight; all of them have a coefficient.
    support_vectors_ : array or data frame of shape (n_support, n_features)
        Those rows.
    loo_predictions_ : ndarray of shape (n,) or (n, n_targets)
        Prediction of every row of X by the machine trained without it, or without its group, for
        these λ and θ.
    n_duplicates_ : int
        Rows that repeat an earlier one in every column. They are held out together with it, unless
        landmarks are used.
    rank_ : int or None
        Number of landmarks, which are the ``support_vectors_``; None on the matrix of all rows.
    landmarks_ : list of one array
        The landmarks; through landmarks only.
    residual_trace_ : ndarray of shape (1,)
        The part of the kernel's trace that the landmarks leave out; through landmarks only.
    loss_by_rank_ : dict
        ``"rank"`` and ``"loss"``: the held-out squared error for this and smaller ranks. If it
        still falls, more rank would help. Through landmarks only.
    device_ : str
        Device of the selection of λ and θ: "cpu" for the host.
    n_iter_, n_evaluations_ : int
        Steps of the descents, and machines trained on the way.
    status_ : Status
        How the selection ended.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.
    """

    selection: str | None
    lam: float | None
    theta: ArrayLike | None
    cv: FoldsLike
    tol: float
    max_iter: int
    _seed: int
    rank: int | str | None
    starts: str
    loo_predictions_: Array
    support_: Indices
    support_vectors_: Rows
    dual_coef_: Array
    status_: Status


class FirstLevelParameters(OptionsParameter):
    """Parameters and fitted attributes that first-level learning has besides.

    Parameters
    ----------
    kernel : {"ard", "rbf", "ard_polynomial", "substitution"} or ParametricKernel, default="ard"
        The family K(θ): a Gaussian with a scale for every column or with one for all, a
        polynomial with a scale for every column, similarities of the letters of sequences, with X a
        list of strings, or a family of one's own. The default has a scale for every column, since
        μ keeps many of them from over-fitting; that of an LS-SVM, which has no μ, is "rbf".
    mu : float, "cv" or "evidence", default="cv"
        μ, or how it is chosen, in the same way as λ.
    penalty : Penalty, optional
        Ω(θ), which μ multiplies, in place of ½‖θ‖²: :class:`kernlearn.penalties.L1Norm`, for which
        many columns have a θ of zero, :class:`kernlearn.penalties.GroupNorm` for columns that
        belong together, :class:`kernlearn.penalties.NearTheta` for a prior θ₀, or a sum of them.
        A strength of "auto" counts as one. On the matrix of all rows and on the host alone.
    rank : int, "auto" or None, default="auto"
        None learns from the matrix of all rows. An integer is the number of landmarks (rows of X)
        that approximate the kernel, with nothing of size n × n. "auto" does so above 3000 rows,
        and the held-out loss chooses the number. On this many rows the penalty on θ is needless:
        leave-one-out loss takes its place, and ``mu_`` is zero. θ is learned on samples of up to
        16,000 rows through 1000 landmarks (on a GPU 50,000), λ by held-out loss. "auto" uses no
        landmarks if μ is given or chosen by the evidence, nor with ``groups``, another ``loss``, a
        ``penalty``, "substitution" or the simplex of :class:`kernlearn.FirstLevelOptions`.
    device : None, "cpu", "cuda" or the like of "cuda:1", default=None
        Where kernels and products over rows are computed when learning through landmarks, and
        predictions from them. Without landmarks, too, the machines of all folds, which are trained
        together, for the kernels "ard" and "rbf" and the default search. None follows X: an
        array of PyTorch or CuPy is worked on where it is, all else on the host. Fitted attributes
        and predictions are arrays of NumPy.
    verbose : int, default=0
        Print a line for every λ and μ tried, and for every machine trained on all data then.
    callback : callable, optional
        Called with a :class:`kernlearn.results.Progress` for every such line; the fit ends when it
        returns True.
    time_limit : float, optional
        Seconds after which the fit ends, checked in every fold. After such an end, and after
        one by the callback or by Ctrl-C, what was learned so far is kept: the best λ
        and μ, and a machine trained with them; ``status_`` says why it ended.
    options : FirstLevelOptions, optional
        Options that few fits need, such as where the search for λ and μ starts: see
        :class:`kernlearn.FirstLevelOptions`.

    Attributes
    ----------
    theta_ : ndarray of shape (p,)
        The paper's θ; for "ard" one for every column, and zero for a column that is left out.
    lam_, mu_ : float
        λ and μ. λ is raised where it would be lost in the rounding of K. μ is zero where θ was
        selected and not learned: through landmarks, and with the one bandwidth of an LS-SVM.
    kernel_ : Kernel
        The learned kernel, to be called on new data or handed to ``SVC(kernel=...)``.
    support_vectors_ : ndarray of shape (n_support, n_features) or (n_support,)
        Those rows.
    device_ : str
        Device of the training of the machines: "cpu" for the host.
    refit_ : {"exact", "landmarks"} or None
        The machine that was trained after θ was learned through landmarks; None if θ was learned
        from the matrix of all rows.
    objective_ : float
        Equation (5) at its minimum.
    lower_bound_, duality_gap_ : float
        With "substitution" of degree one, for which equation (5) is convex: a bound from below over
        all matrices, for these λ and μ, and the relative distance of ``objective_`` from it.
    substitution_matrix_ : dict of dict
        With "substitution": the similarity of the letters a and b is
        ``substitution_matrix_[a][b]``.
    log_evidence_ : float or None
        The logarithm of the evidence; None if λ and μ were not chosen by it.
    theta_std_ : ndarray of shape (p,) or None
        Standard deviations of θ in the posterior; None without the evidence.
    theta_p_ : ndarray of shape (p,) or None
        For each θ the p-value of θ = 0, "the column does not matter"; None without the evidence.
        With squares it is that of a likelihood ratio against the kernel without this θ, given λ and
        the others; with the logistic loss that of the normal posterior. NaN where no test can be
        computed.
    n_iter_ : int
        Machines trained for the final θ.
    n_evaluations_, n_machine_solves_ : int
        Evaluations of the cross-validated loss, and all machines trained.
    status_ : Status
        How the fit ended.
    """

    kernel: str | ParametricKernel
    loss: str
    penalty: WeightPenalty | None
    epsilon: float | str = "auto"  # of regressors alone
    lam: Any
    mu: float | str
    refit_: str | None
    selection: str | None = "loo"
    loss_by_rank_: dict[str, Array]
    n_evaluations_: int
    cv_loss_: float | None
    lower_bound_: float
    duality_gap_: float
    log_evidence_: float | None
    theta_std_: Array | None
    theta_p_: Array | None
