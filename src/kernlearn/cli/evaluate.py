"""`kernlearn evaluate`: a model on new rows whose targets are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from kernlearn.bundle import ModelBundle
from kernlearn.cli.bundles import DAMAGED, read_predictor, with_costs
from kernlearn.cli.failure import failures
from kernlearn.cli.learned import details_sentences, short, with_interval
from kernlearn.cli.options import AsJson, CostTexts, Delimiter, Encoding, Quietly
from kernlearn.cli.output import say
from kernlearn.cli.predict import ModelFile, ViewsFile, check_view_files, reading_of
from kernlearn.inspection._text import plain
from kernlearn.methods.views import read_view_files
from kernlearn.runtime.phrases import counted
from kernlearn.tables import Column, TableError, read_table
from kernlearn.typing import Json, PandasFrame

TableFile = Annotated[
    Path, typer.Argument(help="Table with the columns of the fit and the observed target.")
]
GroupColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Rows with the same value of this column, such as a patient, belong together.",
        show_default="that of the fit, if the table has it",
    ),
]


def evaluate(
    model: ModelFile,
    table: TableFile,
    groups: GroupColumn = None,
    views: ViewsFile = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    cost: CostTexts = None,
    as_json: AsJson = False,
    quiet: Quietly = False,
) -> None:
    """Score a model on new rows whose target is known, beside its held-out scores of the fit.

    For example: kernlearn evaluate wine.model labelled_wine.csv
    """
    with failures(f"evaluate {table.name or table}", table, "stopped.", otherwise=DAMAGED):
        bundle = with_costs(read_predictor(model), cost)
        frame = _read(bundle, table, views, reading_of(bundle, table, delimiter, encoding))
        found = _evaluated(bundle, frame, groups)
    facts: Json = {"model": plain(model.name), "table": plain(table.name), **found}
    if as_json:
        typer.echo(json.dumps(facts, allow_nan=False))
    elif not quiet:
        _print(Console(), bundle.facts, facts)


def _read(
    bundle: ModelBundle, table: Path, views: Path | None, how: tuple[str | None, str | None]
) -> PandasFrame:
    frame = read_table(table, *how)
    frame.columns = [str(name) for name in frame.columns]
    if len(frame) == 0:
        raise TableError("the table has no rows below its column names; add rows")
    columns = [Column(**column) for column in bundle.facts["columns"]]
    files = None if views is None else read_view_files(views)
    check_view_files(columns, {} if files is None else files.views)
    return frame if files is None else files.joined(frame)


def _evaluated(bundle: ModelBundle, frame: PandasFrame, groups: str | None) -> Json:
    # Pictures and templates take time to import, and few commands need them.
    from kernlearn.report import evaluate as evaluate_model

    if groups is not None and groups not in frame.columns:
        raise TableError(
            f"expected the column {groups!r}, which --groups names, in the table, got none of that "
            "name; name another, or leave --groups out"
        )
    labels = None if groups is None else frame[groups].to_numpy()
    return evaluate_model(bundle, frame, groups=labels)


def _print(console: Console, made: Json, facts: Json) -> None:
    """Print the facts for a person."""
    left_out = facts["rows_without_target"]
    without = f"; {counted(left_out, 'row')} without one were left out" if left_out else ""
    together = "" if facts["groups"] is None else f", in {counted(facts['groups'], 'group')}"
    rows = counted(facts["rows"], "row")
    say(f"{facts['table']}: {rows} with a value of {made['target']!r}{together}{without}.")
    title = f"On {rows} of {facts['table']}, beside the held-out rows of the fit"
    table = Table(title=f"{plain(title)}, with 95 % intervals")
    table.add_column("score")
    for name in ("promised", "found", "p"):
        table.add_column(name, justify="right")
    for score in facts["scores"]:
        promised = [score[name] for name in ("promised", "promised_low", "promised_high")]
        found = [score[name] for name in ("value", "low", "high")]
        table.add_row(
            score["name"],
            with_interval(*promised),
            with_interval(*found),
            short(score["p_value"]),
        )
    console.print(table)
    recalls = details_sentences({**facts, "task": made["task"]})[:1] if made["classes"] else []
    threshold = made.get("threshold")
    costs = [threshold["sentence"], facts["scores"][-1]["sentence"]] if threshold else []
    others = facts["sentences"][len(facts["scores"]) :]
    for sentence in [facts["sentences"][0], *costs, *recalls, *others]:
        say(sentence)
