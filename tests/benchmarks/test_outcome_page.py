"""The pages of grades, counts, several outcomes and rankings, from made-up losses."""

import json

import numpy as np
import pytest

from benchmarks.kept_fits import finished, run_missing, write_page
from benchmarks.outcome_page import claims, page
from benchmarks.outcome_tables import OutcomeTable, Topic, fit_split

pd = pytest.importorskip("pandas")

# By table: the losses of ours and of its sibling.
LOSSES = {"a": (0.1, 0.2), "b": (0.3, 0.4), "c": (0.6, 0.5)}


def _not_to_be_fitted(train, test):
    raise ValueError("expected more rows")


@pytest.fixture(scope="module")
def topic():
    fits = {"all at once": lambda train, test: {"error": 0.1}, "one by one": _not_to_be_fitted}
    return Topic("outcomes", LOSSES, fits, ("error",), lambda train, test: {"error": 0.9})


@pytest.fixture(scope="module")
def done(topic):
    found = {}
    for title, losses in LOSSES.items():
        for seed in range(2):
            for name, loss, seconds in zip(topic.methods, losses, (3.0, 4.0), strict=True):
                fit = {"error": loss + 0.001 * seed, "seconds": seconds, "failed": 0.0}
                found[f"{title}|{seed}|{name}"] = fit | {"ratio": 0.5, "n_outcomes": 2.0}
    return found | {"a|2|all at once": {"error": 0.9}}  # a split that was stopped


def test_the_page_has_losses_ranks_tests_and_times(topic, done):
    text = page(topic, done)
    assert "2 splits of 3 tables" in text
    assert "| a | 0.101 | 0.201 |" in text
    assert "| mean rank | 1.33 | 1.67 |" in text
    assert "| tables with the least loss | 2 | 1 |" in text
    assert "one by one (better on 2, worse on 1, p = " in text
    assert "| seconds of a fit | 3 | 4 |" in text
    assert "| c | 2 | 1.50 |" in text  # three seconds, and two for one of both


def test_the_claims_follow_from_ranks_and_times(topic, done):
    by_loss, by_time = claims(topic, done)
    assert by_loss.holds
    assert "all at once 1.33, one by one 1.67; 2 splits" in by_loss.measured
    assert by_time.holds
    slow = {key: fit | {"seconds": 9.0} if "all" in key else fit for key, fit in done.items()}
    assert not claims(topic, slow)[1].holds


def test_a_method_that_cannot_be_fitted_is_judged_by_a_constant(topic):
    table = OutcomeTable(pd.DataFrame({"x": range(3)}), np.zeros(3), np.ones(3))
    assert fit_split(topic, table, 0, "all at once")["failed"] == 0.0
    fit = fit_split(topic, table, 0, "one by one")
    assert (fit["error"], fit["failed"], fit["ratio"]) == (0.9, 1.0, 0.5)


def test_what_a_file_has_is_not_fitted_again(tmp_path):
    out, keys, seen = tmp_path / "new" / "fits.json", [("a", 0, "x"), ("a", 0, "y")], []

    def fit(*key):
        seen.append(key)
        return {"error": 1.0}

    run_missing(keys[:1], fit, out)
    done = run_missing(keys, fit, out)
    assert seen == keys
    assert done == json.loads(out.read_text("utf-8"))
    assert finished(done, ["y", "x"])[0] == {
        "y": {"a": [{"error": 1.0}]},
        "x": {"a": [{"error": 1.0}]},
    }
    write_page("text", tmp_path, "grades")
    assert (tmp_path / "grades" / "table1.md").read_text("utf-8") == "text"
