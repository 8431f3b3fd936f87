"""What the user passes is read, never written."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLOptions, MKLRegressor

ALL = [MKLClassifier, MKLRegressor, MKLNoveltyDetector]


@pytest.mark.parametrize("kind", ALL)
def test_what_came_is_unchanged(problem, kernels, kind):
    y = problem.y if kind is MKLClassifier else problem.target
    weight = np.linspace(0.0, 2.0, 40)
    passed = [problem.X, y, weight, problem.X_new]
    before = [a.copy() for a in passed]
    for array in passed:
        array.setflags(write=False)
    names = [str(k) for k in kernels]
    model = kind(kernels, weights="free", normalize=True, options=MKLOptions(center=True))
    options = {} if kind is MKLNoveltyDetector else {"X_unlabeled": problem.X_new}
    model.fit(problem.X, y, sample_weight=weight, **options).predict(problem.X_new)
    assert model.kernels is kernels
    assert [str(k) for k in kernels] == names
    assert len(kernels) == 3
    for now, then in zip(passed, before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_a_data_frame_and_a_dictionary_are_unchanged(problem):
    frame = pd.DataFrame(problem.X, columns=list("abc"), index=np.arange(40)[::-1])
    before, factors = frame.copy(), {0: 1.0, 1: 2.0}
    MKLClassifier(class_weight=factors).fit(frame, problem.y, X_unlabeled=frame[:5])
    pd.testing.assert_frame_equal(frame, before)
    assert factors == {0: 1.0, 1: 2.0}
