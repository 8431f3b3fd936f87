"""Model files as the commands need them."""

from __future__ import annotations

from pathlib import Path

from kernlearn.bundle import ModelBundle
from kernlearn.persistence import ModelFileError, load

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
    lacking = bundle.lacking()
    if lacking:
        raise ModelFileError(
            f"{path.name} lacks {', '.join(lacking)} among what kernlearn fit writes; fit the "
            "model again"
        )
    return bundle
