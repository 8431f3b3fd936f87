"""Figure 1: threes and eights, turned, in the space of a learned kernel and of a fixed one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.model_selection import StratifiedKFold

from kernlearn import HyperkernelMetric, retrieval_auc
from kernlearn.datasets import ImageSet, load_mnist_3v8
from kernlearn.inspection import EmbeddingDisplay
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.kondor2007 import published
from kernlearn.papers.kondor2007.protocol import DigitProtocol, draw_digits
from kernlearn.papers.kondor2007.spaces import (
    Choice,
    Components,
    fitted_metric,
    fixed_gram,
    learned_gram,
    squared_distances,
)
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.results_file import Json
from kernlearn.papers.runner import run_splits
from kernlearn.papers.splits import TrainTestSplit, fingerprint
from kernlearn.papers.tables import ComparisonTable, TableEntry
from kernlearn.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["choose_widths", "draw_spaces", "reproduce_figure1", "run_sample"]


REPETITIONS = 10
COMBINATIONS = ("conic", "linear")
PARTS = ("training", "test")
WIDTHS = ("σ / median", "σ_h / σ", "C")
CHOSEN = (*WIDTHS, "seconds")
# The paper's names of its two numbers, and our rows for them.
PRINTED = {"original space": "original space", "conic, distance": "hyperkernel space"}
NOTES = (
    "Area under the curve of a ball inflated around every point, mean ± standard deviation over "
    "the repetitions: 20 threes and 20 eights to train on, 50 and 50 others to test on (the paper "
    "does not print this number), each turned by up to 45° to either side.",
    "Distance: d(x, x') of section 5. Score: k(x, x') itself, the nearest first. Two components: "
    "distances in the plane of the first two eigenvectors. A fixed RBF orders the points as the "
    "original space does; in its first two components it does not.",
    "The text speaks of the program with α ≥ 0, the conic one. Free signs give no kernel, so that "
    "their d is no distance; but they show what the constraint costs here, and their picture is "
    "the one that looks like the paper's.",
    "σ, σ_h and C have the largest area on held-out training points, fourfold, of distances for "
    "the conic and of scores for the linear combination, learned with at most 200 pivots; seconds: "
    "of the last fit, with at most 400 for the 820 pairs.",
)


def reproduce_figure1(
    options: RunOptions, protocol: DigitProtocol | None = None, digits: ImageSet | None = None
) -> ComparisonTable:
    """Learn from several samples, draw the first, and return the areas beside the paper's two."""
    protocol = protocol or DigitProtocol()
    digits = load_mnist_3v8(options.data_dir) if digits is None else digits
    repetitions = options.splits or REPETITIONS
    results = run_splits(
        partial(run_sample, protocol),
        {"digits": digits},
        repetitions,
        options,
        name="figure1",
        description="Figure 1",
        settings={**asdict(protocol), "data": fingerprint(digits.images, digits.y)},
    )["digits"]
    sample = draw_digits(digits, 0, options.seed, protocol)
    picture = draw_spaces(
        options.out / "figure1.png", sample, results[0]["chosen"], protocol.pivots[1]
    )
    title = f"Kondor and Jebara (2007), Figure 1; ours over {repetitions} repetitions"
    columns = (*(f"{part} AUC" for part in PARTS), *CHOSEN)
    return ComparisonTable(title, ("space",), columns, _entries(results), (*NOTES, picture))


def run_sample(protocol: DigitProtocol, digits: ImageSet, index: int, seed: int) -> dict[str, Json]:
    """Choose, learn and measure on sample number `index`."""
    sample = draw_digits(digits, index, seed, protocol)
    train = sample.X_train
    areas = {"original space": _areas(sample, lambda X: cdist(X, X))}
    chosen = {}
    for combination in COMBINATIONS:
        choice = choose_widths(sample, combination, seed, protocol)
        start = time.perf_counter()
        model = fitted_metric(sample, combination, choice, protocol.pivots[1])
        seconds = time.perf_counter() - start
        chosen[combination] = dict(zip(CHOSEN, (*choice, seconds), strict=True))
        areas |= _learned_areas(sample, model)
    plane = Components(fixed_gram(sample, train, train))
    areas["fixed RBF, two components"] = _areas(
        sample, lambda X: plane.distances(fixed_gram(sample, X, train))
    )
    return {"auc": areas, "chosen": chosen}


def choose_widths(
    sample: TrainTestSplit, combination: str, seed: int, protocol: DigitProtocol
) -> Choice:
    """Return σ, σ_h and C with the largest area on held-out training points, in table units."""
    folds = StratifiedKFold(protocol.folds, shuffle=True, random_state=seed)
    splits = list(folds.split(sample.X_train, sample.y_train))

    def area(choice: Choice) -> float:
        found = []
        for fit, check in splits:
            model = fitted_metric(sample, combination, choice, protocol.pivots[0], fit)
            X = sample.X_train[check]
            K = learned_gram(model, X, X)
            table = squared_distances(K) if combination == "conic" else -K
            found.append(retrieval_auc(table, sample.y_train[check]))
        return float(np.mean(found))

    return max(product(protocol.sigmas, protocol.sigma_hs, protocol.costs), key=area)


def _areas(sample: TrainTestSplit, table: Callable[[Array], Array]) -> dict[str, float]:
    """The areas of the table of distances between training points, and between test points."""
    parts = ((sample.X_train, sample.y_train), (sample.X_test, sample.y_test))
    return {part: retrieval_auc(table(X), y) for part, (X, y) in zip(PARTS, parts, strict=True)}


def _learned_areas(sample: TrainTestSplit, model: HyperkernelMetric) -> dict[str, dict[str, float]]:
    train = sample.X_train
    plane = Components(learned_gram(model, train, train))
    tables: dict[str, Callable[[Array], Array]] = {
        "distance": lambda X: squared_distances(learned_gram(model, X, X)),
        "score": lambda X: -learned_gram(model, X, X),
        "two components": lambda X: plane.distances(learned_gram(model, X, train)),
    }
    return {f"{model.combination}, {name}": _areas(sample, table) for name, table in tables.items()}


def _entries(results: list[Json]) -> tuple[TableEntry, ...]:
    entries = []
    for space in results[0]["auc"]:
        printed = published.DIGITS_AUC.get(PRINTED.get(space, ""))
        for part in PARTS:
            numbers = [result["auc"][space][part] for result in results]
            shown = printed if part == "test" else None
            entries.append(
                TableEntry(
                    (space,), f"{part} AUC", shown, numbers, ".4f", spread="standard deviation"
                )
            )
        combination, _, what = space.partition(", ")
        if what == "distance":
            entries += [
                TableEntry((space,), name, None, [r["chosen"][combination][name] for r in results])
                for name in CHOSEN
            ]
    return tuple(entries)


def draw_spaces(
    path: Path, sample: TrainTestSplit, chosen: dict[str, dict[str, float]], max_pivots: int
) -> str:
    """Draw a sample as the paper does: training, testing, and a fixed kernel beside.

    The points are drawn by the first two eigenvectors of each kernel; `chosen` holds σ, σ_h and C
    of each combination, as `run_sample` returns them.
    """
    train = sample.X_train
    grams: dict[str, Callable[[Array, Array], Array]] = {}
    for combination, numbers in chosen.items():
        sigma, sigma_h, C = (numbers[name] for name in WIDTHS)
        model = fitted_metric(sample, combination, (sigma, sigma_h, C), max_pivots)
        grams[f"{combination} hyperkernel"] = partial(learned_gram, model)
    grams["fixed RBF"] = partial(fixed_gram, sample)

    def draw(figure: Figure) -> None:
        axes = figure.subplots(2, len(grams))
        for column, (name, gram) in zip(axes.T, grams.items(), strict=True):
            plane = Components(gram(train, train))
            parts = ((train, sample.y_train), (sample.X_test, sample.y_test))
            for ax, part, (X, y) in zip(column, PARTS, parts, strict=True):
                EmbeddingDisplay(plane.of(gram(X, train)), y).plot(ax=ax)
                area = retrieval_auc(plane.distances(gram(X, train)), y)
                ax.set_title(f"{name}, {part}: area {area:.2f}", fontsize="medium")

    return save_picture(path, draw, width=11.0, height=7.0)
