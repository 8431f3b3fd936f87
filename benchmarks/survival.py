"""Survival analysis on the data sets of scikit-survival and lifelines, against their methods.

    python -m benchmarks.survival FILE [--splits 20]

Both packages have to be installed. Seven tenths of the rows train, at most 1000. Times between the
10th and the 90th percentile of the events in the test rows make the integrated Brier score; the
kernel survival SVM predicts no probabilities. Results go to FILE, where finished splits are read,
not run again; mean ranks over the tables and the tests on them are printed.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.survival_tables import SurvivalTable, survival_tables
from kernlearn import KernelSurvival
from kernlearn.comparison import compare
from kernlearn.metrics import harrell_concordance, integrated_brier_score, uno_concordance
from kernlearn.survival import SurvivalOutcome
from kernlearn.survival.brier import usual_times

MOST_ROWS = 1000
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
    """The elastic net of scikit-survival, its penalty by five folds."""
    from sklearn.model_selection import GridSearchCV
    from sksurv.linear_model import CoxnetSurvivalAnalysis

    path = CoxnetSurvivalAnalysis(l1_ratio=0.9, alpha_min_ratio=0.01, n_alphas=20).fit(X, y)
    grid = {"alphas": [[alpha] for alpha in path.alphas_]}
    one = CoxnetSurvivalAnalysis(l1_ratio=0.9, fit_baseline_model=True)
    return _steps(GridSearchCV(one, grid, cv=5, error_score=0.5).fit(X, y).best_estimator_)


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


METHODS = {
    "KernelSurvival": kernel,
    "Coxnet": coxnet,
    "kernel survival SVM": survival_svm,
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
    if name != "KernelSurvival":
        X_train, X_test = encoded(X_train, X_test)
    start = time.process_time()
    predict, survival = METHODS[name](X_train, known.structured)
    seconds, risk = time.process_time() - start, predict(X_test)
    times = usual_times(new)
    times = times[(times < new.time.max()) & (times < known.time.max())]
    found = {"harrell": harrell_concordance(new.structured, risk), "seconds": seconds}
    everyone = SurvivalOutcome(table.outcome.time, table.outcome.event)
    last = float(np.quantile(new.time[new.event], 0.9)) if new.event.any() else None
    try:
        found["uno"] = uno_concordance(new.structured, risk, y_train=everyone, tau=last)
        if survival is not None and len(times) > 1:
            curves = survival(X_test, times)
            found["brier"] = integrated_brier_score(new.structured, curves, times, y_train=everyone)
    except ValueError:  # no pair, or nobody left uncensored
        pass
    return found


def run(splits: int, out: Path) -> dict[str, dict[str, float]]:
    """All splits of all tables by all methods; what the file has is not run again."""
    done = json.loads(out.read_text()) if out.exists() else {}
    tables = survival_tables()
    for key, table, seed, name in _cells(tables, splits):
        if key in done:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                done[key] = scores(table, seed, name)
            except Exception as error:  # a rival that cannot be fitted counts as a guess
                done[key] = {"harrell": 0.5, "uno": 0.5, "failed": 1.0}
                print(f"{key}: {type(error).__name__}: {error}", flush=True)
        out.write_text(json.dumps(done, indent=0, sort_keys=True))
    return done


def _cells(
    tables: dict[str, SurvivalTable], splits: int
) -> Iterator[tuple[str, SurvivalTable, int, str]]:
    for seed in range(splits):
        for title, table in tables.items():
            for name in METHODS:
                yield f"{title}|{seed}|{name}", table, seed, name


def summary(done: dict[str, dict[str, float]], score: str, sign: float) -> str:
    """Means over splits that every method has, with ranks and signed-rank tests against ours."""
    found: dict[str, dict[str, list[float]]] = {}
    for key, values in done.items():
        title, _, name = key.split("|")
        if score in values:
            found.setdefault(title, {}).setdefault(name, []).append(sign * values[score])
    names = [name for name in METHODS if score != "brier" or name != "kernel survival SVM"]
    whole = {t: row for t, row in found.items() if {len(row.get(n, ())) for n in names} != {0}}
    whole = {t: row for t, row in whole.items() if len({len(row.get(n, ())) for n in names}) == 1}
    table = {name: [float(np.mean(row[name])) for row in whole.values()] for name in names}
    lines = [f"| {score} | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for place, title in enumerate(whole):
        cells = (f"{sign * table[name][place]:.3f}" for name in names)
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    ranks = compare({name: dict(zip(whole, means, strict=True)) for name, means in table.items()})
    return "\n".join([*lines, "", str(ranks)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--splits", type=int, default=20)
    given = parser.parse_args()
    done = run(given.splits, given.out)
    for score, sign in (("harrell", -1.0), ("uno", -1.0), ("brier", 1.0)):
        print(summary(done, score, sign) + "\n")


if __name__ == "__main__":
    main()
