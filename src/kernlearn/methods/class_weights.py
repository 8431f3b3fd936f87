"""Weights of classes as they are typed."""

from __future__ import annotations

from typing import Any

from kernlearn.estimators.inputs.labels import as_scikit_learn_reads
from kernlearn.methods.errors import MethodError
from kernlearn.methods.method import ClassWeight
from kernlearn.typing import Targets

SHAPE = 'balanced, or weights such as "yes=5,no=1"'


def read_class_weight(text: str | None, classes: Targets | None) -> ClassWeight:
    """Parse text such as "yes=5,no=1" or "balanced" into scikit-learn's ``class_weight``.

    Classes that are not named weigh 1; `classes` is None for regression.

    >>> import numpy as np
    >>> read_class_weight("yes=5", np.array(["no", "yes"]))
    {'no': 1.0, 'yes': 5.0}
    """
    if text is None:
        return None
    if classes is None:
        raise MethodError(
            "--class-weight weighs classes, got a target of numbers; leave it out, or pass --task "
            "classification"
        )
    if text == "balanced":
        return text
    known = {str(label): label for label in classes.tolist()}
    weights = dict.fromkeys(classes.tolist(), 1.0)
    named: set[str] = set()
    for part in text.split(","):
        # Split at the last "=": the name of a class may contain one.
        name, found, number = part.strip().rpartition("=")
        if not found:
            raise MethodError(f"expected --class-weight to be {SHAPE}, got {text!r}")
        if name.strip() not in known:
            shown = ", ".join(list(known)[:8]) + ", …" * (len(known) > 8)
            raise MethodError(
                f"--class-weight names the class {name.strip()!r}, which the target does not "
                f"have; it has {shown}"
            )
        if name.strip() in named:
            raise MethodError(
                f"--class-weight names the class {name.strip()!r} twice; name each class once"
            )
        named.add(name.strip())
        weights[known[name.strip()]] = _positive(number, text)
    return weights


def for_scikit_learn(weights: ClassWeight) -> ClassWeight:
    """Weights by label, and by the label as scikit-learn 1.9 reads it: "01" as the number 1.

    >>> for_scikit_learn({"01": 3.0, "b": 1.0})
    {'01': 3.0, 'b': 1.0, 1: 3.0}
    """
    if not isinstance(weights, dict):
        return weights
    read: dict[Any, Any] = {}
    for label in weights:
        key = as_scikit_learn_reads(label)
        if key in read:
            raise MethodError(
                f"--class-weight cannot tell the classes {read[key]!r} and {label!r} apart, which "
                "are one number; rename them, or leave it out"
            )
        read[key] = label
    return weights | {key: weights[label] for key, label in read.items()}


def _positive(number: str, text: str) -> float:
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not 0.0 < value < float("inf"):
        raise MethodError(
            f"expected positive numbers in --class-weight, got {number.strip()!r} in {text!r}; "
            f"write {SHAPE}"
        )
    return value
