"""Short names of kernels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from kernlearn.hyperkernels import ARDHarmonic
from kernlearn.inspection import kernel_label
from kernlearn.kernels import (
    Bag,
    Centered,
    Columns,
    Features,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Normalized,
    Overlap,
    Polynomial,
    Power,
    Precomputed,
    Spectrum,
    TreePaths,
    WeightedSum,
    WhereKnown,
    default_bank,
)


@pytest.mark.parametrize(
    ("kernel", "label"),
    [
        (Linear(), "linear"),
        (Polynomial(degree=3), "polynomial, degree 3"),
        (Gaussian(gamma=0.012345), "Gaussian, γ = 0.0123"),
        (Laplacian(gamma=1.5), "Laplacian, γ = 1.5"),
        (Matern(nu=1.5, length_scale=2.0), "Matérn, ν = 1.5, ℓ = 2"),
        (Normalized(Gaussian(gamma=2.0)), "Gaussian, γ = 2"),
        (Normalized(Normalized(Linear())), "linear"),
        (
            Columns("review", Features(CountVectorizer(), Linear())),
            "linear of CountVectorizer on review",
        ),
        (
            Power(WeightedSum([Columns([i], Gaussian(0.5)) for i in range(30)], [1.0] * 30), 8),
            "sum of 30 Gaussian kernels of columns, power 8",
        ),
        (TreePaths([0], [0], [0.0], [[0, 0]]), "ways through 1 tree"),
        (WhereKnown(Overlap(frequencies=[{"red": 1.0}])), "overlap of categories"),
        (Bag(Gaussian(gamma=2.0)), "bags, Gaussian, γ = 2"),
        (Columns("dna", Spectrum(3)), "Spectrum() on dna"),
        (Precomputed([[1.0]]), "Precomputed(K=<1 x 1 matrix>)"),
    ],
    ids=repr,
)
def test_a_kernel_is_named_in_a_few_words(kernel, label):
    assert kernel_label(kernel) == label


def test_a_kernel_without_a_name_shows_its_constructor():
    kernel = Columns([0, 2], Gaussian(gamma=3.0)) + Linear()
    assert kernel_label(kernel) == repr(kernel)


def test_a_long_sum_is_a_number_of_kernels():
    kernel = WeightedSum([Linear(), *(Gaussian(gamma) for gamma in range(1, 9))], [0.0] + [1.0] * 8)
    assert kernel_label(kernel) == "weighted sum of 8 kernels"


def test_the_default_bank_has_seven_different_names():
    bank = default_bank([[0.0], [1.0], [3.0]])
    assert len({kernel_label(kernel) for kernel in bank}) == len(bank) == 7


def test_a_label_fits_on_an_axis():
    """A centred kernel carries its sample, which is no part of its name."""
    sample = [[float(i), float(-i)] for i in range(500)]
    assert len(kernel_label(Normalized(Centered(Linear(), sample)))) < 100


@pytest.mark.parametrize(
    ("n", "label"),
    [(1, "one section of ARDHarmonic"), (2, "a sum of 2 sections of ARDHarmonic")],
)
def test_an_expansion_says_how_many_sections_it_has(n, label):
    pairs = np.zeros((n, 2, 1))
    assert kernel_label(ARDHarmonic(0.6, [1.0]).expansion(pairs, np.ones(n))) == label
