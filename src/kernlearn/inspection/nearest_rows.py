"""Training rows on which a prediction rests: the nearest ones by the learned kernel."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from kernlearn._checks import check_count
from kernlearn.inspection._learned_distance import LearnedDistance
from kernlearn.typing import Rows, Targets


def nearest_rows(
    model: BaseEstimator, X: Rows, X_train: Rows = None, y_train: Rows = None, *, n: int = 5
) -> dict[str, Targets]:
    r"""Find the training rows that the learned kernel takes for the most similar ones.

    The distance is that of the feature space of the learned kernel, for a mixture the mean over the
    members by their weights:

    .. math:: d^2(x, z) = \frac{k(x, x) + k(z, z) - 2 k(x, z)}{2 \, \overline{k(z, z)}}

    Parameters
    ----------
    model : estimator or ModelBundle
        Fitted, with a learned kernel, or a Pipeline that ends in one; or what ``kernlearn.load``
        makes of a file of ``kernlearn fit``.
    X : array-like, data frame or dict of sources
        The rows to explain.
    X_train : array-like, data frame or dict of sources, optional
        The rows among which is searched, usually the training rows. A ModelBundle has up to 300 of
        its own.
    y_train : array-like, optional
        Targets of the training rows.
    n : int, default=5
        Number of rows to find for each row of X.

    Returns
    -------
    dict of ndarray of shape (len(X), n)
        "row", the positions in `X_train`, the nearest first; "similarity", one minus the squared
        distance, which is k(x, z) itself if k(x, x) = 1; and "target", where targets are known.

    See Also
    --------
    shapley_values : Contribution of each column to a prediction.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import LSSVMClassifier
    >>> X, y = np.array([[0.0], [1.0], [2.0], [9.0]]), np.array(["a", "a", "b", "b"])
    >>> model = LSSVMClassifier(selection=None, lam=0.1, theta=0.5).fit(X, y)
    >>> found = nearest_rows(model, [[1.9]], X, y, n=2)
    >>> found["row"].tolist(), found["target"].tolist()
    ([[2, 1]], [['b', 'a']])
    """
    n = check_count("n", n, usual=5)
    estimator = model
    if hasattr(model, "sample_X"):  # of a file, which records how its table is read
        estimator, X = model.pipeline, model.typed(X)
        has_training_rows = X_train is not None
        y_train = y_train if has_training_rows else model.sample_y
        X_train = model.typed(X_train) if has_training_rows else model.sample_X
    distance = LearnedDistance.of(estimator)
    if distance is None:
        raise ValueError(
            f"nearest_rows expected a model with a learned kernel, got {type(model).__name__} "
            "without one; pass for example a fitted KernelClassifier"
        )
    if X_train is None:
        raise ValueError(
            f"nearest_rows expected the training rows X_train for {type(model).__name__}, got "
            "None; pass the rows of the fit, and their targets as y_train"
        )
    squares = distance(X, X_train)
    if n > squares.shape[1]:
        raise ValueError(
            f"nearest_rows expected n up to the {squares.shape[1]} rows of X_train, got {n}; ask "
            "for fewer"
        )
    order = np.argsort(squares, axis=1, kind="stable")[:, :n]
    found: dict[str, Targets] = {
        "row": order,
        "similarity": 1.0 - np.take_along_axis(squares, order, axis=1),
    }
    if y_train is not None:
        # Several labels may be a sparse matrix, and times to an event have a form of their own.
        targets = y_train.toarray() if issparse(y_train) else y_train
        targets = np.asarray(getattr(targets, "structured", targets))
        if len(targets) != squares.shape[1]:
            raise ValueError(
                f"nearest_rows expected y_train of {squares.shape[1]} rows, as X_train has, got "
                f"{len(targets)}; pass one target for each row"
            )
        found["target"] = targets[order]
    return found
