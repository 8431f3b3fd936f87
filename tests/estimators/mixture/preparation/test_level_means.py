"""Levels as mean targets: shrunk by what levels tell, and blind to a row's own fold."""

from __future__ import annotations

import numpy as np

from kernlearn.estimators.mixture.preparation.level_means import LevelMeans

N = 400
RNG = np.random.default_rng(0)
LEVELS = RNG.integers(8, size=N)
CELLS = np.char.add("level ", LEVELS.astype(str))
Y = np.column_stack([np.sin(LEVELS), RNG.normal(size=N)]) + 0.3 * RNG.normal(size=(N, 2))
FOLDS = [np.arange(i, N, 4) for i in range(4)]
WEIGHT = RNG.uniform(0.5, 2.0, size=N)


def test_a_fold_is_encoded_by_the_others_alone():
    changed = Y.copy()
    changed[FOLDS[1]] += RNG.normal(size=(100, 2))
    (_, own), (_, other) = (LevelMeans.fit(CELLS, y, WEIGHT, FOLDS) for y in (Y, changed))
    assert np.bincount(LEVELS).max() < 100
    # The shrinkage alone is that of all rows.
    np.testing.assert_allclose(own[FOLDS[1], 0], other[FOLDS[1], 0], atol=0.02)
    assert np.abs(own[FOLDS[0], 0] - other[FOLDS[0], 0]).max() > 0.03


def test_levels_that_differ_have_their_means_and_others_the_mean_of_all():
    means, _ = LevelMeans.fit(CELLS, Y, WEIGHT, FOLDS)
    here = LEVELS == 3
    own = np.average(Y[here], axis=0, weights=WEIGHT[here])
    overall = np.average(Y, axis=0, weights=WEIGHT)
    found = means(np.array(["level 3", "never seen"]))
    np.testing.assert_allclose(found[0, 0], own[0], atol=0.02)
    assert abs(found[0, 1] - overall[1]) < 0.7 * abs(own[1] - overall[1])
    np.testing.assert_allclose(found[1], overall)


def test_levels_of_many_rows_in_all_folds_have_one_number():
    """But not a level that is most of one fold, as a group that is held out would be."""
    cells = np.where(np.arange(N) % 4 == 1, "here", np.where(LEVELS > 3, "high", "low"))
    means, encoded = LevelMeans.fit(cells, Y, np.ones(N), FOLDS)
    for level in ("high", "low"):
        here = cells == level
        np.testing.assert_array_equal(
            encoded[here], np.tile(means(cells[here][:1]), (here.sum(), 1))
        )
    outside = Y[cells != "here"].mean(axis=0)
    np.testing.assert_allclose(encoded[cells == "here"], np.tile(outside, (100, 1)))


def test_names_of_rows_tell_nothing():
    names = np.arange(N).astype(str)
    means, encoded = LevelMeans.fit(names, Y, np.ones(N), FOLDS)
    assert np.ptp(means.means, axis=0).max() < 1e-12
    for fold in FOLDS:
        assert np.ptp(encoded[fold], axis=0).max() < 1e-12
    one, _ = LevelMeans.fit(np.full(N, "same"), Y, np.ones(N), FOLDS)
    np.testing.assert_allclose(one.means, np.tile(Y.mean(axis=0), (2, 1)))
