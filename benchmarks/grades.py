"""Ordered grades: KernelClassifier(ordinal=True) beside classes, statsmodels and mord.

Losses are the log loss, one less the quadratic-weighted kappa, and the mean distance of grades.
Grades are those that people gave: parties, marriages, opinions, diseases, cars; five tables are
regression tables with their targets cut at fifths. mord takes part if it is installed.

    python -m benchmarks grades --tables DIR --splits 5 --out RESULTS
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2
from sklearn.metrics import log_loss
from statsmodels.miscmodels.ordinal_model import OrderedModel

import kernlearn as kl
from benchmarks.outcome_tables import (
    Fit,
    OutcomeTable,
    Topic,
    linear_features,
    r_table,
    statsmodels_table,
)
from kernlearn.typing import Array

LOSSES = ("log loss", "1 − weighted kappa", "mean distance", "share wrong")


def graded(frame: pd.DataFrame, target: str, left_out: str = "", order: str = "") -> OutcomeTable:
    """A table whose target has grades in an order, by default that of numbers."""
    frame = frame[frame[target].notna()]
    labels = order.split(", ") if order else np.unique(frame[target]).tolist()
    frame = frame[frame[target].isin(labels)]
    y = frame[target].map({label: code for code, label in enumerate(labels)}).to_numpy(dtype=int)
    X = frame.drop(columns=[target, *left_out.split()])
    return OutcomeTable(X, y, np.ones(len(y)))


def in_fifths(made: tuple[Array, Array]) -> OutcomeTable:
    """A regression table with its target cut at fifths."""
    X, y = made
    codes = np.digitize(y, np.quantile(y, [0.2, 0.4, 0.6, 0.8]))
    return OutcomeTable(pd.DataFrame(X), codes, np.ones(len(y)))


def shipped() -> dict[str, Callable[[], OutcomeTable]]:
    """Tables that need no file."""
    return {
        "anes96": lambda: graded(statsmodels_table("anes96"), "PID"),
        "fair": lambda: graded(statsmodels_table("fair"), "rate_marriage", "affairs"),
        "diabetes, fifths": lambda: in_fifths(load_diabetes(return_X_y=True)),
        "friedman 1, fifths": lambda: in_fifths(make_friedman1(1000, noise=1.0, random_state=1)),
        "friedman 2, fifths": lambda: in_fifths(make_friedman2(1000, noise=50.0, random_state=1)),
    }


KNOWLEDGE = "Very Low, Fairly Low, Average, Fairly High, Very High"
# Package and table of R, the target, columns to leave out, and the order of its labels.
OF_R = (
    ("pscl/politicalInformation", "y", "id", KNOWLEDGE),
    ("lme4/VerbAgg", "resp", "r2 id", "no, perhaps, yes"),
    ("Ecdat/OFP", "hlth", "", "poor, other, excellent"),
    ("Ecdat/MedExp", "health", "", "poor, fair, good, excellent"),
    ("rpart/cu.summary", "Reliability", "", "Much worse, worse, average, better, Much better"),
    ("vcd/Arthritis", "Improved", "ID", "None, Some, Marked"),
    ("MASS/survey", "Exer", "", "None, Some, Freq"),
    ("ggplot2/diamonds", "cut", "", "Fair, Good, Very Good, Premium, Ideal"),
    ("survival/pbc", "stage", "id time status", ""),
    ("robustbase/possumDiv", "Diversity", "", ""),
)


def ours(ordinal: bool, train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
    """The flagship."""
    model = kl.KernelClassifier(ordinal=ordinal).fit(train.X, train.y)
    return losses(test.y, model.predict_proba(test.X), model.classes_, model.predict(test.X))


def proportional_odds(train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
    """The ordered logit of statsmodels."""
    features = linear_features().fit(train.X)
    X, new = (np.asarray(features.transform(part.X)) for part in (train, test))
    varies = X.std(axis=0) > 1e-9
    classes, codes = np.unique(train.y, return_inverse=True)
    model = OrderedModel(codes, X[:, varies], distr="logit").fit(method="bfgs", disp=0)
    return losses(test.y, np.nan_to_num(model.predict(new[:, varies])), classes)


def thresholds_of_mord(train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
    """All-threshold logistic regression with a ridge."""
    import mord

    features = linear_features().fit(train.X)
    model = mord.LogisticAT(alpha=1.0).fit(features.transform(train.X), train.y)
    X = features.transform(test.X)
    return losses(test.y, model.predict_proba(X), model.classes_, model.predict(X))


def shares(train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
    """The shares of the grades in the training rows, for every row."""
    classes, counts = np.unique(train.y, return_counts=True)
    return losses(test.y, np.tile(counts / counts.sum(), (len(test.y), 1)), classes)


def losses(y: Array, chances: Array, classes: Array, told: Array | None = None) -> dict[str, float]:
    """Of probabilities of some grades, and of the grades told: by default the most probable."""
    known = np.unique(np.concatenate([y, classes]))
    every = np.zeros((len(y), len(known)))
    every[:, np.searchsorted(known, classes)] = chances
    every = np.clip(every, 1e-6, None)
    every /= every.sum(axis=1, keepdims=True)
    told = known[every.argmax(axis=1)] if told is None else told
    kappa = kl.metrics.quadratic_weighted_kappa(y, told)
    return {
        "log loss": float(log_loss(y, every, labels=known)),
        "1 − weighted kappa": 1.0 - (0.0 if np.isnan(kappa) else kappa),
        "mean distance": float(np.abs(y - told).mean()),
        "share wrong": float(np.mean(y != told)),
    }


def methods() -> dict[str, Fit]:
    """Ours, and the rivals that are installed."""
    found: dict[str, Fit] = {
        "ordered": partial(ours, True),
        "as classes": partial(ours, False),
        "OrderedModel": proportional_odds,
    }
    try:
        import mord  # noqa: F401
    except ImportError:
        return found
    return found | {"mord LogisticAT": thresholds_of_mord}


def topic(folder: Path | None = None) -> Topic:
    """All methods, on the tables that need no file and on those of R."""
    tables = shipped()
    for name, *columns in OF_R if folder is not None else ():
        tables[name] = lambda name=name, columns=columns: graded(r_table(folder, name), *columns)
    return Topic("grades", tables, methods(), LOSSES, shares)
