"""Sources in files of their own: FASTA, sparse matrices, folders of graphs, joined by an id."""

from __future__ import annotations

import gzip
import json
import shutil

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, load_npz, save_npz
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.cli.app import app
from kernlearn.cli.problem import CommandOptions
from kernlearn.estimators.mkl.parameters import CombinationParameters, EngineOptions
from kernlearn.methods.importance import ImportanceOptions
from kernlearn.methods.scores import ScoreOptions
from kernlearn.methods.task import WorkflowOptions
from kernlearn.methods.view_mkl import StackedRows
from kernlearn.methods.views import read_view_files
from kernlearn.solvers.engine.statement import ChoiceOptions
from kernlearn.tables import TableError

RUNNER = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})
VIEWS = """
id = "patient"
[views]
blood = ["iron"]
notes = ["note"]
dna = {file = "dna.fasta"}
terms = {file = "terms.npz", ids = "terms.txt"}
molecules = {folder = "graphs"}
"""
QUICK = CommandOptions(
    WorkflowOptions(
        importance=ImportanceOptions(most_repeats=1),
        scoring=ScoreOptions(n_draws=40),
        baselines=(),
    ),
    n_jobs=1,
    pictures=(),
    few_rows=0,
)


@pytest.fixture(autouse=True)
def few_candidates(monkeypatch):
    options = ChoiceOptions(factors_of_C=(1.0,), shares=(2 / 3,))
    monkeypatch.setattr(CombinationParameters, "_engine", EngineOptions(choices=options))


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "data")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Forty patients; some lack a source, and one id of the files is nobody's."""
    tmp_path = tmp_path_factory.mktemp("made")
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    ids = [f"p{i}" for i in range(40)]
    words = np.array([["poor", "weak"], ["well", "strong"]])
    frame = pd.DataFrame(
        {
            "patient": ids,
            "iron": rng.normal(size=40) + y,
            "note": [f"{rng.choice(words[k])} patient number {i}" for i, k in enumerate(y)],
            "state": np.where(y, "ill", "healthy"),
        }
    )
    frame.loc[5, "note"] = None
    frame.to_csv(tmp_path / "table.csv", index=False)
    with (tmp_path / "dna.fasta").open("w") as file:
        for key, label in zip(ids[3:], y[3:], strict=True):
            letters = "".join(rng.choice(list("GATT" if label else "CCGA"), 30))
            file.write(f">{key} some words\n{letters[:20]}\n{letters[20:]}\n\n")
    counts = rng.poisson(0.3, size=(41, 50)) + np.outer(np.append(y, 0), np.arange(50) < 3)
    save_npz(tmp_path / "terms.npz", csr_array(counts))
    (tmp_path / "terms.txt").write_text("\n".join([*ids, "nobody"]) + "\n")
    (tmp_path / "graphs").mkdir()
    for key, label in zip(ids[:30], y, strict=False):
        graph = nx.cycle_graph(4 + label)
        nx.set_node_attributes(graph, "C", "label")
        nx.write_graphml(graph, tmp_path / "graphs" / f"{key}.graphml")
    (tmp_path / "graphs" / "p30.edges").write_text("a b\nb c\n")
    (tmp_path / "views.toml").write_text(VIEWS)
    return tmp_path


def run(*arguments):
    return RUNNER.invoke(app, list(map(str, arguments)), obj=QUICK)


def test_a_table_and_its_files_are_learned_from_and_predicted(folder):
    fitted = run(
        "fit", folder / "table.csv", "--target", "state", "--views", folder / "views.toml",
        "--model", folder / "m", "--json", "--no-refit",
    )  # fmt: skip
    assert fitted.exit_code == 0, fitted.output
    facts = json.loads(fitted.stdout)
    kinds = {column["name"]: column["kind"] for column in facts["columns"]}
    assert kinds["dna"] == "sequence"
    assert kinds["terms"] == "sparse row"
    assert kinds["molecules"] == "graph"
    assert kinds["note"] == "words"
    assert kinds["patient"] == "identifier"
    assert facts["scores"][0]["score"] > 0.8
    assert {entry["name"].split(":")[0] for entry in facts["weights"]} == {
        "blood", "notes", "dna", "terms", "molecules",
    }  # fmt: skip
    assert {entry["name"] for entry in facts["importance"]["views"]} == set(facts["views"])

    new = pd.read_csv(folder / "table.csv").drop(columns="state")
    new.to_csv(folder / "new.csv", index=False)
    options = ["predict", folder / "m", folder / "new.csv", "--out", folder / "p.csv"]
    predicted = run(*options, "--views", folder / "views.toml")
    assert predicted.exit_code == 0, predicted.output
    found = pd.read_csv(folder / "p.csv")
    truth = pd.read_csv(folder / "table.csv")["state"]
    assert (found.iloc[:, 0] == truth).mean() > 0.85
    bundle = kl.load(folder / "m")
    joined = read_view_files(folder / "views.toml").joined(new)
    np.testing.assert_array_equal(bundle.predict(joined), found.iloc[:, 0])
    refused = run(*options)
    assert refused.exit_code != 0
    assert "the model reads dna, terms, molecules from files, which --views has not" in (
        " ".join(refused.output.split())
    )


def test_rows_of_another_file_may_have_other_columns():
    rows = [csr_array([[1.0, 0.0, 2.0]]), csr_array([[0.0, 3.0, 0.0]])]
    stacked = StackedRows().fit(rows)
    np.testing.assert_array_equal(stacked.transform(rows).toarray(), [[1, 0, 2], [0, 3, 0]])
    others = [csr_array([[4.0]]), csr_array([[0.0, 5.0, 0.0, 6.0]])]
    np.testing.assert_array_equal(stacked.transform(others).toarray(), [[4, 0, 0], [0, 5, 0]])


def test_files_without_columns_are_enough(folder):
    (folder / "views.toml").write_text('id = "patient"\n[views]\ndna = {file = "dna.fasta"}\n')
    pd.read_csv(folder / "table.csv")[["patient", "state"]].to_csv(
        folder / "table.csv", index=False
    )
    fitted = run(
        "fit", folder / "table.csv", "--target", "state", "--views", folder / "views.toml", "--json"
    )
    assert fitted.exit_code == 0, fitted.output
    roles = [(score["role"], score["name"]) for score in json.loads(fitted.stdout)["scores"]]
    assert len(roles) == 2  # the model, and the simplest guess


def test_what_is_in_the_files_is_joined_by_id(folder):
    (folder / "dna.fasta").unlink()
    with gzip.open(folder / "dna.fasta.gz", "wt") as file:
        file.write(">p1\nGA\nTT\n>p7\n")
    (folder / "views.toml").write_text(VIEWS.replace("dna.fasta", "dna.fasta.gz"))
    files = read_view_files(folder / "views.toml")
    frame = files.joined(pd.DataFrame({"patient": ["p7", "p1", "p30", "p1", "x"]}))
    assert frame["dna"].tolist() == ["", "GATT", None, "GATT", None]
    path, cycle = frame["molecules"][2], frame["molecules"][1]
    assert path["edges"].tolist() == [[0, 1], [1, 2]]
    assert path["labels"].tolist() == ["", "", ""]
    assert cycle["labels"].tolist() == ["C"] * 5
    assert frame["terms"][4] is None
    counts = load_npz(folder / "terms.npz").toarray()
    np.testing.assert_array_equal(frame["terms"][0].toarray(), counts[[7]])
    numbered = files.joined(pd.DataFrame({"patient": [1.0, 2.0]}))
    with pytest.raises(TableError, match=r"got none of them \(the table has for example '1', the"):
        files.check_matches(numbered)


@pytest.mark.parametrize(
    ("views", "sentence"),
    [
        ('[views]\ndna = {file = "dna.fasta"}\n', r'a line such as id = "patient" above \[views\]'),
        ("dna = {file = 5}", r'expected \{file = "dna.fasta"\}, .* got \{\'file\': 5\}'),
        ('dna = {file = "no.fasta"}', "which is no file"),
        ('dna = {file = "table.csv"}', "expected FASTA in table.csv, .* got 'patient,iron"),
        ('dna = {file = "twice.fasta"}', "every id once in twice.fasta, got 'p1' twice"),
        ('dna = {file = "empty.fasta"}', "entries with ids in empty.fasta, got none"),
        ('dna = {file = "terms.npz"}', "expected ids beside the sparse matrix terms.npz"),
        ('dna = {file = "terms.npz", ids = "dna.fasta"}', "for each of the 41 rows of terms.npz"),
        ('dna = {file = "bad.npz", ids = "terms.txt"}', "holds no matrix of scipy.sparse.save_npz"),
        ('dna = {file = "bytes.fasta"}', "is no text in UTF-8"),
        ('dna = {folder = "nowhere"}', "expected a folder of graphs"),
        ('dna = {folder = "."}', "expected a node at least in terms.txt, got none"),
        ('dna = {folder = "broken"}', "x.graphml holds no graph that networkx reads"),
        ('a__b = {folder = "graphs"}', "names of views without '__'"),
    ],
)
def test_files_that_cannot_be_read_are_refused(views, sentence, folder):
    (folder / "twice.fasta").write_text(">p1\nGA\n>p1\nTT\n")
    (folder / "empty.fasta").write_text("")
    (folder / "bad.npz").write_bytes(b"no zip")
    (folder / "bytes.fasta").write_bytes(b">p1\n\xff\xfe")
    (folder / "broken").mkdir()
    (folder / "broken/x.graphml").write_text("<graphml")
    text = views if views.startswith("[") else f'id = "patient"\n[views]\n{views}\n'
    (folder / "views.toml").write_text(text)
    with pytest.raises(TableError, match=sentence):
        read_view_files(folder / "views.toml")


def test_a_table_that_does_not_fit_its_files_is_refused(folder):
    files = read_view_files(folder / "views.toml")
    with pytest.raises(TableError, match=r"expected the column 'patient', whose ids join"):
        files.joined(pd.DataFrame({"a": [1.0]}))
    with pytest.raises(TableError, match=r"names of views other than those of columns, got 'dna'"):
        files.joined(pd.DataFrame({"patient": ["p1"], "dna": [1.0]}))
