"""The defaults on tables that they were not designed on.

`KernelClassifier` and `KernelRegressor` beside a tuned Gaussian SVM, a forest and gradient boosting
on the tables that come with scikit-learn and on generated ones: noisy labels, useless columns,
skewed columns, categories with missing cells, counts, classes of unlike size, far more columns than
matter, rules with thresholds, categories of many levels, targets that are far off. Of every table
60 per cent of the rows (at most 600) train and the others test, twenty times over. It prints mean
errors and ranks, seconds of the processor, Nemenyi's difference, and which tables the corrected
resampled t-test tells apart.

    python -m benchmarks.other_tables [--splits 20] [--table NAME ...] [--title TITLE --out FILE.md]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.utils.parallel import Parallel, delayed

from benchmarks.claims import say
from kernlearn.comparison import compare
from kernlearn.papers.defaults.methods import CLASSES, METHODS, NUMBERS, TUNED_SVM
from kernlearn.papers.method_comparison import (
    Cells,
    MethodColumn,
    fit_split,
    significance_against,
    tests_note,
)
from kernlearn.papers.splits import TrainTestSplit

OURS = "Kernel"
RIVALS = (TUNED_SVM, "forest", "boosting")
TRAINING_SHARE, MOST_ROWS = 0.6, 600
Made = tuple[pd.DataFrame, np.ndarray]


def frame(X: np.ndarray, y: np.ndarray) -> Made:
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]), y


def bundled(load: Callable[..., tuple[np.ndarray, np.ndarray]]) -> Callable[[], Made]:
    return lambda: frame(*load(return_X_y=True))


def clusters(seed: int, n: int, d: int, informative: int, flipped: float, apart: float) -> Made:
    """Clusters of two classes in a few of the columns; of unlike size where the seed is odd."""
    X, y = datasets.make_classification(
        n,
        d,
        n_informative=informative,
        n_redundant=min(2, d - informative),
        flip_y=flipped,
        class_sep=apart,
        weights=[0.65] if seed % 2 else None,
        random_state=seed,
    )
    return frame(X, y)


def drawn(log_odds: np.ndarray, X: np.ndarray, generator: np.random.Generator) -> Made:
    """Labels with these log-odds."""
    return frame(X, (generator.random(len(X)) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int))


def additive_labels() -> Made:
    generator = np.random.default_rng(1)
    X = generator.normal(size=(1000, 8))
    log_odds = 0.8 * X[:, 0] + 0.6 * X[:, 1] - 0.5 * X[:, 2] + 0.3 * X[:, 0] ** 2 - 0.7
    X[:, 4:] = np.exp(2.0 * X[:, 4:])
    return drawn(log_odds, X, generator)


def interacting_labels() -> Made:
    generator = np.random.default_rng(2)
    X = generator.normal(size=(1000, 8))
    return drawn(2.0 * (X[:, 0] * X[:, 1] + np.sin(2.0 * X[:, 2]) + 0.5 * X[:, 3]), X, generator)


def linear_labels() -> Made:
    generator = np.random.default_rng(3)
    X = generator.normal(size=(1000, 10))
    return drawn(X[:, :5].sum(axis=1), X, generator)


def counted_labels() -> Made:
    generator = np.random.default_rng(4)
    X = generator.poisson(3.0, size=(1000, 6)).astype(float)
    return drawn(X[:, 0] - X[:, 1] + np.abs(X[:, 2] - 3.0) - 1.5, X, generator)


def mixed_columns() -> pd.DataFrame:
    """Two categories and four numbers, a tenth of the cells missing."""
    generator = np.random.default_rng(5)
    n = 900
    numbers = pd.DataFrame(generator.normal(size=(n, 4)), columns=list("abcd"))
    table = numbers.assign(
        colour=generator.choice(["red", "green", "blue", "grey"], n),
        size=generator.choice(["small", "large"], n),
    )
    table["effect"] = (
        numbers["a"]
        + np.where(table["colour"] == "red", numbers["b"], -numbers["c"])
        + np.where(table["size"] == "large", 1.0, -1.0)
    )
    return table


def with_gaps(table: pd.DataFrame, y: np.ndarray) -> Made:
    hidden = np.random.default_rng(6).random((len(table), 6)) < 0.1
    return table.drop(columns="effect").mask(hidden), y


def category_labels() -> Made:
    table = mixed_columns()
    return with_gaps(table, (table["effect"] > 0).to_numpy().astype(int))


def category_numbers() -> Made:
    table = mixed_columns()
    noise = 0.3 * np.random.default_rng(7).normal(size=len(table))
    return with_gaps(table, table["effect"].to_numpy() + noise)


def wide_columns(seed: int, n_columns: int) -> tuple[np.ndarray, np.random.Generator]:
    """Columns that have something in common, far more than matter."""
    generator = np.random.default_rng(seed)
    common = generator.normal(size=(1000, 1))
    return generator.normal(size=(1000, n_columns)) + 0.7 * common, generator


def wide_plane() -> Made:
    X, generator = wide_columns(13, 800)
    return frame(X, X[:, :8] @ np.linspace(-2.0, 2.0, 8) + generator.standard_t(4, size=1000))


def wide_bends() -> Made:
    X, generator = wide_columns(14, 80)
    y = np.abs(X[:, 0]) * X[:, 1] + np.where(X[:, 2] > 0.5, 1.5, 0.0) + np.cos(2.0 * X[:, 3])
    return frame(X, y + 0.4 * generator.normal(size=1000))


def wide_labels() -> Made:
    X, generator = wide_columns(15, 800)
    return drawn(X[:, :6] @ np.array([2.0, -2.0, 1.5, -1.5, 1.0, 1.0]), X, generator)


def wide_bent_labels() -> Made:
    X, generator = wide_columns(16, 80)
    return drawn(3.0 * X[:, 0] * X[:, 1] + 2.0 * X[:, 2] - np.abs(X[:, 3]), X, generator)


def noisy_quantiles() -> Made:
    X, y = datasets.make_gaussian_quantiles(
        n_samples=1000, n_features=6, n_classes=3, random_state=8
    )
    flipped = np.random.default_rng(8).random(len(y)) < 0.15
    return frame(X, np.where(flipped, (y + 1) % 3, y))


def grades() -> Made:
    X, y = datasets.make_friedman1(1000, noise=1.5, random_state=12)
    return frame(X, np.digitize(y, np.quantile(y, [0.25, 0.5, 0.75])))


def waves() -> Made:
    generator = np.random.default_rng(9)
    X = generator.uniform(-2.0, 2.0, size=(1000, 5))
    return frame(X, np.sin(4.0 * X[:, 0]) * X[:, 1] + 0.2 * generator.standard_t(3, size=1000))


def steps() -> Made:
    generator = np.random.default_rng(10)
    X = generator.normal(size=(1000, 8))
    y = np.where(X[:, 0] > 0.0, 2.0, 0.0) + np.where(X[:, 1] > X[:, 2], 1.0, 0.0)
    return frame(X, y + 0.3 * generator.normal(size=1000))


def skewed() -> Made:
    generator = np.random.default_rng(11)
    X = np.exp(2.0 * generator.normal(size=(1000, 6)))
    return frame(X, np.log(X[:, 0]) * np.log(X[:, 1]) + generator.normal(size=1000))


def rules() -> Made:
    """Labels of a rule with thresholds, three in a hundred turned."""
    generator = np.random.default_rng(12)
    X = generator.normal(size=(1000, 10))
    is_true = (X[:, 0] > 0.0) & (X[:, 1] > -0.5) & (X[:, 2] < 0.7) | (X[:, 3] > 1.2)
    return frame(X, (is_true ^ (generator.random(1000) < 0.03)).astype(int))


def nested_rules() -> Made:
    """A number by thresholds within thresholds."""
    generator = np.random.default_rng(13)
    X = generator.uniform(-1.0, 1.0, size=(1000, 8))
    right = np.where(X[:, 1] > -0.3, np.where(X[:, 2] > 0.0, 3.0, 0.0), 1.5)
    left = np.where(X[:, 3] > 0.4, -2.0, np.where(X[:, 4] > 0.0, 0.0, 2.0))
    return frame(X, np.where(X[:, 0] > 0.1, right, left) + 0.4 * generator.normal(size=1000))


def with_levels(generator: np.random.Generator, n_levels: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Three numbers and a category, and the effect of its levels."""
    level = generator.integers(n_levels, size=1000)
    X, _ = frame(generator.normal(size=(1000, 3)), level)
    X["place"] = [f"p{i}" for i in level]
    return X, generator.normal(size=n_levels)[level]


def many_levels() -> Made:
    generator = np.random.default_rng(14)
    X, effect = with_levels(generator, 60)
    y = effect + X["x0"] + 0.5 * X["x1"] ** 2 + 0.5 * generator.normal(size=1000)
    return X, y.to_numpy()


def many_levels_of_labels() -> Made:
    generator = np.random.default_rng(15)
    X, effect = with_levels(generator, 80)
    odds = np.exp(2.0 * effect + X["x0"].to_numpy())
    return X, (generator.random(1000) < odds / (1.0 + odds)).astype(int)


def outliers() -> Made:
    """One target in twenty is far off; test rows have such, too."""
    generator = np.random.default_rng(16)
    X = generator.normal(size=(1000, 6))
    y = X[:, 0] + np.abs(X[:, 1]) + X[:, 2] * X[:, 3] + 0.3 * generator.normal(size=1000)
    far = generator.random(1000) < 0.05
    return frame(X, y + 20.0 * far * generator.normal(size=1000))


LABELS: dict[str, Callable[[], Made]] = {
    "iris": bundled(datasets.load_iris),
    "wine": bundled(datasets.load_wine),
    "breast cancer": bundled(datasets.load_breast_cancer),
    "digits": bundled(datasets.load_digits),
    "moons": lambda: frame(*datasets.make_moons(1000, noise=0.35, random_state=1)),
    "circles": lambda: frame(*datasets.make_circles(1000, noise=0.25, factor=0.5, random_state=1)),
    "quantiles": noisy_quantiles,
    "grades": grades,
    "hastie": lambda: frame(*datasets.make_hastie_10_2(1500, random_state=1)),
    "clusters, 8": lambda: clusters(100, 800, 8, 4, 0.2, 0.8),
    "clusters, 20": lambda: clusters(101, 900, 20, 5, 0.15, 1.0),
    "clusters, 30": lambda: clusters(103, 900, 30, 6, 0.1, 0.7),
    "clusters, 15": lambda: clusters(106, 1000, 15, 8, 0.05, 0.6),
    "additive": additive_labels,
    "interacting": interacting_labels,
    "linear": linear_labels,
    "counts": counted_labels,
    "categories": category_labels,
    "wide": wide_labels,
    "wide, bent": wide_bent_labels,
    "rules": rules,
    "many levels": many_levels_of_labels,
}

TARGETS: dict[str, Callable[[], Made]] = {
    "diabetes": bundled(datasets.load_diabetes),
    "friedman 1": lambda: frame(*datasets.make_friedman1(1000, noise=1.0, random_state=1)),
    "friedman 2": lambda: frame(*datasets.make_friedman2(1000, noise=50.0, random_state=1)),
    "friedman 3": lambda: frame(*datasets.make_friedman3(1000, noise=0.1, random_state=1)),
    "plane": lambda: frame(
        *datasets.make_regression(1000, 20, n_informative=6, noise=30.0, random_state=1)
    ),
    "sparse": lambda: frame(*datasets.make_sparse_uncorrelated(1000, 12, random_state=1)),
    "waves": waves,
    "steps": steps,
    "skewed": skewed,
    "category effects": category_numbers,
    "wide plane": wide_plane,
    "wide bends": wide_bends,
    "nested rules": nested_rules,
    "many levels of numbers": many_levels,
    "outliers": outliers,
}


def fit_rows(task: str, made: Made, method: MethodColumn, index: int) -> dict[str, float]:
    """One method on one split: its error in per cent or root mean squared, and its seconds."""
    X, y = made
    order = np.random.default_rng(index).permutation(len(y))
    n_train = min(round(TRAINING_SHARE * len(y)), MOST_ROWS)
    train, test = order[:n_train], order[n_train:]
    split = TrainTestSplit(X.iloc[train], y[train], X.iloc[test], y[test])
    return fit_split(method, task, split, task == NUMBERS)


def compare_methods(task: str, tables: dict[str, Callable[[], Made]], splits: int) -> Iterator[str]:
    """The errors table by table, and below what `summary` makes of them."""
    found: dict[str, Cells] = {name: {} for name in (OURS, *RIVALS)}
    unit = "error in per cent" if task == CLASSES else "root mean squared error"
    yield f"\n| {unit} | {' | '.join(found)} |"
    yield "|---" * (len(found) + 1) + "|"
    parallel = Parallel(n_jobs=-1)
    for name, make in tables.items():
        made = make()
        for method in found:
            tasks = (
                delayed(fit_rows)(task, made, METHODS[method], index) for index in range(splits)
            )
            found[method][name] = parallel(tasks)
        means = (np.mean([one["error"] for one in found[method][name]]) for method in found)
        yield f"| {name} | {' | '.join(f'{mean:.4g}' for mean in means)} |"
    yield from summary(found)


def summary(found: dict[str, Cells]) -> list[str]:
    """Mean ranks, errors over ours and seconds; Nemenyi's difference; corrected tests."""
    errors = {
        method: {name: [one["error"] for one in cells] for name, cells in by_table.items()}
        for method, by_table in found.items()
    }
    lines = []
    if len(errors[OURS]) > 1:
        comparison = compare(errors)
        ranks = comparison.ranks
        lines.append("| mean rank | " + " | ".join(f"{ranks[m]:.2f}" for m in found) + " |")
    means = {m: np.array([np.mean(e) for e in by_table.values()]) for m, by_table in errors.items()}
    seconds = {
        method: np.mean([one["seconds"] for cells in by_table.values() for one in cells])
        for method, by_table in found.items()
    }
    some = np.all([mean > 0 for mean in means.values()], axis=0)
    over = {m: np.exp(np.mean(np.log(mean[some] / means[OURS][some]))) for m, mean in means.items()}
    lines.append("| error over ours | " + " | ".join(f"{over[m]:.3g}" for m in found) + " |")
    lines.append("| seconds | " + " | ".join(f"{seconds[m]:.2g}" for m in found) + " |")
    if len(errors[OURS]) > 1:
        lines += ["", f"- {tests_note(comparison)}"]
    return lines + [f"- {significance_against(OURS, rival, found)}" for rival in RIVALS]


def main() -> None:
    """Compare on all tables, or on those named, and write the page that is printed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.other_tables")
    parser.add_argument("--splits", type=int, default=20, help="splits of every table")
    parser.add_argument("--table", action="append", help="a table; may be repeated")
    parser.add_argument("--title", default="Tables of scikit-learn and generated ones")
    parser.add_argument("--machine", default="this machine", help="whose seconds they are")
    parser.add_argument("--out", type=Path, metavar="FILE.md", help="file for what is printed")
    given = parser.parse_args()
    lines = [
        f"## {given.title}",
        f"\nMean of {given.splits} splits; seconds of the processor for one fit, on one thread of "
        f"{given.machine}.",
    ]
    say("\n".join(lines))
    for task, tables in ((CLASSES, LABELS), (NUMBERS, TARGETS)):
        named = {name: tables[name] for name in tables if not given.table or name in given.table}
        for line in compare_methods(task, named, given.splits) if named else ():
            say(line)
            lines.append(line)
    if given.out is not None:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
