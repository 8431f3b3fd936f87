r"""The entropy :math:`t\,C\,(s\log s + (1 - s)\log(1 - s))`, :math:`s = a/w`, in boxes.

A box of width C reaches from zero to :math:`w = \pm C`. The entropy is the φ of the logistic loss,
its conjugate at g is :math:`t\,C\log(1 + e^{\pm g/t})`, and t is the temperature.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, xlog1py, xlogy

from kernlearn.typing import Array


def entropy(a: Array, widths: Array, temperature: float) -> Array:
    """Entropy of each coefficient within its box."""
    share = a / np.where(widths == 0, 1.0, widths)
    terms = xlogy(share, share) + xlog1py(1.0 - share, -share)
    return np.asarray(temperature * np.abs(widths) * terms)


def entropy_conjugate(g: Array, widths: Array, temperature: float) -> Array:
    """The logistic loss, in the precision of g."""
    logs = np.logaddexp(np.zeros_like(g), np.sign(widths) * g / temperature)
    return np.asarray(temperature * np.abs(widths) * logs)


def entropy_slope(g: Array, widths: Array, temperature: float) -> Array:
    """The slope of the conjugate: the coefficients at which g·a less the entropy is largest."""
    return np.asarray(widths * expit(np.sign(widths) * g / temperature))


def entropy_curvature(a: Array, widths: Array, temperature: float) -> Array:
    """The second derivative, infinite at the ends of the boxes."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = temperature / (np.abs(a) * (1.0 - a / widths))
    return np.where(np.isnan(found), np.inf, found)
