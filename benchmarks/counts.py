"""Counts: KernelRegressor(loss="poisson") beside squared error, Poisson regression and boosting.

Losses are the mean Poisson deviance and the deviance of negative binomial counts, at one dispersion
for all methods, which is that of a constant rate.

    python -m benchmarks counts --tables DIR --splits 5 --out RESULTS
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import PoissonRegressor
from sklearn.model_selection import GridSearchCV

import kernlearn as kl
from benchmarks.outcome_tables import (
    Fit,
    OutcomeTable,
    Topic,
    linear_features,
    r_table,
    statsmodels_table,
)
from kernlearn.quality.counts import deviance, fit_dispersion
from kernlearn.typing import Array

MOST_TRAINING = 200
LOSSES = ("Poisson deviance", "negative binomial deviance")
ALPHAS = np.logspace(-5, 1, 7)


def counted(
    frame: pd.DataFrame, target: str, left_out: str = "", exposure: str = ""
) -> OutcomeTable:
    """A table with a column of counts, and perhaps one of exposures."""
    frame = frame[frame[target].notna()]
    if exposure:
        frame = frame[frame[exposure] > 0]
    X = frame.drop(columns=[target, *left_out.split(), *([exposure] if exposure else [])])
    given = frame[exposure].to_numpy(dtype=float) if exposure else np.ones(len(frame))
    return OutcomeTable(X, frame[target].to_numpy(dtype=float), given)


def waves() -> OutcomeTable:
    """Generated: a wave, a line, exposures, and rates that vary besides."""
    rng = np.random.default_rng(0)
    X, exposure = rng.normal(size=(1000, 5)), rng.uniform(0.5, 3.0, 1000)
    rate = np.exp(0.3 + np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1])
    y = rng.poisson(exposure * rate * rng.gamma(3.0, 1.0 / 3.0, 1000))
    return OutcomeTable(pd.DataFrame(X), y.astype(float), exposure)


def shipped() -> dict[str, Callable[[], OutcomeTable]]:
    """Tables that need no file."""
    return {
        "randhie": lambda: counted(statsmodels_table("randhie"), "mdvis"),
        "fair, children": lambda: counted(
            statsmodels_table("fair").assign(children=lambda f: np.ceil(f["children"])), "children"
        ),
        "waves": waves,
    }


# Package and table of R, the target, columns to leave out, and the exposure.
OF_R = (
    ("COUNT/medpar", "los", "provnum", ""),
    ("COUNT/rwm1984", "docvis", "hospvis", ""),
    ("COUNT/badhealth", "numvisit", "", ""),
    ("COUNT/azcabgptca", "los", "", ""),
    ("Ecdat/DoctorAUS", "doctorco", "", ""),
    ("Ecdat/OFP", "ofp", "", ""),
    ("Ecdat/Bids", "numbids", "docno", ""),
    ("Ecdat/PatentsRD", "patent", "fi", ""),
    ("MASS/Insurance", "Claims", "", "Holders"),
    ("MASS/quine", "Days", "", ""),
    ("lme4/grouseticks", "TICKS", "INDEX BROOD", ""),
    ("pscl/bioChemists", "art", "", ""),
    ("rpart/solder", "skips", "", ""),
    ("robustbase/possumDiv", "Diversity", "", ""),
)


def ours(loss: str, train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
    """The flagship."""
    model = kl.KernelRegressor(loss=loss).fit(train.X, train.y, exposure=train.exposure)
    return losses(train, test, model.predict(test.X, exposure=test.exposure))


def squared(train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
    """The flagship's mixture of squared error, for rates."""
    rates = train.y / train.exposure
    model = kl.KernelRegressor().fit(train.X, rates, sample_weight=train.exposure)
    return losses(train, test, test.exposure * model.predict(test.X))


def poisson_regression(train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
    """That of scikit-learn, with its penalty by cross-validation."""
    features = linear_features().fit(train.X)
    grid = GridSearchCV(PoissonRegressor(max_iter=1000), {"alpha": ALPHAS})
    rates, given = train.y / train.exposure, train.exposure
    grid.fit(features.transform(train.X), rates, sample_weight=given)
    return losses(train, test, test.exposure * grid.predict(features.transform(test.X)))


def boosting(train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
    """That of scikit-learn with its defaults."""
    features = linear_features().fit(train.X)
    model = HistGradientBoostingRegressor(loss="poisson", random_state=0)
    rates, given = train.y / train.exposure, train.exposure
    model.fit(features.transform(train.X), rates, sample_weight=given)
    return losses(train, test, test.exposure * model.predict(features.transform(test.X)))


def negative_binomial(train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
    """That of statsmodels, of α by maximum likelihood; Poisson's where it does not converge."""
    features = linear_features().fit(train.X)
    X, new = (sm.add_constant(np.asarray(features.transform(part.X)), has_constant="add")
              for part in (train, test))  # fmt: skip
    varies = np.append(True, X[:, 1:].std(axis=0) > 1e-9)
    offset = np.log(train.exposure)
    start = sm.GLM(train.y, X[:, varies], sm.families.Poisson(), offset=offset).fit()
    found = start
    try:
        model = sm.NegativeBinomial(train.y, X[:, varies], offset=offset)
        fitted = model.fit(np.append(start.params, 0.5), method="bfgs", maxiter=500, disp=0)
        if fitted.mle_retvals["converged"] and np.isfinite(fitted.params).all():
            found = fitted
    except (np.linalg.LinAlgError, ValueError):
        pass
    coef = np.asarray(found.params)[: int(varies.sum())]
    logs = np.clip(new[:, varies] @ coef, -30.0, 30.0)
    return losses(train, test, test.exposure * np.exp(logs))


def constant_rate(train: OutcomeTable, test: OutcomeTable) -> dict[str, float]:
    """One rate for all rows."""
    return losses(train, test, test.exposure * train.y.sum() / train.exposure.sum())


def losses(train: OutcomeTable, test: OutcomeTable, predicted: Array) -> dict[str, float]:
    """Deviances, for predictions above a thousandth of the mean rate."""
    rate = train.y.sum() / train.exposure.sum()
    mean = np.maximum(predicted, 1e-3 * rate * test.exposure)
    alpha = fit_dispersion(train.y, rate * train.exposure, np.ones(len(train.y)))
    return {
        "Poisson deviance": float(deviance(test.y, mean).mean()),
        "negative binomial deviance": float(deviance(test.y, mean, alpha).mean()),
    }


METHODS: dict[str, Fit] = {
    "poisson": partial(ours, "poisson"),
    "negative binomial": partial(ours, "negative_binomial"),
    "squared error": squared,
    "PoissonRegressor": poisson_regression,
    "boosting": boosting,
    "statsmodels NB": negative_binomial,
}


def topic(folder: Path | None = None) -> Topic:
    """All methods, on the tables that need no file and on those of R."""
    tables = shipped()
    for name, *columns in OF_R if folder is not None else ():
        tables[name] = lambda name=name, columns=columns: counted(r_table(folder, name), *columns)
    return Topic("counts", tables, METHODS, LOSSES, constant_rate, MOST_TRAINING)
