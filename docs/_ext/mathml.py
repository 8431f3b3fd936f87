"""Formulas as MathML, which browsers show by themselves: no script, no network.

Sphinx's own renderers fetch MathJax or run LaTeX. Here `math-core` turns TeX into MathML when the
pages are built, and what it cannot turn is a warning, which `make docs` makes an error.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

_LOGGER = logging.getLogger(__name__)
_CONVERTER = LatexToMathML(fancy_error=False)
_OPENING = {"{", r"\begin", r"\left"}
_CLOSING = {"}", r"\end", r"\right"}
_WIDE_SPACES = {r"\quad", r"\qquad"}
_CLASSES = "math notranslate nohighlight"


def _mathml(node: nodes.Node, tex: str, display: bool) -> str:
    """The formula as a <math> element; as it was written, with a warning, if it is not TeX."""
    try:
        markup = str(_CONVERTER.convert_with_local_state(tex, displaystyle=display))
    except LatexError as error:
        reason = str(error).strip()
        _LOGGER.warning("expected TeX that math-core knows, got %r: %s", tex, reason, location=node)
        return f"<code>{escape(tex)}</code>"
    # Browsers draw the combining low line of \underline through the letter; a bar stays below it.
    return markup.replace("\u0332", "\u2015").replace(' accentunder="true"', "")


def _rows(tex: str) -> str:
    r"""Several lines as Sphinx reads them: by ``\\``, and by empty lines between equations.

    >>> _rows("a = b")
    'a = b'
    >>> _rows("a &= b \\\\ &= c")
    '\\begin{aligned}a &= b \\\\ &= c\\end{aligned}'
    """
    parts = [part.strip() for part in tex.split("\n\n") if part.strip()]
    lines = [_environment("aligned", part) if r"\\" in part else part for part in parts]
    return lines[0] if len(lines) == 1 else _environment("gathered", r" \\ ".join(lines))


def _clauses(tex: str) -> list[str]:
    r"""The formula cut at its wide spaces, since browsers do not break MathML into lines.

    Spaces within braces, within an environment or between brackets that grow do not count.

    >>> _clauses(r"\min_x f(x) \quad\text{s.t. \quad}\qquad x \ge 0")
    ['\\min_x f(x)', '\\text{s.t. \\quad}', 'x \\ge 0']
    """
    clauses, depth = [""], 0
    for token in re.split(r"(\\(?:[a-zA-Z]+|.)|[{}])", tex, flags=re.DOTALL):
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth == 0 and token in _WIDE_SPACES:
            clauses.append("")
        else:
            clauses[-1] += token
    return [clause.strip() for clause in clauses if clause.strip()]


def _environment(name: str, body: str) -> str:
    return rf"\begin{{{name}}}{body}\end{{{name}}}"


def _visit_math(translator: Any, node: nodes.math) -> None:
    markup = _mathml(node, node.astext(), display=False)
    translator.body.append(f'<span class="{_CLASSES}">{markup}</span>')
    raise nodes.SkipNode


def _visit_math_block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(translator.starttag(node, "div", CLASS=_CLASSES))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    clauses = _clauses(_rows(node.astext()))
    translator.body.extend(_mathml(node, clause, display=True) for clause in clauses)
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Offer the renderer under the name that `html_math_renderer` takes."""
    app.add_html_math_renderer("mathml", (_visit_math, None), (_visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
