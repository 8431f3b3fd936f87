"""What keeps the pages easy to find one's way in: their lists, their gallery, their tables."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
EXTENSIONS = DOCS / "_ext"
FOLDERS = ("tutorials", "how_to", "explanation", "reference", "reproduced")


def _extension(name):
    spec = importlib.util.spec_from_file_location(name, EXTENSIONS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_index_says_what_every_page_answers(folder):
    index = (DOCS / folder / "index.md").read_text("utf-8")
    listed = re.findall(r"^- \[[^\]]+\]\(([\w/.]+)\)(?::| names| translates)", index, re.MULTILINE)
    pages = {page.name for page in (DOCS / folder).glob("*.md")} - {"index.md"}
    assert pages == {name for name in listed if "/" not in name}
    assert len(listed) == len(set(listed))


def test_every_example_has_a_place_in_the_gallery():
    examples = {path.stem for path in (ROOT / "examples").glob("*.py")}
    gallery = _extension("gallery")
    assert set(gallery.ORDER) == examples
    assert len(gallery.ORDER) == len(examples)
    with pytest.raises(ValueError, match="expected a place for the example unknown"):
        gallery.Order("examples")("unknown.py")


def test_public_constants_say_what_they_are():
    pytest.importorskip("sphinx.pycode", reason="the extra docs is not installed")
    constants = _extension("constants")
    index = (DOCS / "api" / "index.rst").read_text("utf-8")
    found = 0
    for package in re.findall(r"^   (kernlearn[\w.]*)$", index, re.MULTILINE):
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if not callable(value) and not inspect.ismodule(value):
                assert constants.comment(package, name)[0].endswith("."), name
                found += 1
    assert found > 5


def test_no_page_says_only_that_a_class_is_an_alias():
    conf = (DOCS / "conf.py").read_text("utf-8")
    index = (DOCS / "api" / "index.rst").read_text("utf-8")
    for package in re.findall(r"^   (kernlearn[\w.]*)$", index, re.MULTILINE):
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if inspect.isclass(value) and value.__name__ != name:
                assert f'{package}.{name}.__name__ = "{name}"' in conf


def test_a_constant_without_a_comment_is_refused(monkeypatch):
    pytest.importorskip("sphinx.pycode", reason="the extra docs is not installed")
    constants = _extension("constants")
    quality = importlib.import_module("kernlearn.quality")
    monkeypatch.setattr(quality, "new", ("a",), raising=False)
    with pytest.raises(Exception, match="expected a comment #: above new"):
        constants.comment("kernlearn.quality", "new")


def test_cells_break_in_names_and_not_before_an_error(tmp_path, monkeypatch):
    application = pytest.importorskip("sphinx.application", reason="the extra docs is missing")
    monkeypatch.syspath_prepend(EXTENSIONS)
    source = tmp_path / "source"
    source.mkdir()
    (source / "conf.py").write_text("extensions = ['tables']\nhtml_theme = 'basic'\n")
    table = "=============================  ==========\n"
    row = "``solvers/weights/search.py``  84.3 ± 1.0\n"
    (source / "index.rst").write_text(f"Page\n====\n\n{table}{row}{table}", encoding="utf-8")
    out = tmp_path / "out"
    application.Sphinx(source, source, out, tmp_path / "trees", "html", status=None).build()
    page = (out / "index.html").read_text("utf-8")
    assert "84.3\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}1.0" in page
    assert page.count("<wbr>") == 2
