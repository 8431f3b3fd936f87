"""Fits of methods to splits of tables, kept in a file: a run that was stopped goes on."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from kernlearn.papers.method_comparison import Cells

Fits = dict[str, dict[str, float]]  # scores, by "TABLE|SPLIT|METHOD"
Key = tuple[str, int, str]


def run_missing(
    keys: Iterable[Key], fit: Callable[[str, int, str], dict[str, float]], out: Path
) -> Fits:
    """Fit what the file lacks, in this order, and write the file after every fit."""
    done: Fits = json.loads(out.read_text("utf-8")) if out.exists() else {}
    out.parent.mkdir(parents=True, exist_ok=True)
    for title, seed, name in keys:
        key = f"{title}|{seed}|{name}"
        if key in done:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done[key] = fit(title, seed, name)
        new = out.with_suffix(".new")
        new.write_text(json.dumps(done, indent=0, sort_keys=True), "utf-8")
        new.replace(out)
    return done


def finished(done: Fits, methods: Sequence[str]) -> tuple[dict[str, Cells], int]:
    """Fits by method and table, of the splits that have all fits of the first; their number.

    Methods come in this order, however the file was sorted.
    """
    splits: dict[int, Fits] = {}
    for key, fit in done.items():
        title, seed, name = key.split("|")
        splits.setdefault(int(seed), {})[f"{title}|{name}"] = fit
    whole = [fits for _, fits in sorted(splits.items()) if fits.keys() == splits[0].keys()]
    found: dict[str, Cells] = {}
    for name in methods:
        for title in sorted(key.split("|")[0] for key in splits[0] if key.endswith(f"|{name}")):
            found.setdefault(name, {})[title] = [fits[f"{title}|{name}"] for fits in whole]
    return found, len(whole)


def write_page(text: str, out: Path, topic: str) -> None:
    """Write a page's table to where ``python docs/insert_results.py OUT`` takes it from."""
    written = out / topic / "table1.md"
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text(text, encoding="utf-8")
