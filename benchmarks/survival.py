"""Survival analysis on the data sets of scikit-survival and lifelines, against their methods.

    python -m benchmarks survival --splits 20 --out DIR

Both packages have to be installed. Seven tenths of the rows train, at most 1000. Times between the
10th and the 90th percentile of the events in the test rows make the integrated Brier score; the
kernel survival SVM predicts no probabilities, and takes part with at most 300 training rows.
Fits are kept in ``DIR/survival.json`` and not run again, small tables first within each split. The
table is ``DIR/survival/table1.md``, from where ``python docs/insert_results.py DIR`` takes it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.claims import Row, say
from benchmarks.kept_fits import Fits, run_missing, write_page
from benchmarks.survival_page import OURS, SVM, claims, page
from benchmarks.survival_tables import SurvivalTable, survival_tables
from kernlearn import KernelSurvival
from kernlearn.metrics import harrell_concordance, integrated_brier_score, uno_concordance
from kernlearn.survival import SurvivalOutcome, kaplan_meier
from kernlearn.survival.brier import usual_times

MOST_ROWS = 1000
MOST_ROWS_OF_SVM = 300  # its time grows with the cube of the rows
Predictor = tuple[Callable, Callable | None]  # risks, and survival at times


def kernel(X, y) -> Predictor:
    """The estimator at its defaults, on the table as it comes."""
    model = KernelSurvival().fit(X, y)
    return model.predict, model.predict_survival_function


def _steps(model) -> Predictor:
    def survival(X, times):
        curves = model.predict_survival_function(X)
        low, high = curves[0].domain
        return np.array([curve(np.clip(times, low, high)) for curve in curves])

    return model.predict, survival


def coxnet(X, y) -> Predictor:
    """The elastic net of scikit-survival, its penalty by five shuffled folds."""
    from sklearn.model_selection import GridSearchCV, KFold
    from sksurv.linear_model import CoxnetSurvivalAnalysis

    path = CoxnetSurvivalAnalysis(l1_ratio=0.9, alpha_min_ratio=0.01, n_alphas=20).fit(X, y)
    grid = {"alphas": [[alpha] for alpha in path.alphas_]}
    one = CoxnetSurvivalAnalysis(l1_ratio=0.9, fit_baseline_model=True)
    folds = KFold(5, shuffle=True, random_state=0)  # some tables are sorted by their only column
    return _steps(GridSearchCV(one, grid, cv=folds, error_score=0.5).fit(X, y).best_estimator_)


def forest(X, y) -> Predictor:
    """The random survival forest of scikit-survival at its defaults."""
    from sksurv.ensemble import RandomSurvivalForest

    return _steps(RandomSurvivalForest(random_state=0).fit(X, y))


def boosting(X, y) -> Predictor:
    """The gradient boosting of scikit-survival at its defaults."""
    from sksurv.ensemble import GradientBoostingSurvivalAnalysis

    return _steps(GradientBoostingSurvivalAnalysis(random_state=0).fit(X, y))


def survival_svm(X, y) -> Predictor:
    """The kernel survival SVM of scikit-survival: its penalty by three folds of 300 rows."""
    from sklearn.model_selection import GridSearchCV
    from sksurv.svm import FastKernelSurvivalSVM

    y = y.copy()
    y["time"] = np.maximum(y["time"], 1e-9)  # it refuses the time zero, and uses the order alone
    rows = np.random.RandomState(0).permutation(len(X))[:300]
    one = FastKernelSurvivalSVM(kernel="rbf", max_iter=20, tol=1e-4, random_state=0)
    grid = {"alpha": [2.0**-6, 2.0**-2, 2.0**2]}
    search = GridSearchCV(one, grid, cv=3, error_score=0.5, refit=False).fit(X[rows], y[rows])
    return one.set_params(**search.best_params_).fit(X, y).predict, None


def lifelines_cox(X, y) -> Predictor:
    """Cox's model of lifelines, with a ridge of 0.1."""
    import pandas as pd
    from lifelines import CoxPHFitter

    frame = pd.DataFrame(X).assign(event=y["event"], time=np.maximum(y["time"], 1e-9))
    model = CoxPHFitter(penalizer=0.1).fit(frame, "time", "event")

    def survival(X, times):
        return model.predict_survival_function(pd.DataFrame(X), times=times).to_numpy().T

    return lambda X: model.predict_log_partial_hazard(pd.DataFrame(X)).to_numpy(), survival


def same_for_all(X, y) -> Predictor:
    """Equal risks and the curve of Kaplan and Meier: what a method gets that cannot be fitted."""
    curve = kaplan_meier(y)
    return lambda X: np.zeros(len(X)), lambda X, times: np.tile(curve(times), (len(X), 1))


METHODS = {
    OURS: kernel,
    "Coxnet": coxnet,
    SVM: survival_svm,
    "survival forest": forest,
    "survival boosting": boosting,
    "Cox (lifelines)": lifelines_cox,
}


def encoded(train, test):
    """What the rivals are given: one-hot levels, medians in gaps, columns of unit variance."""
    from sklearn.compose import make_column_transformer
    from sklearn.feature_selection import VarianceThreshold
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = train.select_dtypes("number").columns
    others = [name for name in train.columns if name not in numbers]
    levels = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(drop="if_binary", handle_unknown="ignore", sparse_output=False),
    )
    columns = make_column_transformer(
        (SimpleImputer(strategy="median"), numbers), (levels, others), sparse_threshold=0.0
    )
    table = make_pipeline(columns, VarianceThreshold(), StandardScaler()).fit(train)
    return table.transform(train), table.transform(test)


def split_of(table: SurvivalTable, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to train on and to test on; groups stay together, and both sides have events."""
    groups = np.arange(len(table.outcome)) if table.groups is None else table.groups
    random = np.random.RandomState(seed)
    names = np.unique(groups)
    while True:
        chosen = random.permutation(names)[: int(0.7 * len(names))]
        train = np.flatnonzero(np.isin(groups, chosen))
        test = np.flatnonzero(~np.isin(groups, chosen))
        enough = [table.outcome.event[rows].sum() >= 3 for rows in (train, test)]
        if all(enough):
            return np.sort(random.permutation(train)[:MOST_ROWS]), test


def scores(table: SurvivalTable, seed: int, name: str) -> dict[str, float]:
    """One method on one split."""
    train, test = split_of(table, seed)
    X_train, X_test = (table.X.iloc[rows].reset_index(drop=True) for rows in (train, test))
    known, new = table.outcome.subset(train), table.outcome.subset(test)
    if name != OURS:
        X_train, X_test = encoded(X_train, X_test)
    start = time.process_time()
    failed = 0.0
    try:
        predict, survival = METHODS[name](X_train, known.structured)
        seconds, risk = time.process_time() - start, predict(X_test)
    except Exception as error:
        say(f"{name} cannot be fitted: {type(error).__name__}: {error}")
        failed, seconds = 1.0, time.process_time() - start
        predict, survival = same_for_all(X_train, known.structured)
        survival = None if name == SVM else survival
        risk = predict(X_test)
    found = {"seconds": seconds, "failed": failed, "ratio": len(test) / len(train)}
    return found | _judged(table, known, new, risk, survival and partial(survival, X_test))


def _judged(
    table: SurvivalTable,
    known: SurvivalOutcome,
    new: SurvivalOutcome,
    risk: np.ndarray,
    survival: Callable | None,
) -> dict[str, float]:
    """Scores of risks, and of curves where a method has them and the test rows allow it."""
    found = {"harrell": harrell_concordance(new.structured, risk)}
    everyone = SurvivalOutcome(table.outcome.time, table.outcome.event)
    last = float(np.quantile(new.time[new.event], 0.9))
    times = usual_times(new)
    times = times[(times < new.time.max()) & (times < known.time.max())]
    try:
        found["uno"] = uno_concordance(new.structured, risk, y_train=everyone, tau=last)
        if survival is not None and len(times) > 1:
            curves = survival(times)
            found["brier"] = integrated_brier_score(new.structured, curves, times, y_train=everyone)
    except ValueError as error:  # no pair, or nobody left uncensored
        say(f"no score: {error}")
    return found


def _fits(tables: Mapping[str, SurvivalTable], splits: int) -> Iterator[tuple[str, int, str]]:
    """Split by split, so that a run that is stopped has all tables; small tables first."""
    for seed in range(splits):
        for title in sorted(tables, key=lambda each: len(tables[each].outcome)):
            n_train = len(split_of(tables[title], seed)[0])
            for name in METHODS:
                if name != SVM or n_train <= MOST_ROWS_OF_SVM:
                    yield title, seed, name


def run(splits: int, out: Path) -> Fits:
    """All splits of all tables by all methods; what the file has is not run again."""
    tables = survival_tables()

    def fit(title: str, seed: int, name: str) -> dict[str, float]:
        return scores(tables[title], seed, name)

    return run_missing(_fits(tables, splits), fit, out)


def benchmarks(out: Path, splits: int) -> list[Row]:
    """All methods on all tables, and the page of them."""
    if find_spec("sksurv") is None or find_spec("lifelines") is None:
        say("survival is left out: it takes pip install scikit-survival lifelines")
        return []
    done = run(splits, out / "survival.json")
    text = page(done)
    write_page(text, out, "survival")
    say(text)
    return claims(done)
