"""What is read is what was written, to the last bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, StratifiedGroupKFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn import hyperkernels, kernels
from kernlearn.survival import SurvivalOutcome

# Those of graphs read names of nodes, and are tested with their own data.
ESTIMATORS = sorted(
    name
    for name in kl.__all__
    if hasattr(getattr(kl, name), "fit") and not name.startswith("GraphFusion")
)
OUTPUTS = ("predict", "decision_function", "transform", "score_samples")


def takes_things(name):
    return getattr(getattr(kernels, name), "takes_things", False) is True


def data(n=24, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)


def fitted(name):
    X, y = data()
    kind = getattr(kl, name)
    # λ and μ given, where there is such a choice: selecting them takes long and changes no file.
    quick = {"lam": 0.1, "mu": 0.1} if name.startswith("FirstLevel") else {}
    if name.startswith("Kernel"):
        quick = {"candidates": ["linear", "Gaussian", "sparse linear", "trees"]}
    target = y + 0.5 * X[:, 1] if name.endswith("Regressor") else y
    if name.endswith("Survival"):
        target = SurvivalOutcome(np.exp(X[:, 1]), y == 1).structured
    model = kind(**quick).fit(X, target)
    if hasattr(model, "transform"):
        model.transform(X)  # what is found when it is first asked for is in the file, too
    return model


def again(model, folder, **options):
    kl.save(model, folder / "model.kl", **options)
    return kl.load(folder / "model.kl", **options)


def same(first, second):
    """Whether two values agree to the last bit, all their parts included."""
    if isinstance(first, np.ndarray):
        return (
            first.dtype == second.dtype
            and first.shape == second.shape
            and (first.tobytes() == second.tobytes() or first.dtype == object)
            and first.tolist() == second.tolist()
        )
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[k], second[k]) for k in first)
    if type(first).__module__.startswith("kernlearn") and hasattr(first, "__dict__"):
        if hasattr(first, "name") and hasattr(type(first), "__members__"):
            return first is second
        return type(first) is type(second) and same(vars(first), vars(second))
    if isinstance(first, BaseEstimator):
        return type(first) is type(second) and same(vars(first), vars(second))
    return type(first) is type(second) and first == second


def test_there_are_estimators_to_test():
    assert {"MKLClassifier", "HyperkernelMetric", "LSSVMRegressor"} <= set(ESTIMATORS)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_public_estimator(name, tmp_path):
    model = fitted(name)
    read = again(model, tmp_path)
    assert same(vars(model), vars(read))
    X = data(seed=1)[0]
    outputs = [output for output in OUTPUTS if hasattr(model, output)]
    assert outputs
    for output in outputs:
        np.testing.assert_array_equal(getattr(model, output)(X), getattr(read, output)(X))
    if hasattr(model, "pair_score"):
        pairs = np.stack([X[:5], X[5:10]], axis=1)
        np.testing.assert_array_equal(model.pair_score(pairs), read.pair_score(pairs))


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix])
def test_sparse_rows_are_part_of_a_file(form, tmp_path):
    X, y = data()
    X = form(X.clip(0))
    model = kl.MKLClassifier([kernels.Linear()], C=1.0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), again(model, tmp_path).predict(X))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_that_is_not_fitted(name, tmp_path):
    model = getattr(kl, name)()
    assert repr(again(model, tmp_path)) == repr(model)


def test_the_comparison_of_this_test_sees_a_changed_bit():
    model = fitted("MKLClassifier")
    other = fitted("MKLClassifier")
    assert same(vars(model), vars(other))
    other.weights_ = other.weights_.copy()
    other.weights_[0] = np.nextafter(other.weights_[0], 1.0)
    assert not same(vars(model), vars(other))


K = np.diag([1.0, 2.0, 3.0])
KERNELS = {
    "ANOVA": kernels.ANOVA(0.3),
    "ARDGaussian": kernels.ARDGaussian([0.5, 0.1, 2.0]),
    "Centered": kernels.Centered(kernels.Linear(), np.eye(3)),
    "ChiSquared": kernels.ChiSquared(0.3),
    "Columns": kernels.Columns([0, 2], kernels.Gaussian(0.3)),
    "Gaussian": kernels.Gaussian(0.3),
    "Intersection": kernels.Intersection(),
    "Laplacian": kernels.Laplacian(0.3),
    "Linear": kernels.Linear(),
    "Matern": kernels.Matern(nu=1.5),
    "Normalized": kernels.Normalized(kernels.Polynomial(degree=2)),
    "Polynomial": kernels.Polynomial(degree=3),
    "Power": kernels.Linear() ** 2,
    "Precomputed": kernels.Precomputed(K),
    "Product": kernels.Linear() * kernels.Gaussian(0.1),
    "Scaled": kernels.Scaled(kernels.Linear(), 2.0),
    "Stretched": kernels.Stretched(kernels.Laplacian(0.3), [0.5, 0.0, 2.0]),
    "Sum": kernels.Linear() + kernels.Gaussian(0.1),
    "TreePaths": kernels.TreePaths([0], [1, 0, 0], [0.5, 0.0, 0.0], [[1, 2], [1, 1], [2, 2]]),
    "WeightedSum": kernels.WeightedSum([kernels.Linear(), kernels.Gaussian(0.1)], [0.2, 0.8]),
}


def test_every_kernel_is_tested(thing_examples):
    exported = {n for n in kernels.__all__ if isinstance(getattr(kernels, n), type)}
    # With the estimators that are given them.
    families = {"ARDGaussianRange", "GaussianRange", "Grid", "PerColumn"}
    assert exported - {"Kernel"} - families == set(KERNELS) | set(thing_examples)


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_every_kernel(name, tmp_path):
    kernel = KERNELS[name]
    X = np.array([[0.0], [2.0]]) if name == "Precomputed" else np.abs(data(5)[0])
    np.testing.assert_array_equal(again(kernel, tmp_path)(X), kernel(X))


@pytest.mark.parametrize("name", sorted(n for n in kernels.__all__ if takes_things(n)))
def test_every_kernel_on_things_and_a_model_of_it(name, thing_examples, tmp_path):
    kernel, X = thing_examples[name]
    kernel = kernel.fitted_to(X)
    np.testing.assert_array_equal(again(kernel, tmp_path)(X), kernel(X))
    model = kl.LSSVMRegressor(kernel, selection=None, lam=0.5).fit(X, np.arange(len(X)) * 1.0)
    read = again(model, tmp_path)
    np.testing.assert_array_equal(read.predict(X), model.predict(X))


HYPERKERNELS = [
    hyperkernels.ARDHarmonic(0.5, [0.1, 0.2, 0.3]),
    hyperkernels.Explicit([kernels.Linear() ** 2, kernels.Gaussian(0.1)], [0.4, 0.6]),
    hyperkernels.GaussianHyperkernel(1.0, 2.0),
    hyperkernels.Harmonic(0.6, 0.5),
    hyperkernels.PowerSeries("exp", kernels.Gaussian(0.3)),
]


@pytest.mark.parametrize("hyperkernel", HYPERKERNELS, ids=lambda h: type(h).__name__)
def test_hyperkernels(hyperkernel, tmp_path):
    X = data(6)[0]
    pairs = np.stack([X[:3], X[3:]], axis=1)
    np.testing.assert_array_equal(again(hyperkernel, tmp_path)(pairs), hyperkernel(pairs))


def test_a_model_fitted_to_a_data_frame_with_text(tmp_path):
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(name="x")
    frame.index = range(5, 5 + len(frame))
    model = kl.MKLClassifier([kernels.Columns(["a", "b"], kernels.Gaussian(0.5))]).fit(frame, y)
    read = again(model, tmp_path)
    pd.testing.assert_frame_equal(read.support_vectors_, model.support_vectors_)
    np.testing.assert_array_equal(read.decision_function(frame), model.decision_function(frame))


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, sparse.coo_matrix])
def test_a_model_fitted_to_a_sparse_matrix(kind, tmp_path):
    X, y = data()
    model = kl.MKLClassifier([kernels.Gaussian(0.5)]).fit(kind(X), y)
    read = again(model, tmp_path)
    np.testing.assert_array_equal(read.decision_function(X), model.decision_function(X))


def test_folds_that_scikit_learn_draws(tmp_path):
    for cv in (KFold(3, shuffle=True, random_state=0), StratifiedGroupKFold(2), TimeSeriesSplit(3)):
        model = kl.LSSVMRegressor(selection="cv", cv=cv)
        kl.save(model, tmp_path / "model.kl")
        assert repr(kl.load(tmp_path / "model.kl").cv) == repr(cv)


def test_a_pipeline(tmp_path):
    X, y = data()
    model = make_pipeline(StandardScaler(), kl.MKLClassifier()).fit(X, y)
    np.testing.assert_array_equal(
        again(model, tmp_path).decision_function(X), model.decision_function(X)
    )


def test_a_solution_of_learn_weights(tmp_path):
    X, y = data()
    solution = kl.learn_weights(np.stack([X @ X.T, np.eye(len(X))]), y)
    read = again(solution, tmp_path)
    assert same(vars(solution), vars(read))
    assert read.status is solution.status


@pytest.mark.parametrize("weights", [{False: 1.0, True: 2.0}, {0: 1.0, 1: 3.0}])
def test_dictionaries_keep_the_type_of_their_keys(weights, tmp_path):
    model = kl.MKLClassifier(class_weight=weights)
    assert list(map(repr, again(model, tmp_path).class_weight.items())) == list(
        map(repr, weights.items())
    )


def test_saving_changes_nothing(tmp_path):
    model = fitted("MKLClassifier")
    before = dict(vars(model))
    kl.save(model, tmp_path / "model.kl")
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)


def test_what_was_shared_stays_shared(tmp_path):
    kernel = kernels.Gaussian(0.5)
    read = again([kernel, {"same": kernel}], tmp_path)
    assert read[0] is read[1]["same"]
