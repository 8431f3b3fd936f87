"""The competitors of the demo, and the verdict."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from rich.table import Table
from scipy.stats import binomtest
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernlearn.cli.demo_data import DemoTable
from kernlearn.typing import Mask, Targets

GRID = {
    "svc__C": np.logspace(-1, 3, 5).tolist(),
    "svc__gamma": np.logspace(-4, 0, 5).tolist(),
}
SURE = 0.05


@dataclass(frozen=True, eq=False)
class Competitor:
    """One competitor, fitted, and the held-out rows that it got wrong."""

    name: str
    model: BaseEstimator
    wrong: Mask
    seconds: float

    @property
    def accuracy(self) -> float:
        """Accuracy on the rows held out."""
        return float(1.0 - self.wrong.mean())


def run_rival(
    name: str, fit: Callable[[], BaseEstimator], X_test: object, y_test: Targets
) -> Competitor:
    """Fit, time, and predict rows held out."""
    start = time.perf_counter()
    model = fit()
    seconds = time.perf_counter() - start
    return Competitor(name, model, np.asarray(model.predict(X_test) != y_test), seconds)


def rivals(data: DemoTable, seed: int, grid: Mapping[str, Sequence[float]]) -> list[Competitor]:
    """A Gaussian SVM on standardised columns, tuned by cross-validation, and boosted trees."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    tuned = GridSearchCV(make_pipeline(StandardScaler(), SVC()), dict(grid), cv=folds)
    boosted = HistGradientBoostingClassifier(random_state=seed)
    return [
        run_rival(name, partial(rival.fit, data.X, data.y), data.X_test, data.y_test)
        for name, rival in (
            ("Gaussian SVM, C and γ tuned", tuned),
            ("HistGradientBoosting", boosted),
        )
    ]


def shown(entries: Sequence[Competitor], things: str) -> Table:
    """The table of one part of the demo."""
    table = Table(title=f"On the {len(entries[0].wrong)} {things} held out")
    table.add_column("method")
    for column in ("accuracy", "errors", "seconds"):
        table.add_column(column, justify="right")
    for entry in entries:
        errors = str(int(entry.wrong.sum()))
        table.add_row(entry.name, f"{entry.accuracy:.1%}", errors, f"{entry.seconds:.1f}")
    return table


def verdict(ours: Competitor, others: Sequence[Competitor]) -> str:
    """Whether learning the kernel won against the best of the others, and how sure that is.

    McNemar's exact test: of the rows that one got right and the other wrong, each is as likely to
    speak for the one as for the other if they err equally often.
    """
    best = min(others, key=lambda entry: int(entry.wrong.sum()))
    for_us = int((best.wrong & ~ours.wrong).sum())
    against = int((ours.wrong & ~best.wrong).sum())
    p = binomtest(for_us, for_us + against).pvalue if for_us + against else 1.0
    fewer, n = for_us - against, len(ours.wrong)
    sure = f"McNemar's test, p = {p:.2g}"
    if p < SURE and fewer > 0:
        return (
            f"Learning the kernel wins: {fewer} of {n} rows fewer wrong than {best.name}, the best "
            f"of the others ({sure})."
        )
    if p < SURE:
        return (
            f"Learning the kernel does not win here: {-fewer} of {n} rows more wrong than "
            f"{best.name} ({sure})."
        )
    word = "fewer" if fewer > 0 else "more"
    apart = "as many rows wrong as" if fewer == 0 else f"{abs(fewer)} of {n} rows {word} wrong than"
    return (
        f"Learning the kernel does not win here: {apart} {best.name}, which chance explains "
        f"({sure})."
    )
