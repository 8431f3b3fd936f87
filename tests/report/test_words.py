"""What the paragraph says of the kernel and of its certificate is true."""

from __future__ import annotations

import pytest

from kernlearn.report._facts import Facts
from kernlearn.report._words import kernel_words, optimality_words


def _weights(*values):
    return Facts({"weights": [{"name": f"k-{i}", "weight": w} for i, w in enumerate(values)]})


def _scale_shares(*shares):
    entries = [{"name": f"x-{i}", "share": share} for i, share in enumerate(shares)]
    return Facts({"kernel": "Gaussian; it looks mostly at everything", "scale_shares": entries})


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([2.0], "k-0"),
        ([0.0, 3.0], "one of the 2 kernels offered: k-1"),
        (
            [0.5, 0.0, 2.0],
            "a weighted sum of 2 of the 3 kernels offered: k-2 (weight 2) and k-0 (weight 0.5)",
        ),
        (
            [0.5, -4.0, 2.0],
            "a weighted sum of 3 of the 3 kernels offered, with most weight on k-1 (weight −4) and "
            "k-2 (weight 2)",
        ),
        ([0.0, 0.0], "zero: none of the 2 kernels offered has weight"),
    ],
)
def test_a_combination(weights, said):
    assert kernel_words(_weights(*weights)) == said


def test_columns_that_hardly_differ_are_not_told_as_a_story():
    assert kernel_words(_scale_shares(0.24, 0.26, 0.25, 0.25)) == (
        "Gaussian; it looks at all 4 inputs about alike"
    )


def test_one_column_that_hardly_matters_is_a_difference():
    said = kernel_words(_scale_shares(0.34, 0.33, 0.32, 0.01))
    assert said.startswith("Gaussian; it looks most at x-0")


def test_columns_that_matter_and_columns_that_do_not():
    said = kernel_words(_scale_shares(0.0, 0.7, 0.0, 0.2, 0.1)).replace("\u00a0", " ")
    assert said == (
        "Gaussian; it looks most at x-1 (70.0 %), x-3 (20.0 %), x-4 (10.0 %), and not at all at "
        "2 of 5 inputs"
    )


@pytest.mark.parametrize("facts", [{}, {"kernel": "none"}, {"kernel": ""}, {"weights": "x"}])
def test_nothing_is_said_of_what_is_not_known(facts):
    assert kernel_words(Facts(facts)) == ""
    assert optimality_words(Facts(facts)) == ""


@pytest.mark.parametrize(
    ("gap", "part"),
    [
        (0.0, "a billionth of its value"),
        (1.1e-9, "a millionth of its value"),
        (1e-6, "a millionth of its value"),
        (5e-4, "a thousandth of its value"),
        (0.0123, "1.2 %"),
    ],
)
def test_the_bound_in_words_is_never_below_the_gap(gap, part):
    facts = Facts({"objective": 1.0, "lower_bound": 1.0 - gap, "gap": gap})
    said = optimality_words(facts).replace("\u00a0", " ")
    assert said.lower().endswith(f"can lower the objective by more than {part}.")
    assert ("No other weights have a better value of this objective" in said) == (gap <= 1e-3)


def test_without_a_bound_nothing_is_called_optimal():
    facts = {"objective": 1.0, "status": "converged: a local minimum, to the tolerance"}
    assert optimality_words(Facts(facts)) == (
        "The problem is not convex, so a better kernel may exist."
    )
    stopped = Facts({**facts, "status": "stopped: the time is up"})
    assert optimality_words(stopped).endswith("; the fit ended so: stopped: the time is up.")
    fixed = Facts({"sentence": "No kernel was learned."})
    assert optimality_words(fixed) == "No kernel was learned."
