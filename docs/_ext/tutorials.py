"""Run the code of the tutorials, and set its printed output beneath each block.

The blocks of a page are one session: a later block uses the names of an earlier one, and all of
them run in one folder, which is empty at first. ``sh`` blocks are commands of kernlearn. When
Sphinx builds the pages, the output that they show is that of this run.

``python docs/_ext/tutorials.py`` writes the output, and the pictures that a page shows, into the
sources.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parents[1] / "tutorials"
PICTURES = PAGES.parent / "images"
BLOCK = re.compile(r"```(python|sh)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
SECONDS = re.compile(r"\d+(?:\.\d+)? s\b")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def command(line: str) -> str:
    """Run one line that starts with kernlearn, in a process of its own; return what it prints."""
    run = "import sys; from kernlearn.cli import main; sys.exit(main())"
    arguments = [sys.executable, "-c", run, *shlex.split(line)[1:]]
    # A width and an encoding of its own, so that the output is the same in every terminal.
    environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"expected {line!r} to succeed, got {done.stderr}")
    return done.stdout


def outputs(text: str, folder: Path, run: Callable[[str], str] = command) -> list[str]:
    """Run all blocks of a page in a folder; return what each prints."""
    session = types.ModuleType("__tutorial__")
    sys.modules[session.__name__] = session  # functions of a block can be pickled
    found = []
    with chdir(folder):
        for language, code, _ in BLOCK.findall(text):
            printed = StringIO()
            with redirect_stdout(printed):
                if language == "python":
                    exec(compile(code, "tutorial", "exec"), vars(session))
                else:
                    for line in code.replace("\\\n", " ").splitlines():
                        print(run(line), end="")
            lines = (line.rstrip() for line in printed.getvalue().splitlines())
            found.append("".join(f"{line}\n" for line in lines))
    return found


def with_outputs(text: str, folder: Path) -> str:
    """Return the page with the output of a run in place of the one that it shows."""
    printed = iter(outputs(text, folder))

    def block(match: re.Match[str]) -> str:
        output = next(printed)
        shown = f"\n```text\n{output}```\n" if output else ""
        return f"```{match.group(1)}\n{match.group(2)}```\n{shown}"

    return BLOCK.sub(block, text)


def _words(line: str) -> list[str]:
    return NUMBER.sub("#", SECONDS.sub("", line)).split()


def agree(shown: str, printed: str) -> bool:
    """Whether two outputs differ by two units of a last digit, or two per cent, at most.

    Counts may differ by one, and lines stand in another order, as those of a sorted table do where
    two are close. How long a fit took is left out: it differs from run to run.
    """
    left, right = (sorted(text.splitlines(), key=_words) for text in (shown, printed))
    if [_words(line) for line in left] != [_words(line) for line in right]:
        return False
    for ours, theirs in zip(
        NUMBER.findall(SECONDS.sub("", "\n".join(left))),
        NUMBER.findall(SECONDS.sub("", "\n".join(right))),
        strict=True,
    ):
        decimals = len(ours.partition("e")[0].partition(".")[2])
        units = 2.001 * 10.0**-decimals if decimals else 1.0
        if abs(float(ours) - float(theirs)) > max(units, 0.02 * abs(float(ours))):
            return False
    return True


def _read(app: Any, name: str, source: list[str]) -> None:
    if name.startswith("tutorials/"):
        with tempfile.TemporaryDirectory() as folder:
            source[0] = with_outputs(source[0], Path(folder))


def setup(app: Any) -> dict[str, bool]:
    """Connect the run to Sphinx."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": False}


if __name__ == "__main__":
    for page in sorted(PAGES.glob(sys.argv[1] if len(sys.argv) > 1 else "*.md")):
        with tempfile.TemporaryDirectory() as place:
            text = page.read_text(encoding="utf-8")
            page.write_text(with_outputs(text, Path(place)), encoding="utf-8")
            for name in re.findall(r"\]\(\.\./images/([^)]+)\)", text):
                if (Path(place) / name).exists():
                    (PICTURES / name).write_bytes((Path(place) / name).read_bytes())
