"""The page of the comparison on right-censored times, from made-up scores."""

import pytest

from benchmarks.survival_page import OURS, SVM, claims, finished, page

pytest.importorskip("pandas")

# By table: Harrell's concordance and the Brier score of ours and of two rivals.
TABLES = {
    "a": ((0.9, 0.10), (0.7, 0.20), (0.6, 0.30)),
    "b": ((0.8, 0.15), (0.7, 0.10), (0.6, 0.05)),
    "c": ((0.6, 0.20), (0.7, 0.25), (0.5, 0.30)),
}


def _fit(harrell, brier=None):
    fit = {"harrell": harrell, "uno": harrell, "seconds": 2.0, "failed": 0.0, "ratio": 0.5}
    return fit if brier is None else fit | {"brier": brier}


@pytest.fixture(scope="module")
def done():
    fits = {}
    for seed in range(2):
        shift = 0.002 * seed
        for title, scores in TABLES.items():
            for name, (harrell, brier) in zip((OURS, "Coxnet", "forest"), scores, strict=True):
                move = shift if name == OURS else 0.0
                fits[f"{title}|{seed}|{name}"] = _fit(harrell + move, brier)
        for title in ("a", "c"):  # the SVM runs on two tables, without a Brier score
            fits[f"{title}|{seed}|{SVM}"] = _fit(0.65)
    del fits["c|1|forest"]["brier"], fits["c|1|Coxnet"]["brier"], fits[f"c|1|{OURS}"]["brier"]
    fits["a|0|forest"]["failed"] = 1.0
    fits = dict(sorted(fits.items(), key=lambda item: item[0][::-1]))  # in any order
    return fits | {f"a|2|{OURS}": _fit(0.1, 0.9)}  # a split that was stopped


def test_a_split_that_was_stopped_is_left_out(done):
    found, n_splits = finished(done)
    assert n_splits == 2
    assert next(iter(found)) == OURS
    assert [fit["harrell"] for fit in found[OURS]["a"]] == [0.9, 0.902]


def test_the_page_has_means_ranks_tests_and_failures(done):
    text = page(done)
    assert "2 splits of 3 tables" in text
    assert f"| table | {OURS} | Coxnet | forest | {SVM} |" in text
    assert "| a | 0.901 | 0.700 | 0.600 | 0.650 |" in text
    assert "| b | 0.801 | 0.700 | 0.600 | – |" in text
    assert "| mean rank, 3 tables | 1.33 | 1.67 | 3.00 | – |" in text
    assert "| tables with the best mean | 2 | 1 | 0 | – |" in text
    assert "| mean rank, the small 2 tables | 2.00 | 1.50 | 4.00 | 2.50 |" in text
    assert "| a | 0.100 | 0.200 | 0.300 |" in text  # the Brier score: lower is better
    assert "| mean rank, 2 tables | 2.00 | 2.00 | 2.00 |" in text
    assert "A split of c has no such score." in text
    assert "Coxnet (better on 2, worse on 1, p = " in text
    assert "at 0.05, adjusted by Holm: better on 2 (a, b), worse on 1 (c)." in text
    assert "| fits that failed | 0 | 0 | 1 | 0 |" in text


def test_the_claims_follow_from_the_ranks(done):
    by_concordance, by_brier = claims(done)
    assert by_concordance.holds
    assert "KernelSurvival 1.33, Coxnet 1.67, forest 3.00; 2 splits" in by_concordance.measured
    assert by_brier.holds  # all tie
    for title in "abc":
        for seed in range(2):
            done[f"{title}|{seed}|forest"]["harrell"] = 0.99
    assert not claims(done)[0].holds
