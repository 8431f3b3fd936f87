"""The learned kernel of a fitted estimator, and the points as that kernel takes them."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


def last_step(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The estimator itself and X; of a pipeline, its last step and X as that step sees it."""
    if not isinstance(estimator, Pipeline):
        return estimator, X
    check_is_fitted(estimator)
    prepared = X if len(estimator) == 1 else estimator[:-1].transform(X)
    return estimator[-1], prepared


def learned_gram(estimator: Any, X: Any) -> Any:
    """The matrix of the learned kernel on the rows of X."""
    step, prepared = last_step(estimator, X)
    check_is_fitted(step)
    if not hasattr(step, "kernel_"):
        raise ValueError(
            f"expected an estimator with a learned kernel, got {type(step).__name__} without "
            "kernel_; pass for example a fitted MKLClassifier"
        )
    return step.kernel_(prepared)
