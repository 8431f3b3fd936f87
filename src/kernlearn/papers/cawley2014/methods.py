"""The classifiers that Cawley and Talbot (2014) compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kernlearn import FirstLevelClassifier, LSSVMClassifier

__all__ = ["METHODS", "Method"]


@dataclass(frozen=True)
class Method:
    """One column of a table.

    Attributes
    ----------
    name : str
        As the paper calls it.
    estimator : type
        Class of the classifier.
    parameters : mapping
        What is passed to it; all else is as it comes.
    """

    name: str
    estimator: type[Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """Name of its file of results.

        >>> METHODS["ARD-FLKL-LSSVM"].stem
        'ard-flkl'
        """
        return self.name.removesuffix("-LSSVM").lower()

    def make(self) -> Any:
        """Return a new classifier."""
        return self.estimator(**self.parameters)

    def settings(self) -> dict[str, Any]:
        """Return everything that the classifier was told, defaults included."""
        chosen = self.make().get_params(deep=False)
        return {"estimator": self.estimator.__name__, **chosen}


def _least_squares(kernel: str, label: str, selection: str) -> Method:
    name = f"{kernel}-{label}-LSSVM"
    # From equal scales alone, as in section 2.2; likewise below.
    choice = {"kernel": kernel.lower(), "selection": selection, "starts": "one"}
    return Method(name, LSSVMClassifier, choice)


def _first_level(kernel: str) -> Method:
    # λ and μ by five-fold cross-validation of the squared loss, section 2.2.
    choice = {"kernel": kernel.lower(), "lam": "cv", "mu": "cv", "cv": 5, "starts": "one"}
    return Method(f"{kernel}-FLKL-LSSVM", FirstLevelClassifier, choice)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        _least_squares("RBF", "LOO", "loo"),
        _least_squares("RBF", "XVAL", "cv"),
        _first_level("RBF"),
        _least_squares("ARD", "LOO", "loo"),
        _least_squares("ARD", "XVAL", "cv"),
        _least_squares("ARD", "BR", "bayes"),
        _first_level("ARD"),
    )
}
