"""The formula as a line of HTML: the same characters, and names that are never markup."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

from kernlearn.formulas.formula import LONGEST, MOST_TERMS, formula_html
from kernlearn.hyperkernels import ARDHarmonic
from kernlearn.inspection import kernel_formula
from kernlearn.kernels import Columns, Gaussian, Linear, Matern, Polynomial, WeightedSum

SMALL = {
    "sup": str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"),
    "sub": str.maketrans("0123456789jst", "₀₁₂₃₄₅₆₇₈₉ⱼₛₜ"),
}


class Read(HTMLParser):
    """What a browser finds: elements, attributes, and text with small figures put back."""

    def __init__(self, markup):
        super().__init__()
        self.elements, self.open, self.text, self.label = [], [], "", None
        self.feed(markup)
        self.close()

    def handle_starttag(self, name, attributes):
        self.elements.append(name)
        self.open.append(name)
        self.label = dict(attributes).get("aria-label", self.label)

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        self.text += data.translate(SMALL.get(self.open[-1], {}))


KERNELS = [
    Linear(),
    Polynomial(degree=12, offset=2.0),
    Matern(0.5) + Matern(2.0),
    ARDHarmonic(0.6, [1.0, 2.0]).expansion(np.zeros((3, 2, 2)), [1.0, 0.5, 2.0]),
    Columns(["a < b & c", '"><img src=x>'], Gaussian()) * Columns(["'"], Linear()),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_eyes_and_ears_get_the_formula(kernel):
    read = Read(formula_html(kernel))
    assert read.open == []
    assert read.text == f"Learned kernel: {kernel_formula(kernel)}"
    assert read.label == kernel_formula(kernel)


def test_small_figures_are_elements_since_few_fonts_have_them():
    markup = formula_html(KERNELS[3])
    assert "w<sub>st</sub>" in markup
    assert ")<sup>2</sup>" in markup
    assert "(2 + ⟨x, z⟩)<sup>12</sup>" in formula_html(KERNELS[1])


@pytest.mark.parametrize(
    "name",
    ["<script>alert(1)</script>", '" onmouseover="alert(1)', "&lt;b&gt;", "</span></p><b>", "<!--"],
)
def test_names_are_never_markup(name):
    kernel = Columns([name], Linear())
    read = Read(formula_html(kernel))
    assert read.elements == ["p", "span"]
    assert read.text == f"Learned kernel: {kernel_formula(kernel)}"
    assert read.label == kernel_formula(kernel)


def test_what_cannot_be_seen_is_marked():
    """Control characters, half of a surrogate pair, and marks that turn the writing round."""
    markup = formula_html(Columns(["a\x00b\ud800c\u202ed\u200be\nf"], Linear()))
    assert Read(markup).label == "k(x, z) = ⟨x[a�b�c�d�e f], z[a�b�c�d�e f]⟩"
    assert markup.encode()


def test_hundreds_of_terms_and_endless_names_stay_short():
    many = WeightedSum([Gaussian(gamma=float(i)) for i in range(1, 301)], np.arange(1.0, 301.0))
    read = Read(formula_html(many))
    assert read.text.endswith(f"+ … ({300 - MOST_TERMS} more terms)")
    assert "300·exp(−300 ‖x − z‖²) + 299·" in read.text
    endless = Read(formula_html(Columns(["<" * 10_000], Linear())))
    assert len(endless.label) == LONGEST
    assert endless.label.endswith("<…")
