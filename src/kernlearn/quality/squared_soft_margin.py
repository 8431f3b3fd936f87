"""2-norm soft margin: Lanckriet et al. (2004), eqs. (5) and (6)."""

from __future__ import annotations

from kernlearn.quality.hard_margin import hard_margin
from kernlearn.quality.machine import Machine
from kernlearn.typing import Array


def squared_soft_margin(y: Array, upper: Array) -> Machine:
    r"""The hard margin with :math:`K + \tau I`, :math:`\tau_i = 1/C_i`.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels −1 and +1.
    upper : ndarray of shape (n,)
        The :math:`C_i`, C times the sample weight.
    """
    return hard_margin(y, ridge=1.0 / upper)
