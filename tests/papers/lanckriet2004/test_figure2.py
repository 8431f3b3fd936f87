"""Figure 2 on a few made proteins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from kernlearn.papers import find_paper
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.fusion.data import SourceColumns, SourceSet
from kernlearn.papers.lanckriet2004 import figure2

N = 40


@pytest.fixture
def proteins() -> SourceSet:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 2], N // 2)
    views = rng.normal(size=(N, 10)) + 0.8 * (y == 2)[:, None] * (np.arange(10) < 4)
    letters = ["".join(rng.choice(list("ACD" if c == 1 else "ADE"), 12)) for c in y]
    X = pd.DataFrame(views).assign(sequence=letters)
    sources = {f"view{j}": SourceColumns("numbers", slice(2 * j, 2 * j + 2)) for j in range(5)}
    sources["sequence"] = SourceColumns("sequences", slice(10, 11))
    return SourceSet("proteinfold", X, y, sources)


def test_every_column_is_scored_on_held_out_proteins(proteins: SourceSet, tmp_path: Path) -> None:
    options = RunOptions(tmp_path, splits=1, quiet=True)
    table = figure2.reproduce_figure2(options, proteins, n_references=3)
    row = table.rows()["fold 1 (20)",]
    scores = [row[column].found[0] for column in table.columns]
    assert all(0.5 < score <= 1.0 for score in scores)
    assert scores[3] > scores[2]  # the letters tell the folds apart
    assert (tmp_path / "figure2.png").exists()
    mean = table.rows()["mean",]["equal weights"].found[0]
    of_both = [table.rows()[f"fold {k} (20)",]["equal weights"].found[0] for k in (1, 2)]
    assert mean == pytest.approx(np.mean(of_both))


def test_one_kernel_alone_is_a_support_vector_machine(proteins: SourceSet) -> None:
    view = proteins.X.iloc[:, :2].to_numpy(float)
    K = np.exp(-0.3 * ((view[:, None] - view) ** 2).sum(axis=2))
    members = proteins.y == 1
    found = figure2.score_repetition(np.stack([K] * 7), members, 1, 0, 0)
    drawn = figure2.zlib.crc32(b"0 proteinfold 1 0")
    folds = StratifiedKFold(5, shuffle=True, random_state=drawn).split(view, members)
    scores = []
    for train, test in folds:
        machine = SVC(C=1.0, kernel="precomputed", tol=1e-8)
        machine.fit(K[np.ix_(train, train)], members[train])
        values = machine.decision_function(K[np.ix_(test, train)])
        scores.append(roc_auc_score(members[test], values))
    np.testing.assert_allclose(found["alone"], np.mean(scores))
    assert found["equal weights"] == pytest.approx(np.mean(scores))


def test_the_figure_is_registered() -> None:
    assert find_paper("lanckriet2004").numbers("figure") == [1, 2]
