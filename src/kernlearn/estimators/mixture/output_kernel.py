"""Fitted attributes of the kernel over several targets."""

from __future__ import annotations

import numpy as np

from kernlearn.estimators.mixture.members import Members
from kernlearn.solvers.weights.output_kernel import OutputKernel
from kernlearn.typing import Array


class SeveralOutcomes:
    """Mixin for estimators of several numeric targets."""

    _members: Members
    _flat: bool

    @property
    def output_kernel_(self) -> Array:
        """The kernel over several targets, of variance one each."""
        outputs, m = self._outputs(), self._members.Y.shape[1]
        return np.eye(m) if outputs is None else outputs.matrix.copy()

    @property
    def output_gap_(self) -> float:
        """The relative duality gap of the kernel over several targets."""
        outputs = self._outputs()
        return 0.0 if outputs is None else outputs.gap

    def _outputs(self) -> OutputKernel | None:
        if "_members" not in vars(self) or self._flat:
            raise AttributeError(
                "expected a fit to targets of shape (n, n_targets) for a kernel over them, got "
                f"{'one target' if '_members' in vars(self) else 'no fit'}; pass several"
            )
        return self._members.outputs
