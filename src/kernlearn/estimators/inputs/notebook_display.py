"""Estimators that show the kernel they learned."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from kernlearn.estimators.inputs.documentation import inherit_entries
from kernlearn.formulas.notebook_html import formula_html
from kernlearn.kernels import Kernel


class NotebookDisplay(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """In a notebook: scikit-learn's diagram and, once fitted, the formula of `kernel_` below it.

    Both of scikit-learn's ways to a notebook are extended by what they return, so that the diagram
    is its own in every version, and ``set_config(display="text")`` holds.

    Docstrings of the library are completed by what base classes say of parameters and attributes.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if cls.__module__.startswith("kernlearn."):
            inherit_entries(cls)
        super().__init_subclass__(**kwargs)

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._formula_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._formula_html()
        return bundle

    def _formula_html(self) -> str:
        """The formula of the learned kernel; empty before a fit."""
        kernel = vars(self).get("kernel_")
        if not isinstance(kernel, Kernel):
            return ""
        try:
            return formula_html(kernel)
        except Exception:
            # A kernel from elsewhere may fail to describe itself; its estimator is shown all the
            # same.
            return ""
