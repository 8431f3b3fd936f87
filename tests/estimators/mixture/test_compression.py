"""Mixtures that are distilled into one expansion."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mixture import compression
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.compression import JudgedValues, Student
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.options import CompressionOptions, MixtureOptions
from kernlearn.kernels import Gaussian
from kernlearn.quality.predictive import ClassLoss, LogLoss, SquaredLoss

CANDIDATES = ["Gaussian", "Matérn"]


def _rows(n, seed):
    generator = np.random.RandomState(seed)
    X = generator.normal(size=(n, 2))
    return X, (X[:, 0] ** 2 + X[:, 1] + generator.normal(size=n) > 0.5).astype(int)


@pytest.fixture(scope="module")
def models():
    X, y = _rows(240, 0)
    plain = kl.KernelClassifier(CANDIDATES).fit(X, y)
    return plain, kl.KernelClassifier(CANDIDATES, compress=True).fit(X, y)


def test_a_compression_predicts_as_its_mixture(models):
    plain, small = models
    X, _ = _rows(400, 1)
    (machine,) = small._members.machines
    assert small.compression_["n_points"] == len(machine.points) == 64 < 240
    assert small.compression_["loss"] + small.compression_["error"] < 0.1
    assert plain.compression_ is None
    assert np.mean(small.predict(X) == plain.predict(X)) > 0.97
    np.testing.assert_allclose(small.predict_proba(X), plain.predict_proba(X), atol=0.2)
    assert small.relevance_["column"].tolist() == ["x0", "x1"]
    assert small.kernel_(X[:2]).shape == (2, 2)


def test_a_compression_takes_less_room_in_a_file(models, tmp_path):
    pytest.importorskip("skops")
    for model, name in zip(models, ("plain", "small"), strict=True):
        kl.save(model, tmp_path / name)
    sizes = [(tmp_path / name).stat().st_size for name in ("plain", "small")]
    assert sizes[1] < sizes[0]
    X, _ = _rows(20, 1)
    again = kl.load(tmp_path / "small")
    assert np.array_equal(again.predict_proba(X), models[1].predict_proba(X))


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
def test_numbers_stay_within_their_limits():
    X, _ = _rows(240, 0)
    y = np.exp(X[:, 0] + 0.3 * np.random.RandomState(2).normal(size=240))
    model = kl.KernelRegressor(["Gaussian", "log target"], compress=True).fit(X, y)
    assert model.compression_["n_points"] in CompressionOptions().sizes
    far = np.array([[8.0, 0.0], [-8.0, 0.0], [0.0, 0.0]])
    assert (model.predict(far) >= 0.0).all()
    assert (np.diff(model.predict_interval(far), axis=1) > 0).all()
    new, _ = _rows(100, 1)
    assert model.score(new, np.exp(new[:, 0])) > 0.8


def test_groups_are_in_one_part_each():
    groups = np.repeat(np.arange(30), 4)
    rows = np.random.RandomState(0).permutation(120)[:100]
    parts = compression.held_out_parts(rows, groups, 3)
    assert sorted(np.concatenate(parts)) == sorted(rows)
    assert sum(len(set(groups[part])) for part in parts) == 30


def test_a_mixture_that_would_lose_too_much_is_kept(monkeypatch, models):
    never = MixtureOptions(compression=CompressionOptions(tolerance=-np.inf))
    monkeypatch.setattr(KernelMixture, "_options", never)
    X, y = _rows(240, 0)
    with pytest.warns(UserWarning, match=r"got a growth of .*; the mixture is kept"):
        model = kl.KernelClassifier(CANDIDATES, compress=True).fit(X, y)
    assert model.compression_ is None
    assert np.array_equal(model.decision_function(X), models[0].decision_function(X))


@pytest.mark.parametrize(("candidates", "n"), [(["linear"], 120), (["Gaussian"], 60)])
def test_a_mixture_without_points_to_choose_from_is_kept(candidates, n):
    X, y = _rows(n, 0)
    with pytest.warns(UserWarning, match="got none that could be tried"):
        model = kl.KernelClassifier(candidates, compress=True).fit(X, y)
    assert model.compression_ is None


def test_compress_is_true_or_false():
    X, y = _rows(20, 0)
    with pytest.raises(ValueError, match="expected compress to be True or False, got 'yes'"):
        kl.KernelClassifier(CANDIDATES, compress="yes").fit(X, y)


def test_points_are_chosen_by_what_they_explain():
    generator = np.random.RandomState(0)
    A = np.column_stack([generator.normal(size=(30, 6)), np.ones(30)])
    values = A[:, [4, 1]] @ np.array([[3.0, 1.0], [0.5, -1.0]]) + 2.0
    order = compression.forward_selection(A.T @ A, A.T @ values, 4)

    def residual(columns):
        seen = A[:, [*columns, 6]]
        return np.sum((values - seen @ np.linalg.lstsq(seen, values, rcond=None)[0]) ** 2)

    first = min(range(6), key=lambda j: residual([j]))
    assert order[0] == first
    assert set(order[:2]) == {1, 4}
    assert len(set(order.tolist())) == 4


def test_a_student_learns_a_function_that_its_kernel_has():
    X, _ = _rows(80, 0)
    kernel, coef = Gaussian(0.5), np.random.RandomState(1).normal(size=(3, 2))
    machine = KernelMachine("standard", kernel, 1.0, X[:3], coef, np.array([1.0, -2.0]))
    student = Student.of(machine, X[:40], X, machine.values(X), 512)
    found = student.solved(10, 1e-9)
    values = kernel(X, student.points[:10]) @ found[:-1] + found[-1]
    np.testing.assert_allclose(values, machine.values(X), atol=1e-2)


def test_cells_are_exchanged_alike_in_all_tables():
    X, _ = _rows(30, 0)
    origins = np.array([0, 1, 1])
    tables = {"standard": X[:, [0, 1, 1]], "ranked": 10.0 * X[:, [0, 1, 1]]}
    found = compression.exchanged_rows(
        tables, lambda name: origins, np.random.RandomState(0), CompressionOptions()
    )
    assert np.array_equal(10.0 * found["standard"], found["ranked"])
    assert np.array_equal(found["standard"][:, 1], found["standard"][:, 2])
    assert np.isin(found["standard"], X).all()
    same = (found["standard"] == np.tile(tables["standard"], (4, 1)))[:, 0].mean()
    assert 0.5 < same < 0.9


def test_members_of_several_sources_are_compressed_together():
    rng = np.random.default_rng(0)
    letters = ["".join(rng.choice(list("AC"), 8, p=[p, 1 - p])) for p in rng.uniform(size=120)]
    X = {"letters": letters, "numbers": rng.normal(size=(120, 3))}
    share = np.array([word.count("A") for word in letters]) / 8
    y = 4.0 * share + np.sin(2.0 * X["numbers"][:, 0]) + 0.1 * rng.normal(size=120)
    model = kl.KernelRegressor(["Gaussian"], compress=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the mixture may be kept
        model.fit(X, y)
    assert {machine.table for machine in model._members.machines} <= set(model._members.tables)
    assert model.score(X, y) > 0.5


def test_growth_of_wrong_labels_is_that_of_the_probabilities():
    signs = np.where(np.arange(60)[:, None] % 3 == np.arange(3), 1.0, -1.0)
    judged = JudgedValues(ClassLoss(signs, np.ones(60)), 3.0 * signs)
    same = judged.change(0, 64, 0.1, 3.0 * signs)
    assert (same.loss, same.error, same.wrong) == (0.0, 0.0, 0.0)
    turned = judged.change(0, 64, 0.1, -3.0 * signs)
    assert min(turned.wrong, turned.loss) > 5
    two = JudgedValues(LogLoss(signs[:, :1], np.ones(60)), 3.0 * signs[:, :1])
    assert two.change(0, 64, 0.1, -signs[:, :1]).wrong > 5
    broken = judged.change(0, 64, 0.1, np.full_like(signs, np.nan))
    assert broken.largest == np.inf
    numbers = JudgedValues(SquaredLoss(signs, np.ones(60)), 0.9 * signs)
    assert numbers.change(0, 64, 0.1, signs).loss < 0
