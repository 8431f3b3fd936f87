"""Tell a listener of the steps over the weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.solvers.core.solution import Step, relative_gap


def report_steps(
    stopping: StoppingControl, translate: Callable[[Step], Step]
) -> Callable[[Step], None]:
    """Pass a step on in the user's units."""

    def tell(step: Step) -> None:
        step = translate(step)
        solves = step.n_machine_solves
        effort = f"machine solve {solves}" if solves else "no machine yet"
        message = f"{effort}, objective {step.objective:.6g}"
        if step.lower_bound == -np.inf:
            stopping.tell(message, step.objective)
            return
        gap = relative_gap(step.objective, step.lower_bound)
        message += f", relative gap {gap:.1e}"
        stopping.tell(message, step.objective, step.lower_bound, gap)

    return tell


def report_step(stopping: StoppingControl, step: Step) -> Status | None:
    """Tell of a step; how the fit is to end, if it is."""
    try:
        report_steps(stopping, lambda same: same)(step)
    except (Stopped, KeyboardInterrupt) as stop:
        return stopping.accept(stop)
    return None
