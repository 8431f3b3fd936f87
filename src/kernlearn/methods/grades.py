"""Grades as they are typed."""

from __future__ import annotations

from typing import Any

from kernlearn.methods.errors import MethodError
from kernlearn.runtime.phrases import listed
from kernlearn.typing import Targets

NUMBERS = "numbers"
_SHOWN = 8


def read_grades(text: str | None, classes: Targets | None) -> tuple[Any, ...]:
    """The classes in the order of text such as "low,mid,high" or "numbers"; none without text.

    >>> import numpy as np
    >>> read_grades("low,mid,high", np.array(["high", "low"]))
    ('low', 'high')
    >>> read_grades("numbers", np.array([1, 2, 3]))
    (1, 2, 3)
    """
    if text is None:
        return ()
    if classes is None:
        raise MethodError(
            "--ordinal orders classes, got a target of numbers; leave it out, or leave out "
            "--task regression"
        )
    labels = classes.tolist()
    if text == NUMBERS:
        if classes.dtype.kind not in "iuf":
            shown = listed([repr(label) for label in labels], _SHOWN)
            raise MethodError(
                f"expected a target of whole numbers with --ordinal {NUMBERS}, got {shown}; name "
                "the grades from the lowest to the highest, as in --ordinal low,mid,high"
            )
        return tuple(labels)
    named = [name.strip() for name in text.split(",")]
    twice = next((name for name in named if named.count(name) > 1), None)
    if twice is not None:
        raise MethodError(
            f"expected every grade once in --ordinal, got {twice!r} twice; leave one out"
        )
    unknown = [label for label in labels if str(label) not in named]
    if unknown:
        raise MethodError(
            f"expected the grades of --ordinal in the target ({listed(named, _SHOWN)}), got "
            f"{str(unknown[0])!r}; name all grades from the lowest to the highest"
        )
    return tuple(sorted(labels, key=lambda label: named.index(str(label))))
