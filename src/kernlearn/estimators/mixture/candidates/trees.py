r"""Learn trees, whose kernel counts the nodes that two rows share.

A kernel of distances changes smoothly along every column; a tree jumps at thresholds, and uses a
column only in some parts of the space. The nodes of a tree are features, indicators of these parts,
and

.. math:: k(x, z) = \frac1T \sum_t \bigl|P_t(x) \cap P_t(z)\bigr|

is their inner product, :math:`P_t(x)` the nodes that x comes to in tree t. A forest predicts the
mean of the targets in a leaf; a machine of this kernel weighs all nodes of all trees together, and
erred less on most of the tables that were tried.

Every tree is grown without one fold. The trees without a fold have the kernel that predicts the
fold; all trees together have the kernel of all rows. So no tree is grown for judging alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn import config_context
from sklearn.tree import DecisionTreeRegressor

from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import LearnedRepresentation
from kernlearn.kernels import Kernel, TreePaths
from kernlearn.numerics.positions import complement
from kernlearn.typing import Array, Indices


@dataclass(frozen=True)
class TreeOptions:
    """Number and depth of the trees."""

    trees: int = 20  # trees without each fold
    many_rows: int = 1500  # with more rows, half as many trees do as well in half the time
    # Most cells that trees are grown from; tables of few rows are used whole.
    cells: int = 100_000
    few_rows: int = 700
    leaf: int = 5  # the fewest rows in a leaf
    share: float = 0.8  # the part of the columns that a node chooses from


_OPTIONS = TreeOptions()


@dataclass(frozen=True, eq=False)
class TreeKernels(LearnedRepresentation):
    """A prepared table with the kernel of trees."""

    kernel: TreePaths  # of all trees
    without: tuple[TreePaths, ...]  # of the trees grown without each fold

    def kernel_for(self, kernel_of: object, X: Array, fold: int | None) -> Kernel:
        """The kernel of the trees grown without that fold."""
        return self.kernel if fold is None else self.without[fold]

    def with_more_rows(self, problem: CandidateProblem) -> TreeKernels:
        """The kernel of deeper trees, grown from more rows."""
        return tree_kernels(problem, self.table)


def tree_kernels(
    problem: CandidateProblem, table: str, options: TreeOptions = _OPTIONS
) -> TreeKernels:
    """Trees by squared errors on bootstrap samples of the rows, or of a part if rows are many."""
    generator = np.random.RandomState(0)
    most = max(options.few_rows, options.cells // problem.tables[table].shape[1])
    if len(problem) > most:
        problem = problem.rows(problem.sample(most, generator))
    n_trees = options.trees // 2 if len(problem) > options.many_rows else options.trees
    forests = []
    # To check the parameters of a tree takes as long as to grow it.
    with config_context(skip_parameter_validation=True, assume_finite=True):
        for fold in problem.folds:
            problem.stopping.check()
            others = complement(len(problem), fold)
            forests.append(
                [_grown(problem, table, others, generator, options) for _ in range(n_trees)]
            )
    whole = TreePaths.of(tree for forest in forests for tree in forest)
    return TreeKernels(table, whole, tuple(TreePaths.of(forest) for forest in forests))


def _grown(
    problem: CandidateProblem,
    table: str,
    rows: Indices,
    generator: np.random.RandomState,
    options: TreeOptions,
) -> DecisionTreeRegressor:
    drawn = generator.choice(rows, len(rows))
    weight = problem.weight[drawn]
    tree = DecisionTreeRegressor(
        max_features=options.share, min_samples_leaf=options.leaf, random_state=generator
    )
    X = problem.tables[table][drawn].astype(np.float32)
    # To check weights takes as long as to grow a small tree, and equal ones have no effect.
    is_weighted = np.ptp(weight) > 0.0
    return tree.fit(X, problem.Y[drawn], weight if is_weighted else None, check_input=False)
