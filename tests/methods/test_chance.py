"""Whether held-out rows are predicted better than by guessing."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.methods.chance import chance
from kernlearn.methods.held_out import HeldOutPredictions


def of_classes(y, proba, unit=None):
    return HeldOutPredictions(y, proba.argmax(axis=1), proba.shape[1], proba=proba, unit=unit)


def guess(y, n_classes):
    if n_classes == 0:
        return HeldOutPredictions(y, np.zeros(len(y)), 0)
    share = np.bincount(y, minlength=n_classes) / len(y)
    return of_classes(y, np.tile(share, (len(y), 1)))


def test_what_is_right_and_what_is_wrong():
    y = np.tile([0, 1, 2], 20)
    right = 0.9 * np.eye(3)[y] + 0.1 / 3
    for proba, is_chance in ((np.roll(right, 1, axis=1), True), (right, False)):
        labels_alone = HeldOutPredictions(y, proba.argmax(axis=1), 3)
        for said in (of_classes(y, proba), labels_alone):
            found = chance([said], [guess(y, 3)], 100)
            assert (found.sentence is not None) == is_chance
    numbers = np.random.default_rng(0).normal(size=60)
    wrong = chance([HeldOutPredictions(numbers, -numbers, 0)], [guess(numbers, 0)], 100)
    assert wrong.sentence.endswith("that of the mean 0 (p = 1)")
    good = chance([HeldOutPredictions(numbers, 0.5 * numbers, 0)], [guess(numbers, 0)], 100)
    assert good.sentence is None
    assert good.p_value < 1e-4


def test_a_rare_class_that_is_ranked_well_is_no_chance():
    y = np.array([1] * 10 + [0] * 190)
    p = np.where(y == 1, 0.3, 0.05) + np.linspace(0, 0.01, 200)
    found = chance([of_classes(y, np.column_stack([1 - p, p]))], [guess(y, 2)], 600)
    assert found.sentence is None


def test_too_few_rows_tell_nothing():
    y = np.tile([0, 1], 9)
    assert chance([of_classes(y, np.eye(2)[y])], [guess(y, 2)], 50) is None


@pytest.mark.parametrize("n_splits", [1, 10])
def test_of_noise_one_in_twenty_is_taken_for_more(n_splits):
    """With units, whose rows are predicted alike, and in folds."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(100):
        splits = []
        for _ in range(n_splits):
            y, told = rng.integers(2, size=(2, 30 if n_splits == 1 else 12))
            noise = rng.uniform(0.05, 0.45, size=len(y))
            p = np.where(told == 1, 0.5 + noise, 0.5 - noise)
            y, p = np.repeat(y, 6), np.repeat(p, 6)
            unit = np.repeat(np.arange(len(told)), 6)
            splits.append(of_classes(y, np.column_stack([1 - p, p]), unit))
        guesses = [guess(said.y, 2) for said in splits]
        found.append(chance(splits, guesses, 9 * len(splits[0])).p_value < 0.05)
    assert np.mean(found) < 0.1
