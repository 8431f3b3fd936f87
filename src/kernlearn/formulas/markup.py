"""The learned kernel as a line of HTML, for notebooks."""

from __future__ import annotations

import re
from html import escape

from kernlearn.formulas.formula import kernel_formula
from kernlearn.kernels import Kernel

MOST_TERMS = 4
LONGEST = 1000  # characters; names of columns may have any length

# The colour is that of the page, light or dark; a long formula goes on in the next line.
_STYLE = "margin: 0.5em 0; line-height: 1.6; overflow-wrap: anywhere"
_MATHS_STYLE = "font-family: 'STIX Two Math', 'Cambria Math', 'Latin Modern Math', serif"


def formula_html(kernel: Kernel) -> str:
    """The kernel's formula as one paragraph that needs no script, no fonts and no network.

    The few largest terms are shown and the others counted. Names of columns and whatever else the
    formula shows are characters, never markup. A reader of the screen gets the formula as
    `kernel_formula` writes it.

    >>> from kernlearn.kernels import Columns, Linear
    >>> print(formula_html(Columns(["<b>"], Linear()) ** 2))
    <p class="kernlearn-formula" style="...">Learned kernel:
    <span role="math" aria-label="k(x, z) = [⟨x[&lt;b&gt;], z[&lt;b&gt;]⟩]²"
    style="...">k(x, z) = [⟨x[&lt;b&gt;], z[&lt;b&gt;]⟩]<sup>2</sup></span></p>
    """
    text = _plain(kernel_formula(kernel, max_terms=MOST_TERMS))
    return (
        f'<p class="kernlearn-formula" style="{_STYLE}">Learned kernel: <span role="math" '
        f'aria-label="{escape(text)}" style="{_MATHS_STYLE}">{_typeset(text)}</span></p>'
    )


def _plain(text: str) -> str:
    """One line of characters that can be seen, not too long.

    Marks that turn the direction of writing round would let a name rewrite what follows it.
    """
    line = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _typeset(text: str) -> str:
    """Escaped; small figures become elements, since few fonts have all of them."""
    raised = _small(escape(text), "sup", "⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
    return _small(raised, "sub", "₀₁₂₃₄₅₆₇₈₉ⱼₛₜ", "0123456789jst")


def _small(markup: str, element: str, small: str, large: str) -> str:
    table = str.maketrans(small, large)
    return re.sub(
        f"[{small}]+", lambda run: f"<{element}>{run[0].translate(table)}</{element}>", markup
    )
