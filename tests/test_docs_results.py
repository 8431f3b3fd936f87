"""The tables of the pages are those of their results files, and so is the diagram."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


insert_results = _script("insert_results")


@pytest.mark.parametrize("page", insert_results.pages(), ids=lambda page: page.stem)
def test_the_tables_of_a_page_are_those_of_its_results_files(page):
    cure = f"{page.name} and its results differ: run python docs/insert_results.py"
    assert insert_results.inserted(page) == page.read_text("utf-8"), cure


def test_every_results_file_is_shown():
    shown = {
        insert_results.RESULTS / page.stem / name
        for page in insert_results.pages()
        for name in insert_results.named_files(page)
    }
    assert shown == set(insert_results.RESULTS.rglob("*.*"))
    assert len(shown) > 30


def test_a_new_run_replaces_the_table(tmp_path):
    page = tmp_path / "a.md"
    page.write_text("x\n<!-- results: t.md -->\nold\n<!-- end of results -->\ny\n", "utf-8")
    (tmp_path / "run" / "a").mkdir(parents=True)
    (tmp_path / "run/a/t.md").write_text("| 1 |\n- The picture is in t.png.\n- n\n", "utf-8")
    insert_results.main(tmp_path / "run", tmp_path)
    block = "<!-- results: t.md -->\n\n| 1 |\n- n\n\n<!-- end of results -->"
    assert page.read_text("utf-8") == f"x\n{block}\ny\n"


def test_the_diagram_is_that_of_the_table():
    pytest.importorskip("matplotlib")
    script = _script("draw_ranks")
    display = script.display()
    methods, rows = script.table()
    (shown,) = (cells for name, cells in rows.items() if name.startswith("mean rank, all"))
    assert display.mean_ranks == pytest.approx(shown, abs=0.011)
    assert display.labels[0].startswith("kernlearn (")
    assert len(display.labels) == len(methods)
    note = f"Nemenyi's critical difference of mean ranks at {script.LEVEL}: "
    assert f"{note}{display.critical_difference:.2f};" in script.RESULTS.read_text("utf-8")


def test_the_picture_of_the_diagram_was_drawn_from_the_present_table():
    script = _script("draw_ranks")
    cure = "run python docs/draw_ranks.py"
    assert script.fingerprint().encode() in script.PICTURE.read_bytes(), cure
