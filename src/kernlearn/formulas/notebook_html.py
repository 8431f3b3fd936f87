"""Formulas as a line of HTML for notebooks."""

from __future__ import annotations

import re
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.formulas.formula import LOWERED, kernel_formula, number
from kernlearn.kernels import Kernel
from kernlearn.runtime.phrases import counted

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
    return _paragraph("kernel", kernel_formula(kernel, max_terms=MOST_TERMS))


def precision_html(weights: ArrayLike, epsilon: float) -> str:
    """The formula of a weighted sum of graphs, as `formula_html` shows that of a kernel.

    >>> print(precision_html([0.0, 0.5], 0.1))
    <p class="kernlearn-formula" style="...">Learned precision:
    <span role="math" aria-label="R = 0.5·L₂ + 0.1·I, where Lᵢ is the matrix of graph i"
    style="...">R = 0.5·L<sub>2</sub> + 0.1·I, where L<sub>i</sub> is the matrix of
    graph i</span></p>
    """
    r = np.asarray(weights, dtype=float)
    used = [int(i) for i in np.argsort(-r, kind="stable") if r[i] > 0]
    terms = [f"{number(r[i])}·L{str(i + 1).translate(LOWERED)}" for i in used[:MOST_TERMS]]
    more = [f"… ({counted(len(used) - MOST_TERMS, 'more term')})"] if len(used) > MOST_TERMS else []
    total = " + ".join([*terms, *more, f"{number(epsilon)}·I"])
    return _paragraph("precision", f"R = {total}, where Lᵢ is the matrix of graph i")


def _paragraph(what: str, formula: str) -> str:
    text = _plain(formula)
    return (
        f'<p class="kernlearn-formula" style="{_STYLE}">Learned {what}: <span role="math" '
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
    return _small(raised, "sub", "₀₁₂₃₄₅₆₇₈₉ᵢⱼₚₛₜ", "0123456789ijpst")


def _small(markup: str, element: str, small: str, large: str) -> str:
    table = str.maketrans(small, large)
    return re.sub(
        f"[{small}]+", lambda run: f"<{element}>{run[0].translate(table)}</{element}>", markup
    )
