"""Intervals are as wide as the noise of a row, and quantiles hold their share of targets."""

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.held_out.spread import ResidualSizes


def noisy(n, seed):
    """Rows, targets whose noise grows along the first column, and its standard deviations."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    std = 0.1 + 0.45 * (X[:, 0] + 1.0)
    return X, X[:, 1] + std * rng.normal(size=n), std


@pytest.fixture(scope="module")
def model():
    X, y, _ = noisy(400, 0)
    return kl.KernelRegressor(["linear"]).fit(X, y)


def test_intervals_hold_their_share_in_every_fifth_of_the_noise(model):
    """On average over three fits: a fifth has some 80 of the rows that each learns from."""
    models = [model, *(kl.KernelRegressor(["linear"]).fit(*noisy(400, s)[:2]) for s in (1, 2))]
    held = np.zeros(5)
    for seed, one in enumerate(models, start=100):
        X, y, std = noisy(2000, seed)
        low, high = one.predict_interval(X, 0.9).T
        inside = (low <= y) & (y <= high)
        held += [inside[part].mean() for part in np.array_split(np.argsort(std), 5)]
    np.testing.assert_allclose(held / 3, 0.9, atol=0.06)


def test_quantiles_hold_their_share(model):
    X, y, std = noisy(1000, 1)
    noisiest = np.argsort(std)[-200:]
    for q in (0.1, 0.9):
        below = y <= model.predict_quantile(X, q)
        assert below.mean() == pytest.approx(q, abs=0.06)
        assert below[noisiest].mean() == pytest.approx(q, abs=0.1)
    assert np.isinf(model.predict_quantile(X[:3], 0.001)).all()
    with pytest.raises(ValueError, match="expected q between 0 and 1, both excluded, got 90"):
        model.predict_quantile(X, 90)


def test_intervals_hold_their_share_where_the_noise_has_a_step():
    """The machine of the sizes smooths the step: the noisiest rows are left with too little."""

    def stepped(n, seed):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, (n, 3))
        std = np.where(X[:, 2] > 0.6, 1.0, 0.2)
        return X, X[:, 0] + std * rng.normal(size=n), std

    X, y, _ = stepped(500, 1)
    model = kl.KernelRegressor(["linear"]).fit(X, y)
    X, y, std = stepped(1000, 101)
    low, high = model.predict_interval(X, 0.9).T
    inside = (low <= y) & (y <= high)
    assert inside[std == 1.0].mean() > 0.85
    assert inside[std < 1.0].mean() > 0.85
    # The extreme ones come from all residuals, the others from some.
    levels = (0.003, 0.0098, 0.0101, 0.1, 0.5, 0.9, 0.9899, 0.9902, 0.997)
    quantiles = [model.predict_quantile(X[:100], q) for q in levels]
    assert (np.diff(quantiles, axis=0) >= 0.0).all()


def test_sizes_are_learned_once_for_a_model(model, monkeypatch):
    X = noisy(20, 3)[0]
    first = model.predict_quantile(X, 0.9)
    monkeypatch.setattr(ResidualSizes, "fit", None)
    np.testing.assert_array_equal(model.predict_quantile(X, 0.9), first)
    assert (model.predict_interval(X)[:, 1] > model.predict(X)).all()


def test_noise_of_one_size_stays_of_one_size():
    rng = np.random.default_rng(0)
    X, r = rng.normal(size=(300, 3)), rng.normal(size=300)
    assert ResidualSizes.fit(X, r) is None
    assert ResidualSizes.fit(X[:20], r[:20] * np.exp(X[:20, 0])) is None
    assert ResidualSizes.fit(X, 0.0 * r) is None


@pytest.mark.parametrize("n", [300, 550])
def test_sizes_follow_the_columns_and_do_not_know_their_row(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    r = np.exp(X[:, 0]) * rng.normal(size=n)
    found = ResidualSizes.fit(X, r)
    assert found.held_out.shape == (n,)
    ratio = found.ratios(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    assert np.median(ratio[0] / ratio[1]) == pytest.approx(np.exp(2.0), rel=0.4)
    far = found.ratios(np.array([[1e3, 0.0]]))
    assert np.isfinite(far).all()
