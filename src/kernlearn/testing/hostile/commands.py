"""Hostile files given to the command line: one sentence, a code, and nothing for the terminal."""

from __future__ import annotations

from pathlib import Path

from kernlearn.persistence import save
from kernlearn.testing.hostile.models import FACTS, small_bundle
from kernlearn.testing.hostile.mutations import Random, mutated_bytes, mutated_json, one_of
from kernlearn.testing.hostile.tables import CELLS, NAMES

__all__ = ["predict_case"]


def predict_case(rng: Random, folder: Path) -> None:
    """`kernlearn predict` with altered facts, or on an altered table."""
    from typer.testing import CliRunner

    from kernlearn.cli.app import app

    facts = mutated_json(rng, FACTS) if rng.random() < 0.5 else FACTS
    save(small_bundle(facts), folder / "m")
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
