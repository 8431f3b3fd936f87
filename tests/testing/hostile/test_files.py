"""Hostile files get a sentence; what once did not is kept in the tests of its kind."""

from __future__ import annotations

from kernlearn.tables import TableError
from kernlearn.testing.hostile import FileFailure, run


def test_hostile_files():
    assert run(96, seed=0) == []


def test_a_failure_is_told():
    def broken(rng, folder):
        raise KeyError("nothing of the kind")

    def brief(rng, folder):
        raise TableError("no")

    def sentence(rng, folder):
        raise TableError("expected a table, got none; make one")

    cases = (broken, brief, sentence, lambda rng, folder: None)
    first, second = run(4, cases=cases)
    assert isinstance(first, FileFailure)
    assert (first.seed, first.case) == (0, "broken")
    assert "KeyError: 'nothing of the kind'" in first.error
    assert (second.seed, second.error) == (1, "no sentence: no")
    assert len(run(4, cases=cases, longest=-1.0)) == 4
