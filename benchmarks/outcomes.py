"""Several outcomes: KernelRegressor on all beside one for each, linear models and boosting.

The loss is the mean squared error over outcomes, in units of their variances on the training rows.

    python -m benchmarks outcomes --tables DIR --splits 5 --out RESULTS
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import RegressorMixin
from sklearn.datasets import load_linnerud, load_wine
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import MultiTaskLassoCV, RidgeCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline

import kernlearn as kl
from benchmarks.outcome_tables import Fit, OutcomeTable, Topic, linear_features, r_table

ALPHAS = np.logspace(-3, 4, 15)
# Package and table of R: outcomes, and columns to leave out.
R_TABLES = {
    "Ecdat/Caschool": ("readscr mathscr", "distcod district testscr"),
    "psych/sat.act": ("ACT SATV SATQ", ""),
    "Ecdat/BudgetItaly": ("wfood whouse wmisc", ""),
    "psych/bfi": ("N1 N2 N3 N4 N5", ""),
    "psych/epi.bfi": ("bdi traitanx stateanx", ""),
    "psych/affect": ("EA2 TA2 PA2 NA2", "state2"),
    "MASS/UScereal": ("calories sodium sugars potassium", "mfr vitamins"),
    "datasets/mtcars": ("mpg hp qsec wt", ""),
    "Ecdat/Star": ("tmathssk treadssk", "schidkn"),
}


def of_frame(X: pd.DataFrame, Y: np.ndarray) -> OutcomeTable:
    """Columns and outcomes."""
    return OutcomeTable(X, Y.astype(float), np.ones(len(Y)))


def exercises() -> OutcomeTable:
    """Linnerud: three measures of men from three exercises."""
    X, Y = load_linnerud(return_X_y=True, as_frame=True)
    return of_frame(X, Y.to_numpy())


def wine() -> OutcomeTable:
    """The last six measures of wines from the first seven."""
    X = load_wine(as_frame=True).data
    return of_frame(X.iloc[:, :7], X.iloc[:, 7:].to_numpy())


def of_r(folder: Path, name: str) -> OutcomeTable:
    """A table of R, without the rows that lack an outcome."""
    outcomes, left_out = R_TABLES[name]
    targets = outcomes.split()
    frame = r_table(folder, name).drop(columns=left_out.split()).dropna(subset=targets)
    return of_frame(frame.drop(columns=targets).reset_index(drop=True), frame[targets].to_numpy())


def learned(make: Callable[[], RegressorMixin], prepares: bool) -> Fit:
    """Of a model that takes several outcomes, perhaps after the usual preparation of columns."""

    def fit(train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
        centre, spread = train.y.mean(axis=0), train.y.std(axis=0)
        model = make_pipeline(linear_features(), make()) if prepares else make()
        model.fit(train.X, (train.y - centre) / spread)
        errors = model.predict(test.X) - (test.y - centre) / spread
        return {"squared error": float((errors**2).mean()), "n_outcomes": float(errors.shape[1])}

    return fit


METHODS: dict[str, Fit] = {
    "all at once": learned(kl.KernelRegressor, False),
    "one by one": learned(lambda: MultiOutputRegressor(kl.KernelRegressor()), False),
    "ridge": learned(lambda: RidgeCV(ALPHAS), True),
    "multi-task lasso": learned(lambda: MultiTaskLassoCV(cv=5, max_iter=5000), True),
    "boosting": learned(lambda: MultiOutputRegressor(HistGradientBoostingRegressor()), True),
}


def topic(folder: Path | None = None) -> Topic:
    """All methods, on the tables that need no file and on those of R."""
    tables: dict[str, Callable[[], OutcomeTable]] = {"linnerud": exercises, "wine": wine}
    if folder is not None:
        tables |= {name: partial(of_r, folder, name) for name in R_TABLES}
    return Topic("outcomes", tables, METHODS, ("squared error",), learned(DummyRegressor, True))
