"""Sequences by a substitution matrix: values by naive loops, and sentences."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.kernels import Substitution, WeightedDegree

X = ["ACGT", "AAGT", "TTNA"]
S = np.array(
    [[2.0, 0.5, 0.0, 0.0], [0.5, 1.0, 0.0, 0.1], [0.0, 0.0, 3.0, 0.0], [0.0, 0.1, 0.0, 1.0]]
)


def similarity(a, b):
    return S["ACGT".index(a), "ACGT".index(b)] if a in "ACGT" and b in "ACGT" else 0.0


def test_positions_are_compared_one_by_one_and_unknown_letters_with_nothing():
    expected = [
        [np.mean([similarity(a, b) for a, b in zip(x, z, strict=True)]) for z in X] for x in X
    ]
    np.testing.assert_allclose(Substitution("ACGT", S, offset=0.0)(X), expected, rtol=1e-14)
    cubed = Substitution("ACGT", S, offset=0.5, degree=3)(X, X[:2])
    np.testing.assert_allclose(cubed, (0.5 + np.array(expected)[:, :2]) ** 3, rtol=1e-14)


def test_sequences_that_are_not_aligned_have_any_length():
    kernel = Substitution("ACGT", S, offset=0.0, aligned=False)
    rows = ["ACG", "A", "", "TTNAC"]
    expected = [
        [np.sum([[similarity(a, b) for a in x] for b in z]) / max(len(x) * len(z), 1) for z in rows]
        for x in rows
    ]
    np.testing.assert_allclose(kernel(rows), expected, rtol=1e-14)


def test_words_that_are_equal_are_counted_as_by_the_weighted_degree():
    rows = ["ACGTA", "ACGAA", "CCGTA"]
    pairs = Substitution(word_length=2, offset=0.0)(rows) * 4.0
    letters = Substitution(offset=0.0)(rows) * 5.0
    np.testing.assert_allclose(WeightedDegree(2)(rows), (2.0 * letters + pairs) / 3.0, rtol=1e-14)


def test_similarities_have_their_words_for_labels():
    assert Substitution("ACGT", S).similarities()["A"]["C"] == 0.5
    assert Substitution("AC", np.diag([1.0, 2.0, 3.0, 4.0]), word_length=2).similarities()[
        "CA"
    ] == {
        "AA": 0.0,
        "AC": 0.0,
        "CA": 3.0,
        "CC": 0.0,
    }


@pytest.mark.parametrize(
    ("kernel", "rows", "message"),
    [
        (Substitution("ACGT", np.eye(3)), X, "4 rows and columns of finite numbers"),
        (Substitution("AC", [[1.0, 2.0], [2.0, 1.0]]), X, "smallest eigenvalue of -1; add"),
        (Substitution("ACGT", word_length=3), X, "at most 32 words, got 4 letters to the power"),
        (Substitution("A"), X, "alphabet must be a string of distinct letters"),
        (Substitution(), ["AC", "ACG"], "one length, 1 at least, got lengths from 2 to 3 in X"),
        (Substitution(), ["AC", 3.0], "must be a string, got 3.0 in row 1 of X"),
    ],
)
def test_what_is_wrong_is_named(kernel, rows, message):
    with pytest.raises(ValueError, match=message):
        kernel(rows)


def test_new_sequences_have_the_length_of_the_others():
    with pytest.raises(ValueError, match="got 2 letters in X and 3 in Y; align them, or set"):
        Substitution(word_length=2)(["AC"], ["ACG"])
