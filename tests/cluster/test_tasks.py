"""Experiments as tasks: whoever dies, no finished task is lost or repeated."""

import pytest
from typer.testing import CliRunner

from kernlearn._cluster import ClusterLost, ordered_results, scheduling
from kernlearn.cli.app import app
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_tasks

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

TASKS = {str(i): (i,) for i in range(8)}


def finished(folder):
    with ResultsFile(folder, "r", {}) as results:
        return results.finished()


def test_results_come_in_order_and_an_error_is_handed_on(in_process):
    with distributed.Client(in_process) as client:
        squares = ordered_results(client, ((pow, (i, 2)) for i in range(20)))
        assert list(squares) == [i**2 for i in range(20)]
        with pytest.raises(ZeroDivisionError):
            list(ordered_results(client, [(divmod, (1, 0))]))


def test_an_error_of_a_task_keeps_what_was_finished(in_process, tmp_path):
    with pytest.raises(ZeroDivisionError):
        run_tasks(
            divmod,
            {str(i): (1, i) for i in (1, 2, 3, 4, 5, 0)},
            ResultsFile(tmp_path, "r", {}),
            cluster=in_process.scheduler_address,
            quiet=True,
        )
    assert len(finished(tmp_path)) >= 1


def test_a_scheduler_that_is_gone_is_a_sentence_and_nothing_is_lost(tmp_path):
    class Closing(ResultsFile):
        """Ends the scheduler once three tasks are finished."""

        def append(self, key, result):
            super().append(key, result)
            if len(self.finished()) == 3:
                cluster.sync(cluster.scheduler.close)

    with (
        # Of which the cluster, when it is closed, has no more than we have.
        dask.config.set({"distributed.comm.timeouts.connect": "500ms"}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        pytest.raises(ClusterLost, match="the scheduler of the Dask cluster to stay"),
    ):
        run_tasks(
            pow,
            {key: (int(key), 2) for key in TASKS},
            Closing(tmp_path, "r", {}),
            cluster=cluster.scheduler_address,
            timeout=0.5,
            quiet=True,
        )
    before = finished(tmp_path)
    assert 3 <= len(before) < len(TASKS)
    calls = []

    def work(i):
        calls.append(str(i))
        return i * i

    found = run_tasks(work, TASKS, ResultsFile(tmp_path, "r", {}), quiet=True)
    assert found == {key: int(key) ** 2 for key in TASKS}
    assert calls == [key for key in TASKS if key not in before]


def test_the_command_says_what_is_wrong(tmp_path):
    command = ["reproduce", "lanckriet2004", "--figure", "1", "--out", str(tmp_path)]
    both = CliRunner().invoke(app, [*command, "--cluster", "x:1", "--jobs", "2"])
    assert both.exit_code == 2
    assert "leave one of them out" in both.stderr


def test_without_the_package_the_extra_is_named(without):
    without("distributed")
    with (
        pytest.raises(ImportError, match=r"distributed, which is not .*kernlearn\[dask\]"),
        scheduling.connected("x:1"),
    ):
        raise AssertionError
