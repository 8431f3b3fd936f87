"""Classification and regression of the nodes of several graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import splu
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import column_or_1d

from kernlearn._checks import check_finite_target
from kernlearn.estimators.held_out.one_against_rest import OneAgainstRestLabels
from kernlearn.estimators.inputs.labels import labels_of_classes
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.mkl.graph_process import GraphFusion, check_length
from kernlearn.typing import Rows


class GraphFusionClassifier(OneAgainstRestLabels, ClassifierMixin, GraphFusion):  # type: ignore[misc]
    r"""Label the nodes of several graphs by a Gaussian process that learns the graphs' weights.

    .. math::

        \min_{r \ge 0} \tfrac12 y^\top R y - \tfrac12 \log\det R + b^\top r, \qquad
        R = \sum_i r_i L_i + \varepsilon I,

    over the labelled nodes, convex in r (Lanckriet et al. 2004, section 7). In the formula
    ``min over k in F of Q(k) + λΩ(k)``, the precisions R are F, the first two terms Q, the linear
    term is λΩ. Nodes without a label are in the graphs, and are predicted by their names.

    Parameters
    ----------
    node_precision : float, default=0.1
        The ε of the formula: precision of a node without edges.

    Attributes
    ----------
    node_values_ : ndarray of shape (N, k)
        Decision values of all nodes.
    classes_ : ndarray of shape (n_classes,)
        The labels.

    Examples
    --------
    The first graph joins nodes of one class, the second joins nodes at random.

    >>> from kernlearn import GraphFusionClassifier
    >>> same = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3)]
    >>> other = [(0, 4), (1, 5), (2, 3), (0, 5), (1, 3)]
    >>> model = GraphFusionClassifier([same, other]).fit([0, 1, 3, 4], ["a", "a", "b", "b"])
    >>> model.predict([2, 5]).tolist(), bool(model.weights_[0] > model.weights_[1])
    (['a', 'b'], True)
    """

    def fit(self, X: Rows, y: Rows) -> GraphFusionClassifier:
        """Learn the weights of the graphs, and label all nodes.

        Parameters
        ----------
        X : array-like of shape (n,) or (n, 1)
            Names of the labelled nodes, each once.
        y : array-like of shape (n,)
            Their labels, at least two classes.

        Returns
        -------
        self : GraphFusionClassifier
            Fitted.
        """
        with rollback_on_error(self):
            labels = column_or_1d(np.asarray(y))
            labels = labels_of_classes(labels)
            self._find_classes(labels)
            check_length(X, labels)
            self._learn(X, self._signs(labels))
            return self


class GraphFusionRegressor(RegressorMixin, GraphFusion):  # type: ignore[misc]
    r"""Predict numbers at the nodes of several graphs by a Gaussian process that learns weights.

    The problem is that of :class:`kernlearn.GraphFusionClassifier`, with the numbers less their
    mean in place of signs. Targets in other units ask for another `node_precision`, about one over
    the variance of the targets.

    Parameters
    ----------
    node_precision : float, default=0.1
        Precision of a node without edges.

    Attributes
    ----------
    node_values_ : ndarray of shape (N, 1)
        Predictions of all nodes.

    Examples
    --------
    >>> from kernlearn import GraphFusionRegressor
    >>> path = [(0, 1), (1, 2), (2, 3), (3, 4)]
    >>> model = GraphFusionRegressor([path], node_precision=0.01, normalized=False)
    >>> model.fit([0, 2, 4], [0.0, 2.0, 4.0]).predict([1, 3]).round(1)
    array([1., 3.])
    """

    def fit(self, X: Rows, y: Rows) -> GraphFusionRegressor:
        """Learn the weights of the graphs, and predict all nodes.

        Parameters
        ----------
        X : array-like of shape (n,) or (n, 1)
            Names of nodes with a target, each once.
        y : array-like of shape (n,)
            Targets.

        Returns
        -------
        self : GraphFusionRegressor
            Fitted.
        """
        with rollback_on_error(self):
            target = column_or_1d(np.asarray(y, dtype=float))
            check_finite_target(target)
            check_length(X, target)
            self._learn(X, target[:, None])
            return self

    def predict(self, X: Rows, return_std: bool = False) -> Any:
        """Predict values of nodes.

        Parameters
        ----------
        X : array-like of shape (n,) or (n, 1)
            Names of nodes.
        return_std : bool, default=False
            Whether to return standard deviations too; they are zero at nodes of the fit.

        Returns
        -------
        values : ndarray of shape (n,)
            Predictions.
        std : ndarray of shape (n,), if asked for
            Standard deviations.
        """
        values = self._decision(X)[:, 0]
        if not return_std:
            return values
        others, places = self._others(), self._places_of(X)
        variances = np.zeros(len(self.nodes_))
        nodes = np.intersect1d(others, places)
        if len(nodes):
            units = np.zeros((len(others), len(nodes)))
            at = np.searchsorted(others, nodes)
            units[at, np.arange(len(nodes))] = 1.0
            inverse = splu(self.precision_[others][:, others].tocsc()).solve(units)
            variances[nodes] = inverse[at, np.arange(len(nodes))]
        return values, np.sqrt(variances[places])
