"""Breiman's twonorm generator."""

from __future__ import annotations

import numpy as np

from kernlearn.datasets.data_set import DataSet

__all__ = ["make_twonorm"]

N_FEATURES = 20


def make_twonorm(
    n_samples: int = 330, random_state: int | np.random.Generator | None = None
) -> DataSet:
    r"""Draw from two overlapping Gaussians in twenty dimensions (Breiman, 1998).

    .. math:: y = \pm 1 \text{ with probability } \tfrac12, \qquad
              x \mid y \sim N(y\,a\,\mathbf 1,\; I_{20}), \qquad a = 2/\sqrt{20}.

    The best possible rule is the sign of the sum of the inputs; it errs with probability
    :math:`\Phi(-2) = 2.3\,\%`.

    Parameters
    ----------
    n_samples : int, default=330
        Number of rows. Lanckriet et al. (2004) do not print theirs; 330 is what their numbers
        imply: in their Table 3 the narrow Gaussian's matrix is the identity,
        for which :math:`\omega = (2/3)\, n_+ n_-/(n_+ + n_-) = 43.509`, and the classifier
        answers with the larger class, 55.4 % of the points; hence 264 training points,
        80 % of 330.
    random_state : int, Generator or None
        Source of randomness.

    Returns
    -------
    DataSet

    Examples
    --------
    >>> from kernlearn.datasets import make_twonorm
    >>> data = make_twonorm(n_samples=5000, random_state=0)
    >>> errors = (data.X.sum(axis=1) > 0) != (data.y > 0)
    >>> bool(0.018 < errors.mean() < 0.028)
    True
    """
    if n_samples < 1:
        raise ValueError(
            f"n_samples must be at least 1, got {n_samples}: ask for a positive number of rows."
        )
    generator = np.random.default_rng(random_state)
    y = generator.choice(np.array([-1, 1], dtype=np.int64), size=n_samples)
    noise = generator.standard_normal((n_samples, N_FEATURES))
    X = noise + y[:, None] * 2.0 / np.sqrt(N_FEATURES)
    names = tuple(f"x{j + 1}" for j in range(N_FEATURES))
    return DataSet("twonorm", X, y, names, ("-1", "+1"))
