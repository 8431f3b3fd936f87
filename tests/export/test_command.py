"""`kernlearn export` writes what the model file predicts, from the columns of the table."""

from __future__ import annotations

import runpy
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.bundle import ModelBundle
from kernlearn.cli.app import app
from kernlearn.methods.preparation import preparation
from kernlearn.tables import Column


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(50, 9, 80), "ward": rng.choice(list("ABCD"), 80)})
    frame["ill"] = np.where(frame["age"] + 9 * (frame["ward"] == "A") > 53, "yes", "no")
    return frame.mask(rng.random(frame.shape) < 0.05).assign(ill=frame["ill"])


def bundle_of(table, steps, threshold=None):
    """What ``kernlearn fit`` writes, with some steps that are fitted here."""
    columns = [
        {"name": "age", "kind": "number", "action": "number", "notation": ""},
        {"name": "ward", "kind": "category", "action": "category", "notation": ""},
    ]
    rows = table[["age", "ward"]].assign(ward=table["ward"].fillna(""))
    facts = {
        "task": "classification",
        "target": "ill",
        "classes": ["no", "yes"],
        "columns": columns,
        "threshold": None if threshold is None else {"value": threshold},
    }
    y = table["ill"].to_numpy(str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ModelBundle(Pipeline(steps).fit(rows, y), facts, rows, y)


def columns():
    return [Column("age", "number", "number"), Column("ward", "category", "category")]


@pytest.fixture(
    params=[
        lambda: [("kernel", kl.KernelClassifier(["linear", "Gaussian"]))],
        lambda: [("prepare", preparation(columns())), ("mkl", kl.MKLClassifier())],
    ],
    ids=["kernel", "mkl"],
)
def bundle(request, table):
    return bundle_of(table, request.param(), threshold=0.2)


def test_writes_what_the_model_predicts(bundle, table, tmp_path):
    kl.save(bundle, tmp_path / "m")
    command = ["export", str(tmp_path / "m"), "--python", str(tmp_path / "m.py")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "written: " in done.output
    code = runpy.run_path(str(tmp_path / "m.py"))
    new = table.assign(ward=table["ward"].replace("D", "never seen"))
    chances = bundle.predict_proba(new)
    np.testing.assert_allclose(code["predict_proba"](new), chances, rtol=0, atol=1e-10)
    # Of two classes, by the threshold that costs chose.
    np.testing.assert_array_equal(code["predict"](new), bundle.predict(new))
    assert (bundle.predict(new) != bundle.pipeline.predict(bundle.typed(new))).any()


def test_writes_onnx(bundle, table, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    kl.save(bundle, tmp_path / "m")
    done = CliRunner().invoke(app, ["export", str(tmp_path / "m"), "--onnx", str(tmp_path / "o")])
    assert done.exit_code == 0, done.output
    session = onnxruntime.InferenceSession(str(tmp_path / "o"))
    feed = {
        "age": table[["age"]].to_numpy(float),
        "ward": table[["ward"]].fillna("").to_numpy(object),
    }
    label, chances = session.run(["label", "probabilities"], feed)
    np.testing.assert_allclose(chances, bundle.predict_proba(table), rtol=0, atol=1e-5)
    np.testing.assert_array_equal(label, bundle.predict(table))


def test_needs_a_file_to_write(tmp_path):
    done = CliRunner().invoke(app, ["export", str(tmp_path / "m")])
    assert done.exit_code == 2
    assert "expected --onnx FILE, --python FILE or both, got none" in done.output


def test_says_what_cannot_be_exported(table, tmp_path):
    from sklearn.linear_model import LogisticRegression

    steps = [("prepare", preparation(columns())), ("logistic", LogisticRegression())]
    kl.save(bundle_of(table, steps), tmp_path / "m")
    done = CliRunner().invoke(
        app, ["export", str(tmp_path / "m"), "--python", str(tmp_path / "m.py")]
    )
    assert done.exit_code == 1
    assert "got LogisticRegression; export KernelClassifier" in done.output
    assert not (tmp_path / "m.py").exists()
