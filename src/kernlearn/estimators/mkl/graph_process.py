r"""Several graphs on the same nodes as the precision of one Gaussian process.

Values of the nodes have the density :math:`N(0, R^{-1})` with
:math:`R = \sum_i r_iL_i + \varepsilon I`, and :math:`L_i` the Laplacian of the i-th graph. The
weights r minimise the labelled largest determinant
(:mod:`kernlearn.solvers.weights.precision`) over the block of R of the labelled nodes, which is the
precision of their values if the others are at their mean: convex, and independent of edges between
nodes without labels. The other nodes are predicted by their conditional mean
:math:`-R_{uu}^{-1}R_{ul}y_l`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, eye_array, issparse
from scipy.sparse.linalg import splu
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_count, check_flag, check_positive
from kernlearn.estimators.inputs.notebook_display import NotebookDisplay
from kernlearn.estimators.inputs.stopping import StoppingParameters
from kernlearn.formulas.notebook_html import precision_html
from kernlearn.gram import check_stack
from kernlearn.kernels import RegularizedLaplacian
from kernlearn.kernels.graphs.nodes import node_position
from kernlearn.runtime.convergence_warnings import warn_if_unfinished
from kernlearn.runtime.memory import matrices, require
from kernlearn.runtime.phrases import counted, listed
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Progress
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Step
from kernlearn.solvers.weights.precision import PrecisionProblem, learn_precision
from kernlearn.typing import Array, Indices, Rows, Targets


class GraphFusion(StoppingParameters, NotebookDisplay):
    """Learns the weights of graphs; subclasses state the targets, and read the values of nodes.

    Parameters
    ----------
    graphs : list of graphs or of matrices
        Graphs as in :class:`kernlearn.kernels.Diffusion`, whose Laplacians are fused: nodes of one
        name are the same node. Or symmetric positive semidefinite matrices over the same rows,
        dense or sparse, which are fused as they are; their nodes are row numbers.
    linear : float or array-like of shape (m,), default=0.0
        The b of every graph, at least zero. It is needed for a graph in which the labels are never
        contradicted.
    normalized : bool, default=True
        Whether Laplacians are divided by the square roots of the degrees.
    tol : float, default=1e-6
        Relative duality gap to reach.
    max_iter : int, default=200
        Limit on the number of steps.
    verbose : int, default=0
        Print a line for every step.
    callback : callable, optional
        Called with a :class:`kernlearn.results.Progress` for every step; the fit ends when it
        returns True.
    time_limit : float, optional
        Seconds after which the fit ends, checked after every step. After such an end, and after
        one by the callback or by Ctrl-C, what was learned so far is kept: ``duality_gap_`` tells
        how far it is from the optimum, and ``status_`` why it ended.

    Attributes
    ----------
    weights_ : ndarray of shape (m,)
        The r of every graph; exactly zero for graphs that are not used.
    objective_, lower_bound_, duality_gap_ : float
        The certificate: value, a bound no weights can beat, and the relative gap between them.
    history_ : tuple of Step
        Objective and lower bound after every step.
    nodes_ : list
        Names of all nodes.
    labelled_ : ndarray of shape (n,)
        Positions of the labelled ones among them.
    precision_ : sparse array of shape (N, N)
        The learned R over all nodes.
    n_iter_ : int
        Number of steps.
    status_ : Status
        How the search ended.
    """

    random_state = 0  # nothing is drawn
    weights_: Array
    objective_: float
    lower_bound_: float
    duality_gap_: float
    status_: Status
    history_: tuple[Step, ...]
    nodes_: list[Hashable]
    precision_: csr_array
    node_values_: Array

    def __init__(
        self,
        graphs: object = None,
        node_precision: float = 0.1,
        linear: ArrayLike = 0.0,
        *,
        normalized: bool = True,
        tol: float = 1e-6,
        max_iter: int = 200,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.graphs = graphs
        self.node_precision = node_precision
        self.linear = linear
        self.normalized = normalized
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit

    def _learn(self, X: Rows, targets: Array) -> None:
        """Check the graphs, learn their weights, and predict every node."""
        control = Control(
            check_positive("tol", self.tol),
            check_count("max_iter", self.max_iter),
            self._stopping_control(),
        )
        check_flag("normalized", self.normalized)
        self.nodes_, precisions = _read(self.graphs, self.normalized)
        self._mean = targets.mean(axis=0)
        Y = targets - self._mean
        self.labelled_ = self._labelled_nodes(X)
        problem = self._problem(precisions, Y)
        solution = learn_precision(problem, control)
        warn_if_unfinished(
            type(self).__name__,
            solution.status,
            control.stopping,
            solution.gap,
            control.tol,
            stacklevel=3,
        )
        self.weights_, self.objective_ = solution.weights, solution.objective
        self.lower_bound_, self.duality_gap_ = solution.lower_bound, solution.gap
        self.status_, self.history_ = solution.status, solution.history
        self.n_iter_ = max(len(solution.history), 1)
        weighted = sum((r * R for r, R in zip(self.weights_, precisions, strict=True)))
        self.precision_ = csr_array(weighted + problem.epsilon * eye_array(len(self.nodes_)))
        self.node_values_ = self._mean + self._conditional_means(Y)

    def _labelled_nodes(self, X: Rows) -> Indices:
        """The positions of the nodes with a target, each once."""
        labelled = self._places_of(X)
        if len(np.unique(labelled)) < len(labelled):
            raise ValueError(
                "expected each node once in X, got some node twice; give each node one target"
            )
        return labelled

    def _problem(self, precisions: list[csr_array], Y: Array) -> PrecisionProblem:
        """The problem on the labelled nodes, refused if a weight would grow without end."""
        node_precision = check_positive("node_precision", self.node_precision)
        n, m = len(Y), len(precisions)
        linear = np.broadcast_to(np.asarray(self.linear, dtype=float), (m,))
        if not (np.isfinite(linear).all() and (linear >= 0).all()):
            raise ValueError(
                f"expected linear to be a number, or one for each graph, not negative, got "
                f"{self.linear!r}; leave it at 0"
            )
        what = f"{type(self).__name__} with {counted(m, 'graph')} and {counted(n, 'labelled node')}"
        require(matrices(2 * m + 6, n), what, "use fewer labelled nodes or graphs")
        labelled = self.labelled_
        blocks = np.stack([R[labelled][:, labelled].toarray() for R in precisions])
        problem = PrecisionProblem.of(check_stack(blocks), Y, node_precision, linear)
        if problem.unbounded:
            names = listed([str(i) for i in problem.unbounded], 5)
            raise ValueError(
                "expected graphs in which some edge joins a labelled node to one of another "
                f"target or of none, got none in graph {names}, whose weight would grow without "
                "end; give linear a number above 0, for example 0.01"
            )
        return problem

    def _formula_html(self) -> str:
        """The formula of the learned precision; empty before a fit."""
        weights = vars(self).get("weights_")
        return "" if weights is None else precision_html(weights, self.node_precision)

    def _conditional_means(self, Y: Array) -> Array:
        """Values of all nodes given those of the labelled ones, around the mean."""
        values = np.zeros((len(self.nodes_), Y.shape[1]))
        values[self.labelled_] = Y
        others = self._others()
        if len(others):
            R = self.precision_[others]
            system = R[:, others].tocsc()
            values[others] = -splu(system).solve(R[:, self.labelled_] @ Y)
        return values

    def _others(self) -> Indices:
        """The nodes without a target."""
        return np.setdiff1d(np.arange(len(self.nodes_)), self.labelled_)

    def _places_of(self, X: Rows) -> Indices:
        """The positions of nodes given by their names."""
        names = X.iloc[:, 0].tolist() if hasattr(X, "iloc") and X.ndim == 2 else X
        names = np.asarray(names, dtype=object)
        names = names[:, 0] if names.ndim == 2 and names.shape[1] == 1 else names
        if names.ndim != 1 or len(names) == 0:
            raise ValueError(
                f"expected one name of a node in each row of X, got shape {names.shape}; pass for "
                "example ['a', 'b'], or row numbers of matrices"
            )
        places = {node: i for i, node in enumerate(self.nodes_)}
        return np.array([node_position(places, x, f"row {i} of X") for i, x in enumerate(names)])

    def _decision(self, X: Rows) -> Array:
        check_is_fitted(self)
        return np.asarray(self.node_values_[self._places_of(X)])


def check_length(X: Rows, y: Targets) -> None:
    """Refuse targets of another number than nodes."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if n != len(y):
        raise ValueError(
            f"expected y with one entry for each of the {n} nodes in X, got {len(y)}; pass both "
            "for the same nodes"
        )


def _read(graphs: object, normalized: bool) -> tuple[list[Hashable], list[csr_array]]:
    """The nodes of all graphs, and the precision matrix of each over them."""
    if not isinstance(graphs, list | tuple) or len(graphs) == 0:
        raise ValueError(
            f"expected a list of graphs, got {type(graphs).__name__}; pass for example "
            "[[(0, 1), (1, 2)], [(0, 2)]]"
        )
    are_matrices = [
        issparse(one)
        or (
            isinstance(one, np.ndarray)
            and one.ndim == 2
            and one.shape[0] == one.shape[1]
            and one.dtype.kind == "f"
        )
        for one in graphs
    ]
    if all(are_matrices):
        shapes = {tuple(one.shape) for one in graphs}
        if len(shapes) > 1:
            raise ValueError(
                f"expected matrices over the same nodes, got shapes {sorted(shapes)}; give nodes "
                "that a graph lacks a row and a column of zeros"
            )
        return list(range(graphs[0].shape[0])), [csr_array(one) for one in graphs]
    if any(are_matrices):
        raise ValueError("expected graphs or matrices, got both; turn graphs into Laplacians")
    kernels = [RegularizedLaplacian(graph, normalized=normalized) for graph in graphs]
    names = [kernel._graph().nodes for kernel in kernels]
    nodes = list(dict.fromkeys(node for some in names for node in some))
    places = {node: i for i, node in enumerate(nodes)}
    return nodes, [
        _spread(kernel._laplacian(), np.array([places[node] for node in some]), len(nodes))
        for kernel, some in zip(kernels, names, strict=True)
    ]


def _spread(L: csr_array, places: Indices, n: int) -> csr_array:
    """A matrix over some nodes as one over all of them."""
    entries = L.tocoo()
    rows, columns = places[entries.row], places[entries.col]
    return csr_array((entries.data, (rows, columns)), shape=(n, n))
