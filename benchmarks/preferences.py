"""Rankings: MKLRanker beside LambdaMART of LightGBM, a linear ranking SVM and a regression.

The loss is one less the mean NDCG of groups that no method has seen. Grades are the fifths of an
amount within all rows. LightGBM takes part if it is installed.

    python -m benchmarks preferences --tables DIR --splits 5 --out RESULTS
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import RidgeCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.outcome_tables import Fit, OutcomeTable, Topic, linear_features, r_table
from kernlearn import KernelRegressor
from kernlearn.estimators.ranking.preferences import normalized_gain, pairs_of_grades
from kernlearn.ranking import MKLRanker

MOST_TRAINING, MOST_TEST, N_PAIRS = 300, 600, 500
# Package and table of R: the amount to rank by, the groups, and columns to leave out.
R_TABLES = {
    "Ecdat/Computers": ("price", "trend", ""),
    "Ecdat/Caschool": ("testscr", "county", "distcod district readscr mathscr"),
    "Ecdat/Crime": ("crmrte", "year", "county"),
    "Ecdat/Bwages": ("wage", "exper", ""),
}


@dataclass(frozen=True)
class GroupedTable(OutcomeTable):
    """A table whose exposures are the numbers of groups, which splits keep whole."""

    def split(self, seed: int, most: int) -> tuple[OutcomeTable, OutcomeTable]:
        """Groups to learn from, and others to test on."""
        codes = np.random.default_rng(seed).permutation(np.unique(self.exposure))
        place = np.empty(int(codes.max()) + 1, dtype=int)
        place[codes.astype(int)] = np.arange(len(codes))
        order = np.argsort(place[self.exposure.astype(int)], kind="stable")
        sizes = np.bincount(place[self.exposure.astype(int)])
        ends = np.cumsum(sizes)
        n = min(int(0.67 * len(order)), most)
        n = int(ends[max(np.searchsorted(ends, n, side="right") - 1, 0)])
        return self.rows(order[:n]), self.rows(order[n : n + MOST_TEST])


def graded(X: pd.DataFrame, amount: np.ndarray, groups: np.ndarray) -> GroupedTable:
    """Fifths of an amount, and numbers of the groups."""
    grades = np.searchsorted(np.quantile(amount, [0.2, 0.4, 0.6, 0.8]), amount)
    codes = np.unique(groups, return_inverse=True)[1]
    return GroupedTable(X.reset_index(drop=True), grades.astype(float), codes.astype(float))


def diabetes() -> GroupedTable:
    """The course of diabetes among people of one age."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return graded(X, y.to_numpy(), (X["age"] // 2).to_numpy())


def wine() -> GroupedTable:
    """The proline of wines of one colour intensity."""
    X = load_wine(as_frame=True).data
    groups = X["color_intensity"].round().to_numpy()
    return graded(X.drop(columns=["proline", "color_intensity"]), X["proline"].to_numpy(), groups)


def of_r(folder: Path, name: str) -> GroupedTable:
    """A table of R."""
    amount, group, left_out = R_TABLES[name]
    frame = r_table(folder, name)
    X = frame.drop(columns=[amount, group, *left_out.split()])
    return graded(X, frame[amount].to_numpy(dtype=float), frame[group].to_numpy())


def ranked(score: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]) -> Fit:
    """Of a method that scores new rows from prepared rows, their grades and their groups."""

    def fit(train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
        features = linear_features().fit(train.X)
        scaler = StandardScaler().fit(features.transform(train.X))
        X, new = (scaler.transform(features.transform(one.X)) for one in (train, test))
        scores = score(X, train.y, train.exposure.astype(int), new)
        groups = [np.flatnonzero(test.exposure == code) for code in np.unique(test.exposure)]
        gains = [normalized_gain(scores[rows], test.y[rows]) for rows in groups]
        return {"1 − NDCG": 1.0 - float(np.mean([gain for gain in gains if gain is not None]))}

    return fit


def ours(X: np.ndarray, y: np.ndarray, groups: np.ndarray, new: np.ndarray) -> np.ndarray:
    """The learned kernel."""
    return MKLRanker(n_pairs=N_PAIRS).fit(X, y, groups=groups).predict(new)


def linear(X: np.ndarray, y: np.ndarray, groups: np.ndarray, new: np.ndarray) -> np.ndarray:
    """A linear SVM on as many differences, at the C of the least loss on a fifth of the groups."""
    codes = np.unique(groups)
    held_out = np.isin(groups, codes[:: min(5, len(codes))])
    best, coef = np.inf, np.zeros(X.shape[1])
    pairs, _ = pairs_of_grades(y, groups, 2 * N_PAIRS, np.random.RandomState(0))
    signs = np.where(np.arange(len(pairs)) % 2, 1, -1)
    D = signs[:, None] * (X[pairs[:, 0]] - X[pairs[:, 1]])
    out = held_out[pairs[:, 0]] if len(codes) > 1 else np.arange(len(pairs)) % 5 == 0
    for C in (1e-3, 1e-2, 1e-1, 1.0):
        svm = LinearSVC(C=C, fit_intercept=False, max_iter=20_000)
        loss = 1.0 - svm.fit(D[~out], signs[~out]).score(D[out], signs[out])
        if loss < best:
            best, coef = loss, svm.fit(D, signs).coef_[0]
    return new @ coef


def regressed(X: np.ndarray, y: np.ndarray, groups: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Ridge regression of the grades."""
    return RidgeCV(np.logspace(-3, 4, 15)).fit(X, y).predict(new)


def regressed_by_kernels(
    X: np.ndarray, y: np.ndarray, groups: np.ndarray, new: np.ndarray
) -> np.ndarray:
    """The flagship on the grades, which is the default of ``kernlearn fit --rank-by``."""
    n_groups = len(np.unique(groups))
    if n_groups == 1:
        return KernelRegressor().fit(X, y).predict(new)
    return KernelRegressor(cv=min(5, n_groups)).fit(X, y, groups=groups).predict(new)


def unordered(X: np.ndarray, y: np.ndarray, groups: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Equal scores for all rows."""
    return np.zeros(len(new))


def boosted(X: np.ndarray, y: np.ndarray, groups: np.ndarray, new: np.ndarray) -> np.ndarray:
    """LambdaMART, with leaves for few rows."""
    lightgbm = importlib.import_module("lightgbm")
    order = np.argsort(groups, kind="stable")
    model = lightgbm.LGBMRanker(n_estimators=100, min_child_samples=5, verbose=-1, n_jobs=1)
    model.fit(X[order], y[order].astype(int), group=np.unique(groups, return_counts=True)[1])
    return np.asarray(model.predict(new))


def topic(folder: Path | None = None) -> Topic:
    """All methods, on the tables that need no file and on those of R."""
    methods = {
        "MKLRanker": ranked(ours),
        "KernelRegressor": ranked(regressed_by_kernels),
        "linear": ranked(linear),
        "ridge": ranked(regressed),
    }
    if importlib.util.find_spec("lightgbm") is not None:
        methods["LambdaMART"] = ranked(boosted)
    tables: dict[str, Callable[[], OutcomeTable]] = {"diabetes": diabetes, "wine": wine}
    if folder is not None:
        tables |= {name: partial(of_r, folder, name) for name in R_TABLES}
    return Topic("preferences", tables, methods, ("1 − NDCG",), ranked(unordered), MOST_TRAINING)
