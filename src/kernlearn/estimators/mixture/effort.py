"""The effort of a mixture: about the time that a fit may take, as a multiple of the default's."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real

import numpy as np

from kernlearn.estimators.mixture.candidates.choice import CandidateChoice
from kernlearn.estimators.mixture.candidates.registry import GAUSSIAN, LINEAR, TREES
from kernlearn.estimators.mixture.options import MixtureOptions

EFFORTS = {"fast": 0.1, "default": 1.0, "best": 10.0}
LEAST, LARGEST = 0.01, 100.0
# With less effort nothing is learned but λ and the widths of kernels.
_LEARNS = 0.5
# With less effort, families for tables whose members are trained through landmarks, and models of
# boosted trees: other kernels take longer than the trees, and seldom beat both.
_QUICK, _QUICK_MODELS = (LINEAR, GAUSSIAN, TREES), 2
# From this effort on, families are tried on all tables, however badly they do on the first.
_TRIES_ALL = 3.0
# Most rows that candidates may be judged by, as a share of the most rows of exact machines.
_SHARE = 0.5


def checked_effort(effort: object) -> float:
    """The number that an effort stands for.

    >>> checked_effort("fast"), checked_effort(2)
    (0.1, 2.0)
    """
    if isinstance(effort, str) and effort in EFFORTS:
        return EFFORTS[effort]
    is_number = isinstance(effort, Real) and not isinstance(effort, bool)
    if not is_number or not LEAST <= float(effort) <= LARGEST:  # type: ignore[arg-type]
        raise ValueError(
            f"expected effort to be {', '.join(map(repr, EFFORTS))} or a number from {LEAST:g} to "
            f"{LARGEST:g}, got {effort!r}; 1 is the default, and 2 takes about twice as long"
        )
    return float(effort)  # type: ignore[arg-type]


def options_at(options: MixtureOptions, effort: float) -> MixtureOptions:
    """The sizes of the screening for an effort, from those of the default.

    A factorisation takes the cube of its rows, so that rows grow with the cube root.

    >>> both = [options_at(MixtureOptions(), effort).screening for effort in (0.1, 10.0)]
    >>> all(one.rows < other.rows for one, other in [(both[0], both[1])])
    True
    """
    if effort == 1.0:
        return options
    root = float(np.cbrt(effort))
    few = options.screening
    screening = replace(
        few,
        rows=round(root * few.rows),
        shortlist=max(2, round(np.sqrt(effort) * few.shortlist)),
        scale_rows=round(root * few.scale_rows),
        slope_rows=round(root * few.slope_rows),
        tries_all=effort >= _TRIES_ALL,
    )
    judged = min(root * options.judged_rows, max(_SHARE * options.exact_rows, options.judged_rows))
    changed = replace(options, judged_rows=round(judged), screening=screening)
    if effort >= _LEARNS:
        return changed
    models = min(options.boosting.models, _QUICK_MODELS)
    return replace(changed, boosting=replace(options.boosting, models=models))


def choice_at(choice: CandidateChoice, effort: float, is_large: bool = False) -> CandidateChoice:
    """The candidates for an effort: with little effort, none that learn their kernel.

    For large tables, whose members are trained through landmarks, boosted trees take part beside
    two kernels. Candidates that the user has named are tried with any effort.
    """
    if effort >= _LEARNS or choice.is_named:
        return choice
    quick = [
        family
        for family in choice.families
        if (family.name in _QUICK if is_large else family.learn is None)
    ]
    return replace(choice, families=quick or choice.families, stretches=False)
