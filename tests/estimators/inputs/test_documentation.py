"""Docstrings of estimators, completed by those of their base classes."""

from __future__ import annotations

import inspect
import re

import pytest

import kernlearn as kl
from kernlearn.estimators.inputs.documentation import inherit_entries
from kernlearn.ranking import MKLRanker

KINDS = [MKLRanker, *(kind for name in kl.__all__ if hasattr(kind := getattr(kl, name), "fit"))]


class Base:
    """What is shared.

    Parameters
    ----------
    tol : float
        The gap.
    cv : int
        Folds.

    Attributes
    ----------
    n_iter_ : int
        Steps.
    lam_, mu_ : float
        Both.
    """


class Estimator(Base):
    """A summary.

    Parameters
    ----------
    cv : int
        Its own folds.

    Attributes
    ----------
    mu_ : float
        Its own.

    Notes
    -----
    The end.
    """

    def __init__(self, tol=1.0, cv=5):
        pass

    def fit(self, X):
        pass


COMPLETE = """A summary.

Parameters
----------
tol : float
    The gap.
cv : int
    Its own folds.

Attributes
----------
mu_ : float
    Its own.
n_iter_ : int
    Steps.

Notes
-----
The end."""


def test_entries_of_base_classes_are_added_where_a_class_has_none():
    inherit_entries(Estimator)
    assert Estimator.__doc__.rstrip() == COMPLETE
    inherit_entries(Estimator)
    assert Estimator.__doc__.rstrip() == COMPLETE


def test_docstrings_of_others_stay_as_they_are():
    class Own(kl.MKLClassifier):
        """Mine.

        Parameters
        ----------
        C : float
            Mine, too.
        """

        def __init__(self, C=1.0):
            super().__init__(C=C)

    assert "verbose" not in Own.__doc__


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_parameter_of_an_estimator_is_described_in_the_order_of_its_constructor(kind):
    section = re.search(r"Parameters\n-+\n(.*?)\n\n", inspect.getdoc(kind), re.DOTALL)
    described = re.findall(r"^(\w+) : ", section[1], re.MULTILINE)
    assert described == list(inspect.signature(kind).parameters)
