"""Hostile files get a sentence; what once did not is kept in the tests of its kind."""

from __future__ import annotations

from benchmarks.hostile.files import judge_seed
from kernlearn.tables import TableError


def test_hostile_files():
    verdicts = [judge_seed(seed) for seed in range(24)]
    assert [(v.problem, v.complaints) for v in verdicts if v.complaints] == []
    assert {v.status for v in verdicts} == {"read", "refused"}


def test_a_failure_is_told():
    def broken(rng, folder):
        raise KeyError("nothing of the kind")

    def brief(rng, folder):
        raise TableError("no")

    def sentence(rng, folder):
        raise TableError("expected a table, got none; make one")

    cases = (broken, brief, sentence, lambda rng, folder: None)
    first, second, third, fourth = (judge_seed(seed, cases) for seed in range(4))
    assert first.problem == "seed 0, broken"
    assert "KeyError: 'nothing of the kind'" in first.complaints[0]
    assert second.complaints == ["no sentence: no"]
    assert (third.status, third.complaints) == ("refused", [])
    assert (fourth.status, fourth.complaints) == ("read", [])
    assert all(judge_seed(seed, cases, longest=-1.0).complaints for seed in range(4))
