"""Many rows, through landmarks. ``python -m benchmarks.large 20000`` runs it at another size.

``python -m benchmarks.large adult.parquet income`` holds `MKLClassifier` against scikit-learn's
Nystroem on a table of the user's and a target in it, with a fifth of 100,000 rows held out.
"""

from __future__ import annotations

import sys
import tracemalloc
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifierCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.claims import Row, report, say
from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLRegressor
from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.kernels import Gaussian
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.solvers.nystroem.machines import FactorObjective
from kernlearn.speed.timings import best_of

ROWS, COLUMNS, N_KERNELS, RANK = 100_000, 2000, 10, 150


def table(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty inputs, three of which matter."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)


def kernels() -> list[Gaussian]:
    """Ten Gaussians around the median distance."""
    return [Gaussian(float(gamma)) for gamma in 2.0 ** np.linspace(-5, 3, N_KERNELS) / 20]


def fit_least_squares(n: int) -> MKLRegressor:
    X, y = table(n)
    rank = COLUMNS // N_KERNELS
    return MKLRegressor(kernels(), quality="least_squares", rank=rank, C=1.0).fit(X, y)


def product_seconds(n: int) -> float:
    Z = np.random.default_rng(0).standard_normal((n, COLUMNS))
    return best_of(3, lambda: Z.T @ Z)[0]


def against_the_product(n: int) -> Row:
    product = product_seconds(n)
    seconds, model = best_of(2, partial(fit_least_squares, n))
    return Row(
        f"least squares, {n:,} × 20, 10 Gaussians, R = {COLUMNS}, gap 1e-6: at most 3 times the "
        "matrix product ZᵀZ alone",
        f"{seconds:.1f} s against {product:.1f} s: {seconds / product:.2f} times; gap "
        f"{model.duality_gap_:.1e}, {model.n_machine_solves_} machine solves",
        seconds <= 3 * product and model.duality_gap_ <= 1e-6,
    )


def memory(n: int) -> Row:
    X, y = table(n)
    model = MKLRegressor(kernels(), quality="least_squares", rank=COLUMNS // N_KERNELS, C=1.0)
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1] / 2**30
    tracemalloc.stop()
    return Row(
        f"the same: peak memory under 2 GiB beside X ({n:,} rows)", f"{peak:.2f} GiB", peak < 2
    )


def ten_times_the_rows(n: int) -> Row:
    few, _ = best_of(1, partial(fit_least_squares, n))
    many, _ = best_of(1, partial(fit_least_squares, 10 * n))
    return Row(
        f"the same with {10 * n:,} rows: at most 12 times as long",
        f"{many:.0f} s against {few:.1f} s: {many / few:.1f} times",
        many <= 12 * few,
    )


def full_rank(n: int = 2000) -> Row:
    X, y = table(n)
    X = X[:, :4]
    some = [Gaussian(0.05), Gaussian(0.2), Gaussian(1.0)]
    labels = y > 0
    cases = [
        (MKLRegressor(some, quality="least_squares", C=1.0), y),
        (MKLRegressor(some, C=1.0), y),
        (MKLClassifier(some, quality="squared_soft_margin"), labels),
        (MKLClassifier(some), labels),
        (MKLNoveltyDetector(some), None),
    ]
    worst = 0.0
    for model, target in cases:
        model.set_params(tol=1e-13, options__total=float(n))
        with warnings.catch_warnings():
            # The gap may end at rounding before it is so small; what is compared says it all.
            warnings.simplefilter("ignore", ConvergenceWarning)
            exact = model.set_params(rank=None).fit(X, target)
            weights, value, values = exact.weights_, exact.objective_, exact._decision(X)
            found = model.set_params(rank=n).fit(X, target)
        apart = [
            np.abs(found.weights_ - weights).max() / weights.max(),
            abs(found.objective_ / value - 1.0),
            np.abs(found._decision(X) - values).max() / np.abs(values).max(),
        ]
        say(f"{model.quality}: weights, value, predictions apart by {np.array(apart)}")
        worst = max(worst, *apart)
    return Row(
        f"{n} rows at full rank: weights, values and predictions of five machines equal the exact "
        "solver's to 1e-6",
        f"apart by at most {worst:.1e}",
        worst <= 1e-6,
    )


def hinge(n: int) -> Row:
    """The way to solve a hinge over factors, beside two others, at the same features."""
    X, y = table(n)
    labels = np.where(y > 0, 1.0, -1.0)
    factors = Factors.through_landmarks(kernels(), X, 50, "random", 0)
    rows = FactorRows(X, factors, keep=True)
    weights = np.full(N_KERNELS, 1.0 / N_KERNELS)
    machine = QUALITIES["soft_margin"].build(labels, Settings(1.0, 0.5, 0.1, np.ones(n)))
    objective = FactorObjective(rows, [machine])
    ours, found = best_of(1, lambda: objective.evaluate(weights, None, 1e-6))
    Z = factors(X) / np.sqrt(N_KERNELS)
    # An interior point needs about twenty of these.
    pass_over, _ = best_of(3, lambda: Z.T @ Z)
    linear = LinearSVC(loss="hinge", tol=1e-4, max_iter=1000, intercept_scaling=10.0)
    other, _ = best_of(1, lambda: linear.fit(Z, labels))
    u, b = linear.coef_[0], linear.intercept_[0]
    value = 0.5 * u @ u + np.maximum(0.0, 1.0 - labels * (Z @ u + b)).sum()
    return Row(
        f"a hinge machine to 1e-6 over {factors.n_columns} columns, {n:,} rows: no slower than "
        "LIBLINEAR, and than an interior point of twenty passes",
        f"{ours:.1f} s, {objective.n_steps} steps, gap {found.noise / found.upper:.1e}; LIBLINEAR "
        f"{other:.1f} s, {value / found.upper - 1:.1e} above; twenty passes {20 * pass_over:.1f} s",
        ours <= min(other, 20 * pass_over),
    )


def against_nystroem(n: int) -> Row:
    X, y = table(n)
    train, test, y_train, y_test = train_test_split(X, y > 0, test_size=0.2, random_state=0)
    model = MKLClassifier(kernels(), quality="least_squares", rank=COLUMNS // N_KERNELS)
    seconds, _ = best_of(1, lambda: model.fit(train, y_train))
    penalties = np.logspace(-3, 3, 7)
    other = make_pipeline(
        Nystroem(gamma=0.05, n_components=COLUMNS, random_state=0),
        RidgeClassifierCV(alphas=penalties),
    )
    theirs, _ = best_of(1, lambda: other.fit(train, y_train))
    ours, error = 1 - model.score(test, y_test), 1 - other.score(test, y_test)
    return Row(
        f"MKLClassifier on {n:,} rows: faster than Nystroem(n_components={COLUMNS}) with "
        "RidgeClassifierCV of seven penalties, at an equal or lower error",
        f"{seconds:.1f} s, error {100 * ours:.2f} % against {theirs:.1f} s, {100 * error:.2f} %",
        seconds <= theirs and ours <= error,
    )


def against_nystroem_on(path: str, target: str) -> Row:
    frame = pd.read_parquet(path)
    frame = frame[frame[target].notna()].sample(frac=1.0, random_state=0)[:ROWS]
    y = frame.pop(target).to_numpy()
    parts = train_test_split(frame, y, test_size=0.2, random_state=0)
    prepare = make_column_transformer(
        (
            make_pipeline(SimpleImputer(), StandardScaler()),
            make_column_selector(dtype_include="number"),
        ),
        (
            OneHotEncoder(min_frequency=50, handle_unknown="infrequent_if_exist"),
            make_column_selector(dtype_exclude="number"),
        ),
        sparse_threshold=0.0,
    )
    train, test = prepare.fit_transform(parts[0]), prepare.transform(parts[1])
    model = MKLClassifier(quality="least_squares", C="auto", rank=RANK, random_state=0)
    seconds, _ = best_of(1, lambda: model.fit(train, parts[2]))
    R = sum(map(len, model.landmark_coef_))
    other = make_pipeline(
        Nystroem(gamma=1.0 / train.shape[1], n_components=R, random_state=0),
        RidgeClassifierCV(alphas=np.logspace(-3, 3, 7)),
    )
    theirs, _ = best_of(1, lambda: other.fit(train, parts[2]))
    ours, error = 1 - model.score(test, parts[3]), 1 - other.score(test, parts[3])
    return Row(
        f"MKLClassifier on {len(train):,} rows × {train.shape[1]} of {Path(path).stem}, C chosen: "
        f"faster than Nystroem(n_components={R}) with RidgeClassifierCV of seven penalties, at an "
        "equal or lower error",
        f"{seconds:.1f} s, error {100 * ours:.2f} % against {theirs:.1f} s, {100 * error:.2f} %",
        seconds <= theirs and ours <= error,
    )


def benchmarks(n: int) -> list[partial[Row]]:
    return [
        partial(full_rank),
        partial(hinge, n // 5),
        partial(against_the_product, n),
        partial(memory, n),
        partial(ten_times_the_rows, n),
        partial(against_nystroem, n),
    ]


BENCHMARKS = benchmarks(ROWS)


if __name__ == "__main__":
    wanted = benchmarks(int(sys.argv[1]) if len(sys.argv) == 2 else ROWS)
    if len(sys.argv) == 3:
        wanted = [partial(against_nystroem_on, *sys.argv[1:])]
    results = []
    for benchmark in wanted:
        results.append(benchmark())
        say(f"{results[-1].claim}\n    {results[-1].measured}")
    report(results)
