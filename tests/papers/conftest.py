"""What several tests of papers look at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def computed_cells() -> Callable[[Path], list[str]]:
    """The cells that all runs into a folder have computed, file by file, in their order."""

    def read(folder: Path) -> list[str]:
        text = "".join(path.read_text() for path in sorted(folder.glob("*.jsonl")))
        records = [json.loads(line) for line in text.splitlines()]
        return [record["key"] for record in records if "key" in record]

    return read
