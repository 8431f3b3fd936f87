"""Try the links of the pages and docstrings that lead elsewhere.

Links between pages are checked by ``tests/test_docs.py``. A link is broken if its server says that
there is no such page. A server that does not answer is reported, and is no failure: it may be
down, or this machine may have no network.
"""

from __future__ import annotations

import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"https?://[^\s)>\"'`\]}]+")
SUFFIXES = {".md", ".rst", ".py", ".cff", ".yml", ".toml", ".bib"}
FOLDERS = ("docs", "examples", "paper", "src", ".github")
GENERATED = {"_build", "generated", "auto_examples"}
# Names of formats, not pages; the project's own page, which is there after the first release.
LEFT_OUT = ("http://www.w3.org/", "https://pypi.org/p/kernlearn")
GONE = (404, 410)
TIMEOUT = 15.0


def files() -> Iterator[Path]:
    """Yield every text file that a reader sees, or that the documentation is made of."""
    yield from (path for path in ROOT.iterdir() if path.suffix in SUFFIXES)
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in SUFFIXES and not GENERATED & set(path.parts):
                yield path


def links() -> dict[str, Path]:
    """Return every link with the first file that has it."""
    found: dict[str, Path] = {}
    for path in sorted(files()):
        for link in LINK.findall(path.read_text(encoding="utf-8")):
            if not link.startswith(LEFT_OUT):
                found.setdefault(link.rstrip(".,;:"), path.relative_to(ROOT))
    return found


def answer(link: str) -> int | str:
    """Return the status of a page, or why there is none."""
    request = urllib.request.Request(link, headers={"User-Agent": "kernlearn-links"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as page:
            return int(page.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, ValueError) as error:
        return str(getattr(error, "reason", error))


def main() -> int:
    """Print what every link answers, and return 1 if one is broken."""
    found = links()
    with ThreadPoolExecutor(8) as pool:
        answers = dict(zip(found, pool.map(answer, found), strict=True))
    silent = {link: why for link, why in answers.items() if isinstance(why, str)}
    broken = [link for link, status in answers.items() if status in GONE]
    for link in broken:
        print(f"broken: {link} ({answers[link]}), in {found[link]}")
    if len(silent) == len(answers):
        print(f"no network: none of {len(answers)} links could be tried")
    else:
        for link, why in silent.items():
            print(f"no answer: {link} ({why}), in {found[link]}")
        print(f"{len(answers) - len(silent)} of {len(answers)} links tried, {len(broken)} broken")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
