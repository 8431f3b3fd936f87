"""A real cluster of processes: equal to the last bit, whoever dies."""

import multiprocessing
import os
import signal
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

import kernlearn as kl
from kernlearn._cluster import Chunked, connected
from kernlearn._cluster.scheduling import ClusterLost, cluster_errors
from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.kernels import Gaussian, Linear
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_tasks

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((400, 3))
VALUES = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * RNG.standard_normal(400)
MODEL = kl.MKLRegressor([Gaussian(0.2), Linear()], quality="least_squares", C=10.0, rank=20)
LAZY = da.from_array(X, chunks=(100, 3))


def numbers(model):
    """What was learned."""
    coefs = [coef.ravel() for coef in model.landmark_coef_]
    return np.concatenate([model.weights_, model.intercept_, *coefs])


def once(mark):
    """A function that is True once, in whatever process it is called first."""
    # Defined within, as all that workers call here, so that they need not import this file.
    mark = str(mark)

    def first():
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    return first


@pytest.fixture
def forked_workers():
    """Workers that come from one process, in which all has been imported already."""
    dask = pytest.importorskip("dask")
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        distributed.utils.get_mp_context()  # which would choose what is imported, once
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["distributed", "kernlearn"])
        yield


@pytest.mark.usefixtures("small_tasks", "forked_workers")
@pytest.mark.slow
def test_a_cluster_of_processes_some_of_which_are_killed(tmp_path):
    """One test, since the workers take longer to start than all that they do."""
    threads = clone(MODEL).fit(LAZY, VALUES)
    np.testing.assert_allclose(numbers(threads), numbers(clone(MODEL).fit(X, VALUES)), rtol=1e-10)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="1 GiB"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        two = clone(MODEL).fit(LAZY, VALUES)
        np.testing.assert_array_equal(numbers(two), numbers(threads))
        np.testing.assert_allclose(two.predict(LAZY).compute(), two.predict(X))
        for keep in (True, False):
            check_passes(keep)
        # A quarter of what two workers have, eight bytes for each number.
        assert Chunked.of(LAZY).room(0.0) == 2 * 2**30 / 32
        check_that_a_fit_survives(threads, tmp_path)
        client.wait_for_workers(2, timeout=90)
        check_that_tasks_survive(cluster.scheduler_address, tmp_path)


def check_passes(keep):
    """What machines of several passes ask of the rows."""
    factors = Factors.through_landmarks([Gaussian(0.5), Linear()], X, 5, "random", 0)
    Z, rows = factors(X), FactorRows(Chunked.of(LAZY), factors, keep)
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


def check_that_a_fit_survives(expected, folder):
    """The first who reads the third chunk dies of it."""
    first, third = once(folder / "read"), X[200:201]

    def deadly(chunk):
        if np.array_equal(chunk[:1], third) and first():
            os.kill(os.getpid(), signal.SIGKILL)
        return chunk

    survived = clone(MODEL).fit(LAZY.map_blocks(deadly, dtype=float, meta=X[:0]), VALUES)
    assert (folder / "read").exists()
    np.testing.assert_array_equal(numbers(survived), numbers(expected))


def check_that_tasks_survive(address, folder):
    """A worker that is killed costs what it had begun, and nothing that was finished."""
    first, calls = once(folder / "called"), str(folder / "calls")

    def work(i):
        with open(calls, "a") as file:
            file.write(f"{i}\n")
        if i == 3 and first():
            os.kill(os.getpid(), signal.SIGKILL)
        return i * i

    tasks, file = {str(i): (i,) for i in range(8)}, ResultsFile(folder, "r", {})
    found = run_tasks(work, tasks, file, cluster=address, quiet=True)
    assert found == {str(i): i * i for i in range(8)}
    counts = Counter((folder / "calls").read_text().split())
    # The one that killed it, and at most one that it had waiting.
    assert counts["3"] == 2
    assert sum(counts.values()) <= 10
    # All is there: no cluster is asked.
    run_tasks(print, tasks, ResultsFile(folder, "r", {}), cluster="nowhere", quiet=True)


def test_who_kills_all_workers_is_told_so():
    worker = SimpleNamespace(address="tcp://10.0.0.7:4000")
    lost = distributed.scheduler.KilledWorker("read", worker, 3)
    with (
        pytest.raises(ClusterLost, match=r"workers .* to stay .*got KilledWorker.*smaller chunks"),
        cluster_errors(),
    ):
        raise lost


def test_a_scheduler_that_is_not_there_is_a_sentence():
    with (
        pytest.raises(ClusterLost, match=r"Dask scheduler at 'tcp://127.0.0.1:1', got no answer"),
        connected("tcp://127.0.0.1:1", timeout=0.3),
    ):
        raise AssertionError


@pytest.mark.parametrize("address", ["", "nonsense", "127.0.0.1:99999999"])
def test_an_address_that_is_none_is_a_sentence(address):
    with pytest.raises(ClusterLost, match="expected a Dask scheduler"), connected(address, 0.3):
        raise AssertionError
