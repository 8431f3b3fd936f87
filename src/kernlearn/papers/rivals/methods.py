"""The rivals: what a user could take instead, each as its authors offer it, or tuned."""

from __future__ import annotations

import importlib
import shutil
import tempfile
import weakref
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import loguniform, randint, uniform
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.pipeline import make_pipeline

from kernlearn.papers.defaults import methods as defaults
from kernlearn.papers.defaults.boosting import BoostingPackage
from kernlearn.papers.defaults.methods import CLASSES, TUNED_SVM, prepared
from kernlearn.papers.grid_search import Estimator
from kernlearn.papers.method_comparison import MethodColumn, by_name
from kernlearn.papers.rivals.tuning import TRIALS, RandomlyTuned
from kernlearn.typing import Rows

OURS = "Kernel"
CLASSES_ONLY = ("TabPFN",)
PENALTIES = np.logspace(-3, 3, 13)
ENSEMBLE = 8  # permutations of columns and classes that TabPFN averages over


class TimedTask(NamedTuple):
    """The task of a table, and the seconds of a fit of ours on the same rows."""

    task: str
    seconds: float


def _default(name: str) -> MethodColumn:
    """A method of the page *The defaults, compared*."""
    method = defaults.METHODS[name]
    return MethodColumn(name, lambda subject, X, y: method.make(subject.task, X, y), method.needs)


class _CalibratedSVM:
    """The SVM of a grid search, whose probabilities are Platt's by five folds."""

    def __init__(self, tuned: Estimator) -> None:
        self.tuned = tuned

    def fit(self, X: Rows, y: Rows) -> _CalibratedSVM:
        self.tuned.fit(X, y)
        best = self.tuned[-1].best_estimator_
        calibrated = CalibratedClassifierCV(best, cv=5, ensemble=False)
        self.calibrated = make_pipeline(
            self.tuned[:-1], calibrated.fit(self.tuned[:-1].transform(X), y)
        )
        self.classes_ = calibrated.classes_
        return self

    def predict(self, X: Rows) -> Rows:
        return self.tuned.predict(X)

    def predict_proba(self, X: Rows) -> Rows:
        return self.calibrated.predict_proba(X)


def _tuned_svm(subject: TimedTask, X: Rows, y: Rows) -> Estimator:
    tuned = defaults.METHODS[TUNED_SVM].make(subject.task, X, y)
    return _CalibratedSVM(tuned) if subject.task == CLASSES else tuned


def _linear(subject: TimedTask, X: Rows, y: Rows) -> Estimator:
    if subject.task == CLASSES:
        return prepared(LogisticRegressionCV(Cs=list(PENALTIES), cv=3, max_iter=1000))
    return prepared(RidgeCV(PENALTIES))


# Rounds, step and regularisation; the ranges are those from which their users search.
LIGHTGBM = {
    "n_estimators": randint(20, 301),
    "learning_rate": loguniform(0.01, 0.3),
    "num_leaves": randint(4, 64),
    "min_child_samples": randint(2, 51),
    "subsample": uniform(0.5, 0.5),
    "subsample_freq": [1],
    "colsample_bytree": uniform(0.4, 0.6),
    "reg_lambda": loguniform(1e-3, 10.0),
}
XGBOOST = {
    "n_estimators": randint(20, 301),
    "learning_rate": loguniform(0.01, 0.3),
    "max_depth": randint(1, 9),
    "min_child_weight": loguniform(0.5, 20.0),
    "subsample": uniform(0.5, 0.5),
    "colsample_bytree": uniform(0.4, 0.6),
    "reg_lambda": loguniform(1e-2, 10.0),
}
CATBOOST = {
    "iterations": randint(20, 201),
    "border_count": [32],
    "learning_rate": loguniform(0.01, 0.3),
    "depth": randint(1, 7),
    "l2_leaf_reg": loguniform(1.0, 30.0),
    "random_strength": loguniform(0.1, 10.0),
    "rsm": uniform(0.4, 0.6),
}


def tuned(name: str, space: dict[str, Any], trials: int = TRIALS) -> MethodColumn:
    """Boosting of a package, with settings by random search."""

    def make(subject: TimedTask, X: Rows, y: Rows) -> Estimator:
        base = defaults.METHODS[name].make(subject.task, X, y)

        def with_settings(**settings: Any) -> BoostingPackage:
            both = {**base.settings, **settings}
            return BoostingPackage(base.module, base.model, base.is_classifier, both)

        return RandomlyTuned(subject.task, with_settings, space, trials)

    return MethodColumn(f"{name}, tuned", make, defaults.METHODS[name].needs)


class _TabularPerceptron:
    """RealMLP, which takes categories as they are, and numbers without missing cells."""

    def __init__(self, task: str) -> None:
        self.kind = "Classifier" if task == CLASSES else "Regressor"

    def fit(self, X: Rows, y: Rows) -> _TabularPerceptron:
        self.medians = X.median(numeric_only=True)
        make = getattr(importlib.import_module("pytabkit"), f"RealMLP_TD_{self.kind}")
        model = make(device="cpu", random_state=0, n_threads=1, verbosity=0)
        self.model = model.fit(self._filled(X), y)
        return self

    @property
    def classes_(self) -> Rows:
        """The classes of the training rows."""
        return self.model.classes_

    def predict(self, X: Rows) -> Rows:
        return self.model.predict(self._filled(X))

    def predict_proba(self, X: Rows) -> Rows:
        return self.model.predict_proba(self._filled(X))

    def _filled(self, X: Rows) -> Rows:
        texts = X.select_dtypes(exclude="number").columns
        return X.fillna(self.medians).fillna(dict.fromkeys(texts, "missing"))


class _PretrainedTransformer:
    """TabPFN on prepared columns; it has nothing to fit, and refuses none of its limits."""

    def fit(self, X: Rows, y: Rows) -> _PretrainedTransformer:
        package = importlib.import_module("tabpfn")
        self.prepare = prepared(None)[:-1].fit(X)
        model = package.TabPFNClassifier(
            device="cpu", N_ensemble_configurations=ENSEMBLE, subsample_features=True
        )
        self.model = model.fit(self.prepare.transform(X), y, overwrite_warning=True)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: Rows) -> Rows:
        return self.model.predict_proba(self.prepare.transform(X))

    def predict(self, X: Rows) -> Rows:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class _AutoGluonTables:
    """AutoGluon with the seconds that a fit of ours took, on one core."""

    def __init__(self, subject: TimedTask) -> None:
        self.subject = subject

    def fit(self, X: Rows, y: Rows) -> _AutoGluonTables:
        predictor = importlib.import_module("autogluon.tabular").TabularPredictor
        folder = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.names = {name: f"x{j}" for j, name in enumerate(X.columns)}
        rows = X.rename(columns=self.names).assign(target=y)
        metric = "accuracy" if self.subject.task == CLASSES else "root_mean_squared_error"
        self.model = predictor(
            "target",
            eval_metric=metric,
            problem_type=None if self.subject.task == CLASSES else "regression",
            path=folder,
            verbosity=0,
        )
        self.model.fit(
            rows,
            time_limit=self.subject.seconds,
            num_cpus=1,
            num_gpus=0,
            fit_strategy="sequential",
        )
        return self

    @property
    def classes_(self) -> Rows:
        """The classes of the training rows."""
        return np.asarray(self.model.class_labels)

    def predict(self, X: Rows) -> Rows:
        return self.model.predict(X.rename(columns=self.names)).to_numpy()

    def predict_proba(self, X: Rows) -> Rows:
        return self.model.predict_proba(X.rename(columns=self.names)).to_numpy()


METHODS = by_name(
    _default(OURS),
    MethodColumn(TUNED_SVM, _tuned_svm),
    MethodColumn("linear", _linear),
    _default("forest"),
    _default("LightGBM"),
    _default("XGBoost"),
    _default("CatBoost"),
    tuned("LightGBM", LIGHTGBM),
    tuned("XGBoost", XGBOOST),
    tuned("CatBoost", CATBOOST),
    MethodColumn(
        "RealMLP", lambda subject, X, y: _TabularPerceptron(subject.task), needs="pytabkit"
    ),
    _default("xRFM"),
    MethodColumn("AutoGluon", lambda subject, X, y: _AutoGluonTables(subject), needs="autogluon"),
    MethodColumn("TabPFN", lambda subject, X, y: _PretrainedTransformer(), needs="tabpfn"),
)
