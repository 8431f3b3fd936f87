"""Model files as the commands need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kernlearn.bundle import ModelBundle
from kernlearn.methods.costs import check_two_classes, given_threshold, read_costs
from kernlearn.methods.errors import MethodError
from kernlearn.persistence import ModelFileError, load

# Message for a file that can be read, but whose parts do not fit together.
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


def with_costs(bundle: ModelBundle, texts: Sequence[str] | None) -> ModelBundle:
    """The same model with the threshold of other costs than those of the fit."""
    costs = read_costs(texts)
    if costs is None:
        return bundle
    labels = bundle.facts["classes"]
    check_two_classes(labels)
    if not hasattr(bundle, "predict_proba"):
        raise MethodError(
            "--cost needs probabilities, which the method of this model does not have; leave it out"
        )
    return replace(bundle, facts={**bundle.facts, "threshold": given_threshold(costs, labels)})


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
