"""What classifiers share that train one machine for two classes, and one per class for more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class OneAgainstRest:
    """Mixed into a classifier whose ``_decision(X)`` has one column per machine."""

    classes_: NDArray[Any]

    def decision_function(self, X: Any) -> Array:
        """Signed decision values.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Points.

        Returns
        -------
        values : ndarray of shape (n,) or (n, n_classes)
            Positive for the second of two classes; one column per class for more.
        """
        values: Array = self._decision(X)  # type: ignore[attr-defined]
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Points.

        Returns
        -------
        labels : ndarray of shape (n,)
            Entries of ``classes_``.
        """
        return self._labels(self._decision(X))  # type: ignore[attr-defined]

    def _find_classes(self, labels: NDArray[Any]) -> None:
        """Store the classes of the rows that count, of which there must be two."""
        self.classes_ = np.unique(labels)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} expected at least two classes in y, got one class "
                f"({self.classes_.tolist()[0]!r}); add examples of another class"
            )

    def _signs(self, labels: NDArray[Any]) -> Array:
        """Targets −1 and +1, of shape (n, machines)."""
        positive = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        return np.where(labels[:, None] == positive, 1.0, -1.0)

    def _labels(self, values: Array) -> NDArray[Any]:
        if values.shape[1] == 1:
            return np.asarray(self.classes_[(values[:, 0] > 0).astype(int)])
        return np.asarray(self.classes_[values.argmax(axis=1)])
