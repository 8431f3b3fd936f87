"""What `make links` says of links that are broken, silent or fine."""

import importlib.util
from pathlib import Path

import pytest


def _script():
    path = Path(__file__).parents[1] / ".ci" / "links.py"
    spec = importlib.util.spec_from_file_location("links", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def links(monkeypatch):
    module = _script()
    found = {"https://a.org/x": Path("a.md"), "https://b.org": Path("b.md")}
    monkeypatch.setattr(module, "links", lambda: found)
    return module


def test_links_are_found_in_pages_and_source():
    found = _script().links()
    assert found["https://scientific-python.org/specs/spec-0000/"] == Path("CONTRIBUTING.md")
    assert not any("w3.org" in link for link in found)


@pytest.mark.parametrize(
    ("answers", "code", "said"),
    [
        ((404, 200), 1, "broken: https://a.org/x (404), in a.md\n2 of 2 links tried, 1 broken\n"),
        ((200, "timed out"), 0, "no answer: https://b.org (timed out), in b.md\n1 of 2 links"),
        (("no route", "no route"), 0, "no network: none of 2 links could be tried\n"),
    ],
)
def test_only_a_page_that_is_gone_is_a_failure(links, monkeypatch, capsys, answers, code, said):
    answer = dict(zip(links.links(), answers, strict=True))
    monkeypatch.setattr(links, "answer", answer.get)
    assert links.main() == code
    assert capsys.readouterr().out.startswith(said)
