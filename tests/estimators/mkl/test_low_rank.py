"""Estimators through landmarks: the exact ones at full rank, and wrong input on purpose."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import kernlearn as kl
from kernlearn.estimators.held_out.calibration import fit_calibration
from kernlearn.estimators.mkl.parameters import EngineOptions
from kernlearn.kernels import Columns, Gaussian, Laplacian, Linear
from kernlearn.solvers.nystroem import rank as rank_module
from kernlearn.solvers.nystroem.rank import FactorLimits, RankOptions

RNG = np.random.default_rng(0)
N = 120
X = RNG.standard_normal((N, 3))
VALUES = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * RNG.standard_normal(N)
LABELS = np.array(["low", "middle", "top"])[np.digitize(VALUES, [-0.5, 0.5])]
NEW = RNG.standard_normal((40, 3))
KERNELS = [Gaussian(0.2), Laplacian(0.5), Linear()]
# Weights are known to the root of the gap, so that six digits of them take twelve of it.
TIGHT = {"kernels": KERNELS, "tol": 1e-12, "options": kl.MKLOptions(total=100.0)}


def through_landmarks(model, **ranks):
    """A new model that takes ten rows for many."""
    model = clone(model)
    model._engine = EngineOptions(exact_rows=10, ranks=RankOptions(**ranks))
    return model


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (kl.MKLClassifier(quality="least_squares", class_weight="balanced", **TIGHT), LABELS),
        (kl.MKLClassifier(quality="squared_soft_margin", C=3.0, **TIGHT), LABELS),
        (
            kl.MKLClassifier(quality="soft_margin", class_weight="balanced", **TIGHT),
            LABELS != "low",
        ),
        (kl.MKLRegressor(quality="least_squares", C=10.0, **TIGHT), VALUES + 50.0),
        (
            kl.MKLRegressor(
                quality="epsilon_svr",
                C=1.0,
                **{**TIGHT, "options": kl.MKLOptions(center=True, total=100.0)},
            ),
            VALUES + 50.0,
        ),
        (kl.MKLNoveltyDetector(nu=0.2, **TIGHT), None),
    ],
    ids=["ls classes", "squared hinge", "hinge", "ls regression", "tube", "novelty"],
)
@pytest.mark.filterwarnings("ignore:.*before the tolerance was reached:UserWarning")
def test_at_full_rank_it_is_the_exact_estimator(model, y):
    weight = RNG.uniform(0.5, 2.0, N)
    weight[::10] = 0.0
    exact = clone(model).set_params(rank=None).fit(X, y, sample_weight=weight)
    found = clone(model).set_params(rank=10_000).fit(X, y, sample_weight=weight)
    assert exact.rank_ is None
    assert found.rank_ == 108 - model.options.center
    np.testing.assert_allclose(found.weights_, exact.weights_, atol=4e-6 * exact.weights_.max())
    assert found.objective_ == pytest.approx(exact.objective_, rel=1e-8)
    size = np.abs(exact.decision_function(NEW)).max() if hasattr(exact, "classes_") else 1.0
    method = "decision_function" if hasattr(exact, "decision_function") else "predict"
    expected = getattr(exact, method)(NEW)
    np.testing.assert_allclose(getattr(found, method)(NEW), expected, atol=1e-5 * size)
    assert found.residual_trace_.max() < 1e-12
    assert len(found.landmarks_) == len(found.landmark_coef_) == 3
    assert not hasattr(found, "support_")


def test_few_landmarks_do_nearly_as_well_and_say_how_nearly():
    exact = kl.MKLRegressor(KERNELS, quality="least_squares", C=10.0, rank=None).fit(X, VALUES)
    found = kl.MKLRegressor(
        KERNELS, quality="least_squares", C=10.0, rank=40, options=kl.MKLOptions(certify="exact")
    ).fit(X, VALUES)
    assert found.rank_ == 40
    assert 0 < found.residual_trace_[1] < 0.5
    assert found.residual_trace_[2] < 1e-12
    assert found.exact_lower_bound_ <= exact.objective_ <= found.objective_
    assert found.lower_bound_ <= found.objective_
    assert found.loss_by_rank_["rank"].tolist() == [3, 5, 10, 20, 40]
    losses = found.loss_by_rank_["loss"]
    assert losses[-1] < losses[0]
    # At full rank the bound through landmarks is that of the exact problem.
    full = clone(found).set_params(rank=N).fit(X, VALUES)
    assert full.exact_lower_bound_ == pytest.approx(full.objective_, rel=1e-4)


def test_a_rank_is_judged_by_a_sample_and_settled_by_all_rows(monkeypatch):
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((1000, 3))
    y = np.sin(2 * rows[:, 0]) + rows[:, 1] * rows[:, 2] + 0.2 * rng.standard_normal(1000)
    looked, looks = [], rank_module.RankSearch.at

    def at(look, rank):
        looked.append((len(look.source), max(rank)))
        return looks(look, rank)

    monkeypatch.setattr(rank_module.RankSearch, "at", at)
    model = kl.MKLRegressor([Laplacian(0.5)], quality="least_squares", C=100.0)
    whole = through_landmarks(model, first=8).fit(rows, y)
    assert {n for n, _ in looked} == {1000}
    ranks = [rank for _, rank in looked]
    looked.clear()
    found = through_landmarks(model, first=8, sample_rows=200).fit(rows, y)
    # Where the loss of the sample still falls, all rows are not looked at; they have the last word.
    assert looked[:2] == [(200, 8), (200, 16)]
    on_all = [rank for n, rank in looked if n == 1000]
    assert 1 <= len(on_all) < len(ranks)
    assert found.rank_ == on_all[-1] >= 0.5 * whole.rank_
    looked.clear()
    # Where memory allows for no more, nothing is left to be decided.
    few = through_landmarks(model, first=8, sample_rows=200, moment_numbers=5 * 16**2)
    assert few.fit(rows, y).rank_ == 16
    assert looked == [(200, 8), (200, 16), (1000, 16)]


def test_auto_doubles_the_rank_while_the_held_out_loss_falls():
    start = kl.MKLRegressor([Laplacian(0.5)], quality="least_squares", C=30.0)
    model = through_landmarks(start, first=8).fit(X, VALUES)
    losses, ranks = model.loss_by_rank_["loss"], model.loss_by_rank_["rank"]
    assert model.rank_ > 8
    assert model.rank_ == N or losses[-1] >= 0.9 * losses[-2]
    assert ranks[-1] == model.rank_
    linear = kl.MKLRegressor([Linear()], quality="least_squares", C=1.0)
    flat = through_landmarks(linear, first=8).fit(X, X @ [1.0, 2.0, 3.0])
    assert flat.rank_ == 3
    small = through_landmarks(start, first=8, moment_numbers=5 * 12**2).fit(X, VALUES)
    assert small.rank_ <= 12


def test_auto_is_exact_for_few_rows_and_for_what_landmarks_cannot_do():
    y = LABELS != "low"
    assert kl.MKLClassifier().fit(X, y).rank_ is None
    assert through_landmarks(kl.MKLClassifier(KERNELS)).fit(X, y).rank_ is not None
    other = kl.MKLClassifier(KERNELS, quality="nu_svm", nu=0.1)
    assert through_landmarks(other).fit(X, y).rank_ is None
    learned = kl.MKLClassifier(KERNELS, quality="squared_soft_margin", C="learn")
    assert through_landmarks(learned).fit(X, y).rank_ is None
    assert kl.MKLClassifier(KERNELS).fit(X, y, X_unlabeled=NEW).rank_ is None


def test_what_landmarks_cannot_do_is_refused_when_asked_for():
    with pytest.raises(ValueError, match="expected rank=None with quality='nu_svm', got 20"):
        kl.MKLClassifier(quality="nu_svm", nu=0.1, rank=20).fit(X, LABELS)
    with pytest.raises(ValueError, match="expected rank=None with X_unlabeled"):
        kl.MKLClassifier(rank=20).fit(X, LABELS, X_unlabeled=NEW)
    with pytest.raises(ValueError, match="expected rank=None with C='learn'"):
        kl.MKLClassifier(rank=20, C="learn", quality="squared_soft_margin").fit(X, LABELS)
    for rank in (0, -3, 2.5, True):
        with pytest.raises(ValueError, match="expected rank to be a positive integer"):
            kl.MKLClassifier(rank=rank).fit(X, LABELS)
    with pytest.raises(ValueError, match="positive integer, 'auto' or None, got 'all'"):
        kl.MKLClassifier(rank="all").fit(X, LABELS)
    with pytest.raises(ValueError, match="expected certify to be one of exact"):
        kl.MKLClassifier(rank=5, options=kl.MKLOptions(certify="yes")).fit(X, LABELS)
    with pytest.raises(ValueError, match="expected weights='positive' with certify='exact'"):
        kl.MKLClassifier(rank=5, options=kl.MKLOptions(certify="exact"), weights="free").fit(
            X, LABELS
        )


def test_an_exact_fit_forgets_the_landmarks_of_an_earlier_one():
    model = kl.MKLRegressor(
        KERNELS, quality="least_squares", rank=10, options=kl.MKLOptions(certify="exact"), C=1.0
    )
    model.fit(X, VALUES).set_params(rank=None).fit(X, VALUES)
    assert model.rank_ is None
    left = {"landmarks_", "landmark_coef_", "residual_trace_", "exact_lower_bound_"}
    assert not left & set(vars(model))


def test_free_signs_through_landmarks():
    kernels = [Gaussian(0.3), Gaussian(0.6), Linear()]
    options = {"quality": "least_squares", "C": 10.0, "weights": "free"}
    found = kl.MKLRegressor(kernels, rank=60, **options).fit(X[:60], VALUES[:60])
    exact = kl.MKLRegressor(kernels, rank=None, **options).fit(X[:60], VALUES[:60])
    assert found.weights_.min() < 0
    assert found.objective_ == pytest.approx(exact.objective_, rel=1e-5)


def test_frames_and_memory_maps_are_sources(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    kernels = [Columns(["a", "c"], Gaussian(0.5)), Linear()]
    options = {"quality": "least_squares", "rank": 15, "C": 1.0}
    named = kl.MKLRegressor(kernels, **options).fit(frame, VALUES)
    assert named.predict(frame).shape == (N,)
    assert list(named.landmarks_[0].columns) == ["a", "b", "c"]
    mapped = np.memmap(tmp_path / "X", dtype=np.float32, mode="w+", shape=X.shape)
    mapped[:] = X
    again = kl.MKLRegressor(KERNELS, **options).fit(mapped, VALUES)
    plain = kl.MKLRegressor(KERNELS, **options).fit(X.astype(np.float32), VALUES)
    np.testing.assert_allclose(again.predict(mapped), plain.predict(mapped), rtol=1e-6)


@pytest.mark.parametrize("kernel", [Linear(), Columns([0, 2], Linear())])
def test_dense_rows_after_a_fit_to_sparse_ones(kernel):
    model = kl.MKLRegressor([kernel], quality="least_squares", rank=10)
    model.fit(sparse.csr_array(X), VALUES)
    assert model.landmarks_ == [None]  # the columns are features of their own
    np.testing.assert_allclose(model.predict(NEW), model.predict(sparse.csr_array(NEW)))


def test_without_room_for_the_factor_the_answer_is_the_same():
    y = LABELS != "low"
    kept = kl.MKLClassifier(KERNELS, rank=20).fit(X, y)
    again = kl.MKLClassifier(KERNELS, rank=20)
    again._engine = EngineOptions(limits=FactorLimits(kept_numbers=0))
    again.fit(X, y)
    np.testing.assert_allclose(again.weights_, kept.weights_, atol=1e-3 * kept.weights_.max())
    np.testing.assert_array_equal(again.predict(NEW), kept.predict(NEW))


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (kl.MKLClassifier(tol=1e-9), LABELS),
        (kl.MKLClassifier(quality="least_squares", tol=1e-9), LABELS),
        (kl.MKLRegressor(C=2.0, tol=1e-9), VALUES),
        (kl.MKLNoveltyDetector(nu=0.2, tol=1e-9), None),
    ],
    ids=["hinge", "least squares", "tube", "novelty"],
)
def test_more_columns_than_moments_have_room_for_change_nothing(model, y, monkeypatch):
    weight = RNG.uniform(0.5, 2.0, N)
    model.set_params(kernels=KERNELS, rank=60, options__certify="exact")
    usual = clone(model).fit(X, y, sample_weight=weight)
    made = []
    monkeypatch.setattr(rank_module, "moments_by_fold", lambda *args: made.append(args))
    found = clone(model)
    found._engine = EngineOptions(limits=FactorLimits(moment_numbers=0, moment_columns=0))
    found.fit(X, y, sample_weight=weight)
    assert made == []
    assert found.objective_ == pytest.approx(usual.objective_, rel=1e-8)
    assert found.exact_lower_bound_ == pytest.approx(usual.exact_lower_bound_, rel=1e-4)
    np.testing.assert_allclose(found.residual_trace_, usual.residual_trace_, atol=1e-12)
    np.testing.assert_allclose(found.weights_, usual.weights_, atol=1e-3 * usual.weights_.max())
    known = found.loss_by_rank_["rank"]
    np.testing.assert_array_equal(known, usual.loss_by_rank_["rank"][-len(known) :])
    losses = usual.loss_by_rank_["loss"][-len(known) :]
    np.testing.assert_allclose(found.loss_by_rank_["loss"], losses, rtol=2e-2, atol=1e-6)
    if isinstance(model, kl.MKLClassifier):
        np.testing.assert_allclose(found.predict_proba(NEW), usual.predict_proba(NEW), atol=2e-2)


def test_a_fitted_model_is_saved_and_read_again(tmp_path):
    model = kl.MKLClassifier(KERNELS, quality="least_squares", rank=10).fit(X, LABELS)
    kl.save(model, tmp_path / "model.skops")
    again = kl.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.decision_function(NEW), model.decision_function(NEW))
    assert again.rank_ == model.rank_


def test_seeds_decide_and_warm_starts_agree():
    first = kl.MKLRegressor(KERNELS, rank=10, random_state=1, C=1.0).fit(X, VALUES)
    again = kl.MKLRegressor(KERNELS, rank=10, random_state=1, C=1.0).fit(X, VALUES)
    np.testing.assert_array_equal(first.predict(NEW), again.predict(NEW))
    warm = kl.MKLRegressor(
        KERNELS, rank=10, random_state=1, options=kl.MKLOptions(warm_start=True), C=1.0
    )
    values = warm.fit(X, VALUES).fit(X, VALUES).predict(NEW)
    np.testing.assert_allclose(values, first.predict(NEW), atol=2e-2)


def test_duplicates_constant_columns_and_zero_kernels_do_no_harm():
    dull = np.column_stack([np.repeat(X[:10, 0], 12), np.ones(N)])
    kernels = [Gaussian(0.5), Columns([1], Linear()), Linear()]
    model = kl.MKLRegressor(kernels, quality="least_squares", rank=50, C=1.0).fit(dull, dull[:, 0])
    assert model.rank_ == 10
    assert np.isfinite(model.predict(dull)).all()
    with pytest.raises(ValueError, match="expected at least one kernel with a positive trace"):
        kl.MKLRegressor([Linear()], rank=3, C=1.0).fit(np.zeros((N, 2)), VALUES)


def test_an_early_end_keeps_what_was_learned():
    with pytest.warns(ConvergenceWarning, match="stopped by the callback"):
        model = kl.MKLRegressor(
            KERNELS, rank=10, options=kl.MKLOptions(callback=lambda progress: True), C=1.0
        ).fit(X, VALUES)
    assert not model.status_.is_optimal
    assert np.isfinite(model.predict(NEW)).all()
    assert model.lower_bound_ <= model.objective_


@pytest.mark.parametrize("quality", ["least_squares", "squared_soft_margin", "soft_margin"])
def test_probabilities_are_fitted_to_held_out_rows(quality):
    """Against machines trained on four fifths of the rows at the learned kernel."""
    y = VALUES > 0
    model = kl.MKLClassifier(KERNELS, quality=quality, rank=N, tol=1e-9).fit(X, y)
    fold = np.random.RandomState(0).permutation(N) % 5
    values = np.empty(N)
    grams = [k(X) for k in KERNELS]
    K = np.tensordot(model.weights_, grams, 1)
    for i in range(5):
        train, test = np.flatnonzero(fold != i), np.flatnonzero(fold == i)
        part = kl.learn_weights(
            [K[np.ix_(train, train)]],
            y[train],
            quality=quality,
            constraint="sum",
            tol=1e-9,
        )
        values[test] = K[np.ix_(test, train)] @ part.dual_coef + part.intercept
    expected = fit_calibration(values[:, None], np.where(y, 1.0, -1.0)[:, None], np.ones(N))
    np.testing.assert_allclose(model.calibration_, expected, rtol=0.05)
    probabilities = model.predict_proba(NEW)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


@pytest.mark.parametrize("quality", ["least_squares", "epsilon_svr"])
def test_intervals_cover_new_targets(quality):
    many = RNG.standard_normal((400, 3))
    targets = 50 + np.sin(2 * many[:, 0]) + 0.3 * RNG.standard_normal(400)
    model = kl.MKLRegressor(KERNELS, quality=quality, rank=30, C=1.0)
    model._engine = EngineOptions(limits=FactorLimits(held_out_rows=150))
    model.fit(many[:200], targets[:200])
    interval = model.predict_interval(many[200:], coverage=0.8)
    inside = (interval[:, 0] <= targets[200:]) & (targets[200:] <= interval[:, 1])
    assert 0.7 < inside.mean() < 0.92
    with pytest.raises(ValueError, match="expected rank=None for return_std=True"):
        model.predict(many, return_std=True)


def test_kernels_without_weight_keep_their_rank():
    noise = np.random.default_rng(1).standard_normal((N, 1))
    table = np.hstack([X, noise])
    kernels = [Columns([0, 1, 2], Laplacian(0.5)), Columns([3], Gaussian(0.5))]
    start = kl.MKLRegressor(kernels, quality="least_squares", C=1.0)
    model = through_landmarks(start, first=8).fit(table, VALUES)
    assert model.weights_[1] == pytest.approx(0.0, abs=1e-6)
    useful, useless = (len(points) for points in model.landmarks_)
    assert useless < useful == model.rank_
    # What it leaves free is for the other: 60 columns hold 32 and 8, but not twice 32.
    again = through_landmarks(start, first=8, moment_numbers=5 * 60**2).fit(table, VALUES)
    assert [len(points) for points in again.landmarks_] == [32, 8]
