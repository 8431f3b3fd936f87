"""The tables of the demo: two drawn at random, of which the truth is known, and a real one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from kernlearn.typing import Array, Targets

HELD_OUT = 1000


@dataclass(frozen=True, eq=False)
class DemoTable:
    """Rows to learn from, rows held out, and the names of their columns."""

    X: Array
    y: Targets
    X_test: Array
    y_test: Targets
    names: tuple[str, ...]


def patients(n: int, seed: int) -> tuple[DemoTable, dict[str, slice]]:
    r"""Patients known from three sources of unequal worth.

    Two of the three ``blood`` values lie around a ring, of radius 1 for the ill and 2 for the
    well; each of 40 ``genes`` is shifted a little, :math:`\pm 0.22` standard deviations; 12
    answers of a ``survey`` have nothing to do with it.
    """
    rng = np.random.default_rng(seed)
    total = n + HELD_OUT
    is_ill = rng.random(total) < 0.5
    radius = np.where(is_ill, 1.0, 2.0) + 0.45 * rng.normal(size=total)
    angle = rng.uniform(0.0, 2.0 * np.pi, total)
    ring = [radius * np.cos(angle), radius * np.sin(angle), rng.normal(size=total)]
    genes = rng.normal(size=(total, 40)) + np.where(is_ill, 0.22, -0.22)[:, None]
    parts = {"blood": np.column_stack(ring), "genes": genes, "survey": rng.normal(size=(total, 12))}
    ends = np.cumsum([0, *(part.shape[1] for part in parts.values())]).tolist()
    places = dict(zip(parts, map(slice, ends[:-1], ends[1:]), strict=True))
    names = tuple(f"{name} {j + 1}" for name, part in parts.items() for j in range(part.shape[1]))
    y = np.where(is_ill, "ill", "well")
    return _split(np.hstack(list(parts.values())), y, n, names), places


def plant(n: int, seed: int) -> DemoTable:
    r"""Twelve sensors of a plant, in units from hundredths to thousands, of which four matter.

    .. math:: f(x) = \sin 2.5 x_1 + 0.8\, x_2 x_3 + 0.4\, x_4, \quad
              y = \operatorname{sign}(f(x) + 0.3\, \varepsilon)

    in standard units, with normal :math:`x` and :math:`\varepsilon`.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + HELD_OUT, 12))
    f = np.sin(2.5 * X[:, 0]) + 0.8 * X[:, 1] * X[:, 2] + 0.4 * X[:, 3]
    y = np.where(f + 0.3 * rng.normal(size=len(X)) > 0.0, "good", "waste")
    units = 10.0 ** rng.integers(-2, 4, 12)
    return _split(X * units, y, n, tuple(f"sensor {j}" for j in range(1, 13)))


def tumours(seed: int) -> DemoTable:
    """The breast cancer data that come with scikit-learn, three tenths held out."""
    cancer = load_breast_cancer()
    y = cancer.target_names[cancer.target]
    X, X_test, y, y_test = train_test_split(
        cancer.data, y, test_size=0.3, stratify=y, random_state=seed
    )
    return DemoTable(X, y, X_test, y_test, tuple(map(str, cancer.feature_names)))


def _split(X: Array, y: Targets, n: int, names: tuple[str, ...]) -> DemoTable:
    return DemoTable(X[:n], y[:n], X[n:], y[n:], names)
