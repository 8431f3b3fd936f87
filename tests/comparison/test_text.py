"""The table as text: the numbers, the marks, and sentences that agree with the tests."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.stats

from kernlearn.comparison import compare
from kernlearn.papers.cawley2014.published import mean_errors


@pytest.fixture
def repeated():
    """Three methods on four sets; the second is close to the first, the third far from both."""
    rng = np.random.default_rng(4)
    values = rng.normal(10, 1, size=(4, 1, 20)) + rng.normal(0, 0.3, size=(4, 3, 20))
    values[:, 1] += np.array([0.0, 0.05, 0.1, 0.4])[:, None]
    values[:, 2] += 2.0
    return values


def _markdown_rows(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_marks_are_those_of_a_wilcoxon_test_with_the_best(repeated):
    c = compare(repeated)
    alike = c.indistinguishable(0.05).to_numpy()
    for i, cells in enumerate(repeated):
        best = int(np.argmin(cells.mean(axis=1)))
        assert c.best.to_numpy()[i].tolist() == [j == best for j in range(3)]
        for j in range(3):
            p = 0.0 if j == best else scipy.stats.wilcoxon(cells[j], cells[best]).pvalue
            assert alike[i, j] == (p > 0.05)
    # The case is worth looking at: some are alike, some not.
    assert alike[:, :2].any()
    assert (~alike & ~c.best.to_numpy())[:, :2].any()
    assert not alike[:, 2].any()


def test_markdown_has_the_numbers_bold_and_italic(repeated):
    c = compare(repeated, names=["a", "b", "c"], data_sets=["w|w", "x", "y", "z"])
    rows = _markdown_rows(c.to_markdown())
    assert rows[0] == ["data set", "a", "b", "c"]
    assert [row[0] for row in rows[2:]] == [r"w\|w", "x", "y", "z", "mean rank"]
    best, alike = c.best.to_numpy(), c.indistinguishable().to_numpy()
    for i, row in enumerate(rows[2:6]):
        for j, cell in enumerate(row[1:]):
            mean, error = c.scores.iloc[i, j], c.standard_errors.iloc[i, j]
            star = "**" if best[i, j] else "*" if alike[i, j] else ""
            assert cell == f"{star}{mean:.3f} ± {error:.3f}{star}"
    assert [float(cell) for cell in rows[-1][1:]] == pytest.approx(c.ranks.tolist(), abs=5e-5)
    assert "Italic: not significantly different from it by Wilcoxon" in c.to_markdown()


def test_text_marks_best_and_alike_in_aligned_columns(repeated):
    c = compare(repeated)
    lines = c.to_text(number_format=".1f").splitlines()
    assert lines[0].split("  ")[0] == "data set"
    start = lines[0].index("method 2")
    for i in range(4):
        cell = re.split(r"\s{2,}", lines[1 + i][start:])[0]
        mark = " *" if c.best.iloc[i, 1] else " ~" if c.indistinguishable().iloc[i, 1] else ""
        assert cell == f"{c.scores.iloc[i, 1]:.1f} ± {c.standard_errors.iloc[i, 1]:.1f}{mark}"
    assert "~ not significantly different" in c.to_text()


def test_without_repetitions_there_are_no_errors_and_no_italics():
    c = compare(mean_errors(3))
    assert not c.indistinguishable().any(axis=None)
    assert "±" not in c.to_text() + c.to_markdown()
    assert "~" not in c.to_text()
    assert "Italic" not in c.to_markdown()


def test_ties_for_the_best_are_all_bold():
    rows = _markdown_rows(compare(mean_errors(4)).to_markdown(number_format=".1f"))
    titanic = next(row for row in rows if row[0] == "titanic")
    assert titanic == ["titanic", "22.6", "22.5", "**22.4**", "**22.4**"]


def test_sentences_tell_the_tests():
    text = compare(mean_errors(3)).to_text(alpha=0.1)
    assert "χ² = 14.71 on 2 degrees of freedom, p = 0.000638." in text
    assert "F = 14.4 on 2 and 26 degrees of freedom, p = 6.18e-05: the methods differ" in text
    assert "must differ by 0.7757 for significance at the level 0.1." in text
    assert "Not significantly different: ARD-XVAL-LSSVM, ARD-LOO-LSSVM." in text
    assert "ARD-FLKL-LSSVM better than ARD-LOO-LSSVM (p = 0.0061)" in text
    assert "ARD-XVAL-LSSVM better" not in text
    none = compare(mean_errors(2)).to_text(alpha=0.1)
    assert "no difference between the methods at the level 0.1" in none
    assert "no pair differs at the level 0.1" in none


def test_the_level_of_the_sentences_is_the_one_given():
    c = compare(mean_errors(3))
    assert "no difference between the methods at the level 1e-05" in c.to_text(alpha=1e-5)
    assert "no pair differs at the level 1e-05" in c.to_markdown(alpha=1e-5)


def test_repr_tells_sizes_ranks_from_the_best_and_the_test():
    shown = repr(compare(mean_errors(3)))
    assert shown.startswith("Comparison of 3 methods on 14 data sets, lower is better")
    assert "ARD-FLKL-LSSVM 1.214, ARD-XVAL-LSSVM 2.143, ARD-LOO-LSSVM 2.643" in shown
    assert "F = 14.4, p = 6.18e-05" in shown
    assert "higher is better" in repr(compare(mean_errors(3), lower_is_better=False))
