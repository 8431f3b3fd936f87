"""The learned kernel as a formula."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from kernlearn import MKLRegressor, kernels
from kernlearn.formulas.notebook_html import LONGEST, MOST_TERMS, formula_html
from kernlearn.hyperkernels import ARDHarmonic, GaussianHyperkernel, Harmonic
from kernlearn.inspection import kernel_formula
from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
    Centered,
    Columns,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Normalized,
    Polynomial,
    Precomputed,
    Stretched,
    TreePaths,
    WeightedSum,
)

N = "N[k] = k(x, z) / √(k(x, x) k(z, z))"


@pytest.mark.parametrize(
    ("kernel", "formula"),
    [
        (Linear(), "⟨x, z⟩"),
        (Polynomial(degree=3, offset=2.0), "(2 + ⟨x, z⟩)³"),
        (Polynomial(degree=2, offset=0.0), "(⟨x, z⟩)²"),
        (Gaussian(gamma=0.012345), "exp(−0.0123 ‖x − z‖²)"),
        (Laplacian(gamma=1e-7), "exp(−1e−7 ‖x − z‖₁)"),
        (ANOVA(gamma=2.0, degree=1), "meanⱼ exp(−2 (xⱼ − zⱼ)²)"),
        (Normalized(Gaussian(gamma=2.0)), "exp(−2 ‖x − z‖²)"),
        (Normalized(Linear()) * 2.0, f"2·N[⟨x, z⟩], where {N}"),
        (ARDGaussian([1.0, 0.0]), "exp(−Σⱼ γⱼ (xⱼ − zⱼ)²), where γ = (1, 0)"),
        (Stretched(Laplacian(), [1.0, 0.0]), "exp(−1 ‖s∘x − s∘z‖₁), where s = (1, 0)"),
        (TreePaths([0], [0, 0, 0], [1.0, 0, 0], [[1, 2], [1, 1], [2, 2]]),
         "meanₜ |P(x) ∩ P(z)|, where P are the nodes that a row comes to in tree t of 1 tree"),
        (Matern(2.0, nu=0.5), "exp(−r), where r = ‖x − z‖ / 2"),
        (Columns(["age", "<b>"], Linear()), "⟨x[age, <b>], z[age, <b>]⟩"),
        (Columns(slice(2, None), Linear()), "⟨x[2:], z[2:]⟩"),
        (WeightedSum([Linear(), Gaussian(), Linear()], [-1.0, -0.5, 0.0]),
         "−⟨x, z⟩ − 0.5·exp(−1 ‖x − z‖²)"),
        (2.0 * (Linear() + Gaussian()), "2·(⟨x, z⟩ + exp(−1 ‖x − z‖²))"),
        ((Linear() + Gaussian()) * Linear(), "(⟨x, z⟩ + exp(−1 ‖x − z‖²))·⟨x, z⟩"),
        (Linear() + WeightedSum([Gaussian()], [-1.0]) + 3.0 * (2.0 * Linear()),
         "⟨x, z⟩ − exp(−1 ‖x − z‖²) + 6·⟨x, z⟩"),
        (2.0 * WeightedSum([Linear(), Gaussian()], [1.0, -1.0]),
         "2·(⟨x, z⟩ − exp(−1 ‖x − z‖²))"),
        ((Linear() + Gaussian()) ** 2, "[⟨x, z⟩ + exp(−1 ‖x − z‖²)]²"),
        (WeightedSum([Linear()], [0.0]), "0"),
        (Precomputed([[1.0]]), "Precomputed(K=<1 x 1 matrix>)"),
        (Harmonic(0.5, 2.0).expansion([[[0.0], [1.0]]], [3.0]),
         "3·0.5 / (1 − 0.5 exp(−2 (‖x − z‖² + ‖s − t‖²))), where (s, t) is the pair of points "
         "that was kept"),
    ],
)  # fmt: skip
def test_a_kernel_is_written_as_on_paper(kernel, formula):
    assert kernel_formula(kernel) == f"k(x, z) = {formula}"


def test_a_sum_of_sections_says_over_how_many_pairs_it_runs():
    pairs = np.zeros((3, 2, 2))
    formula = kernel_formula(ARDHarmonic(0.6, [1.0, 2.0]).expansion(pairs, [1.0, 0.0, 2.0]))
    assert "Σ wₛₜ Πⱼ 0.4 / (1 − 0.6 exp(−γⱼ ((xⱼ − zⱼ)² + (sⱼ − tⱼ)²)))" in formula
    assert formula.endswith("where γ = (1, 2); the sum runs over 2 pairs of points (s, t)")
    other = kernel_formula(GaussianHyperkernel(1.0, 1.0).expansion(pairs, np.ones(3)))
    assert "h((x, z), (s, t)), where h is a GaussianHyperkernel" in other


def test_a_legend_says_each_thing_once():
    kernel = Normalized(Linear()) + Normalized(Polynomial()) + Centered(Linear(), [[1.0]])
    formula = kernel_formula(kernel)
    assert formula.count("N[k] =") == 1
    assert formula.endswith(f"where {N}; C[k] is k around the mean of the training points")


def test_the_formula_is_the_kernel():
    """Read back by a few replacements, it gives the kernel's values."""
    kernel = WeightedSum([Linear(), Gaussian(0.25), Polynomial(2, 3.0)], [0.5, 4.0, -0.125])
    right = kernel_formula(kernel).removeprefix("k(x, z) = ")
    for mark, code in [("−", "-"), ("‖x - z‖²", "*s"), ("⟨x, z⟩", "p"), ("·", "*"), ("²", "**2")]:
        right = right.replace(mark, code)
    assert re.fullmatch(r"[-+*() .0-9spexp]+", right)
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 3))
    value = eval(right, {"exp": np.exp, "s": np.sum((x - z) ** 2), "p": x @ z})
    assert value == pytest.approx(kernel([x], [z])[0, 0])


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, np.inf])
def test_one_letter_never_means_two_things(nu):
    """The definitions after "where" and the formula before it, read back, give the kernel."""
    kernel = Matern(0.5, nu=nu) + Matern(2.0, nu=nu) + Matern(0.5, nu=nu)
    right, _, legend = kernel_formula(kernel).removeprefix("k(x, z) = ").partition(", where ")
    assert legend == "r = ‖x − z‖ / 0.5; r₂ = ‖x − z‖ / 2"
    for mark, code in [
        ("−", "-"), ("r₂²", "b**2"), ("r₂", "b"), ("r²", "a**2"), ("√3 ", "3**.5*"),
        ("√5 ", "5**.5*"), ("5a", "5*a"), ("5b", "5*b"), (") exp", ")*exp"),
    ]:  # fmt: skip
        right = right.replace(mark, code)
    right = re.sub(r"\br\b", "a", right).replace("5r", "5*a")
    x, z = np.random.default_rng(1).normal(size=(2, 3))
    distance = np.linalg.norm(x - z)
    value = eval(right, {"exp": np.exp, "a": distance / 0.5, "b": distance / 2})
    assert value == pytest.approx(kernel([x], [z])[0, 0])


def test_vectors_that_differ_where_they_are_not_shown_have_different_letters():
    one, other = np.ones(6), np.array([1.0, 1.0, 1.0, 1.0, 1.0, 2.0])
    formula = kernel_formula(ARDGaussian(one) + ARDGaussian(other) + ARDGaussian(one.tolist()))
    assert formula.count("γⱼ") == 2
    assert formula.count("γ₂ⱼ") == 1
    assert formula.endswith(", where γ = (1, 1, 1, 1, … 6 in all); γ₂ = (1, 1, 1, 1, … 6 in all)")


def test_of_many_terms_the_largest_are_shown_and_the_others_counted():
    weights = np.array([0.0, 0.2, -0.7, 0.0, 0.3, 0.1, 0.3])
    kernel = WeightedSum([Gaussian(gamma=float(i)) for i in range(7)], weights)
    assert kernel_formula(kernel, max_terms=3) == (
        "k(x, z) = −0.7·exp(−2 ‖x − z‖²) + 0.3·exp(−4 ‖x − z‖²) + 0.3·exp(−6 ‖x − z‖²) + … "
        "(2 more terms)"
    )
    assert kernel_formula(kernel, max_terms=4).endswith("+ … (1 more term)")
    assert kernel_formula(kernel, max_terms=5) == kernel_formula(kernel)


def test_letters_of_terms_that_are_not_shown_are_not_explained():
    kernel = WeightedSum([Linear(), Matern()], [2.0, 1.0])
    assert kernel_formula(kernel, max_terms=1) == "k(x, z) = 2·⟨x, z⟩ + … (1 more term)"


def test_a_long_sum_within_a_product_is_shortened_too():
    kernel = (Linear() + Gaussian() + Laplacian()) * Linear()
    formula = kernel_formula(kernel, max_terms=1)
    assert formula == "k(x, z) = (⟨x, z⟩ + … (2 more terms))·⟨x, z⟩"


@pytest.mark.parametrize("max_terms", [0, -1, 2.5, True, "all"])
def test_no_terms_are_not_a_formula(max_terms):
    with pytest.raises(ValueError, match="expected max_terms to be a positive integer, got"):
        kernel_formula(Linear(), max_terms=max_terms)


def test_a_model_is_no_kernel_and_the_message_names_its_kernel():
    model = MKLRegressor([Linear()], C=1.0).fit(np.eye(3), [1.0, 2.0, 4.0])
    with pytest.raises(ValueError, match=r"a kernel, got MKLRegressor; pass model\.kernel_"):
        kernel_formula(model)
    with pytest.raises(ValueError, match="expected a kernel, got str; pass a kernel of"):
        kernel_formula("linear")


def test_kernels_on_things_say_what_they_read():
    text = kernels.Columns("review", kernels.Features(TfidfVectorizer(), kernels.Linear()))
    again = kernels.Columns("title", kernels.Features(TfidfVectorizer(), kernels.Gaussian(0.5)))
    assert kernel_formula(text + again) == (
        "k(x, z) = ⟨φ(x[review]), φ(z[review])⟩ + exp(−0.5 ‖φ(x[title]) − φ(z[title])‖²), where φ "
        "is what TfidfVectorizer makes of a row"
    )
    pipeline = make_pipeline(TfidfVectorizer(), TruncatedSVD())
    assert "what TfidfVectorizer, TruncatedSVD makes" in kernel_formula(
        kernels.Features(pipeline, kernels.Linear())
    )
    colours = kernels.Columns("colour", kernels.Overlap()).fitted_to(
        pd.DataFrame({"colour": ["red", "blue"]})
    )
    assert kernel_formula(colours) == "k(x, z) = Overlap(alpha=1.0)(x[colour], z[colour])"
    letters = kernels.Substitution("ACGT", degree=2)
    assert kernel_formula(letters) == (
        "k(x, z) = (1 + mean S[xₚ, zₚ])², where S are the similarities of the letters ACGT"
    )
    pairs = kernels.Substitution("AC", word_length=2, offset=0.0, aligned=False)
    assert kernel_formula(pairs) == (
        "k(x, z) = (mean S[xₚ, zₜ]), where S are the similarities of words of 2 letters"
    )
    gaps = kernels.WhereKnown(kernels.Linear()).fitted_to(np.eye(2))
    assert kernel_formula(gaps).startswith("k(x, z) = A[⟨x, z⟩], where A[k] is k around the mean")
    dna = kernels.Columns("dna", kernels.Spectrum(4))
    assert kernel_formula(dna) == "k(x, z) = Spectrum(k=4)(x[dna], z[dna])"


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
