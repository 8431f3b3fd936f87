"""The methods that are compared, each as it comes out of its box."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

import kernlearn as kl
from kernlearn.papers.defaults.boosting import BoostingPackage
from kernlearn.papers.grid_search import Estimator
from kernlearn.papers.method_comparison import MethodColumn, by_name
from kernlearn.typing import Rows

CLASSES, NUMBERS = "classification", "regression"
CS = [float(C) for C in np.logspace(-1, 3, 5)]
GAMMAS = [float(gamma) for gamma in np.logspace(-4, 0, 5)]
TREES = 500


def prepared(estimator: Estimator) -> Estimator:
    """Behind numbers filled and standardised, and categories of zeros and ones."""
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(
        make_column_transformer(
            (numbers, make_column_selector(dtype_include="number")),
            (categories, make_column_selector(dtype_exclude="number")),
        ),
        estimator,
    )


def _kernel(task: str, X: Rows, y: Rows) -> Estimator:
    return kl.KernelClassifier() if task == CLASSES else kl.KernelRegressor()


def _ours(classifier: type[Estimator], regressor: type[Estimator]) -> Callable[..., Estimator]:
    return lambda task, X, y: prepared(classifier() if task == CLASSES else regressor())


def _tuned_svm(task: str, X: Rows, y: Rows) -> Estimator:
    spread = float(np.std(y)) if task == NUMBERS else 1.0
    # ε and C are in units of the target; libsvm's own are those of a target of spread one.
    machine = SVC() if task == CLASSES else SVR(epsilon=0.1 * spread)
    grid = {"C": [C * spread for C in CS], "gamma": GAMMAS}
    return prepared(GridSearchCV(machine, grid, cv=5))


def _boosting(task: str, X: Rows, y: Rows) -> Estimator:
    kind = HistGradientBoostingClassifier if task == CLASSES else HistGradientBoostingRegressor
    return prepared(kind(random_state=0))


def _forest(task: str, X: Rows, y: Rows) -> Estimator:
    kind = RandomForestClassifier if task == CLASSES else RandomForestRegressor
    return prepared(kind(TREES, random_state=0))


def _package(name: str, prefix: str, **settings: Any) -> Callable[..., Estimator]:
    """Boosting of a package, whose classifier is called ``PREFIXClassifier``."""

    def make(task: str, X: Rows, y: Rows) -> Estimator:
        kind = "Classifier" if task == CLASSES else "Regressor"
        return BoostingPackage(name, prefix + kind, task == CLASSES, settings)

    return make


class _GaussianProcess:
    """scikit-learn's, with a scale for every column that the preparation makes."""

    def __init__(self, task: str) -> None:
        self.task = task

    def fit(self, X: Rows, y: Rows) -> Estimator:
        prepare = prepared(None)[:-1].fit(X)
        Z = prepare.transform(X)
        kernel = ConstantKernel() * RBF(np.full(Z.shape[1], np.sqrt(Z.shape[1])))
        if self.task == CLASSES:
            process: Estimator = GaussianProcessClassifier(kernel, random_state=0)
        else:
            process = GaussianProcessRegressor(
                kernel + WhiteKernel(), normalize_y=True, random_state=0
            )
        return make_pipeline(prepare, process.fit(Z, y))


class _RecursiveFeatureMachine:
    """xRFM at its defaults; a fifth of the rows are those by which it chooses."""

    def __init__(self, task: str) -> None:
        self.task = task

    def fit(self, X: Rows, y: Rows) -> Estimator:
        rivals = importlib.import_module("xrfm")
        self.prepare = prepared(None)[:-1].fit(X)
        Z = np.asarray(self.prepare.transform(X), dtype=np.float32)
        target = np.asarray(y)
        if self.task == CLASSES:
            self.classes, target = np.unique(target, return_inverse=True)
        stratify = target if self.task == CLASSES else None
        parts = train_test_split(Z, target, test_size=0.2, random_state=0, stratify=stratify)
        train, chosen, y_train, y_chosen = parts
        metric = "accuracy" if self.task == CLASSES else "mse"
        self.machine = rivals.xRFM(tuning_metric=metric, random_state=0)
        self.machine.fit(train, y_train, chosen, y_chosen)
        return self

    def predict(self, X: Rows) -> Rows:
        found = self.machine.predict(np.asarray(self.prepare.transform(X), dtype=np.float32))
        found = np.asarray(found).ravel()
        return self.classes[found.astype(int)] if self.task == CLASSES else found

    def predict_proba(self, X: Rows) -> Rows:
        """Probabilities of the classes, in their order."""
        Z = np.asarray(self.prepare.transform(X), dtype=np.float32)
        return np.asarray(self.machine.predict_proba(Z))

    @property
    def classes_(self) -> Rows:
        """The classes of the training rows."""
        return self.classes


TUNED_SVM = "tuned SVM"
METHODS = by_name(
    MethodColumn("Kernel", _kernel),
    MethodColumn("LSSVM", _ours(kl.LSSVMClassifier, kl.LSSVMRegressor)),
    MethodColumn("FirstLevel", _ours(kl.FirstLevelClassifier, kl.FirstLevelRegressor)),
    MethodColumn("MKL", _ours(kl.MKLClassifier, kl.MKLRegressor)),
    MethodColumn("Hyperkernel", _ours(kl.HyperkernelClassifier, kl.HyperkernelRegressor)),
    MethodColumn(TUNED_SVM, _tuned_svm),
    MethodColumn("boosting", _boosting),
    MethodColumn("forest", _forest),
    MethodColumn(
        "LightGBM",
        _package("lightgbm", "LGBM", random_state=0, n_jobs=1, verbose=-1),
        needs="lightgbm",
        is_slow=True,
    ),
    MethodColumn(
        "XGBoost",
        _package("xgboost", "XGB", random_state=0, n_jobs=1, enable_categorical=True),
        needs="xgboost",
        is_slow=True,
    ),
    MethodColumn(
        "CatBoost",
        _package(
            "catboost",
            "CatBoost",
            random_state=0,
            thread_count=1,
            verbose=False,
            allow_writing_files=False,
        ),
        needs="catboost",
        is_slow=True,
    ),
    MethodColumn("GP, ARD", lambda task, X, y: _GaussianProcess(task), is_slow=True),
    MethodColumn(
        "xRFM", lambda task, X, y: _RecursiveFeatureMachine(task), needs="xrfm", is_slow=True
    ),
)
