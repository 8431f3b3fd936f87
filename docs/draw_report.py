"""Take the picture of a report for the README.

``python docs/draw_report.py FILE.png`` fits the wines of scikit-learn by the command line, and
opens the report in chromium, which must be installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sklearn.datasets import load_wine

WIDTH, HEIGHT = 1000, 760


def main(picture: Path) -> None:
    """Write the table, the report and its picture."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        sys.exit("expected chromium to open the report in, got none: install it")
    with tempfile.TemporaryDirectory() as folder:
        wine = load_wine(as_frame=True)
        table = wine.data.assign(**{"class": wine.target_names[wine.target]})
        table.to_csv(Path(folder) / "wine.csv", index=False)
        fit = [
            "fit",
            "wine.csv",
            "--target",
            "class",
            "--model",
            "wine.kl",
            "--report",
            "wine.html",
        ]
        command = [sys.executable, "-c", "from kernlearn.cli import main; main()", *fit]
        subprocess.run(command, cwd=folder, check=True)
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--force-color-profile=srgb"]
        size = f"--window-size={WIDTH},{HEIGHT}"
        shot = f"--screenshot={picture.resolve()}"
        page = (Path(folder) / "wine.html").as_uri()
        subprocess.run([browser, *options, size, shot, page], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
