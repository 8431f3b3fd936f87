"""Take the pictures of reports that the README and the tutorial of the command line show.

``python docs/draw_report.py docs/images/report.png`` fits the wines of scikit-learn by the command
line, ``tutorial_report.png`` the tumours of the tutorial. The report is opened in chromium, which
must be installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pandas import DataFrame
from sklearn.datasets import load_breast_cancer, load_wine

WIDTH, HEIGHT = 1000, 1080


def _wines() -> DataFrame:
    wine = load_wine(as_frame=True)
    return wine.data.assign(**{"class": wine.target_names[wine.target]})


def _tumours() -> DataFrame:
    tumours = load_breast_cancer(as_frame=True)
    named = tumours.data.iloc[:, :10].assign(diagnosis=tumours.target_names[tumours.target])
    return named.sample(200, random_state=0)[:160]


# Name of a picture: name of the table, its target, the table.
REPORTS: dict[str, tuple[str, str, Callable[[], DataFrame]]] = {
    "report.png": ("wine", "class", _wines),
    "tutorial_report.png": ("tumours", "diagnosis", _tumours),
}


def main(picture: Path) -> None:
    """Write the table, the report and its picture."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        sys.exit("expected chromium to open the report in, got none: install it")
    if picture.name not in REPORTS:
        sys.exit(f"expected one of {', '.join(REPORTS)}, got {picture.name}: name one of them")
    name, target, table = REPORTS[picture.name]
    with tempfile.TemporaryDirectory() as folder:
        table().to_csv(Path(folder) / f"{name}.csv", index=False)
        fit = ["fit", f"{name}.csv", "--target", target]
        fit += ["--model", f"{name}.kl", "--report", f"{name}.html"]
        command = [sys.executable, "-c", "from kernlearn.cli import main; main()", *fit]
        subprocess.run(command, cwd=folder, check=True)
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--force-color-profile=srgb"]
        size = f"--window-size={WIDTH},{HEIGHT}"
        shot = f"--screenshot={picture.resolve()}"
        page = (Path(folder) / f"{name}.html").as_uri()
        subprocess.run([browser, *options, size, shot, page], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
