"""scikit-learn's own contract, for every kind of estimator."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernlearn as kl
from kernlearn.kernels import Gaussian, Linear, Normalized

pytestmark = pytest.mark.usefixtures("quick_choices")

# The default bank has near copies of one kernel, which makes free signs slow on so many fits.
TWO_KERNELS = [Normalized(Linear()), Gaussian(gamma=0.3)]
GIVEN = {"lam": 0.3, "mu": 2.0}

ESTIMATORS = [
    kl.MKLClassifier(),
    kl.MKLRegressor(TWO_KERNELS),  # C by default, and what is a bank above
    kl.MKLNoveltyDetector(),
    kl.HyperkernelClassifier(gamma_factor=1.0, max_pivots=8),  # chosen like the widths of a bank
    kl.HyperkernelRegressor(gamma_factor=1.0, max_pivots=8),
    kl.HyperkernelNoveltyDetector(max_pivots=8),
    kl.HyperkernelMetric(max_pivots=8),
    kl.LSSVMClassifier(Gaussian(0.3), tol=1e-1),
    kl.LSSVMRegressor("rbf", "bayes", tol=1e-1),
    kl.FirstLevelClassifier("rbf", cv=2, tol=1e-1),
    kl.FirstLevelRegressor(**GIVEN),
    kl.KernelClassifier(["linear"]),
    kl.KernelRegressor(["linear"]),
]
FREE = kl.MKLClassifier(TWO_KERNELS, quality="squared_soft_margin", C="learn", weights="free")

# What may differ between two machines of one class.
OF_THE_MACHINE = {
    "check_class_weight_classifiers",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_train",
    "check_decision_proba_consistency",
    "check_estimator_sparse_matrix",
    "check_estimators_dtypes",
    "check_estimators_pickle",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_non_transformer_estimators_n_iter",
    "check_readonly_memmap_input",
}
REPEATED_ROWS = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


def _with_checks(estimators, wanted):
    """Every check for which ``wanted(name)``, once.

    Some come again with arrays that ask for more, at last single precision in a file that cannot be
    written to: the last is taken.
    """
    names, cases = parametrize_with_checks(estimators).args
    kept = {}
    for estimator, check in cases:
        if wanted(check.func.__name__):
            kept[f"{type(estimator).__name__} {check.func.__name__}"] = (estimator, check)
    return pytest.mark.parametrize(names, list(kept.values()), ids=list(kept))


def test_every_public_estimator_is_here():
    public = (getattr(kl, name) for name in kl.__all__)
    kinds = {kind for kind in public if isinstance(kind, type) and hasattr(kind, "fit")}
    # These read names of nodes, not tables; or outcomes that the checks do not have.
    kinds -= {kl.GraphFusionClassifier, kl.GraphFusionRegressor, kl.KernelSurvival, kl.MKLSurvival}
    assert kinds == {type(estimator) for estimator in ESTIMATORS}


# Sparse arrays here, sparse matrices below; every kernel has both in test_things.py.
@_with_checks(
    ESTIMATORS, lambda name: name not in {*REPEATED_ROWS, "check_estimator_sparse_matrix"}
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# New rows of the checks may show that a kernel of free signs is indefinite there.
@pytest.mark.filterwarnings("ignore::kernlearn.estimators.mkl.indefinite.IndefiniteKernelWarning")
@_with_checks([FREE], OF_THE_MACHINE.__contains__)
def test_free_signs_and_a_learned_C_keep_it_too(estimator, check):
    check(estimator)


class _LSSVMClassifier(kl.LSSVMClassifier):
    predict_proba = property()  # these come from rows held out


class _FirstLevelClassifier(kl.FirstLevelClassifier):
    predict_proba = property()


# Where rows are held out, for probabilities or for a choice, a row of weight two is held out whole,
# and of a repeated row one copy may stay. Pivots and widths of hyperkernels come from the points,
# of which a row of weight two is one. Decision values agree: test_weighting.py and, to the
# tolerance of the scales, test_first_level.py.
@_with_checks(
    [
        kl.MKLNoveltyDetector(),
        _LSSVMClassifier(Linear(), None, 1.0),
        kl.LSSVMRegressor("rbf", None, 0.1, 0.3),
        _FirstLevelClassifier(**GIVEN),
    ],
    REPEATED_ROWS.__contains__,
)
def test_a_row_of_weight_two_is_two_rows(estimator, check):
    check(estimator)
