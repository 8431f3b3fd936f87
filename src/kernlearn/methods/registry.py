"""The methods by name; a new one is one line here."""

from __future__ import annotations

from kernlearn.methods.first_level import FIRST_LEVEL
from kernlearn.methods.hyperkernel import HYPERKERNEL
from kernlearn.methods.kernel import KERNEL
from kernlearn.methods.lssvm import LSSVM
from kernlearn.methods.method import Method, MethodError
from kernlearn.methods.metric import METRIC
from kernlearn.methods.mkl import MKL
from kernlearn.methods.tuned_svm import TUNED_SVM

__all__ = ["METHODS", "find_method"]

METHODS: dict[str, Method] = {
    method.name: method
    for method in (KERNEL, MKL, HYPERKERNEL, FIRST_LEVEL, LSSVM, METRIC, TUNED_SVM)
}


def find_method(name: str) -> Method:
    """The method of that name.

    >>> find_method("mkl").title
    'multiple kernel learning'
    """
    if name not in METHODS:
        raise MethodError(
            f"expected a method among {', '.join(METHODS)} and auto, got {name!r}; choose one"
        )
    return METHODS[name]
