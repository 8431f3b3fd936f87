"""The parameters and attributes that the estimators of mixtures share."""

from __future__ import annotations

from kernlearn.estimators.held_out.scoring import Scoring
from kernlearn.estimators.inputs.device_parameter import DeviceParameter
from kernlearn.estimators.inputs.notebook_display import NotebookDisplay
from kernlearn.estimators.inputs.stopping import StoppingParameters
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.typing import FoldsLike


class MixtureParameters(DeviceParameter, StoppingParameters, NotebookDisplay):
    """Parameters and fitted attributes of a mixture, as its parts see them.

    Parameters
    ----------
    effort : "fast", "default", "best" or float, default="default"
        How much is tried: the time of a fit, as a multiple of that of the default. "fast" is 0.1
        and learns only λ and bandwidths, and above 6000 rows boosted trees. "best" is 10, and
        screens more candidates on more rows.
    standardize : bool, default=True
        Whether to bring the columns to mean zero and variance one.
    columns : mapping from str or int to str, optional
        Kinds of columns, by name or position: "number", "category", "date", "text" (the TF-IDF of
        its words), and "identifier" or "ignore" for columns that are left out. The kinds of all
        other columns are inferred, and listed in ``preparation_``. Sources may be named here, too,
        also as "sequence", "graph" or "kernel"; a column of a source is named "source: column".
    compress : bool, default=False
        Whether to distil the mixture into one kernel expansion on at most 512 rows, which predicts
        in a small part of the time and takes less room in a file. The loss on held-out rows, and
        the share of wrong labels, must grow by less than a tenth of their standard errors; else a
        warning says so, and the mixture is kept.
    cv : int, splitter or iterable of pairs of rows, default=5
        The number of folds that hold rows out, no more than there are rows, or the folds
        themselves, each row in one. Drawn folds keep copies of a row together, and groups.
    random_state : int, RandomState or None, default=0
        For folds and samples of rows.
    device : str or None, default=None
        Device of the computations over the rows of a table of more than 6000 rows. None is that of
        X, if it is a tensor of PyTorch or an array of CuPy; "cpu" is the host, "cuda" or "cuda:1" a
        GPU.
    n_jobs : int or None, default=None
        Threads that search candidates side by side in ``fit``, as in joblib: -1 stands for all
        cores, and 1 limits the linear algebra, too. None uses as many as the linear algebra does.
    verbose : int, default=0
        Print a line for every candidate.
    callback : callable, optional
        Called with a :class:`kernlearn.results.Progress` for every candidate; the fit ends when it
        returns True.
    time_limit : float, optional
        Seconds for the fit: the search ends early enough to train the members, too. After such an
        end, and after one by the callback or by Ctrl-C, the mixture is of the candidates that were
        tried; ``status_`` says why.

    Attributes
    ----------
    relevance_ : dict of ndarray
        Permutation importance of the columns on held-out rows, in the columns "column",
        "relevance" (the fall of accuracy or R², or of ``scoring``) and "standard_error" (over rows
        or groups, and over shuffles). Sets of correlated columns, shuffled together, follow as
        "a + b". When the attribute is read, the members are trained on two thirds of at most 900
        rows. :func:`kernlearn.inspection.relevance` measures the same on rows of your own.
    kernel_ : Kernel
        The learned kernel, to be called on rows as they came. It exists only if the mixture has
        one member, as with ``max_members=1``; the linear part of a survival model is a member, too.
    candidate_notes_ : list of str
        The candidates that were left out on these rows, each with the reason: its numbers
        overflowed, a factorisation failed, or nothing could be learned.
    preparation_ : Preparation
        How columns and sources become numbers. ``preparation_.kinds`` is a dict of the kind of
        each, and printing shows the same.
    n_duplicates_ : int
        Rows that repeat an earlier one in every column. They are held out together with it.
    source_names_ : list of str
        Names of the sources, if X had several.
    device_ : str
        Where the rows were worked on: "cpu", or library and device such as "torch:cuda:0".
    n_iter_ : int
        Candidates that were tried.
    status_ : Status
        How the search ended.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.
    """

    candidates: object
    effort: object
    standardize: bool
    max_members: int
    compress: bool
    cv: FoldsLike
    columns: object
    n_jobs: int | None
    scoring: Scoring
    _seed: int
    n_features_in_: int
    _options = MixtureOptions()
