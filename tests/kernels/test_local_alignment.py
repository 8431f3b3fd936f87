"""Local alignment scores against the recursion of Smith and Waterman, and in an estimator."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn import MKLClassifier
from kernlearn.kernels import Normalized, SmithWaterman

PARAMETERS = {"match": 1.5, "mismatch": -0.7, "gap_open": 1.1, "gap_extend": 0.4}


def _score(x, z, letters, gap):
    """H(a, b) as printed in 1981: a gap of every length is looked at."""
    H = np.zeros((len(x) + 1, len(z) + 1))
    for a in range(1, len(x) + 1):
        for b in range(1, len(z) + 1):
            ways = [0.0, H[a - 1, b - 1] + letters(x[a - 1], z[b - 1])]
            ways += [H[a - k, b] - gap(k) for k in range(1, a + 1)]
            ways += [H[a, b - k] - gap(k) for k in range(1, b + 1)]
            H[a, b] = max(ways)
    return H.max()


def test_scores_are_those_of_the_recursion():
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("ACGT"), size=n)) for n in (9, 1, 0, 12, 7)]
    R = ["".join(rng.choice(list("ACGTN"), size=n)) for n in (8, 11, 3)]
    gaps = ["ACGACG", "ACGTTTTACG"]  # of several letters, in either sequence
    X, R = X + gaps, R + gaps
    extra = {"AG": 0.6, "NC": 0.1}

    def letters(a, b):
        own = 1.5 if a == b else -0.7
        return extra.get(a + b, extra.get(b + a, own))

    scores = [[_score(x, r, letters, lambda k: 1.1 + 0.4 * (k - 1)) for r in R] for x in X]
    kernel = SmithWaterman(**PARAMETERS, scores=extra, references=R)
    np.testing.assert_allclose(kernel(X), np.array(scores) @ np.array(scores).T / 5)


def test_references_are_the_training_rows():
    X = ["GATTACA", "ATTACCA", "CCCGGG", "GGGCCC", "TTACA", "CGCGCC"] * 2
    y = [1, 1, 0, 0, 1, 0] * 2
    model = MKLClassifier([Normalized(SmithWaterman())]).fit(X, y)
    assert model.kernels_[0].kernel.references == X
    assert model.predict(["ATTAC", "GGGC"]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (SmithWaterman(), "must know its reference sequences .*, got none; call"),
        (SmithWaterman(match=0.0), "match must be a positive finite number, got 0.0"),
        (SmithWaterman(gap_extend=3.0), "gap_extend must be at most gap_open, got 3.0"),
        (SmithWaterman(mismatch=5.0), "mismatch must be a number of at most match, got 5.0"),
        (SmithWaterman(scores={"A": 1.0}), "scores must be of pairs of letters, got 'A'"),
        (SmithWaterman(references=[3]), "A sequence must be a string, got 3 in reference 0"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(kernel, message):
    with pytest.raises(ValueError, match=message):
        kernel(["GATTACA"])
