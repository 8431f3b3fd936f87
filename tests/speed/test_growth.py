"""The power law: exact where the times are, and through the last two where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlearn.speed.growth import FARTHEST, Growth, fitted_growth

SIZES = [100, 230, 400, 1000]


@given(st.floats(0.5, 4.0), st.floats(1e-6, 10.0))
def test_an_exact_law_is_found_and_inverted(exponent, scale):
    law = fitted_growth(SIZES, [scale * n**exponent for n in SIZES])
    assert law.exponent == pytest.approx(exponent)
    assert law.value_at(3000) == pytest.approx(scale * 3000**exponent)
    assert law.value_at(50) == pytest.approx(scale * 50**exponent)
    assert law.rows_in(scale * 3000**exponent) == 3000


def test_the_slope_is_that_of_the_two_largest_sizes():
    seconds = [0.3, 0.2, 4.0, 5.0]
    law = fitted_growth(SIZES, seconds)
    slope, _ = np.polyfit(np.log(SIZES[-2:]), np.log(seconds[-2:]), 1)
    assert law.exponent == pytest.approx(slope)
    assert (law.rows, law.value) == (1000, 5.0)


def test_one_size_has_no_slope():
    assert fitted_growth([100], [1.0]) is None
    assert fitted_growth([], []) is None
    assert fitted_growth([100, 200], [0.0, 1.0]) is None


def test_nothing_is_said_of_what_lies_too_far_away():
    law = Growth(100, 1.0, 1.0)
    assert law.rows_in(FARTHEST - 1e-6) == 100 * FARTHEST
    assert law.rows_in(FARTHEST + 1e-6) is None
    assert Growth(100, 1.0, 1e-9).rows_in(60.0) is None
    assert Growth(100, 1.0, 0.0).rows_in(60.0) is None
    assert Growth(100, 1.0, -0.1).rows_in(60.0) is None
    # Fewer rows than were measured are no extrapolation.
    assert Growth(100, 240.0, 2.0).rows_in(60.0) == 50
