"""A model from a file is tried on a few of its own rows before it is handed over.

The parts of an altered file may all be of known types and yet not fit together: a matrix where a
kernel should be, or coefficients for other rows. Predictions of such a model would fail with
an unrelated error.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.bundle import ModelBundle
from kernlearn.estimators.hyperkernel.pair_learner import PairLearner
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.kernels._validation import is_frame, take_rows
from kernlearn.persistence.registry import NAMES
from kernlearn.runtime.optional import load_pandas
from kernlearn.runtime.warning_filters import quiet_about
from kernlearn.typing import Json, Rows

_METHODS = ("predict", "decision_function", "predict_proba", "score_samples", "transform")
# Intervals take factorisations of the training rows: they are tried where these are few.
_INTERVAL, _MOST_ROWS = "predict_interval", 300
_ROWS = 2


def check_model(model: object) -> None:
    """Raise whatever the model raises on its own rows, if that is no refusal in words."""
    if isinstance(model, ModelBundle):
        _ = model.pipeline.predict  # an error if it is something else
        if model.sample_X is not None and len(model.sample_X):
            _try(model.pipeline, model.sample_X.iloc[:_ROWS], _METHODS)
            return
        model = model.pipeline
    for estimator in library_estimators(model):
        try:
            rows = example_rows(estimator)
        except ImportError:
            continue
        if isinstance(estimator, PairLearner) and rows is not None:
            _try(estimator, estimator.pairs_[:_ROWS], ("pair_score", "pair_distance"))
        if rows is not None:
            is_small = _n_training_rows(estimator) <= _MOST_ROWS
            _try(estimator, rows, (*_METHODS, _INTERVAL) if is_small else _METHODS)


def _try(model: object, rows: Rows, methods: Sequence[str]) -> None:
    for name in methods:
        with quiet_about(Warning), np.errstate(all="ignore"):
            try:
                getattr(model, name, lambda rows: None)(rows)
            except (ImportError, MemoryError):
                return  # which is no defect of the file
            except ValueError as error:
                if not _is_in_words(error):
                    raise


def _is_in_words(error: BaseException) -> bool:
    """Whether a line of Python raised it, and no routine of NumPy that was given nonsense."""
    line = traceback.extract_tb(error.__traceback__)[-1].line or ""
    return line.startswith("raise ")


def library_estimators(model: object) -> Iterator[BaseEstimator]:
    """The estimators of this library in a model, which may be a pipeline."""
    if not isinstance(model, BaseEstimator):
        return
    if type(model) in NAMES:
        yield model
        return
    for part in getattr(model, "steps", ()):
        yield from library_estimators(part[1])


def example_rows(estimator: BaseEstimator) -> Rows:
    """Rows as `predict` takes them, of those that a fitted estimator holds; None without any."""
    parts = vars(estimator)
    if isinstance(estimator, KernelMixture):
        return _unknown_row(parts) if "_members" in parts else None
    if isinstance(estimator, PairLearner):
        return parts["pairs_"][:_ROWS, 0] if "pairs_" in parts else None
    held = [parts["support_vectors_"]] if "support_vectors_" in parts else parts.get("landmarks_")
    # A linear kernel of sparse columns has no landmarks.
    rows = next((each for each in held or () if each is not None), None)
    if rows is None:
        return None
    if not (isinstance(rows, list | tuple) or hasattr(rows, "shape")):
        raise TypeError(f"expected rows, got a {type(rows).__name__}")
    rows = take_rows(rows, slice(_ROWS))
    places = parts.get("views_") or {}
    return {name: _view(rows, name, place) for name, place in places.items()} or rows


def _view(rows: Rows, name: str, place: slice) -> Rows:
    if not is_frame(rows):
        return rows[:, place]
    view = rows.iloc[:, place]  # its columns have the name of the view before their own
    return view.set_axis([str(column).removeprefix(f"{name}: ") for column in view], axis=1)


def _n_training_rows(estimator: BaseEstimator) -> int:
    parts = vars(estimator)
    members = parts.get("_members")
    rows = parts.get("support_vectors_", ()) if members is None else members.Y
    return rows.shape[0] if hasattr(rows, "shape") else len(rows)


def _unknown_row(parts: Json) -> Rows:
    """A row of which no cell is known, which a mixture takes whatever its columns hold."""
    gaps = np.full((1, parts["n_features_in_"]), np.nan)
    names = parts.get("feature_names_in_")
    return gaps if names is None else load_pandas("a trial").DataFrame(gaps, columns=names)
