"""Several outcomes at once: a kernel over them that is learned where it helps."""

import numpy as np
import pandas as pd
import pytest

import kernlearn as kl

FEW = ["linear", "Gaussian"]


@pytest.fixture(scope="module")
def rows():
    """Six outcomes that are one function with much noise."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(120, 3))
    truth = np.sin(1.5 * X[:, :1]) * [1.0, -1.0, 2.0, -0.5, 1.0, 3.0]
    return X, truth, truth + 1.2 * truth.std(axis=0) * generator.normal(size=truth.shape)


@pytest.fixture(scope="module")
def model(rows):
    X, _, Y = rows
    return kl.KernelRegressor(FEW).fit(X[:70], Y[:70])


def test_related_outcomes_are_learned_together(model, rows):
    X, truth, Y = rows
    alone = [kl.KernelRegressor(FEW).fit(X[:70], y).predict(X[70:]) for y in Y[:70].T]
    spread = truth.std(axis=0)
    together = np.square((model.predict(X[70:]) - truth[70:]) / spread).mean()
    assert together < 0.9 * np.square((np.column_stack(alone) - truth[70:]) / spread).mean()
    values = np.linalg.eigvalsh(model.output_kernel_)
    assert values[-1] > 2.0
    assert values.sum() == pytest.approx(6.0)
    assert 0.0 <= model.output_gap_ < 1e-5


def test_without_a_candidate_the_refusal_is_that_of_one_outcome(rows):
    _, _, Y = rows
    texts = {"note": ["well" if y > 0 else "ill again" for y in Y[:30, 0]]}
    for y in (Y[:30], Y[:30, 0]):
        with pytest.raises(ValueError, match="expected a candidate whose kernel can be computed"):
            kl.KernelRegressor(["Laplacian"], columns={"note": "text"}).fit(texts, y)


def test_unrelated_outcomes_keep_the_identity():
    generator = np.random.default_rng(1)
    X = generator.normal(size=(80, 2))
    Y = np.column_stack([np.sin(2.0 * X[:, 0]), X[:, 1]]) + 0.1 * generator.normal(size=(80, 2))
    model = kl.KernelRegressor(FEW).fit(X, Y)
    assert model.output_kernel_.tolist() == np.eye(2).tolist()
    assert model.output_gap_ == 0.0


def test_intervals_are_one_for_every_outcome(model, rows):
    X, _, Y = rows
    ends = model.predict_interval(X[70:], coverage=0.8)
    assert ends.shape == (50, 6, 2)
    inside = (ends[..., 0] <= Y[70:]) & (Y[70:] <= ends[..., 1])
    assert 0.7 < inside.mean() < 0.95


def test_a_model_file_keeps_the_kernel_over_outcomes(model, rows, tmp_path):
    kl.save(model, tmp_path / "model.kernlearn")
    again = kl.load(tmp_path / "model.kernlearn")
    assert again.output_kernel_.tolist() == model.output_kernel_.tolist()
    np.testing.assert_allclose(again.predict(rows[0][:5]), model.predict(rows[0][:5]))


def test_one_outcome_has_no_kernel_over_outcomes(rows):
    X, _, Y = rows
    model = kl.KernelRegressor(["linear"]).fit(X, Y[:, 0])
    with pytest.raises(AttributeError, match=r"targets of shape \(n, n_targets\) for a kernel"):
        _ = model.output_kernel_


def test_the_score_is_the_mean_over_outcomes_of_a_frame(rows):
    X, _, Y = rows
    frame = pd.DataFrame(Y[:, :2], columns=["a", "b"])
    model = kl.KernelRegressor(["linear"]).fit(X, frame)
    predicted = model.predict(X)
    assert predicted.shape == (120, 2)
    parts = 1 - np.square(Y[:, :2] - predicted).sum(axis=0) / np.square(
        Y[:, :2] - Y[:, :2].mean(axis=0)
    ).sum(axis=0)
    assert model.score(X, frame) == pytest.approx(parts.mean())


def test_a_missing_target_is_refused(rows):
    X, _, Y = rows
    gap = Y.copy()
    gap[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        kl.KernelRegressor(["linear"]).fit(X, gap)


@pytest.mark.parametrize(
    ("kind", "cure"),
    [
        (kl.MKLRegressor, "kernlearn.KernelRegressor takes several"),
        (kl.MKLClassifier, "MultiOutputClassifier fits one model to each label"),
    ],
)
def test_who_takes_one_outcome_names_who_takes_several(rows, kind, cure):
    X, _, Y = rows
    with pytest.raises(ValueError, match=rf"1d array, got an array of shape \(120, 6\); .*{cure}"):
        kind().fit(X, (Y > 0).astype(int))


def test_many_outcomes_are_searched_along_directions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 1))
    Y = np.sin(2 * X) @ rng.uniform(1, 2, size=(1, 24)) + 0.3 * rng.normal(size=(80, 24))
    model = kl.KernelRegressor(["linear", "Gaussian"]).fit(X[:60], Y[:60])
    assert model.predict(X).shape == (80, 24)
    assert model.score(X[60:], Y[60:]) > 0.4
    # What the mixture says of held-out rows is by machines of all outcomes, and the score of it.
    assert model.held_out_score_ == pytest.approx(model.score(X[60:], Y[60:]), abs=0.2)
    losses = model.candidates_["held_out_loss"]
    assert model.candidates_["candidate"][0].startswith("Gaussian")
    assert losses[0] < losses[-1]
    logged = kl.KernelRegressor(["linear", "log target"]).fit(X[:60], np.exp(Y[:60]))
    assert any("log target" in name for name in logged.candidates_["candidate"])
    assert (logged.predict(X) >= 0).all()
