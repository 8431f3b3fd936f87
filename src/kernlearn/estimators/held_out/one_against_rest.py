"""Base of classifiers that train one machine for two classes, and one per class for more."""

from __future__ import annotations

import numpy as np

from kernlearn.estimators.held_out.calibration import probabilities
from kernlearn.estimators.inputs.dask_rows import lazy_on_dask
from kernlearn.estimators.inputs.labels import of_one_type
from kernlearn.typing import Array, Rows, Targets


class OneAgainstRestLabels:
    """Mixin for the labels of classifiers whose ``_decision(X)`` has one column per machine."""

    classes_: Targets

    @lazy_on_dask
    def decision_function(self, X: Rows) -> Array:
        """Signed decision values.

        Parameters
        ----------
        X : array-like or data frame
            Rows, as in ``fit``.

        Returns
        -------
        values : ndarray of shape (n,) or (n, n_classes)
            Positive for the second of two classes; one column per class for more.
        """
        values: Array = self._decision(X)  # type: ignore[attr-defined]
        return values[:, 0] if values.shape[1] == 1 else values

    @lazy_on_dask
    def predict(self, X: Rows) -> Targets:
        """Predict labels.

        Parameters
        ----------
        X : array-like or data frame
            Rows, as in ``fit``.

        Returns
        -------
        labels : ndarray of shape (n,) or (n, n_labels)
            Entries of ``classes_``; for several labels, zeros and ones.
        """
        return self._labels(self._decision(X))  # type: ignore[attr-defined]

    def score(self, X: Rows, y: Rows, sample_weight: Rows = None) -> float:
        """Return the share of rows that are classified correctly.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.
        y : array-like of shape (n,) or (n, n_labels)
            Their labels.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.

        Returns
        -------
        accuracy : float
            Between 0 and 1; of several labels, the share of rows where all are right.
        """
        return float(super().score(X, of_one_type(y), sample_weight))  # type: ignore[misc]

    def _find_classes(self, labels: Targets) -> None:
        """Store the classes of the rows that count; two at least are required."""
        self.classes_ = np.unique(labels)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} expected at least two classes in y, got one class "
                f"({self.classes_.tolist()[0]!r}); add examples of another class"
            )

    def _signs(self, labels: Targets) -> Array:
        """Targets −1 and +1, of shape (n, machines)."""
        positive = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        return np.where(labels[:, None] == positive, 1.0, -1.0)

    def _labels(self, values: Array) -> Targets:
        if values.shape[1] == 1:
            return np.asarray(self.classes_[(values[:, 0] > 0).astype(int)])
        return np.asarray(self.classes_[values.argmax(axis=1)])


class OneAgainstRest(OneAgainstRestLabels):
    """Mixin for classifiers with probabilities, fitted to values of held-out rows."""

    calibration_: Array
    _most_certain: float = np.inf  # no log-odds of two classes are larger

    @lazy_on_dask
    def predict_proba(self, X: Rows) -> Array:
        """Probabilities of the classes.

        A sigmoid of the decision value, or a softmax of several, fitted to values of rows that
        were held out. The largest is that of the class which `predict` names. Weights of rows and
        classes count as in the fit: with ``class_weight="balanced"`` the probabilities hold for
        classes that are equally frequent.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.

        Returns
        -------
        probabilities : ndarray of shape (n, n_classes) or (n, n_labels)
            In the order of ``classes_``; every row sums to one. For several labels, the probability
            of each, as in ``sklearn.neural_network.MLPClassifier``.
        """
        values: Array = self._decision(X)  # type: ignore[attr-defined]
        if np.isnan(self.calibration_).any():
            raise ValueError(
                f"{type(self).__name__} expected decision values of held-out rows to fit "
                "probabilities to, got none: no machine could be trained without some of the rows, "
                "or the fit was interrupted before; use decision_function, or fit again"
            )
        return self._probabilities(values)

    def _probabilities(self, values: Array) -> Array:
        """The probabilities of the classes, from decision values."""
        return probabilities(values, self.calibration_, self._most_certain)
