"""Where the commands write: devices and pipes as they are, never over an input."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.bundle import ModelBundle
from kernlearn.cli.app import app
from kernlearn.cli.problem import CommandOptions
from kernlearn.methods.task import WorkflowOptions
from kernlearn.papers import runner
from kernlearn.papers.results_file import ResultsFile
from kernlearn.runtime import atomic_files

RUNNER = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})
LABELS = ["=1+1", "-x", "-1.5"]


# Rivals and pictures take the time.
QUICK = CommandOptions(WorkflowOptions(baselines=()), pictures=(), few_rows=0)


def run(*arguments):
    return RUNNER.invoke(app, list(map(str, arguments)), obj=QUICK)


def check_failure(result, sentence, code=1):
    assert result.exit_code == code, result.output
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert isinstance(result.exception, SystemExit)


def rows(n=60):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    return frame.assign(y=np.array(LABELS)[np.arange(n) % 3])


def facts(**others):
    columns = [{"name": name, "kind": "number", "action": ""} for name in ("a", "b")]
    known = {"task": "classification", "target": "y", "columns": columns, "classes": sorted(LABELS)}
    return {**known, **others}


@pytest.fixture(scope="module")
def fitted():
    frame = rows()
    model = kl.LSSVMClassifier(lam=0.1, theta=[1.0], selection=None)
    return model.fit(frame[["a", "b"]], frame["y"])


@pytest.fixture
def folder(tmp_path, fitted):
    rows().to_csv(tmp_path / "t.csv", index=False)
    save(fitted, tmp_path / "m", facts())
    return tmp_path


def save(model, path, known):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    pipeline = make_pipeline(FunctionTransformer(), model)
    kl.save(ModelBundle(pipeline, known, rows().iloc[:5, :2], rows()["y"].to_numpy()[:5]), path)


def predict(folder, out, *options):
    return run("predict", folder / "m", folder / "t.csv", "--out", out, *options)


def test_dev_null_stays_a_device(folder):
    before = os.stat(os.devnull)
    assert predict(folder, "/dev/null").exit_code == 0
    kl.save(kl.kernels.Gaussian(), "/dev/null")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert os.stat(os.devnull).st_ino == before.st_ino


@pytest.mark.parametrize("name", ["p", "p.csv", "p.csv.gz", "p.parquet"])
def test_a_pipe_is_written_to(name, folder):
    os.mkfifo(folder / name)
    found = []
    reader = threading.Thread(target=lambda: found.append((folder / name).read_bytes()))
    reader.start()
    result = predict(folder, folder / name)
    reader.join(timeout=30)
    assert result.exit_code == 0, result.output
    assert stat.S_ISFIFO(os.stat(folder / name).st_mode)
    assert predict(folder, folder / "plain.csv").exit_code == 0
    if "." not in name:
        assert found[0] == (folder / "plain.csv").read_bytes()
    else:
        (folder / f"read {name}").write_bytes(found[0])
        read = pd.read_parquet if name.endswith("parquet") else pd.read_csv
        assert len(read(folder / f"read {name}")) == 60


def test_standard_output_holds_the_table_and_nothing_but_our_own_words(folder):
    """Not what compiled code prints, nor a place in the source; and Greek is no error.

    In the same process, since it takes seconds to start: a command imports no other.
    """
    code = (
        "import ctypes, sys, warnings; from typer.main import get_command;"
        "from kernlearn.cli import main; import kernlearn.cli.app as app;"
        "command = app.app; get_command(command).get_command(None, 'fit');"
        "print('imported', *sorted({'kernlearn.cli.fit', 'kernlearn.papers', 'kernlearn.speed',"
        "'kernlearn.report', 'scipy.signal'} & set(sys.modules)), file=sys.stderr);"
        "app.app = lambda: (ctypes.CDLL(None).puts(b'noise'), warnings.warn('late\\x1b[31m'),"
        "print('γ = \\udcff', flush=True), command()); main()"
    )
    shown = folder / "shown.csv"
    shown.write_bytes(b"first\n")
    command = [sys.executable, "-c", code, "predict", folder / "m", folder / "t.csv"]
    with shown.open("ab") as file:
        done = subprocess.run(
            [*command, "--out", "/dev/stdout"],
            stdout=file,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            check=True,
        )
    assert predict(folder, folder / "plain.csv").exit_code == 0
    own = b"first\n\\u03b3 = \\udcff\n"
    assert shown.read_bytes() == own + (folder / "plain.csv").read_bytes()
    lines = done.stderr.splitlines()
    assert lines[0] == b"imported kernlearn.cli.fit"
    assert {b"kernlearn: note: late\\ufffd[31m", b"noise"} < set(lines)
    assert b"60 rows predicted; written: /dev/stdout" in b" ".join(lines)
    assert b"Warning" not in done.stderr


def test_standard_output_cannot_hold_two_things(folder):
    check_failure(predict(folder, "/dev/stdout", "--json"), "--json prints to standard output", 2)
    fit = ["fit", folder / "t.csv", "--target", "y", "--json", "--model", "/dev/stdout"]
    check_failure(run(*fit), "--json prints to standard output", 2)


def test_a_socket_and_a_folder_are_refused(folder, monkeypatch):
    monkeypatch.chdir(folder)  # the names of sockets are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        check_failure(predict(folder, "s"), "it is a socket")
        with pytest.raises(OSError, match="it is a socket"):
            kl.save(kl.kernels.Gaussian(), "s")
    check_failure(predict(folder, folder), "the name of a file in an existing folder")
    with pytest.raises(OSError, match="it is a folder"):
        kl.save(kl.kernels.Gaussian(), folder)


@pytest.mark.parametrize("spelling", ["as it is", "dots", "link", "hard link", "dangling"])
def test_an_input_is_never_overwritten(spelling, folder, monkeypatch):
    table, model = folder / "t.csv", folder / "m"
    before = table.read_bytes(), model.read_bytes()

    def spelt(path):
        other = folder / f"other {path.name}"
        if spelling == "dots":
            return f"{folder}/../{folder.name}/./{path.name}"
        if spelling == "link":
            other.symlink_to(path.name)
        elif spelling == "hard link":
            os.link(path, other)
        elif spelling == "dangling":
            (folder / "further").symlink_to(path)
            other.symlink_to("further")
        return path if spelling == "as it is" else other

    if spelling == "dangling":
        check_failure(predict(folder, spelt(table)), "t.csv, which is read", 2)
    else:
        check_failure(predict(folder, spelt(table)), "t.csv, which is read", 2)
        check_failure(predict(folder, spelt(model)), "m, which is read", 2)
        fit = ["fit", table, "--target", "y", "--report"]
        monkeypatch.setattr("kernlearn.cli.fit._learned", lambda *a: pytest.fail("it began"))
        out = folder / "other t.csv" if "link" in spelling else spelt(table)
        check_failure(run(*fit, out), "t.csv, which is read", 2)
        out = folder / "other m" if "link" in spelling else spelt(model)
        check_failure(run("report", model, "--out", out), "m, which is read", 2)
    assert (table.read_bytes(), model.read_bytes()) == before


def test_two_outputs_need_two_names(folder):
    fit = ["fit", folder / "t.csv", "--target", "y", "--model", folder / "x"]
    check_failure(run(*fit, "--report", f"{folder}/./x"), "choose two names", 2)


def test_scores_are_not_drawn_over(tmp_path):
    scores = tmp_path / "s.png"
    scores.write_text("set,a,b\n1,0.1,0.2\n2,0.3,0.1\n3,0.1,0.4\n")
    check_failure(run("compare", scores, "--plot", scores), "s.png, which is read", 2)
    assert scores.read_text().startswith("set")
    plain = tmp_path / "s.csv"
    scores.rename(plain)
    check_failure(run("compare", plain, "--plot", tmp_path / "p.xyz"), "a name that ends in one of")
    assert run("compare", plain, "--plot", tmp_path / "p.png").exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.png", "s.csv"]


def test_a_link_to_nowhere_and_a_name_too_long(folder):
    (folder / "link.csv").symlink_to(folder / "nowhere" / "p.csv")
    check_failure(predict(folder, folder / "link.csv"), "in an existing folder")
    check_failure(predict(folder, folder / ("x" * 300 + ".csv")), "File name too long")
    longest = folder / ("é" * 124 + ".csv")
    assert predict(folder, longest).exit_code == 0
    check_failure(predict(folder, folder / "t.csv" / "p.csv"), "Not a directory")


def test_sigterm_removes_the_unfinished_file(tmp_path):
    # Alone, since the package takes seconds to import.
    code = (
        "import runpy, time\n"
        f"atomic_file = runpy.run_path({atomic_files.__file__!r})['atomic_file']\n"
        f"with atomic_file({str(tmp_path / 'a')!r}) as file:\n"
        "    file.write(b'half')\n    print('begun', flush=True)\n    time.sleep(60)\n"
    )
    numbers = [signal.SIGTERM, signal.SIGHUP]
    # Under nohup, programs are not to hear of the end of a terminal.
    numbers = [n for n in numbers if signal.getsignal(n) is not signal.SIG_IGN]
    for number in numbers:
        with subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout.readline() == "begun\n"
            assert len(list(tmp_path.iterdir())) == 1
            process.send_signal(number)
            assert process.wait(timeout=30) == 128 + number
        assert list(tmp_path.iterdir()) == []


def test_a_handler_of_ones_own_stays(folder):
    def own(number, frame):
        pass

    before = signal.signal(signal.SIGTERM, own)
    try:
        with atomic_files.atomic_file(folder / "x"):
            assert signal.getsignal(signal.SIGTERM) is own
    finally:
        signal.signal(signal.SIGTERM, before)
    assert signal.getsignal(signal.SIGTERM) is before


def test_workers_end_with_their_parent(tmp_path):
    worker = (
        "import os, time\n"
        "from kernlearn.runtime.processes import end_with_parent\n"
        "end_with_parent(os.getppid())\n"
        "print(os.getpid(), flush=True)\ntime.sleep(120)\n"
    )
    parent = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', {worker!r}])\ntime.sleep(120)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True
    ) as process:
        number = int(process.stdout.readline())
        assert runs(number)
        process.kill()
        process.wait()
        assert until(lambda: not runs(number))


def test_the_workers_of_reproduce_know_their_parent(tmp_path, monkeypatch):
    parents = []
    monkeypatch.setattr(runner, "end_with_parent", parents.append)
    monkeypatch.setattr(runner, "Parallel", lambda **options: lambda jobs: (f(*a) for f, a in jobs))
    monkeypatch.setattr(runner, "delayed", lambda f: lambda *a: (f, a))
    results = ResultsFile(tmp_path, "r", {})
    runner.run_tasks(abs, {"a": (-1,), "b": (-2,)}, results, jobs=2, quiet=True)
    assert parents == [os.getpid()] * 2


def until(happens, seconds=60):
    end = time.monotonic() + seconds
    while not happens() and time.monotonic() < end:
        time.sleep(0.1)
    return happens()


def runs(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


ESCAPE = "\x1b]0;owned\x07"


def test_codes_for_the_terminal_are_not_printed(folder, fitted):
    columns = [{"name": ESCAPE, "kind": "number", "action": ""}]
    save(fitted, folder / f"{ESCAPE}m", facts(columns=columns))
    strange = folder / f"{ESCAPE}.csv"
    rows().rename(columns={"a": ESCAPE}).assign(**{"\x9b31m": 1}).to_csv(strange, index=False)
    for result in (
        run("predict", folder / "m", strange, "--out", folder / "p.csv"),
        run("predict", folder / f"{ESCAPE}m", folder / "t.csv", "--out", folder / "p.csv"),
        run("predict", folder / "m", folder / "t.csv", "--out", folder / f"{ESCAPE}p.csv"),
        run("fit", strange, "--target", "no"),
        run("fit", strange, "--target", "b", "--method", "lssvm", "--cv", "2"),
        run("compare", strange),
        run("report", folder / f"{ESCAPE}m", "--out", folder / f"{ESCAPE}.html"),
        run("reproduce", ESCAPE),
    ):
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert not set("\x1b\x07\x9b") & set(result.output)
        assert "owned" in result.output


def test_safe_csv(folder):
    assert predict(folder, folder / "p.csv").exit_code == 0
    assert predict(folder, folder / "q.csv", "--safe-csv").exit_code == 0
    plain, safe = (pd.read_csv(folder / name, dtype=str) for name in ("p.csv", "q.csv"))
    assert set(plain["prediction"]) == {"=1+1", "-x", "-1.5"}
    assert set(safe["prediction"]) == {"'=1+1", "'-x", "-1.5"}
    pd.testing.assert_frame_equal(plain.iloc[:, 1:], safe.iloc[:, 1:])
    assert predict(folder, folder / "p.parquet", "--safe-csv").exit_code == 0
    assert set(pd.read_parquet(folder / "p.parquet")["prediction"]) == {"=1+1", "-x", "-1.5"}


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ({}, "lacks task, target, columns among what kernlearn fit writes"),
        (None, "lacks task, target, columns, classes, categories among"),
        (facts(columns=5), "lacks columns among"),
        (facts(columns=[{"name": "a"}]), "lacks columns among"),
        (facts(classes=[1, 2]), "lacks classes among"),
        (facts(task="x"), "lacks task among"),
        (facts(categories={"a": [1]}), "lacks categories among"),
        (facts(classes=None), "does not hold what kernlearn fit writes"),
    ],
)
def test_a_bundle_without_its_facts(known, sentence, folder, fitted):
    save(fitted, folder / "x", known)
    result = run("predict", folder / "x", folder / "t.csv", "--out", folder / "p.csv")
    check_failure(result, sentence)
    assert not (folder / "p.csv").exists()


def test_no_memory_to_predict(folder, monkeypatch):
    def full(*arguments):
        raise MemoryError("Unable to allocate 8.00 TiB")

    monkeypatch.setattr("kernlearn.cli.predict.predictions", full)
    check_failure(predict(folder, folder / "p.csv"), "it needs more memory than there is")
    assert not (folder / "p.csv").exists()
