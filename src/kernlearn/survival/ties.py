"""Treatment of events at the same time."""

from __future__ import annotations

from typing import Literal

Ties = Literal["efron", "breslow"]
TIES: tuple[Ties, ...] = ("efron", "breslow")
