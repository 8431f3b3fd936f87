"""Formulas of the documentation are MathML: read by a browser without scripts or network."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

pytest.importorskip("math_core", reason="the extra docs is not installed")
application = pytest.importorskip("sphinx.application", reason="the extra docs is not installed")

EXTENSIONS = Path(__file__).parents[1] / "docs" / "_ext"


@pytest.fixture
def built(tmp_path, monkeypatch):
    """Builds one page with the extension; gives its HTML and the warnings."""
    monkeypatch.syspath_prepend(EXTENSIONS)

    def build(page):
        source = tmp_path / "source"
        source.mkdir()
        (source / "conf.py").write_text(
            "extensions = ['mathml']\nhtml_math_renderer = 'mathml'\nhtml_theme = 'basic'\n"
        )
        (source / "index.rst").write_text(f"Page\n====\n\n{page}\n", encoding="utf-8")
        warnings = tmp_path / "warnings"
        with warnings.open("w", encoding="utf-8") as stream:
            out = tmp_path / "out"
            application.Sphinx(
                source, source, out, tmp_path / "trees", "html", status=None, warning=stream
            ).build()
        return (out / "index.html").read_text("utf-8"), warnings.read_text("utf-8")

    return build


def test_formulas_are_elements_of_the_page(built):
    html, warnings = built(r"""The value :math:`\tfrac12 a^\top K a`, and

.. math:: \min_w V(K) \quad\text{s.t.}\quad w \ge 0

.. math::
   :label: two-rows

   a &= b \\ &= c

Equation :eq:`two-rows`.""")
    assert warnings == ""
    assert "mathjax" not in html.lower()
    assert re.search(r'<(script|link|img)[^>]*"https?:', html) is None
    inline, clauses = re.findall(r'class="math[^>]*>(.*?)</(?:span|div)>', html, re.DOTALL)[:2]
    # One half is a half: a fraction of 1 and 2, not of 12 and what comes next.
    assert re.search(r"<mfrac[^>]*><mn>1</mn><mn>2</mn></mfrac>", inline)
    assert clauses.count("<math") == 3
    assert "<munder>" in clauses
    assert html.count("<mtr>") == 2
    assert 'href="#equation-two-rows">(1)</a>' in html


def test_a_formula_that_cannot_be_turned_is_a_warning_and_stays_text(built):
    html, warnings = built(r":math:`\nosuchcommand < b`")
    assert r"expected TeX that math-core knows, got '\\nosuchcommand < b'" in warnings
    assert r"<code>\nosuchcommand &lt; b</code>" in html


@pytest.mark.parametrize(
    ("tex", "clauses"),
    [
        ("a = b", ["a = b"]),
        (r"a \quad b \qquad c", ["a", "b", "c"]),
        (r"a \quad \text{if \quad} b", ["a", r"\text{if \quad} b"]),
        (r"\left\{ a \quad b \right\}", [r"\left\{ a \quad b \right\}"]),
        (r"\{ a \quad b \}", [r"\{ a", r"b \}"]),
        (r"\begin{pmatrix} a \quad b \end{pmatrix}", [r"\begin{pmatrix} a \quad b \end{pmatrix}"]),
    ],
)
def test_a_formula_is_cut_at_its_outer_wide_spaces(tex, clauses):
    spec = importlib.util.spec_from_file_location("mathml", EXTENSIONS / "mathml.py")
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    assert extension._clauses(tex) == clauses
