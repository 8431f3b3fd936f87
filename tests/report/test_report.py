"""The report: its sections, what is left out, and that data are never markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.bundle import ModelBundle
from kernlearn.inspection import kernel_formula
from kernlearn.report import report_html, write_report

ALL = ["summary", "performance", "classes", "columns", "comparison", "kernel", "geometry"]
ALL += ["certificate", "data", "repeat"]


class _Page(HTMLParser):
    """Elements, attributes and text of a page, with the text of every section and picture."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.text, self.section_text, self._section = [], "", {}, None
        self.feed(source)
        self.close()
        self.sections = [dict(a)["id"] for name, a in self.elements if name == "section"]
        self.pictures = [
            dict(a)["id"].removeprefix("picture-") for name, a in self.elements if name == "svg"
        ]

    def handle_starttag(self, name, attributes):
        self.elements.append((name, attributes))
        if name == "section":
            self._section = dict(attributes)["id"]

    def handle_startendtag(self, name, attributes):
        self.handle_starttag(name, attributes)

    def handle_data(self, data):
        data = data.replace("\u00a0", " ")
        self.text += data
        self.section_text[self._section] = self.section_text.get(self._section, "") + data


@pytest.fixture(scope="module")
def wine(bundles):
    return bundles.wine()


@pytest.fixture(scope="module")
def source(wine):
    return report_html(wine)


@pytest.fixture(scope="module")
def page(source):
    return _Page(source)


@pytest.fixture(scope="module")
def plain_model():
    """A model without a kernel, for what is said."""
    return LogisticRegression().fit([[0.0], [1.0]], [0, 1])


def text_report(model, facts):
    """The report without pictures, which take the time."""
    return report_html(ModelBundle(model, facts), pictures=())


def test_every_section_and_every_picture_that_applies_is_there(page):
    assert page.sections == ALL
    assert page.pictures == [
        "scores", "roc", "precision-recall", "calibration", "views", "columns", "dependence",
        "candidates",
        "kernel-weights", "gram", "spectrum", "embedding", "convergence",
    ]  # fmt: skip
    captions = [name for name, _ in page.elements if name == "figcaption"]
    assert len(captions) == len(page.pictures)


def test_the_paragraph_can_be_read_aloud(page):
    text = page.section_text["summary"]
    assert "predicts cultivar (3 classes: barbera, barolo, grignolino) from 5 columns" in text
    assert "right 97.8 % of the time (95 % interval 88.4 % to 99.6 %)" in text
    assert "the model in the file was then fitted to all rows" in text
    assert "tuned RBF SVM, reaches 95.6 %; these rows do not tell the two apart (p = 0.62" in text
    assert "The kernel is a sum of two kernels, mostly Gaussian." in text
    assert "No other weights have a better value of this objective: none can lower" in text
    assert "the objective by more than a millionth of its value" in text


def test_no_better_than_guessing_comes_first(bundles, plain_model):
    found = "R² on held-out rows is -0.02, that of the mean 0"
    told, silent = (
        _Page(text_report(plain_model, bundles.facts(chance=chance))) for chance in (found, None)
    )
    said = f"No better than guessing: {found}."
    text = told.section_text["summary"]
    assert said in text
    assert text.index(said) < text.index("This model predicts")
    assert "guessing" not in silent.text


def test_the_paragraph_says_on_which_rows(bundles, plain_model):
    def said(**changes):
        facts = bundles.facts(**changes)
        return _Page(text_report(plain_model, facts)).section_text["summary"]

    assert "On rows it had not seen it is right" in said()
    assert "On 45 rows it had not seen it is right" in said(n_held_out=45, n_train=133)
    assert "On rows that were left out of the fit in turn" in said(
        n_held_out=178, rows={"folds": 5}
    )


def test_the_paragraph_counts_the_columns_in_use(bundles, plain_model):
    columns = [{"name": "id", "kind": "identifier", "action": "left out: it numbers the rows"}]
    facts = bundles.facts(columns=columns)
    text = _Page(text_report(plain_model, facts)).section_text["summary"]
    assert "from 4 of the 5 columns of wine.csv" in text


def test_equal_scores_are_not_a_difference(bundles, plain_model):
    scores = bundles.facts()["scores"]
    scores[1] = {**scores[1], "score": scores[0]["score"]}
    page = _Page(text_report(plain_model, bundles.facts(scores=scores)))
    assert "tuned RBF SVM, reaches 97.8 % too." in page.section_text["summary"]


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ({"p_value": 0.003, "better": True}, "reaches 95.6 %; the model is better, beyond what"),
        ({"p_value": 0.02, "better": False}, "reaches 95.6 %; it is better than the model, beyond"),
        ({"p_value": None, "better": None}, "reaches 95.6 %. The kernel"),
        (None, "reaches 95.6 %. The kernel"),
    ],
)
def test_the_verdict_is_that_of_the_paired_test(bundles, plain_model, against, said):
    scores = bundles.facts()["scores"]
    scores[1] = {**scores[1], "against": against}
    page = _Page(text_report(plain_model, bundles.facts(scores=scores)))
    assert said in page.section_text["summary"]


def test_of_errors_the_least_is_the_best(bundles, plain_model):
    facts = bundles.facts(greater_is_better=False, metric="RMSE")
    text = _Page(text_report(plain_model, facts)).section_text["summary"]
    assert "most frequent class, reaches 0.4" in text


def test_what_colleagues_ask_is_answered(page):
    classes = page.section_text["classes"]
    assert "barolo1593.3 %90.0 %0.99" in classes
    assert "true \\ predictedbarberabarologrignolinobarbera1200barolo1140" in classes
    assert "no fault of the probabilities: the error is 0.100." in classes
    assert "Against tuned RBF SVM: a difference so large" in page.section_text["performance"]
    assert "balanced accuracy" in page.section_text["performance"]
    columns = page.section_text["columns"]
    assert "By how much the accuracy gets worse." in columns
    assert "taste0.3000.020look0.1000.020" in columns
    assert "alcohol0.3000.020colour−0.0100.010" in columns
    kernel = page.section_text["kernel"]
    assert "C3.5weight of class barbera2" in kernel
    assert "Gaussian0.20.0210.10 s" in kernel
    assert "The table has 181 rows; 178 were used." in page.section_text["data"]
    certificate = page.section_text["certificate"]
    assert "What counts for new rows is the held-out accuracy: 97.8 %." in certificate


def test_members_of_a_mixture_are_listed_with_their_kernels(bundles, plain_model):
    member = {"name": "additive", "kernel": "sum of Gaussians", "λ": 0.5, "weight": 0.25}
    facts = bundles.facts(parameters=[member])
    text = _Page(text_report(plain_model, facts)).section_text["kernel"]
    assert "additivesum of Gaussians0.50.25" in text


def test_numbers_and_commands_are_the_facts(page, wine):
    assert "12.3456788" in page.section_text["certificate"]
    assert "optimal: the duality gap is within the tolerance" in page.section_text["certificate"]
    assert "kernlearn fit 'my wine.csv' --target cultivar" in page.section_text["repeat"]
    assert "scikit-learn1.9.0" in page.section_text["repeat"].replace("\n", "")
    assert "skipped: too many rows" in page.section_text["comparison"]
    assert "one column for each of 2 values" in page.section_text["data"]
    assert "39.9 %" in page.section_text["data"]  # 71 of 178
    assert kernel_formula(wine.pipeline[-1].kernel_) in page.section_text["kernel"]


def test_text_in_pictures_is_text_and_black_is_the_pages_ink(source):
    pictures = re.findall(r"<svg.*?</svg>", source, flags=re.DOTALL)
    assert any("grignolino" in picture for picture in pictures)
    assert "#000000" not in "".join(pictures)
    assert "currentColor" in "".join(pictures)
    assert "<style" not in "".join(pictures)


def test_identifiers_differ_and_every_reference_has_its_target(page):
    identifiers = [v for _, attributes in page.elements for k, v in attributes if k == "id"]
    assert len(identifiers) == len(set(identifiers))
    used = [v for _, attributes in page.elements for k, v in attributes if k == "href"]
    clips = [v for _, attributes in page.elements for k, v in attributes if k == "clip-path"]
    wanted = {v[1:] for v in used if v.startswith("#")} | {v[5:-1] for v in clips}
    assert wanted
    assert wanted <= set(identifiers)


def test_every_picture_is_described_in_words(page):
    described = {
        dict(a)["id"].removeprefix("picture-"): dict(a)["aria-label"]
        for name, a in page.elements
        if name == "svg" and dict(a)["role"] == "img"
    }
    assert set(described) == set(page.pictures)
    assert "multiple kernel learning 97.8" in described["scores"]
    assert "classes from the top: barbera, barolo, grignolino" in described["gram"]
    assert "in 3 classes" in described["embedding"]
    assert "effective rank" in described["spectrum"]
    assert "machine solves" in described["convergence"]
    assert re.search(r"Gaussian, γ = [\d.]+ [\d.]+", described["kernel-weights"])


def test_what_matplotlib_leaves_black_takes_the_ink_of_the_page(source):
    """It writes no fill where this is black: markers of the seventh class, for one."""
    style = source.split("<style>")[1].split("</style>")[0]
    rule = re.search(r"\.picture svg \{([^}]*)\}", style)
    assert "fill: currentColor" in rule[1]


def test_the_same_bundle_gives_the_same_report(wine):
    assert report_html(wine, ["embedding"]) == report_html(wine, ["embedding"])
    with pytest.raises(
        ValueError, match=r"expected each of pictures to be one of scores, learning.*, got 'rok'"
    ):
        report_html(wine, ["rok"])


def test_names_are_never_markup(hostile_report, bundles):
    page = _Page(hostile_report)
    assert {name for name, _ in page.elements} & {"script", "img", "b", "iframe"} == set()
    assert not [k for _, attributes in page.elements for k, _ in attributes if k.startswith("on")]
    assert page.text.count(bundles.SCRIPT) >= 14
    assert "<b>bold</b>" in page.section_text["geometry"]  # a class, on the axis of a picture
    assert "_a$\\frac{$" in page.section_text["geometry"]  # neither mathematics nor left out
    assert "c\ufffd&amp;名" in page.section_text["data"]


def test_a_hostile_column_shows_on_the_axis_of_a_picture(bundles):
    bundle = bundles.wine(kl.HyperkernelClassifier(max_pivots=10), name=bundles.SCRIPT)
    page = _Page(report_html(bundle, ["feature-scales"]))
    assert "feature-scales" in page.pictures
    assert bundles.SCRIPT in page.section_text["kernel"]
    assert "script" not in {name for name, _ in page.elements}


def test_nothing_is_fetched_and_nothing_may_run(hostile_report):
    page = _Page(hostile_report)
    for name, attributes in page.elements:
        for key, value in attributes:
            if key in ("src", "href", "data", "action", "poster", "srcset"):
                assert value.startswith(("#", "data:image/png;base64,")), (name, key, value[:50])
    policy = [dict(a).get("content") for n, a in page.elements if n == "meta"]
    assert any(content and content.startswith("default-src 'none';") for content in policy)
    style = hostile_report.split("<style>")[1].split("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_missing_facts_leave_sections_out_and_break_nothing(bundles, plain_model):
    every = bundles.facts()
    needed = {
        "performance": ["scores"],
        "classes": ["held_out"],
        "columns": ["importance"],
        "kernel": ["kernel", "weights", "parameters", "candidates", "class_weight"],
        "comparison": ["comparison"],
        "certificate": ["certificate"],
        "data": ["n_rows", "notes", "class_counts", "columns", "rows"],
        "repeat": ["seed", "created", "seconds", "versions", "command", "n_rows"],
        "everything": list(every),
    }
    for missing, keys in needed.items():
        facts = {key: value for key, value in every.items() if key not in keys}
        sections = _Page(text_report(plain_model, facts)).sections
        assert "geometry" not in sections
        assert missing not in sections
        if missing == "everything":
            assert sections == []


def test_a_fitted_estimator_is_reported_on_without_facts(plain_model):
    assert report_html(plain_model) == report_html(ModelBundle(plain_model))
    with pytest.raises(ValueError, match="expected a fitted estimator"):
        report_html(3)


@pytest.mark.parametrize("wrong", [None, 3, "text", [1, 2], {"a": 1}, float("nan"), True])
def test_facts_of_a_wrong_kind_break_nothing(bundles, wrong):
    model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    facts = dict.fromkeys(bundles.facts(), wrong)
    assert report_html(ModelBundle(model, facts)).startswith("<!DOCTYPE html>")
    # And one level down.
    for key, value in bundles.facts().items():
        if isinstance(value, dict):
            changed = {key: dict.fromkeys(value, wrong)}
            assert report_html(ModelBundle(model, changed)).startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("estimator", "pictures"),
    [
        (kl.MKLRegressor(C=1.0), {"kernel-weights", "decision-surface", "convergence"}),
        (kl.HyperkernelRegressor(max_pivots=10), {"feature-scales", "gram"}),
        (kl.LSSVMRegressor(), {"predicted", "spectrum", "embedding"}),
        (kl.FirstLevelRegressor(lam=0.1, mu=0.1), {"relevance", "embedding"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_regression_has_the_pictures_of_its_method(bundles, estimator, pictures):
    page = _Page(report_html(bundles.line(estimator), [*pictures, "embedding", "roc"]))
    assert pictures <= set(page.pictures)
    assert "roc" not in page.pictures
    assert "classes" not in page.sections
    text = page.section_text["numbers"]
    assert "meant to hold 90.0 % of the numbers hold 86.7 % of the 15 that were held out" in text
    assert "its R² is 0.978 (95 % interval 0.884 to 0.996)" in page.section_text["summary"]
    assert "price" in page.section_text["geometry"]


def test_columns_and_kernels_have_the_names_that_the_facts_give_them(bundles):
    bundle = bundles.line(kl.MKLRegressor([kl.kernels.Linear(), kl.kernels.Gaussian()], C=1.0))
    named = {
        "scale_shares": [{"name": "the length", "share": 0.5}, {"name": "the width"}],
        "weights": [{"name": "view A: linear"}, {"name": "view B: Gaussian"}],
    }
    page = _Page(
        report_html(
            ModelBundle(bundle.pipeline, {**bundle.facts, **named}, bundle.sample_X),
            ["kernel-weights", "decision-surface"],
        )
    )
    for name in ("the length", "the width", "view A: linear", "view B: Gaussian"):
        assert name in page.section_text["kernel"]


def test_a_learned_metric_before_another_step_is_found(bundles):
    metric = kl.HyperkernelMetric(n_pairs=60, random_state=0)
    bundle = bundles.wine(metric)
    bundle.pipeline.steps.append(("nearest", LogisticRegression()))
    page = _Page(report_html(bundle, ["gram", "spectrum", "embedding"]))
    assert {"gram", "spectrum", "embedding"} <= set(page.pictures)


def test_many_columns_are_shortened(bundles, plain_model):
    columns = [{"name": f"c{i}", "kind": "number", "action": "kept"} for i in range(10_000)]
    facts = bundles.facts(columns=columns)
    source = text_report(plain_model, facts)
    assert "And 9\u202f900 more columns." in source
    assert len(source) < 1_000_000


def test_columns_treated_alike_stand_together(bundles, plain_model):
    made = [(f"c{i}", "number", "kept") for i in range(3)] + [
        ("d", "date", "date turned into days")
    ]
    columns = [dict(zip(("name", "kind", "action"), row, strict=True)) for row in made]
    text = _Page(text_report(plain_model, bundles.facts(columns=columns)))
    assert "Number: keptc0, c1, c2Date turned into daysd" in text.section_text["data"]


def test_classes_that_look_alike_when_shortened_stay_apart(bundles):
    names = [f"{'x' * 60}{i}{'y' * 60}" for i in range(3)]
    page = _Page(report_html(bundles.wine(rename=names, classes=names), ["embedding"]))
    (label,) = [
        dict(a)["aria-label"] for n, a in page.elements if dict(a).get("id") == "picture-embedding"
    ]
    assert "in 3 classes" in label


def test_a_model_of_two_inputs_shows_its_rows_by_class(bundles):
    """Classes may be numbers to the estimator, and are text to the report."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 2)), columns=["length", "$w$"])
    y = rng.permutation(np.arange(30) % 3)
    prepare = ColumnTransformer([("numbers", StandardScaler(), ["length", "$w$"])])
    model = make_pipeline(prepare, kl.MKLClassifier([kl.kernels.Gaussian()])).fit(X, y)
    source = report_html(
        ModelBundle(model, bundles.facts(classes=["0", "1", "2"]), X, y),
        ["decision-surface", "kernel-weights"],
    )
    picture = re.search(r'<svg[^>]*id="picture-decision-surface".*?</svg>', source, re.DOTALL)[0]
    for text in (">0<", ">1<", ">2<", ">length<", ">$w$<"):
        assert text in picture
    groups = re.split(r'id="[^"]*-PathCollection_\d+"', picture)[1:4]
    assert [group.split("<g id")[0].count("<use") for group in groups] == [10, 10, 10]
    assert "picture-kernel-weights" not in source  # of one kernel, a bar would tell nothing


def test_there_is_no_surface_over_categories(bundles):
    """A mixture sees the table as it is."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"length": rng.normal(size=30), "kind": np.tile(["a", "b"], 15)})
    y = np.where((X["length"] > 0) == (X["kind"] == "a"), "yes", "no")
    for columns, drawn in ((["length", "kind"], False), (["length", "width"], True)):
        rows = X.assign(width=rng.normal(size=30))[columns]
        model = make_pipeline(kl.KernelClassifier(["Gaussian"])).fit(rows, y)
        page = _Page(
            report_html(ModelBundle(model, bundles.facts(), rows, y), ["decision-surface"])
        )
        assert ("decision-surface" in page.pictures) == drawn


def test_a_large_sample_is_thinned(wine):
    rows = np.tile(np.arange(len(wine.sample_X)), 5)
    large = ModelBundle(wine.pipeline, wine.facts, wine.sample_X.iloc[rows], wine.sample_y[rows])
    assert "Drawn from a sample of 300 training rows." in report_html(large, ["gram"])


def test_the_file_is_whole_or_not_there(bundles, plain_model, tmp_path, monkeypatch):
    bundle = ModelBundle(plain_model, bundles.facts(scores=None))
    path = tmp_path / "report.html"
    path.write_text("before")

    def fail(source, target):
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", fail)
        with pytest.raises(OSError, match="no space left"):
            write_report(bundle, path, pictures=())
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert write_report(bundle, path, pictures=()) == path
    assert path.read_text(encoding="utf-8") == report_html(bundle, pictures=())


def test_without_matplotlib_the_report_says_what_it_lacks(without):
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    model = kl.MKLClassifier().fit(X, y)
    without("matplotlib")
    source = report_html(ModelBundle(model, {"target": "y"}, X, y))
    assert "<svg" not in source
    assert 'id="summary"' in source
    assert "drawing needs the package matplotlib," in source
    assert "kernlearn[plot]" in source


def test_the_loss_by_rank_of_a_fit_through_landmarks(bundles, plain_model, source):
    losses = [[128, 0.5], [256, 0.44], [512, 0.4]]
    told = {"rank": 512, "losses": losses, "sentence": "Seen through 512 landmarks & more."}
    page = _Page(text_report(plain_model, bundles.facts(landmarks=told)))
    text = page.section_text["kernel"]
    assert "Seen through 512 landmarks & more." in text
    for cell in ("held-out squared error", "128", "0.44", "+25.0 %", "+10.0 %", "+0.0 %"):
        assert cell in text
    assert "landmarks" not in _Page(source).section_text["kernel"]


def test_folds_that_are_repeated_are_told_of(bundles, plain_model):
    facts = bundles.facts(rows={"folds": 5, "repeats": 2}, warnings=["`a` alone predicts `b`"])
    page = _Page(text_report(plain_model, facts))
    assert "shows the first of 2 repeats of the folds" in page.section_text["classes"]
    assert "they are compared fold by fold" in page.section_text["performance"]
    summary = page.section_text["summary"]
    assert summary.index("Warning: `a` alone predicts `b`.") < summary.index("This model predicts")
    once = _Page(text_report(plain_model, bundles.facts())).section_text
    assert "repeats" not in once["classes"]
    assert "row by row" in once["performance"]


def test_the_learning_curve_and_the_threshold_are_told(wine):
    sizes = [{"rows": n, "score": s, "low": s - 0.1, "high": s} for n, s in ((50, 0.8), (100, 0.9))]
    curve = {"sizes": sizes, "rows": 200, "gain": 0.05, "gain_low": 0.0, "gain_high": 0.1}
    told = {"learning_curve": {**curve, "sentence": "With twice as many rows."}}
    facts = {**wine.facts, **told, "threshold": {"sentence": "From 0.2 on."}}
    page = report_html(replace(wine, facts=facts), ["learning-curve"])
    assert "With twice as many rows." in page
    assert "From 0.2 on." in page
    assert "What more rows would bring: 80.0\u00a0% of 50 rows, 90.0\u00a0% of 100 rows." in page
