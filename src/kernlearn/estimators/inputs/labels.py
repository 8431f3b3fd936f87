"""Labels of classes, and the weights of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from kernlearn.runtime.phrases import listed
from kernlearn.typing import Array, Rows, Targets

# Classes that a sentence names.
_SHOWN = 8
# Share of the rows: scikit-learn warns of more classes than this.
_FEW_CLASSES = 0.25


def _are_integers(numbers: Targets) -> bool:
    if numbers.dtype.kind == "f":
        return bool((np.isfinite(numbers) & (numbers == np.rint(numbers))).all())
    return numbers.dtype.kind in "biu"


def labels_of_classes(y: Targets) -> Targets:
    """Labels of classes, checked: they are of one kind, because labels have to be sortable.

    Truths and whole numbers in an array of objects, as a column with gaps leaves them, become an
    array of their own type.

    >>> labels_of_classes(np.array([True, False], dtype=object))
    array([ True, False])
    """
    labels: Targets = of_one_type(y)
    try:
        classes = np.unique(labels)
        if len(classes) <= _FEW_CLASSES * len(labels) and _are_integers(classes):
            return labels  # scikit-learn looks closer, and would find nothing
        check_classification_targets(labels)
    except ValueError as error:
        raise ValueError(
            f"{error} Pass whole numbers or text as labels, or take a regressor."
        ) from None
    except TypeError as error:
        if "bytes" in str(error):
            raise ValueError(
                "expected labels that are text or numbers in y, got bytes; decode them, for "
                "example by np.char.decode(y)"
            ) from None
        raise ValueError(
            "expected labels of one kind in y, got a mixture that cannot be sorted (numbers among "
            "strings, say); drop or relabel those rows"
        ) from None
    return labels


def of_one_type(y: Rows) -> Rows:
    """Truths or whole numbers of an array of objects as an array of these; others as they are."""
    is_object = getattr(getattr(y, "dtype", None), "kind", "") == "O" and len(y.shape) == 1
    types = set(map(type, y)) if is_object else set()
    are_truths = [issubclass(each, bool | np.bool_) for each in types]
    are_whole = [issubclass(each, int | np.integer) for each in types]
    is_one = types and (all(are_truths) or (all(are_whole) and not any(are_truths)))
    return np.array(y.tolist()) if is_one else y


def class_weights(class_weight: Rows, labels: Targets) -> Array:
    """The weight of every row by its class; ones where none are given."""
    if class_weight is None:
        return np.ones(len(labels))
    is_named = isinstance(class_weight, str) and class_weight == "balanced"
    if not (is_named or isinstance(class_weight, Mapping)):
        raise ValueError(
            "expected class_weight to be 'balanced', a dictionary from labels to weights, or None, "
            f"got {class_weight!r}; pass one of them"
        )
    classes, places = np.unique(labels, return_inverse=True)
    if isinstance(class_weight, Mapping):
        weights = _named_weights(class_weight, classes.tolist())
    else:
        weights = compute_class_weight(class_weight, classes=classes, y=labels)
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise ValueError(
            f"expected positive class weights, got {class_weight!r}; drop the rows of a class that "
            "should not count"
        )
    return np.asarray(weights[places], dtype=float)


def _named_weights(class_weight: Mapping[Any, Any], classes: list[Any]) -> Array:
    """Weights by class, named by label or as scikit-learn reads it; one for other classes."""
    keys = [label if label in class_weight else as_scikit_learn_reads(label) for label in classes]
    unknown = [key for key in class_weight if key not in keys]
    if unknown and not all(key in class_weight for key in keys):
        raise ValueError(
            f"expected class_weight to name classes of y, got {unknown[0]!r}, which is none; "
            f"correct it: there are {listed([repr(label) for label in classes], _SHOWN)}"
        )
    return np.array([class_weight.get(key, 1.0) for key in keys], dtype=float)


def as_scikit_learn_reads(label: Any) -> Any:
    """The key by which scikit-learn looks for the weight of a class: it takes the text 01 for 1."""
    try:
        return int(label)
    except ValueError:
        return str(label)
