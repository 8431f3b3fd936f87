"""A report that several tests read, made once."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest

os.environ["MPLBACKEND"] = "Agg"


def _load_bundles():
    # Tests are imported without their folder on the path.
    spec = importlib.util.spec_from_file_location("bundles", Path(__file__).with_name("bundles.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _find_chromium():
    """The browser's path and nothing, or nothing and why there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        return None, "Chromium is not installed: apt-get install chromium"
    try:
        # Some systems have a script of that name which only says how to install it.
        subprocess.run([path, "--version"], capture_output=True, timeout=120, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return None, f"Chromium does not start: {error}"
    return path, None


@pytest.fixture(scope="session")
def find_chromium():
    return _find_chromium


@pytest.fixture(scope="session")
def chromium():
    """The path of a browser that starts; without one, the test is skipped with the reason."""
    path, reason = _find_chromium()
    if path is None:
        pytest.skip(reason)
    return path


@pytest.fixture(scope="session")
def bundles():
    return _load_bundles()


@pytest.fixture(scope="session")
def hostile(bundles):
    """A bundle in which every name tries to be markup."""
    script = bundles.SCRIPT
    names = ["_a$\\frac{$", "<b>bold</b>", "c\x01&amp;名"]
    return bundles.wine(
        name=f"{script} $x$",
        rename=names,
        target=f"</title>{script}",
        table=f'"><img src=x onerror=alert(1)>{script}.csv',
        classes=names,
        columns=[{"name": script, "kind": script, "action": f"<img src=http://x.test/{script}>"}],
        notes=[script],
        kernel=script,
        views={script: [script]},
        evaluation=script,
        metric=script,
        method_title=script,
        versions={script: script},
        importance={
            "how": script,
            "columns": [{"name": script, "importance": 0.5}, {"name": "$x", "importance": 0.1}],
        },
        parameters=[{"name": script, "kernel": script, "λ": 1.0, "weight": 1.0}],
        held_out={
            "confusion": [[3, 1], [0, 4]],
            "classes": [{"class": script, "rows": 4}, {"class": names[0], "rows": 4}],
            "curves": [
                {"class": name, "roc": [[0, 0], [1, 1]], "precision_recall": [[0, 1], [1, 0.5]]}
                for name in (script, names[0])
            ],
            "calibration": {
                "bins": [{"mean": p, "share": p, "rows": 9} for p in (0.2, 0.8)],
                "error": 0.0,
            },
        },
        command=["kernlearn", "fit", script],
    )


@pytest.fixture(scope="session")
def hostile_report(hostile):
    from kernlearn.report import report_html

    return report_html(hostile)
