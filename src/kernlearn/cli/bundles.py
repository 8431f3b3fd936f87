"""Model files as the commands need them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kernlearn.bundle import ModelBundle
from kernlearn.persistence import ModelFileError, load

__all__ = ["DAMAGED", "read_bundle", "read_predictor"]

# Said of a file that was read without complaint, but whose parts do not fit together.
DAMAGED = "the model file does not hold what kernlearn fit writes; fit the model again"


def read_bundle(path: Path) -> ModelBundle:
    """The content of a model file of the command line."""
    bundle = load(path)
    if not isinstance(bundle, ModelBundle):
        raise ModelFileError(
            f"{path.name} holds {type(bundle).__name__}, written by kernlearn.save: expected a "
            "model file of kernlearn fit; read it in Python by kernlearn.load"
        )
    return bundle


def read_predictor(path: Path) -> ModelBundle:
    """The content of a model file, with the facts without which nothing can be predicted."""
    bundle = read_bundle(path)
    facts = vars(bundle).get("facts")
    missing = [
        name
        for name, is_right in NEEDED.items()
        if not isinstance(facts, dict) or not is_right(facts.get(name))
    ]
    if missing or not hasattr(vars(bundle).get("pipeline"), "predict"):
        raise ModelFileError(
            f"{path.name} lacks {', '.join(missing) or 'the model'} among what kernlearn fit "
            "writes; fit the model again"
        )
    return bundle


def _are_columns(value: Any) -> bool:
    keys = {"name", "kind", "action"}
    return isinstance(value, list) and all(
        isinstance(column, dict) and set(column) == keys and _are_texts([*column.values()])
        for column in value
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


NEEDED: dict[str, Callable[[Any], bool]] = {
    "task": lambda value: value in ("classification", "regression"),
    "target": lambda value: isinstance(value, str),
    "columns": _are_columns,
    "classes": lambda value: value is None or _are_texts(value),
}
