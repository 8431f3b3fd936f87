"""Families through landmarks: against a list of the same kernels, and against exact matrices."""

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mkl.parameters import EngineOptions
from kernlearn.families.kernel_pool import KernelPool, LandmarkPool, shared_landmarks
from kernlearn.families.matrices import GramStack
from kernlearn.kernels import Gaussian, Grid, Linear
from kernlearn.quality import QUALITIES, Settings
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.engine.approximate import FactorMaster
from kernlearn.solvers.engine.statement import Statement
from kernlearn.solvers.nystroem.rank import FactorLimits, RankOptions
from kernlearn.solvers.weights.column_generation import ColumnGeneration
from kernlearn.solvers.weights.search import learn_with_machines

RNG = np.random.default_rng(3)
X = RNG.standard_normal((32, 3))
VALUE = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.2 * RNG.standard_normal(32)
FAMILY = Grid([Gaussian(0.3), Linear()], size=[1, 2])


@pytest.mark.parametrize(
    ("quality", "n_landmarks"),
    [
        ("soft_margin", 15),
        ("squared_soft_margin", 15),
        ("least_squares", 15),
        ("least_squares", 2),  # fewer columns than rows: learned from moments
        ("epsilon_svr", 15),
    ],
)
def test_it_finds_what_the_matrices_of_all_factors_give(quality, n_landmarks):
    kernels = KernelPool(FAMILY.bind(X), X, len(X), "trust")
    pool = LandmarkPool(kernels, shared_landmarks(X, n_landmarks, 0))
    labels = QUALITIES[quality].targets == "labels"
    y = np.where(VALUE > 0, 1.0, -1.0) if labels else VALUE
    settings = Settings(1.0, 0.3, 0.1, RNG.uniform(0.5, 2.0, 32))
    machines = [QUALITIES[quality].build(y, settings)]
    weight_set = WeightSet(pool.traces, 32.0, False)
    master = FactorMaster(pool, X, Statement([y], quality, settings), FactorLimits())
    found = ColumnGeneration(pool, master, machines, weight_set, Control(1e-7)).run()
    factors = [pool.map(i)(X) for i in range(pool.n_matrices)]
    stack = GramStack(np.stack([Z @ Z.T for Z in factors]))
    whole = learn_with_machines(stack, machines, weight_set, Control(1e-7))
    assert found.status.is_optimal
    assert found.objective == pytest.approx(whole.objective, rel=3e-7)
    assert found.lower_bound <= whole.objective
    K, other = (stack.combine(w) for w in (found.weights, whole.weights))
    assert np.abs(K - other).max() < 5e-3 * np.abs(other).max()


CASES = {
    "hinge": (kl.MKLClassifier(), VALUE > 0),
    "classes": (kl.MKLClassifier(quality="least_squares"), np.digitize(VALUE, [-0.5, 0.5])),
    "tube": (kl.MKLRegressor(C=1.0), VALUE),
    "least squares": (
        kl.MKLRegressor(quality="least_squares", options=kl.MKLOptions(center=True), C=1.0),
        VALUE,
    ),
    "novelty": (kl.MKLNoveltyDetector(), None),
}


@pytest.mark.parametrize(("model", "y"), CASES.values(), ids=CASES)
def test_at_full_rank_it_is_the_exact_problem(model, y, tmp_path):
    model.set_params(kernels=FAMILY, tol=1e-5)
    exact = model.set_params(rank=None).fit(X, y)
    value, scores = exact.objective_, exact._decision(X[:9])
    seen = model.set_params(rank=32).fit(X, y)
    assert seen.status_.is_optimal
    # Landmarks that add less than a millionth are left out.
    assert seen.objective_ == pytest.approx(value, rel=2e-5)
    np.testing.assert_allclose(seen._decision(X[:9]), scores, atol=0.02 * np.abs(scores).max())
    active = len(seen.kernel_.kernels)
    assert len(seen.landmarks_) == len(seen.landmark_coef_) == len(seen.residual_trace_) == active
    assert len(seen.weights_) == len(seen.kernels_) == 12
    if isinstance(model, kl.MKLRegressor):
        assert seen.predict_interval(X[:2]).shape == (2, 2)
    if isinstance(model, kl.MKLClassifier):
        assert seen.predict_proba(X[:2]).shape[0] == 2
    pytest.importorskip("skops")
    kl.save(seen, tmp_path / "model.kl")
    loaded = kl.load(tmp_path / "model.kl")
    np.testing.assert_array_equal(loaded.predict(X), seen.predict(X))


def test_a_rank_is_chosen_for_many_rows():
    model = kl.MKLClassifier(FAMILY, tol=1e-3)
    model._engine = EngineOptions(exact_rows=24, ranks=RankOptions(first=10))
    model.fit(X, VALUE > 0)
    assert 1 < model.rank_ <= 10
    assert model.duality_gap_ <= 1e-3


def test_a_listener_hears_bounds_of_all_kernels():
    heard = []
    model = kl.MKLClassifier(
        FAMILY, rank=10, tol=1e-4, options=kl.MKLOptions(callback=heard.append)
    ).fit(X, VALUE > 0)
    assert max(progress.lower_bound for progress in heard) <= model.objective_
    assert heard[-1].gap <= 2e-4


def test_the_exact_bound_of_all_kernels_is_not_to_be_had():
    with pytest.raises(ValueError, match="list of kernels with certify='exact'"):
        kl.MKLClassifier(FAMILY, rank=10, options=kl.MKLOptions(certify="exact")).fit(X, VALUE > 0)
