"""Every form of a table says the same; what is no table of scores is refused in a sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from kernlearn.comparison import compare

METHODS, DATA_SETS = ["a", "b", "c"], ["x", "y", "z", "w"]
TABLE = np.random.default_rng(0).normal(size=(4, 3))
REPEATED = np.random.default_rng(1).normal(size=(4, 3, 5))


def _frame(values=TABLE):
    return pd.DataFrame(values, DATA_SETS, METHODS)


@pytest.mark.parametrize(
    "compared",
    [
        lambda: compare(_frame()),
        lambda: compare(dict(_frame())),
        lambda: compare(_frame().to_dict()),
        lambda: compare(_frame().to_dict("list"), data_sets=DATA_SETS),
        lambda: compare({m: TABLE[:, j] for j, m in enumerate(METHODS)}, data_sets=DATA_SETS),
        lambda: compare({m: dict(_frame()[m][::-1]) for m in METHODS}),
        lambda: compare(TABLE, names=METHODS, data_sets=DATA_SETS),
        lambda: compare(TABLE.tolist(), names=METHODS, data_sets=iter(DATA_SETS)),
    ],
)
def test_forms_without_repetitions(compared):
    found = compared().scores
    pd.testing.assert_frame_equal(found.loc[DATA_SETS], _frame(), check_names=False)
    assert compared().standard_errors.isna().all(axis=None)


def _long_frame():
    index = pd.MultiIndex.from_product([DATA_SETS, range(5)], names=["data set", "split"])
    return pd.DataFrame(REPEATED.transpose(0, 2, 1).reshape(20, 3), index, METHODS)


@pytest.mark.parametrize(
    "compared",
    [
        lambda: compare(REPEATED, names=METHODS, data_sets=DATA_SETS),
        lambda: compare(REPEATED.tolist(), names=METHODS, data_sets=DATA_SETS),
        lambda: compare(_long_frame()),
        lambda: compare(_long_frame().sample(frac=1, random_state=0).sort_index(level=1)),
        lambda: compare({m: REPEATED[:, j] for j, m in enumerate(METHODS)}, data_sets=DATA_SETS),
        lambda: compare(
            {m: pd.DataFrame(REPEATED[:, j], DATA_SETS) for j, m in enumerate(METHODS)}
        ),
        lambda: compare(
            {m: dict(zip(DATA_SETS, REPEATED[:, j], strict=True)) for j, m in enumerate(METHODS)}
        ),
    ],
)
def test_forms_with_repetitions(compared):
    c = compared()
    means, errors = REPEATED.mean(axis=2), REPEATED.std(axis=2, ddof=1) / np.sqrt(5)
    pd.testing.assert_frame_equal(c.scores.loc[DATA_SETS], _frame(means), check_names=False)
    np.testing.assert_allclose(c.standard_errors.loc[DATA_SETS], errors)


def test_data_sets_may_have_different_numbers_of_repetitions():
    cells = {"x": [1.0, 2.0, 3.0], "y": [5.0, 7.0]}
    c = compare({"a": cells, "b": {"y": [1.0, 1.0], "x": [4.0, 4.0, 7.0]}})
    assert c.scores.loc["x"].tolist() == [2.0, 5.0]
    np.testing.assert_allclose(c.standard_errors["a"], [1 / np.sqrt(3), 1.0])


def test_scikit_learns_own_results():
    data = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
    grid = {"n_neighbors": [50, 1, 5]}
    searches = {
        n: GridSearchCV(KNeighborsClassifier(), grid, cv=3).fit(*d) for n, d in data.items()
    }
    c = compare(
        {
            "search": {name: search.cv_results_ for name, search in searches.items()},
            "bayes": {name: cross_val_score(GaussianNB(), *d, cv=3) for name, d in data.items()},
            "same": {name: cross_validate(GaussianNB(), *d, cv=3) for name, d in data.items()},
        },
        lower_is_better=False,
    )
    for name, search in searches.items():
        assert c.scores.loc[name, "search"] == pytest.approx(search.best_score_)
        deviation = search.cv_results_["std_test_score"][search.best_index_]
        assert c.standard_errors.loc[name, "search"] == pytest.approx(deviation / np.sqrt(2))
    np.testing.assert_array_equal(c.scores["bayes"], c.scores["same"])
    assert c.ranks["bayes"] == c.ranks["same"]


def test_the_order_of_the_folds_is_kept():
    results = {f"split{i}_test_score": np.array([0.0, float(i)]) for i in range(12)}
    results["rank_test_score"] = np.array([2, 1])
    shuffled = dict(sorted(results.items()))
    c = compare({"a": [shuffled] * 2, "b": [np.arange(12.0) + 0.001 * np.arange(12)] * 2})
    # Fold by fold, a is never the higher one: out of order, it would be half of the time.
    assert not c.indistinguishable(0.01).any(axis=None)


def test_nothing_given_is_changed():
    frame = _long_frame()
    before = frame.copy(deep=True)
    c = compare(frame)
    scores, ranks = c.scores, c.ranks
    scores.iloc[:] = 0.0
    ranks.iloc[:] = 0.0
    pd.testing.assert_frame_equal(frame, before)
    np.testing.assert_allclose(c.scores, REPEATED.mean(axis=2))
    assert c.ranks.sum() == pytest.approx(6.0)


def test_names_need_not_be_text():
    c = compare(pd.DataFrame(TABLE, columns=[10, 20, ("a", 1)]))
    assert list(c.ranks.index) == [10, 20, ("a", 1)]
    assert "('a', 1)" in c.to_text()
    assert len(c.wilcoxon) == 3


def test_two_data_sets_are_few_but_enough():
    c = compare([[1.0, 2.0], [1.0, 3.0]])
    assert c.ranks.tolist() == [1.0, 2.0]
    assert c.wilcoxon["pvalue"].iloc[0] == 0.5
    assert "so few data sets cannot show" in c.to_text()


def _with(value):
    table = _frame().astype(object)
    table.loc["y", "b"] = value
    return table


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (_with(np.nan), {}, "for data set 'y' and method 'b', got a missing value; run the method"),
        (_with(None), {}, "data set 'y' and method 'b', got a missing value"),
        (_with(np.inf), {}, "expected a finite number for data set 'y' and method 'b', got inf"),
        (_with("12 %"), {}, "data set 'y' and method 'b', got the text '12 %'; convert it"),
        (_with(1j), {}, "expected a number for data set 'y' and method 'b', got 1j"),
        (_with([]), {}, r"a score or a list of them .* got an array of shape \(0,\)"),
        (_with([1.0, 2.0]), {}, "same repetitions of every method on data set 'y', got 1 and 2"),
        (_frame().reset_index(), {}, "text 'x'; .* make them the index of the table"),
        (_frame()[["a"]], {}, "at least two methods to compare, got 1; data sets are rows"),
        (_frame()[:1], {}, "at least two data sets to compare, got 1"),
        ({}, {}, "at least two methods to compare, got 0"),
        (_frame()[["a", "b", "a"]], {}, "every method once, got 'a' twice; rename one"),
        (_frame().loc[["x", "y", "x"]], {}, "every data set once, got 'x' twice; rename one"),
        (TABLE, {"names": ["a", "b", "b"]}, "every method once, got 'b' twice"),
        (TABLE, {"names": ["a", "b"]}, "expected 3 names of methods in names, got 2"),
        (TABLE, {"data_sets": ["x"]}, "expected 4 names of data sets in data_sets, got 1"),
        (_frame(), {"names": METHODS}, "expected names=None .* rename the columns instead"),
        (_frame(), {"data_sets": DATA_SETS}, "data_sets=None .* rename the index instead"),
        (dict(_frame()), {"names": METHODS}, "names=None .* rename the keys instead"),
        (dict(_frame()), {"data_sets": DATA_SETS}, "data_sets=None .* keys of the columns"),
        (np.ones(3), {}, r"expected a DataFrame, .* got ndarray of shape \(3,\); put the data"),
        (None, {}, r"expected a DataFrame, .* got NoneType of shape \(\)"),
        ({"a": [1, 2, 3], "b": [1, 2]}, {}, "same data sets, got 'data set 3' for only one of 'a'"),
        ({"a": {"x": 1, "y": 2}, "b": {"x": 1, "z": 2}}, {}, "got 'y' for only one of 'a' and 'b'"),
        ({"a": 1.0, "b": 2.0}, {}, "method 'a' on several data sets, got 1.0; pass a list"),
        ({"a": "12", "b": "34"}, {}, "method 'a' on several data sets, got '12'"),
        ({"a": {"test_score": [1, 2]}, "b": [1, 2]}, {}, "several data sets, got one cv_results_"),
        (
            {"a": [{"split0_test_auc": [1.0]}] * 2, "b": [1, 2]},
            {},
            "one scoring function for data set 'data set 1' and method 'a'",
        ),
        (_long_frame().unstack(), {}, "one level of columns"),
        (
            pd.concat([_long_frame()] * 2),
            {},
            r"every repetition of a data set once, got \('x', 0\)",
        ),
        (TABLE, {"lower_is_better": "yes"}, "lower_is_better to be True or False, got 'yes'"),
    ],
)
def test_bad_tables_are_refused_in_a_sentence(table, options, message):
    with pytest.raises(ValueError, match=message):
        compare(table, **options)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, np.nan, 5, "0.1", None, True])
def test_levels_lie_between_0_and_1(alpha):
    c = compare(TABLE)
    calls = [c.differs, c.critical_difference, c.groups, c.indistinguishable, c.to_text]
    for call in [*calls, c.to_markdown]:
        with pytest.raises(ValueError, match="expected a level alpha between 0 and 1, got"):
            call(alpha)


def test_without_pandas_a_sentence_names_the_extra(without):
    without("pandas")
    with pytest.raises(ImportError, match=r"^comparing methods needs the package pandas") as caught:
        compare([[1, 2], [3, 4]])
    assert 'pip install "kernlearn[io]"' in str(caught.value)
