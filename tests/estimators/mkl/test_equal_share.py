"""A part of the weight that all sources share equally, and how it is chosen."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mkl.equal_share import even_shares
from kernlearn.estimators.mkl.held_out_loss import class_losses
from kernlearn.families.weights import positive_weights
from kernlearn.kernels import Columns, Gaussian, Linear, Normalized, PerColumn, Sum
from kernlearn.solvers.engine.exact import most_equal
from kernlearn.solvers.engine.statement import ChoiceOptions

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
X = RNG.normal(size=(60, 6)) + 0.8 * Y[:, None] * np.array([1, 1, 0, 1, 0, 0])
KERNELS = [
    Columns(slice(0, 3), Gaussian(0.2)),
    Normalized(Columns(slice(0, 3), Linear())),
    Columns(slice(3, 6), Linear()),
]
EVEN = np.array([0.25, 0.25, 0.5])
VIEWS = {"a": X[:, :3], "b": X[:, 3:]}


@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("quality", ["soft_margin", "least_squares"])
def test_it_is_learning_from_mixtures_with_the_mean(share, quality):
    """K' = (1 − e)K + e K̄, of the same trace, and no part for all."""
    model = kl.MKLClassifier(
        KERNELS, quality, options=kl.MKLOptions(equal_share=share), tol=1e-9
    ).fit(X, Y)
    grams = np.array([kernel(X) for kernel in KERNELS])
    traces = np.trace(grams, axis1=1, axis2=2)
    mean = np.tensordot(EVEN / traces, grams, 1)
    mixed = (1.0 - share) * grams + share * traces[:, None, None] * mean
    total = float(traces.mean())
    signs = np.where(Y > 0, 1.0, -1.0)
    by_hand = kl.learn_weights(mixed, signs, quality=quality, total=total, tol=1e-9)
    assert model.objective_ == pytest.approx(by_hand.objective, rel=1e-7)
    assert model.duality_gap_ <= 1e-9
    weights = (1.0 - share) * by_hand.weights + share * total * EVEN / traces
    np.testing.assert_allclose(model.weights_, weights, rtol=1e-3, atol=1e-5)
    assert (model.weights_ * traces >= share * EVEN * total * (1 - 1e-9)).all()
    assert model.equal_share_ == share


def test_all_of_it_leaves_the_mean_of_the_sources():
    model = kl.MKLClassifier(KERNELS, options=kl.MKLOptions(equal_share=1.0)).fit(X, Y)
    traces = [np.trace(kernel(X)) for kernel in KERNELS]
    parts = [kernel * float(s / t) for kernel, s, t in zip(KERNELS, EVEN, traces, strict=True)]
    alone = kl.MKLClassifier([Sum(parts)], options=kl.MKLOptions(total=float(np.mean(traces)))).fit(
        X, Y
    )
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("quality", ["least_squares", "soft_margin"])
def test_landmarks_of_all_rows_change_nothing(quality):
    options = {"quality": quality, "options": kl.MKLOptions(equal_share=0.5), "tol": 1e-8}
    exact = kl.MKLClassifier(KERNELS, **options).fit(X, Y)
    through = kl.MKLClassifier(KERNELS, rank=60, **options).fit(X, Y)
    assert through.objective_ == pytest.approx(exact.objective_, rel=1e-6)
    np.testing.assert_allclose(through.weights_, exact.weights_, rtol=1e-2, atol=1e-4)


def test_a_matrix_of_no_trace_gets_none_of_it():
    domain = positive_weights(np.array([1.0, 0.0, 4.0]), 2.0, least=np.array([0.2, 0.5, 0.3]))
    corners = np.array([domain.weights(np.eye(2)[i] / domain.equality[i]) for i in range(2)])
    np.testing.assert_allclose(corners, [[1.4, 0.0, 0.15], [0.4, 0.0, 0.4]])
    np.testing.assert_allclose(corners @ [1.0, 0.0, 4.0], 2.0)


def test_the_most_equal_share_that_is_as_good_as_the_best_is_kept():
    model = kl.MKLClassifier(KERNELS, C=2.0, options=kl.MKLOptions(equal_share="auto")).fit(X, Y)
    losses = []
    for share in ChoiceOptions().shares:
        one = kl.MKLClassifier(KERNELS, C=2.0, options=kl.MKLOptions(equal_share=share)).fit(X, Y)
        folds = one._hold_out_rule().folds([np.where(Y > 0, 1.0, -1.0)])
        values = np.empty((60, 1))
        for fold in folds:
            rest = np.setdiff1d(np.arange(60), fold)
            # At the learned kernel, whose total is that of all rows.
            again = kl.MKLClassifier(
                [one.kernel_], C=2.0, options=kl.MKLOptions(constraint="sum")
            ).fit(X[rest], Y[rest])
            values[fold, 0] = again.decision_function(X[fold])
        losses.append(class_losses(values, [np.where(Y > 0, 1.0, -1.0)], np.ones(60)))
    assert model.equal_share_ == ChoiceOptions().shares[most_equal(losses, np.ones(60))]


def test_views_without_kernels_have_it_chosen_and_others_none():
    model = kl.MKLClassifier().fit(VIEWS, Y)
    assert model.equal_share_ in ChoiceOptions().shares
    assert (
        kl.MKLClassifier(options=kl.MKLOptions(equal_share="auto")).fit(VIEWS, Y).equal_share_
        == model.equal_share_
    )
    even = kl.MKLClassifier(options=kl.MKLOptions(equal_share=1.0)).fit(VIEWS, Y)
    np.testing.assert_allclose(
        even.weights_ * 60, even_shares(even.kernels_) * 60, rtol=1e-9
    )  # unit diagonals
    assert kl.MKLClassifier().fit(X, Y).equal_share_ == 0.0
    assert kl.MKLClassifier(Gaussian(0.1)).fit(VIEWS, Y).equal_share_ == 0.0
    assert (
        kl.MKLRegressor(options=kl.MKLOptions(equal_share=0.5), C=1.0)
        .fit(VIEWS, X[:, 0])
        .equal_share_
        == 0.5
    )


def test_noise_in_losses_does_not_count_against_equal_weights():
    rng = np.random.default_rng(1)
    losses = rng.exponential(size=(3, 50))
    losses[2] -= 10.0
    assert most_equal(losses, np.ones(50)) == 2
    near = [losses[0], losses[0] + 0.01 * rng.normal(size=50) - 0.001]
    assert most_equal(near, np.ones(50)) == 0
    assert most_equal([np.full(3, np.nan)] * 2, np.ones(3)) == 0


@pytest.mark.parametrize("share", [-0.1, 1.5, "half", True, np.nan])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(ValueError, match="expected equal_share to be a number from 0"):
        kl.MKLClassifier(KERNELS, options=kl.MKLOptions(equal_share=share)).fit(X, Y)


@pytest.mark.parametrize(
    "options",
    [{"weights": "free"}, {"quality": "alignment"}, {"kernels": PerColumn([Gaussian(1.0)])}],
)
def test_where_nothing_can_be_shared_it_is_refused(options):
    given = {"kernels": KERNELS, "options": kl.MKLOptions(equal_share=0.5), **options}
    with pytest.raises(ValueError, match=r"expected equal_share=None, got 0\.5"):
        kl.MKLClassifier(**given).fit(X, Y)


def test_rows_may_lack_a_view_of_the_default_bank():
    views = {name: view.copy() for name, view in VIEWS.items()}
    views["a"][::5] = np.nan
    model = kl.MKLClassifier(missing="mean").fit(views, Y)
    there = np.arange(60) % 5 > 0
    alone = kl.MKLClassifier().fit(views["a"][there], Y[there])
    assert model.bank_notes_[0] == f"a: {alone.bank_notes_[0]}"
    assert model.score(views, Y) > 0.7
    with pytest.raises(ValueError, match="have all cells of the view 'b' or none"):
        kl.MKLClassifier(missing="mean").fit({**views, "b": np.where(X[:, 3:] > 1, np.nan, 0)}, Y)
    with pytest.raises(ValueError, match="some rows that have the view 'b', got none"):
        kl.MKLClassifier(missing="mean").fit({**views, "b": np.full((60, 2), np.nan)}, Y)
