"""What a fit will need is known before it starts, and held against what there is."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

import kernlearn as kl
from kernlearn.estimators.inputs.decision_values import decision_values
from kernlearn.estimators.inputs.stopping import set_callback
from kernlearn.gram import incomplete_cholesky, pair_cholesky
from kernlearn.gram._pivoted_cholesky import GreedyOptions, factorise
from kernlearn.gram.incomplete_cholesky import checked_pair_cholesky, columns_of
from kernlearn.hyperkernels import ARDHarmonic
from kernlearn.kernels import Gaussian, Linear
from kernlearn.runtime import memory as memory_module
from kernlearn.solvers.nystroem.rank import RankOptions

N = 120
X = np.random.default_rng(0).normal(size=(N, 3))
NOISE = np.random.default_rng(1).normal(size=N)
VALUES = X[:, 0] * X[:, 1] + 0.3 * NOISE
LABELS = (VALUES > 0).astype(int)

ESTIMATORS = {
    "two classes": (kl.MKLClassifier(), LABELS),
    "one kernel": (kl.MKLClassifier([Gaussian(0.1)]), LABELS),
    "four classes": (kl.MKLClassifier(), np.digitize(VALUES, [-1, 0, 1])),
    "free signs": (
        kl.MKLClassifier([Linear(), *map(Gaussian, (0.1, 1.0))], weights="free"),
        LABELS,
    ),
    "noise": (kl.MKLClassifier([Gaussian(5.0)], C=100.0), (NOISE > 0).astype(int)),
    "least squares": (kl.MKLRegressor(quality="least_squares", C=1.0), VALUES),
    "a hard tube": (kl.MKLRegressor(C=240.0), VALUES),
    "novelty": (kl.MKLNoveltyDetector(), None),
    "hyperkernel": (kl.HyperkernelClassifier(), LABELS),
    "hyperkernel regression": (kl.HyperkernelRegressor(n_pairs=4000), VALUES),
    "hyperkernel novelty": (kl.HyperkernelNoveltyDetector(n_pairs=4000), None),
    "LS-SVM": (kl.LSSVMClassifier(max_iter=3), LABELS),
    "LS-SVM ARD": (kl.LSSVMRegressor("ard", max_iter=3), VALUES),
    "first level": (kl.FirstLevelClassifier(lam=0.1, mu=0.1, max_iter=5), LABELS),
    "first level regression": (kl.FirstLevelRegressor(lam=0.1, mu=0.1, max_iter=5), VALUES),
    "metric": (kl.HyperkernelMetric(n_pairs=3000), LABELS),
}
# What does not grow with the data: blocks of hyperkernel values, and the interpreter.
CONSTANT = 110_000_000


def peak_of(model, y):
    few = slice(40)  # what a first fit imports, and what a look at coverage notes, is no data
    clone(model).fit(X[few], None if y is None else y[few])
    tracemalloc.start()
    try:
        model.fit(X, y)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_estimate_is_an_upper_bound_and_no_large_one(name, monkeypatch):
    model, y = ESTIMATORS[name]
    peak = peak_of(clone(model), y)
    monkeypatch.setenv(memory_module.ALLOWANCE, str(int(0.95 * peak)))
    with pytest.raises(MemoryError, match=r"expected .* GB of free memory for .*, got .* GB; .*"):
        clone(model).fit(X, y)
    monkeypatch.setenv(memory_module.ALLOWANCE, str(4 * peak + CONSTANT))
    # That it begins is enough.
    stopped = clone(model)
    set_callback(stopped, lambda told: True)
    stopped.fit(X, y)


def test_learn_weights(monkeypatch):
    grams = np.stack([Gaussian(g)(X) for g in (0.1, 1.0)])
    monkeypatch.setenv(memory_module.ALLOWANCE, "1.9MB")
    kl.learn_weights(grams, LABELS)
    with pytest.raises(MemoryError, match=r"learn_weights on 120 points, .* which is not copied"):
        kl.learn_weights(list(grams), LABELS)


def test_ten_thousand_points_are_refused_by_a_look_at_few_pairs(monkeypatch):
    many = np.random.default_rng(0).normal(size=(10_000, 8))
    monkeypatch.setenv(memory_module.ALLOWANCE, "14GB")
    with pytest.raises(MemoryError, match=r"with \d+ sections on 10,000 points"):
        kl.HyperkernelClassifier(rank=None).fit(many, np.sign(many[:, 0]))


def test_four_thousand_points_of_twenty_columns(monkeypatch):
    """This took 24 GB, and the machine down with it."""
    many = np.random.default_rng(0).normal(size=(4000, 20))
    monkeypatch.setenv(memory_module.ALLOWANCE, "2GB")
    tracemalloc.start()
    try:
        with pytest.raises(
            MemoryError, match="HyperkernelClassifier with 1 section on 4,000 points"
        ):
            kl.HyperkernelClassifier(rank=None).fit(many, many[:, 0] > 0)
        with pytest.raises(MemoryError, match=r"with 1 section on 4,000 points, got 2 GB; use"):
            kl.HyperkernelClassifier(n_pairs=1000, rank=None).fit(many, many[:, 0] > 0)
        with pytest.raises(MemoryError, match="HyperkernelMetric on 8,002,000 pairs"):
            kl.HyperkernelMetric().fit(many, many[:, 0] > 0)
        with pytest.raises(MemoryError, match=r"MKLClassifier with \d+ kernels on 60,000 points"):
            kl.MKLClassifier(rank=None).fit(np.tile(many, (15, 1)), np.arange(60_000) % 2)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_little_is_not_asked_for(monkeypatch):
    monkeypatch.setattr(memory_module, "available", lambda: pytest.fail("the system was asked"))
    monkeypatch.delenv(memory_module.ALLOWANCE, raising=False)
    kl.MKLClassifier().fit(X, LABELS)


def test_an_allowance_that_is_no_size(monkeypatch):
    monkeypatch.setenv(memory_module.ALLOWANCE, "much")
    with pytest.raises(ValueError, match="KERNLEARN_MEMORY to be a size such as 8GB or 500MB, got"):
        kl.MKLClassifier().fit(X, LABELS)


def test_available_is_what_the_system_says(monkeypatch):
    monkeypatch.delenv(memory_module.ALLOWANCE, raising=False)
    there = memory_module.available()
    assert there is None or 0 <= there < 2**50
    monkeypatch.setattr(memory_module, "_of_machine", lambda: 5)
    monkeypatch.setattr(memory_module, "left_in_groups", lambda: [7, 3])
    monkeypatch.setattr(memory_module, "_of_process", lambda: None)
    assert memory_module.available() == 3
    monkeypatch.setattr(memory_module, "left_in_groups", lambda: [-3])
    assert memory_module.available() == 0


def group(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("_", ".", 1)).write_text(f"{content}\n")


def test_control_groups(tmp_path):
    process = tmp_path / "cgroup"
    process.write_text("0::/outer/inner\n")
    group(tmp_path / "outer", memory_max=900, memory_current=500)
    group(tmp_path / "outer" / "inner", memory_max="max", memory_current=400)
    (tmp_path / "outer" / "memory.stat").write_text("anon 5\ninactive_file 100\n")
    assert memory_module.left_in_groups(tmp_path, str(process)) == [500]
    process.write_text("5:cpu,memory:/box\n3:cpu:/other\n")
    group(tmp_path / "memory" / "box", memory_limit_in_bytes=800, memory_usage_in_bytes=200)
    assert memory_module.left_in_groups(tmp_path, str(process)) == [600]
    assert memory_module.left_in_groups(tmp_path, str(tmp_path / "nothing")) == []


def test_pairs_in_blocks_are_the_pairs_at_once():
    hyperkernel, points = ARDHarmonic(0.6, [0.1, 0.2, 0.3]), X[:40]
    whole = pair_cholesky(hyperkernel, points, tol=1e-4)
    rank_one = incomplete_cholesky(Gaussian(0.3), points, tol=1e-4)
    small = GreedyOptions(block=3, room=10, rows_at_a_time=7)
    parts = checked_pair_cholesky(hyperkernel, points, 1e-4, None, None, None, options=small)
    np.testing.assert_array_equal(parts.pivots, whole.pivots)
    np.testing.assert_allclose(parts.factor, whole.factor, atol=1e-10)
    assert len(whole.pivots) > 20
    columns, diagonal = columns_of(Gaussian(0.3), points), Gaussian(0.3).diag(points)
    factor, pivots, *_ = factorise(columns, diagonal, 1e-4, None, options=small)
    np.testing.assert_array_equal(pivots, rank_one.pivots)
    np.testing.assert_allclose(factor, rank_one.factor, atol=1e-10)


def test_predictions_in_blocks():
    sizes = []

    class Counted(Gaussian):
        def __call__(self, rows, support):
            sizes.append(len(rows) * len(support))
            return super().__call__(rows, support)

    frame = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b", "c"])
    coefs = np.random.default_rng(0).standard_normal((2, 60))
    for table in (frame, X):
        whole = decision_values(Gaussian(0.3), table, table[:60], coefs)
        found = decision_values(Counted(0.3), table, table[:60], coefs, 1000)
        np.testing.assert_allclose(found, whole, rtol=1e-12, atol=1e-14)
    assert len(sizes) > 6
    assert max(sizes) <= 1000


def test_a_limit_of_the_whole_process_counts_what_it_has_taken(monkeypatch):
    monkeypatch.delenv(memory_module.ALLOWANCE, raising=False)
    assert memory_module.allowed() is None
    taken = memory_module.resident()
    assert taken > 10_000_000
    with memory_module.limited_to(taken + 50_000_000):
        left = memory_module.allowed()
        assert 0 <= left <= 60_000_000
        assert memory_module.available() == pytest.approx(left, abs=20_000_000)
        with pytest.raises(MemoryError, match=r"got 0\.0\d+ GB; use less, or allow more of it"):
            memory_module.require(100_000_000, "something", "use less")
    with memory_module.limited_to(1000):
        assert memory_module.available() == 0
    assert memory_module.allowed() is None


def test_the_memory_allowed_chooses_the_rank(monkeypatch):
    monkeypatch.delenv(memory_module.ALLOWANCE, raising=False)
    usual = RankOptions().most_columns()
    assert usual == int(np.sqrt(2**26 / 5))
    monkeypatch.setenv(memory_module.ALLOWANCE, "120MB")
    assert RankOptions().most_columns() == int(np.sqrt(120e6 / 4 / 8 / 5))
    monkeypatch.setenv(memory_module.ALLOWANCE, "64GB")
    assert RankOptions().most_columns() > 5 * usual
    monkeypatch.setenv(memory_module.ALLOWANCE, "1KB")
    assert RankOptions().most_columns() == 2
