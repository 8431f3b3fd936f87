"""`kernlearn fit --cluster` and `predict --cluster`: the same as without."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from kernlearn.cli.app import app
from kernlearn.cli.problem import CommandOptions
from kernlearn.estimators.least_squares.lssvm import LeastSquaresOptions, LeastSquaresSVM
from kernlearn.estimators.mkl.parameters import CombinationParameters, EngineOptions
from kernlearn.methods import learner as learner_module
from kernlearn.methods.method import MethodOptions
from kernlearn.methods.task import WorkflowOptions

pytest.importorskip("distributed")


def run(*arguments, options=None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], obj=options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, and a model that was fitted to it."""
    folder = tmp_path_factory.mktemp("model")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, 2)), columns=["a", "b"])
    frame["kind"] = np.where(frame["a"] > 0, "up", "down")
    frame.to_csv(folder / "table.csv", index=False)
    options = ["--target", "kind", "--method", "lssvm", "--no-refit"]
    result = run("fit", folder / "table.csv", *options, "--model", folder / "model.kl", "--quiet")
    assert result.exit_code == 0, result.output
    return folder


def test_workers_predict_what_this_machine_does(folder, in_process):
    few = CommandOptions(rows_at_a_time=20)
    command = ["predict", folder / "model.kl", folder / "table.csv", "--quiet", "--out"]
    assert run(*command, folder / "here.csv", options=few).exit_code == 0
    arguments = [*command, folder / "there.csv", "--cluster", in_process.scheduler_address]
    there = run(*arguments, options=few)
    assert there.exit_code == 0, there.output
    assert (folder / "there.csv").read_text() == (folder / "here.csv").read_text()


@pytest.mark.parametrize("method", ["mkl", "lssvm"])
def test_workers_learn_what_this_machine_does(folder, in_process, monkeypatch, method):
    """The rows lie on the workers, which are asked for products; chunks are none of the result."""
    monkeypatch.setattr(CombinationParameters, "_engine", EngineOptions(exact_rows=30))
    monkeypatch.setattr(LeastSquaresSVM, "_options", LeastSquaresOptions(exact_rows=30))
    workflow, methods = WorkflowOptions(baselines=()), MethodOptions(exact_rows=30)
    options = CommandOptions(workflow, methods, few_rows=0)
    asked = []
    spread = learner_module.spread
    monkeypatch.setattr(
        learner_module, "spread", lambda *given: asked.append(spread(*given)) or asked[-1]
    )
    command = ["fit", folder / "table.csv", "--target", "kind", "--method", method, "--no-refit"]
    here = run(*command, "--json", options=options)
    assert here.exit_code == 0, here.output
    assert not asked
    arguments = [*command, "--json", "--cluster", in_process.scheduler_address]
    there = run(*arguments, options=options)
    assert there.exit_code == 0, there.output
    assert [rows.npartitions for rows in asked] == [4]
    scores = [json.loads(result.stdout)["scores"][0]["score"] for result in (here, there)]
    assert scores[0] == pytest.approx(scores[1])


def test_a_cluster_for_nothing_is_refused(folder):
    command = ["fit", folder / "table.csv", "--target", "kind", "--cluster", "127.0.0.1:1"]
    for more, message in [
        ([], "--cluster is for tables and mkl, first-level, lssvm, got --method kernel"),
        (["--method", "mkl", "--device", "cpu"], "--device is for this machine"),
    ]:
        result = run(*command, *more)
        assert result.exit_code == 2
        assert message in result.stderr


def test_errors_are_one_sentence_whoever_makes_them(folder, in_process):
    command = ["predict", folder / "model.kl"]
    (folder / "bad.csv").write_text("a,b\n1,2\n3,nonsense\n")
    rest = ["--out", folder / "no.csv", "--cluster"]
    bad = run(*command, folder / "bad.csv", *rest, in_process.scheduler_address)
    missing = run(*command, folder / "none.csv", *rest, in_process.scheduler_address)
    soon = CommandOptions(cluster_timeout=0.3)
    alone = run(*command, folder / "table.csv", *rest, "127.0.0.1:1", options=soon)
    for result, message in [
        (bad, "nonsense"),
        (missing, "none.csv"),
        (alone, "could not predict table.csv: expected a Dask scheduler at '127.0.0.1:1'"),
    ]:
        assert result.exit_code == 1
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
    assert not (folder / "no.csv").exists()
