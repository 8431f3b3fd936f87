"""A real cluster of processes: equal to the last bit, whoever dies."""

import os
import signal
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

import kernlearn as kl
from kernlearn._cluster import Chunked, connected
from kernlearn._cluster.scheduling import ClusterLost, telling_of_loss
from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.kernels import Gaussian, Linear

da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((400, 3))
VALUES = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * RNG.standard_normal(400)
MODEL = kl.MKLRegressor([Gaussian(0.2), Linear()], quality="least_squares", C=10.0, rank=20)
LAZY = da.from_array(X, chunks=(100, 3))


def numbers(model):
    """What was learned."""
    coefs = [coef.ravel() for coef in model.landmark_coef_]
    return np.concatenate([model.weights_, model.intercept_, *coefs])


@pytest.mark.usefixtures("small_tasks")
def test_the_same_on_threads_on_two_workers_and_when_one_is_killed(tmp_path, request):
    threads = clone(MODEL).fit(LAZY, VALUES)
    np.testing.assert_allclose(numbers(threads), numbers(clone(MODEL).fit(X, VALUES)), rtol=1e-10)
    client = request.getfixturevalue("client")
    mark = str(tmp_path / "killed")

    def deadly(chunk):
        """The first who reads the third chunk dies of it."""
        if np.array_equal(chunk[:1], X[200:201]):
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return chunk
            os.kill(os.getpid(), signal.SIGKILL)
        return chunk

    two = clone(MODEL).fit(LAZY, VALUES)
    np.testing.assert_array_equal(numbers(two), numbers(threads))
    workers = set(client.scheduler_info()["workers"])
    survived = clone(MODEL).fit(LAZY.map_blocks(deadly, dtype=float, meta=X[:0]), VALUES)
    assert os.path.exists(mark)
    np.testing.assert_array_equal(numbers(survived), numbers(threads))
    client.wait_for_workers(2, timeout=90)
    assert set(client.scheduler_info()["workers"]) != workers  # another took its place
    predicted = two.predict(LAZY)
    np.testing.assert_allclose(predicted.compute(), two.predict(X))


@pytest.mark.usefixtures("small_tasks", "client")
@pytest.mark.parametrize("keep", [True, False])
def test_what_machines_of_several_passes_ask_of_the_rows(keep):
    factors = Factors.through_landmarks([Gaussian(0.5), Linear()], X, 5, "random", 0)
    Z, source = factors(X), Chunked.of(LAZY)
    rows = FactorRows(source, factors, keep)
    some, theta = np.flatnonzero(VALUES > 1.0), RNG.uniform(1.0, 2.0, 400)
    u = RNG.standard_normal(factors.n_columns)
    np.testing.assert_allclose(rows.times(u), Z @ u)
    np.testing.assert_allclose(rows.times(u, some), Z[some] @ u)
    np.testing.assert_allclose(rows.transposed_times(theta), Z.T @ theta)
    np.testing.assert_allclose(rows.some(some), Z[some])
    np.testing.assert_allclose(
        rows.products(some, theta[some], np.arange(4)),
        np.tril((Z[some, :4].T * theta[some]) @ Z[some, :4]),
    )
    # A quarter of what two workers have, eight bytes for each number.
    assert source.room(0.0) == 2 * 2**30 / 32


def test_who_kills_all_workers_is_told_so():
    distributed = pytest.importorskip("distributed")
    worker = SimpleNamespace(address="tcp://10.0.0.7:4000")
    lost = distributed.scheduler.KilledWorker("read", worker, 3)
    with (
        pytest.raises(ClusterLost, match=r"workers .* to stay .*got KilledWorker.*smaller chunks"),
        telling_of_loss(),
    ):
        raise lost


def test_a_scheduler_that_is_not_there_is_a_sentence():
    with (
        pytest.raises(ClusterLost, match=r"Dask scheduler at 'tcp://127.0.0.1:1', got no answer"),
        connected("tcp://127.0.0.1:1", patience=0.3),
    ):
        raise AssertionError


@pytest.mark.parametrize("address", ["", "nonsense", "127.0.0.1:99999999"])
def test_an_address_that_is_none_is_a_sentence(address):
    with pytest.raises(ClusterLost, match="expected a Dask scheduler"), connected(address, 0.3):
        raise AssertionError
