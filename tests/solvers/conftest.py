"""Where stacks of matrices are worked on."""

from __future__ import annotations

import pytest

from kernlearn._device import Place


@pytest.fixture(
    params=[None, Place("array_api_strict", "cpu"), Place("torch", "cpu")],
    ids=str,
)
def place(request: pytest.FixtureRequest) -> Place | None:
    """NumPy, or another library that is installed, on the host."""
    if request.param is not None:
        pytest.importorskip(request.param.library)
    return request.param
