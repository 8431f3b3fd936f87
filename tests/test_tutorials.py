"""The tutorials run from their first line to their last, and show what they print."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(page for page in (DOCS / "tutorials").glob("*.md") if page.stem != "index")
# Fewer rows, resamples, kernels and dots, with which the output has as many lines.
FEWER = {
    "n=240": "n=100",
    "dpi=120": "dpi=20",
    '["linear", "Gaussian", "additive"]': '["linear", "Gaussian"]',
    "range(1000)": "range(20)",
    "range(20)": "range(2)",
    "n_repeats=20": "n_repeats=2",
    "n_repeats=3": "n_repeats=1",
    "n_splits=6": "n_splits=2",
}


@pytest.fixture
def tutorials():
    spec = importlib.util.spec_from_file_location("tutorials", DOCS / "_ext" / "tutorials.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.usefixtures("few_candidates", "quick_choices")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_runs(tutorials, page, tmp_path):
    text = page.read_text("utf-8")
    for many, few in FEWER.items():
        text = text.replace(many, few)

    def run(line):  # the commands themselves have tests of their own
        (tmp_path / "predictions.csv").write_text("prediction\nbenign\n")
        return "done\n"

    printed = tutorials.outputs(text, tmp_path, run)
    shown = [output for _, _, output in tutorials.BLOCK.findall(text)]
    assert [bool(output) for output in printed] == [bool(output) for output in shown]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_output_is_the_one_that_the_page_shows(tutorials, page, tmp_path):
    text = page.read_text("utf-8")
    shown = [output for _, _, output in tutorials.BLOCK.findall(text)]
    for expected, printed in zip(shown, tutorials.outputs(text, tmp_path), strict=True):
        assert tutorials.agree(expected, printed), (
            f"{page.name} shows\n{expected}\nand prints\n{printed}\n"
            "run python docs/_ext/tutorials.py"
        )


@pytest.mark.parametrize(
    ("shown", "printed", "agrees"),
    [
        ("AUC 0.79\n", "AUC 0.81\n", True),
        ("AUC 0.79\n", "AUC 0.85\n", False),
        ("87 rows\n", "88 rows\n", True),
        ("5 rows\n", "7 rows\n", False),
        ("age 0.10\nsex 0.11\n", "sex 0.11\nage 0.12\n", True),
        ("fitted in 8.8 s\n", "fitted in 12.1 s\n", True),
        ("a 1.0\n", "b 1.0\n", False),
        ("1.0 2.0\n", "1.0\n", False),
    ],
)
def test_outputs_agree_up_to_rounding(tutorials, shown, printed, agrees):
    assert tutorials.agree(shown, printed) is agrees
