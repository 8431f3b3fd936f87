"""Figures are drawn into memory and closed after each test."""

from __future__ import annotations

import matplotlib as mpl
import pytest

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture
def closed_figures():
    """Closes what the test has drawn; gives pyplot."""
    yield plt
    plt.close("all")
