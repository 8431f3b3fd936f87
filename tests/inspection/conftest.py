"""Figures are drawn into memory and closed after each test."""

from __future__ import annotations

import os

import pytest

os.environ["MPLBACKEND"] = "Agg"


@pytest.fixture
def closed_figures():
    """Closes what the test has drawn; gives pyplot."""
    from matplotlib import pyplot as plt

    yield plt
    plt.close("all")
