"""A data folder of four small sets under the names of real ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kernlearn.estimators.least_squares.lssvm import LeastSquaresSVM
from kernlearn.papers.cawley2014 import methods, protocol

N_TRAIN, N_TEST = 30, 40
# {set: partitions of the shrunken paper}
REPLICATES = {"banana": 3, "synthetic": 3, "thyroid": 3, "twonorm": 2}
N_PUBLISHED = 2


def make_points(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Two noisy classes told apart by the first input; the others are noise."""
    generator = np.random.default_rng(sorted(REPLICATES).index(name))
    n_inputs = 3 if name == "thyroid" else 2
    X = 5.0 + 3.0 * generator.standard_normal((N_TRAIN + N_TEST, n_inputs))
    y = np.where(X[:, 0] - 5.0 + generator.standard_normal(len(X)) > 0, 1, -1)
    return X, y


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "ida").mkdir()
    (folder / "misc").mkdir()
    generator = np.random.default_rng(9)
    for name in REPLICATES:
        X, y = make_points(name)
        if name == "synthetic":
            parts = {"X_train": X[:N_TRAIN], "X_test": X[N_TRAIN:]}
            labels = {"y_train": y[:N_TRAIN] > 0, "y_test": y[N_TRAIN:] > 0}
            whole = {key: value.astype(np.int8) for key, value in labels.items()}
            np.savez(folder / "misc/ripley_synth.npz", **parts, **whole)
            continue
        orders = np.array([generator.permutation(len(y)) for _ in range(N_PUBLISHED)])
        np.savez(
            folder / f"ida/{name}.npz",
            X=X,
            y=y,
            train=orders[:, :N_TRAIN],
            test=orders[:, N_TRAIN:],
            partition=np.arange(1, N_PUBLISHED + 1),
            note="made up",
        )
    return folder


@pytest.fixture
def quick_selection(monkeypatch: pytest.MonkeyPatch, quick_choices: None) -> None:
    """Few starts of λ and of the scales for the paper's methods, too: any choice tells."""
    quick = replace(methods.ALONE, selection=LeastSquaresSVM._options.selection)
    for kind in (methods.PaperLSSVM, methods.PaperFirstLevel):
        monkeypatch.setattr(kind, "_options", quick)


@pytest.fixture
def small_paper(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    monkeypatch.setattr(protocol, "replicates", lambda: REPLICATES)
    return REPLICATES
