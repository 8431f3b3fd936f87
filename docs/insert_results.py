"""Put the tables that ``kernlearn reproduce`` wrote into the pages that show them.

The files are in ``docs/reproduced/results``, in a folder for each page. A page names a file in a
comment, and this script writes the file's text between that comment and the next:

    <!-- results: table1.md -->
    <!-- end of results -->

``python docs/insert_results.py [FOLDER]`` first copies tables of the same names from FOLDER, where
a run of ``kernlearn reproduce PAGE --out FOLDER/PAGE`` left them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGES = Path(__file__).parent / "reproduced"
RESULTS = PAGES / "results"
BLOCK = re.compile(r"(<!-- results: (\S+) -->\n)(.*?)(<!-- end of results -->)", re.DOTALL)


def inserted(page: Path, results: Path = RESULTS) -> str:
    """The text of a page with the tables of its results files in it."""

    def block(found: re.Match[str]) -> str:
        table = (results / page.stem / found[2]).read_text(encoding="utf-8").strip()
        return f"{found[1]}\n{table}\n\n{found[4]}"

    return BLOCK.sub(block, page.read_text(encoding="utf-8"))


def named_files(page: Path) -> list[str]:
    """The results files that a page shows, in its order."""
    return [found[2] for found in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def pages(folder: Path = PAGES) -> list[Path]:
    """The pages that show results."""
    return [page for page in sorted(folder.glob("*.md")) if named_files(page)]


def copy(written: Path, kept: Path) -> None:
    """Keep a table, without the line that says where its picture was written."""
    lines = written.read_text(encoding="utf-8").splitlines()
    kept.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(line for line in lines if not line.startswith("- The picture is in "))
    kept.write_text(text + "\n", encoding="utf-8")


def main(folder: Path | None, shown: Path = PAGES) -> None:
    """Copy new tables, if a folder of them is given, and write the pages."""
    results = shown / "results"
    for page in pages(shown):
        for name in named_files(page):
            if folder is not None and (folder / page.stem / name).exists():
                copy(folder / page.stem / name, results / page.stem / name)
        page.write_text(inserted(page, results), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
