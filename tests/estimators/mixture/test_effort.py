"""One scale of effort: what is tried, and what is refused."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mixture.candidates.choice import chosen_families
from kernlearn.estimators.mixture.effort import checked_effort, choice_at, options_at
from kernlearn.estimators.mixture.options import MixtureOptions


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 3))
    return X, X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * rng.normal(size=70)


def test_more_effort_sees_more_rows_and_more_candidates():
    efforts = (0.01, 0.1, 1.0, 2.0, 10.0, 100.0)
    options = [options_at(MixtureOptions(), effort) for effort in efforts]
    for less, more in pairwise(options):
        assert less.screening.rows < more.screening.rows
        assert less.screening.shortlist <= more.screening.shortlist
        assert less.judged_rows <= more.judged_rows <= more.exact_rows
    assert options_at(MixtureOptions(), 1.0) == MixtureOptions()
    assert options[0].screening.shortlist > 1


@pytest.mark.parametrize("effort", ["quick", None, True, 0.0, -1, np.nan, np.inf, 1000, [1]])
def test_what_is_no_effort_is_refused(effort, table):
    with pytest.raises(
        ValueError, match="expected effort to be 'fast', 'default', 'best' or a num"
    ):
        kl.KernelRegressor(effort=effort).fit(*table)


def test_a_fast_fit_learns_ridges_and_bandwidths_only(table):
    model = kl.KernelRegressor(effort="fast").fit(*table)
    names = set(model.candidates_["candidate"])
    assert {"linear", "Gaussian"} <= names
    learned = ("ARD", "combination", "hyperkernel", "trees", "sparse linear")
    assert not any(word in name for name in names for word in learned)
    # Candidates that are named are tried, whatever the effort.
    named = kl.KernelRegressor(["trees"], effort="fast").fit(*table)
    assert set(named.candidates_["candidate"]) == {"trees"}


def test_a_choice_is_thinned_for_little_effort_only():
    choice = chosen_families("auto")
    assert choice_at(choice, checked_effort("best")) is choice
    assert choice_at(choice, checked_effort("default")) is choice
    few = choice_at(choice, checked_effort("fast"))
    assert 0 < len(few.families) < len(choice.families)
    assert not few.stretches
    assert not few.has_trees
    # Of many rows, trees are quicker than most kernels, and often better.
    large = choice_at(choice, checked_effort("fast"), is_large=True)
    assert [family.name for family in large.families] == ["linear", "Gaussian", "trees"]
    assert options_at(MixtureOptions(), 0.1).boosting.models < MixtureOptions().boosting.models
