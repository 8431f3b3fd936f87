"""The parameters that functionals of machines share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernlearn._checks import check_choice, check_positive, check_settings
from kernlearn.quality.registry import QUALITIES

_SETTINGS = ("C", "nu", "epsilon")


def check_machine(quality: Any, choices: Sequence[str], C: Any, nu: float, epsilon: float) -> None:
    """Refuse the name of no machine, and settings that suit no data."""
    check_choice("quality", quality, choices)
    check_positive("C", C)  # "learn" included: a C that changes with the kernel compares nothing
    # Two classes of equal size admit every ν; what real ones admit is told when they are known.
    check_settings(quality, C, nu, epsilon, None, [np.array([-1.0, 1.0])])


def settings_in_use(quality: str, names: Sequence[str]) -> list[str]:
    """`names` without the settings that this machine does not look at."""
    used = QUALITIES[quality].uses if quality in QUALITIES else _SETTINGS
    return [name for name in names if name not in _SETTINGS or name in used]
