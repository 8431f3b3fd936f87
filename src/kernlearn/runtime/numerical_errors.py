"""The errors of a kernel or a machine whose numbers leave the range of floats."""

from __future__ import annotations

import numpy as np


class NumericalError(ValueError):
    """A kernel or a machine has no finite numbers on these data, or at these parameters.

    A search steps back from such a point, or leaves the candidate out and says so. Any other
    error is a defect, of the library or of a kernel of the user's, and ends the fit.
    """


# A failed factorisation, and numbers that overflow.
BREAKDOWNS = (np.linalg.LinAlgError, NumericalError, OverflowError, FloatingPointError)
