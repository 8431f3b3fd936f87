"""Hostile model files, read and used by `kernlearn predict`."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.hostile.mutations import Random, mutated_bytes, mutated_json, one_of
from benchmarks.hostile.tables import CELLS, NAMES
from kernlearn.bundle import ModelBundle
from kernlearn.estimators import LSSVMClassifier
from kernlearn.persistence import load, save
from kernlearn.persistence._file import MAGIC, pack
from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Json

FACTS: Json = {
    "task": "classification",
    "target": "y",
    "classes": ["0", "1"],
    "class_counts": [10, 10],
    "table": "t.csv",
    "n_rows": 20,
    "n_columns": 2,
    "columns": [{"name": name, "kind": "number", "action": "used"} for name in ("a", "b")],
    "notes": ["a note"],
    "versions": {"python": "3", "numpy": "2"},
    "scores": [
        {"name": "m", "score": 0.9, "low": 0.8, "high": 1.0, "seconds": 1.0, "role": "model"}
    ],
    "certificate": {"objective": 1.0, "lower_bound": 1.0, "gap": 0.0, "sentence": "It is."},
    "weights": [{"name": "k", "weight": 1.0}],
    "command": ["kernlearn", "fit"],
}


@cache
def _fitted() -> tuple[Pipeline, Any, Any]:
    rng = np.random.default_rng(0)
    X = load_pandas("hostile models").DataFrame(rng.normal(size=(20, 2)), columns=["a", "b"])
    y = np.arange(20) % 2
    machine = LSSVMClassifier(lam=0.1, theta=[1.0], selection=None)
    pipeline = Pipeline([("scale", StandardScaler()), ("learn", machine)]).fit(X.to_numpy(), y)
    return pipeline, X, y


def _small_bundle(facts: Json) -> ModelBundle:
    """A fitted pipeline with these facts."""
    pipeline, X, y = _fitted()
    return ModelBundle(pipeline, facts, X, y)


@cache
def _content() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        save(_small_bundle(FACTS), Path(folder) / "m")
        return (Path(folder) / "m").read_bytes()


def file_case(rng: Random, folder: Path) -> None:
    """A model file with altered bytes, or with another file's."""
    content = _content()
    if rng.random() < 0.2:
        content = MAGIC + content
    (folder / "m").write_bytes(mutated_bytes(rng, content))
    load(folder / "m")


def payload_case(rng: Random, folder: Path) -> None:
    """A model file whose checksum is right, but whose parts are altered."""
    payload = _content().split(b"\n", 3)[3]
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if rng.random() < 0.7:
        schema = json.loads(members["schema.json"])
        for _ in range(int(rng.integers(1, 3))):
            schema = mutated_json(rng, schema)
        members["schema.json"] = json.dumps(schema).encode()
    else:
        name = one_of(rng, list(members))
        members[name] = mutated_bytes(rng, members[name])
    buffer = io.BytesIO()
    kind = one_of(rng, (zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    changed = buffer.getvalue()
    (folder / "m").write_bytes(
        pack(mutated_bytes(rng, changed) if rng.random() < 0.1 else changed, "x")
    )
    model = load(folder / "m")
    if isinstance(model, ModelBundle):  # what loads also predicts
        with suppress(ValueError):  # in words
            model.pipeline.predict(_fitted()[1].to_numpy())


def predict_case(rng: Random, folder: Path) -> None:
    """`kernlearn predict` with altered facts, or on an altered table."""
    from typer.testing import CliRunner

    from kernlearn.cli.app import app

    facts = mutated_json(rng, FACTS) if rng.random() < 0.5 else FACTS
    save(_small_bundle(facts), folder / "m")
    content = "a,b\n" + "".join(f"{i},{one_of(rng, (i, i, i, *CELLS))}\n" for i in range(5))
    if rng.random() < 0.3:
        content = content.replace("b", one_of(rng, NAMES), 1)
    data = content.encode()
    (folder / "t.csv").write_bytes(mutated_bytes(rng, data) if rng.random() < 0.3 else data)
    out = folder / one_of(rng, ("p.csv", "p.tsv", "p.parquet", "p.csv.gz", "p", "p.xyz"))
    words = ["predict", str(folder / "m"), str(folder / "t.csv"), "--out", str(out)]
    result = CliRunner().invoke(app, words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in (0, 1, 2), f"exit code {result.exit_code}"
    assert out.exists() == (result.exit_code == 0), "a file where there is no result"
    assert not any(ord(c) < 32 and c != "\n" for c in result.output), "codes for the terminal"
    assert result.exit_code == 0 or result.stderr.count("\n") == 1, "more than one sentence"
    assert not list(folder.glob("*.unfinished")), "an unfinished file"
