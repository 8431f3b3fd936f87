"""The machines on problems whose answer is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from kernlearn.datasets import make_twonorm
from kernlearn.papers.lanckriet2004.protocol import (
    MACHINES,
    SETS,
    MarginMachine,
    draw_split,
    evaluate_machine,
    unit_grams,
)
from kernlearn.papers.splits import TrainTestSplit

Y = np.array([-1] * 12 + [1] * 8)


@pytest.fixture(scope="module")
def split() -> TrainTestSplit:
    return draw_split(make_twonorm(50, random_state=0), 0, seed=0)


@pytest.fixture(scope="module")
def grams(split: TrainTestSplit) -> NDArray[np.float64]:
    return unit_grams(SETS["2-norm"].kernels(), split.X)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # V of the kernel s·I is (2/s) n₊n₋/n: s = 3, or 3 + τ = 4 with the 2-norm.
        ("HM", 1 / np.sqrt(2 * (2 / 3) * 12 * 8 / 20)),
        ("SM1", (2 / 3) * 12 * 8 / 20),
        ("SM2", (2 / 4) * 12 * 8 / 20),
        ("SM2,C", (2 / 4) * 12 * 8 / 20),
    ],
)
def test_the_identity_kernel_has_a_closed_form(name: str, expected: float) -> None:
    n_points = 25
    machine = MACHINES[name]
    identity = np.eye(n_points)[None]
    found = evaluate_machine(
        machine, identity, identity[:, 20:, :20], Y, np.array([-1, -1, -1, 1, 1]),
        weights="positive", total_weight=machine.total_weight(3),
    )  # fmt: skip
    assert found is not None
    assert found["value"] == pytest.approx(expected, rel=1e-5)
    # Nothing is known of a test point: it gets the larger class.
    assert found["accuracy"] == pytest.approx(60)


def test_a_learned_tau_takes_its_share_of_the_trace(
    split: TrainTestSplit, grams: NDArray[np.float64]
) -> None:
    found = run("SM2,C", split, grams, "positive")
    assert sum(found["weights"]) + found["tau"] == pytest.approx(4, rel=1e-6)


def test_a_learned_tau_is_the_hard_margin_with_one_more_kernel(
    split: TrainTestSplit, grams: NDArray[np.float64]
) -> None:
    """The remark below (47), with the identity over all points, trace and all."""
    learned = run("SM2,C", split, grams, "positive")
    with_identity = np.concatenate([grams, np.eye(50)[None]])
    hard = run("HM", split, with_identity, "positive")
    assert learned["value"] == pytest.approx(0.5 / hard["value"] ** 2, rel=1e-5)
    assert learned["accuracy"] == hard["accuracy"]


@pytest.mark.parametrize("name", MACHINES)
def test_more_freedom_is_never_worse(
    name: str, split: TrainTestSplit, grams: NDArray[np.float64]
) -> None:
    sign = -1 if name == "HM" else 1
    total = MACHINES[name].total_weight(3)
    singles = [run(name, split, grams[i : i + 1], "positive", total)["value"] for i in range(3)]
    positive = run(name, split, grams, "positive")["value"]
    free = run(name, split, grams, "free")["value"]
    assert sign * positive <= sign * min(singles, key=lambda v: sign * v) + 1e-4
    assert sign * free <= sign * positive + 1e-4


def test_no_hard_margin_is_none() -> None:
    """Two equal points of different class cannot be separated."""
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    K = (X @ X.T)[None]
    nothing = evaluate_machine(
        MACHINES["HM"], K, K[:, 2:, :2], np.array([1, -1]), np.array([1]),
        weights="positive", total_weight=1.0,
    )  # fmt: skip
    assert nothing is None


def test_flipped_test_labels_flip_the_accuracy(
    split: TrainTestSplit, grams: NDArray[np.float64]
) -> None:
    flipped = replace(split, y_test=-split.y_test)
    first, second = (run("SM1", s, grams, "positive") for s in (split, flipped))
    assert first["accuracy"] + second["accuracy"] == pytest.approx(100)
    assert first["weights"] == second["weights"]


def run(
    name: str,
    split: TrainTestSplit,
    grams: NDArray[np.float64],
    weights: str,
    total_weight: float | None = None,
) -> dict[str, object]:
    machine: MarginMachine = MACHINES[name]
    n = split.n_train
    found = evaluate_machine(
        machine, grams, grams[:, n:, :n], split.y_train, split.y_test,
        weights=weights, total_weight=total_weight or machine.total_weight(len(grams)),
    )  # fmt: skip
    assert found is not None
    return found
