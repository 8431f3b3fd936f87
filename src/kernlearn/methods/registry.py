"""The methods by name, and the baselines that they are held against; a new one is added here.

Each has a plan: the steps of its pipeline for a setting, and what is left to cross-validate. Times
beside a number of rows are those of :func:`kernlearn.speed.measure`, which set `max_rows`.
"""

from __future__ import annotations

from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, SVR
from sklearn.utils import compute_sample_weight

from kernlearn.estimators import (
    FirstLevelClassifier,
    FirstLevelRegressor,
    HyperkernelClassifier,
    HyperkernelMetric,
    HyperkernelRegressor,
    KernelClassifier,
    KernelRegressor,
    KernelSurvival,
    LSSVMClassifier,
    LSSVMRegressor,
    MKLClassifier,
    MKLOptions,
    MKLRegressor,
    MKLSurvival,
)
from kernlearn.kernels import Linear
from kernlearn.methods.errors import MethodError
from kernlearn.methods.method import Method, Plan, Setting
from kernlearn.methods.outcome_estimators import (
    CountKernelRegressor,
    GradeBoostingRegressor,
    GradeKernelRegressor,
    GradeRidge,
    GroupRanker,
    OneGradeForAll,
    OneRateForAll,
    RateBoostingRegressor,
    RatePoissonRegressor,
    ViewGroupRanker,
)
from kernlearn.methods.survival import OneCurveForAll
from kernlearn.methods.view_mkl import ViewMKLClassifier, ViewMKLRegressor, ViewMKLSurvival
from kernlearn.tables.outcome_targets import COUNTS, OUTCOMES, RANKING
from kernlearn.tables.survival_target import SURVIVAL
from kernlearn.typing import Json, PandasFrame

ALL_TASKS = ("classification", "regression", SURVIVAL, COUNTS, OUTCOMES, RANKING)
_KERNEL_REGRESSORS = {
    SURVIVAL: KernelSurvival,
    COUNTS: CountKernelRegressor,
    RANKING: GradeKernelRegressor,
}


def _one_step(classifier: type, regressor: type, setting: Setting, **options: object) -> Plan:
    kind = classifier if setting.task == "classification" else regressor
    return Plan([("estimator", kind(random_state=setting.seed, **options))])


def _kernel(setting: Setting) -> Plan:
    kinds = KernelClassifier, _KERNEL_REGRESSORS.get(setting.task, KernelRegressor)
    options: Json = {
        "candidates": setting.options.candidates,
        "effort": setting.options.effort,
    }
    if setting.task == "classification":
        options["ordinal"] = list(setting.grades) or False
    if setting.task == COUNTS:
        options["loss"] = "poisson"
    return _one_step(*kinds, setting, **options)


def _mkl(setting: Setting) -> Plan:
    if setting.task == SURVIVAL:
        return _without_margin(setting, MKLSurvival, ViewMKLSurvival)
    if setting.task == RANKING:
        return _without_margin(setting, GroupRanker, ViewGroupRanker)
    is_classes = setting.task == "classification"
    # Through landmarks least squares predicts as well as a margin or a tube, needs one pass over
    # the rows instead of many, and chooses C by all of them (measured on adult: a sixth of the
    # time).
    most = setting.options.exact_rows
    through_landmarks = setting.n_rows is not None and setting.n_rows > most
    machine = "soft_margin" if is_classes else "epsilon_svr"
    quality = "least_squares" if through_landmarks else machine
    options: Json = {"quality": quality, "C": "auto"}
    if setting.views:
        options["options"] = MKLOptions(psd="trust")
        return _one_step(ViewMKLClassifier, ViewMKLRegressor, setting, **options)
    if setting.kernels:
        # Matrices are checked when they are read, as the user asks for.
        options |= {"kernels": list(setting.kernels), "options": MKLOptions(psd="trust")}
    return _one_step(MKLClassifier, MKLRegressor, setting, **options)


def _without_margin(setting: Setting, plain: type, of_views: type) -> Plan:
    """An estimator of times or of rankings, which has no machine to choose."""
    options: Json = {"kernels": list(setting.kernels)} if setting.kernels else {}
    kind = of_views if setting.views else plain
    trusted = MKLOptions(psd="trust") if setting.views or setting.kernels else None
    return _one_step(kind, kind, setting, options=trusted, **options)


def _hyperkernel(setting: Setting) -> Plan:
    # Sections of pairs among a thousand rows fill the memory before they teach anything more.
    return _one_step(HyperkernelClassifier, HyperkernelRegressor, setting, n_pairs=20_000)


def _first_level(setting: Setting) -> Plan:
    return _one_step(FirstLevelClassifier, FirstLevelRegressor, setting)


def _lssvm(setting: Setting) -> Plan:
    return _one_step(LSSVMClassifier, LSSVMRegressor, setting)


def _metric(setting: Setting) -> Plan:
    # As many coordinates as a handful of classes can use; the picture shows the first two.
    metric = HyperkernelMetric(n_pairs=2000, n_components=5, random_state=setting.seed)
    # Brute force, since the trees of scikit-learn have no safe form in a file.
    neighbours = KNeighborsClassifier(algorithm="brute")
    grid: dict[str, list[object]] = {"neighbours__n_neighbors": [1, 3, 5, 9, 15]}
    return Plan([("metric", metric), ("neighbours", neighbours)], grid)


def _tuned_svm(setting: Setting) -> Plan:
    machine = SVC()
    if setting.task == "regression":
        # ε and the tolerance are in units of the target too: libsvm does not scale them.
        machine = SVR(epsilon=0.1 * setting.spread, tol=1e-3 * setting.spread)
    grid: dict[str, list[object]] = {
        "estimator__C": [C * setting.spread for C in setting.options.svm_C],
        "estimator__gamma": ["scale", *setting.options.svm_gamma],
    }
    return Plan([("estimator", machine)], grid)


def _linear(setting: Setting) -> Plan:
    if setting.task == SURVIVAL:
        return _one_step(MKLSurvival, MKLSurvival, setting, kernels=[Linear()])
    if setting.task in ("regression", OUTCOMES):
        return Plan([("estimator", RidgeCV(setting.options.ridge_alphas))])
    if setting.task == RANKING:
        return Plan([("estimator", GradeRidge(setting.options.ridge_alphas))])
    if setting.task == COUNTS:
        alphas: dict[str, list[object]] = {"estimator__alpha": [*setting.options.poisson_alphas]}
        return Plan([("estimator", RatePoissonRegressor(max_iter=1000))], alphas)
    grid: dict[str, list[object]] = {"estimator__C": [*setting.options.logistic_C]}
    return Plan([("estimator", LogisticRegression(max_iter=1000))], grid)


class _Boosting(HistGradientBoostingClassifier):  # type: ignore[misc]  # without types
    """Boosting with class weights by label; scikit-learn 1.9 looks for encoded numbers."""

    def fit(self, X: PandasFrame, y: object, sample_weight: object = None) -> _Boosting:
        weights = self.get_params(deep=False)["class_weight"]
        self.class_weight = None
        try:
            if weights is not None:
                each = compute_sample_weight(weights, y)
                sample_weight = each if sample_weight is None else sample_weight * each
            super().fit(X, y, sample_weight)
        finally:
            self.class_weight = weights
        return self


def _boosting(setting: Setting) -> Plan:
    if setting.task == COUNTS:
        return _one_step(_Boosting, RateBoostingRegressor, setting, loss="poisson")
    kind = GradeBoostingRegressor if setting.task == RANKING else HistGradientBoostingRegressor
    if setting.task == OUTCOMES:
        return Plan([("estimator", MultiOutputRegressor(kind(random_state=setting.seed)))])
    return _one_step(_Boosting, kind, setting)


def _guess(setting: Setting) -> Plan:
    if setting.task == SURVIVAL:
        return Plan([("estimator", OneCurveForAll())])
    is_classes = setting.task == "classification"
    kinds = {COUNTS: OneRateForAll, RANKING: OneGradeForAll}
    numbers = kinds.get(setting.task, DummyRegressor)()
    guess: BaseEstimator = DummyClassifier(strategy="prior") if is_classes else numbers
    return Plan([("estimator", guess)])


# The mixture reads the typed table itself, so that its notes name the user's own columns.
KERNEL = Method(
    "kernel", "a mixture of kernel machines", _kernel, ALL_TASKS, max_rows=1_000_000, prepares=True
)
# Above 3000 rows through landmarks. Below, classification 9.7 s for 1000 rows, regression 33 s for
# 2000, growing by the power 1.9.
MKL = Method(
    "mkl",
    "multiple kernel learning",
    _mkl,
    ("classification", "regression", SURVIVAL, RANKING),
    max_rows=1_000_000,
    takes_kernels=True,
)
# 7.0 s for 2000 rows, 29 s if they have 40 columns, both by the power 1.8. But the sections then
# take 5 GB, and grow by the square of the rows: memory ends before the minute.
HYPERKERNEL = Method(
    "hyperkernel",
    "hyperkernel (a scale for every column)",
    _hyperkernel,
    max_rows=1500,
    max_columns=500,
)
# 7.2 s for 1000 rows, by the power 2; for 40 columns 4.5 times as long. Above 3000 rows scales are
# learned through landmarks from 8000 of them, and the machine has them all.
FIRST_LEVEL = Method(
    "first-level",
    "first-level learning of scales",
    _first_level,
    max_rows=1_000_000,
    max_columns=300,
)
# Classification 9.7 s for 2000 rows, regression 28 s, by the power 2.6.
LSSVM = Method("lssvm", "least-squares SVM, width by leave-one-out", _lssvm, max_rows=1_000_000)
# 26 s for 4000 rows, by the power 1.5 (the pairs are a sample, the neighbours are all rows): a
# minute is 6900, but no method is given more rows than the baseline that it is held against.
METRIC = Method(
    "metric",
    "learned metric and nearest neighbours",
    _metric,
    tasks=("classification",),
    max_rows=2500,
    max_columns=1000,
)
# Its grid takes 8.8 s for 1000 rows of two classes, by the power 1.6, and 25 s for numbers, by the
# power 2. Up to where it takes a minute it is given all that its rivals are, but tuned on some;
# beyond, the account of the rows says so, and the other baselines have them all. With 10,000 rows
# it was asked about 80,000 for longer than boosting learned from 245,000.
TUNED_SVM = Method(
    "rbf-svm", "SVM with a tuned Gaussian kernel", _tuned_svm, max_rows=5000, tuning_rows=1500
)
METHODS: dict[str, Method] = {
    method.name: method
    for method in (KERNEL, MKL, HYPERKERNEL, FIRST_LEVEL, LSSVM, METRIC, TUNED_SVM)
}

LINEAR = Method(
    "linear",
    "logistic or ridge regression",
    _linear,
    ALL_TASKS,
    max_rows=1_000_000,
    tuning_rows=5000,
    titles={
        "classification": "logistic regression",
        "regression": "ridge regression",
        "survival": "Cox's linear model with a ridge",
        COUNTS: "Poisson regression",
        OUTCOMES: "ridge regression",
        RANKING: "ridge regression of the grades",
    },
)
# Trees look at one column at a time, which takes longest if columns are very many.
BOOSTING = Method(
    "boosting",
    "gradient boosting",
    _boosting,
    ("classification", "regression", COUNTS, OUTCOMES, RANKING),
    max_rows=1_000_000,
    max_columns=2000,
    titles={RANKING: "gradient boosting of the grades"},
)
GUESS = Method(
    "guess",
    "the simplest guess",
    _guess,
    ALL_TASKS,
    max_rows=10**9,
    titles={
        "classification": "always the most frequent class",
        "regression": "always the mean",
        "survival": "Kaplan and Meier's curve for everyone",
        COUNTS: "one rate for all",
        OUTCOMES: "always the means",
        RANKING: "no order at all",
    },
    prepares=True,
)
BASELINES = (LINEAR, TUNED_SVM, BOOSTING)


def find_method(name: str) -> Method:
    """The method of that name.

    >>> find_method("mkl").title
    'multiple kernel learning'
    """
    if name not in METHODS:
        raise MethodError(
            f"expected a method among {', '.join(METHODS)} and auto, got {name!r}; choose one"
        )
    return METHODS[name]
