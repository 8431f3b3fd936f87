"""Fitted attributes that displays draw, and the points as the estimator takes them."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kernlearn.typing import Array

# Attributes that displays draw: an estimator that has each, and the display.
_DRAWN = {
    "weights_": ("MKLClassifier", "KernelWeightsDisplay"),
    "history_": ("MKLClassifier", "ConvergenceDisplay"),
    "kernel_": ("MKLClassifier", "GramDisplay"),
    "candidates_": ("KernelClassifier", "CandidatesDisplay"),
    "relevance_": ("KernelClassifier", "RelevanceDisplay"),
    "theta_": ("FirstLevelClassifier", "ThetaDisplay"),
    "feature_scales_": ("HyperkernelClassifier", "FeatureScalesDisplay"),
    "transform": ("HyperkernelMetric", "EmbeddingDisplay"),
    "pair_score": ("HyperkernelMetric", "PairScoreDisplay"),
}


def last_step(estimator: BaseEstimator) -> BaseEstimator:
    """The estimator itself; of a pipeline, its last step."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def learned(estimator: BaseEstimator, attribute: str) -> Any:
    """A fitted attribute of the last step, or an error that names a display for the estimator."""
    step = last_step(estimator)
    check_is_fitted(step)
    try:
        return getattr(step, attribute)
    except AttributeError as error:
        raise ValueError(
            f"expected an estimator with {attribute}, got {type(step).__name__} without "
            f"{attribute}{_reason(step, attribute, error)}; pass for example a fitted "
            f"{_DRAWN[attribute][0]}{_other_displays(step, attribute)}"
        ) from None


def transformed_rows(estimator: BaseEstimator, X: ArrayLike) -> ArrayLike:
    """X, transformed by all steps of a pipeline but the last."""
    if not isinstance(estimator, Pipeline) or len(estimator) == 1:
        return X
    check_is_fitted(estimator)
    transformed: ArrayLike = estimator[:-1].transform(X)
    return transformed


def learned_gram(estimator: BaseEstimator, X: ArrayLike) -> Array:
    """The matrix of the learned kernel on the rows of X."""
    gram: Array = learned(estimator, "kernel_")(transformed_rows(estimator, X))
    return gram


def _reason(step: BaseEstimator, attribute: str, error: AttributeError) -> str:
    """The estimator's message about an attribute that it has only sometimes."""
    return f" ({error})" if hasattr(type(step), attribute) else ""


def _other_displays(step: BaseEstimator, attribute: str) -> str:
    suited = [show for name, (_, show) in _DRAWN.items() if name != attribute and _has(step, name)]
    return f", or draw this one by {' or '.join(suited)}" if suited else ""


def _has(step: BaseEstimator, name: str) -> bool:
    # A look at this one may compute it, which takes long.
    return hasattr(type(step), name) if name == "relevance_" else hasattr(step, name)
