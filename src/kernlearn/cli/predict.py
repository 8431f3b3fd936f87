"""`kernlearn predict`: a model on a table."""

from __future__ import annotations

import json
import warnings
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from kernlearn._cluster import connected, ordered_results, shared_argument
from kernlearn.bundle import ModelBundle
from kernlearn.cli.bundles import DAMAGED, read_predictor, with_costs
from kernlearn.cli.failure import BAD_USAGE, fail, failures
from kernlearn.cli.options import CostTexts, Delimiter, Encoding, Quietly
from kernlearn.cli.output import check_outputs, goes_to_stdout, say
from kernlearn.cli.problem import CommandOptions
from kernlearn.estimators.held_out.intervals import fewest_rows
from kernlearn.exceptions import ExtrapolationWarning
from kernlearn.methods.errors import MethodError
from kernlearn.methods.new_rows import NewRows
from kernlearn.methods.predictions import predictions
from kernlearn.methods.views import ViewFiles, read_view_files
from kernlearn.runtime.optional import load_pandas
from kernlearn.runtime.phrases import counted, listed
from kernlearn.tables import Column, TableError, columns_used, read_chunks, typed_columns
from kernlearn.tables.encodings import UTF_8, encoding_note, first_line, found_encoding
from kernlearn.tables.outcome_targets import RANKING, exposures_of
from kernlearn.tables.survival_target import SURVIVAL
from kernlearn.tables.writing import format_to_write, table_writer
from kernlearn.typing import Array, Json, PandasFrame

if TYPE_CHECKING:
    from distributed import Client

COVERAGE = 0.9
# Names that a sentence lists.
FEW = 8


ModelFile = Annotated[Path, typer.Argument(help="Model file written by kernlearn fit.")]
TableFile = Annotated[
    Path, typer.Argument(help="Table with the columns that the model was fitted to.")
]
OutFile = Annotated[
    Path, typer.Option(help="Write predictions into this file (.csv, .tsv, .parquet, .gz).")
]
ViewsFile = Annotated[
    Path | None,
    typer.Option(help="TOML file as for fit, where the model reads sources from files."),
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put an apostrophe before text that a spreadsheet would run as a formula: what "
        "begins with = + - @ and is no number.",
    ),
]
Coverage = Annotated[
    float | None,
    typer.Option(
        help="Nominal coverage of the prediction intervals.",
        show_default=f"{COVERAGE:g}",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Predict on the workers of the Dask scheduler at this address."
    ),
]
KeptColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="COLUMN",
        help="Copy this column of the table, an id for example, into the predictions; may be given "
        "several times.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print a summary as JSON.")]

# Rows as the model reads them, and their exposures.
TypedBlock = tuple[PandasFrame, Array | None]


def predict(
    context: typer.Context,
    model: ModelFile,
    table: TableFile,
    out: OutFile,
    views: ViewsFile = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    keep: KeptColumns = None,
    cost: CostTexts = None,
    safe_csv: SafeCsv = False,
    coverage: Coverage = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
    quiet: Quietly = False,
) -> None:
    """Predict the target for every row of a table, in its order, with the uncertainty.

    Classes come with their probabilities, numbers with the ends of an interval, where the model
    has them, times to an event with risk, median and survival, rows to rank with a score. Rows that
    are unlike those of the fit are marked as outside.
    """
    check_outputs([out], [model, table, views])
    _check_options(out, as_json, coverage)
    summary = _nothing_yet(out)
    stopped = f"stopped; {out} was not written."
    with failures(f"predict {table.name or table}", out, stopped, otherwise=DAMAGED):
        bundle = with_costs(read_predictor(model), cost)
        files = ViewFiles("", {}) if views is None else read_view_files(views)
        _check_intervals(bundle, coverage)
        options = context.obj or CommandOptions()
        delimiter, encoding = reading_of(bundle, table, delimiter, encoding)
        n_rows = options.rows_at_a_time
        chunks = read_chunks(table, n_rows, delimiter, encoding=encoding)
        beside = _Beside(NewRows(bundle), list(keep or ()))
        rows = _typed_rows(bundle, chunks, summary, files, beside)
        with ExitStack() as stack:
            client = None
            if cluster is not None:
                client = stack.enter_context(connected(cluster, options.cluster_timeout))
            write = stack.enter_context(table_writer(out, safe=safe_csv))
            for chunk in _predicted(bundle, rows, coverage or COVERAGE, client):
                write(beside.joined(chunk))
                summary["infinite_intervals"] += _n_infinite(chunk)
            bundle.check_n_rows(summary["rows"])
        summary |= {**beside.new_rows.facts(), "threshold": bundle.facts.get("threshold")}
    _show(summary, coverage or COVERAGE, as_json, quiet, err=goes_to_stdout(out))


@dataclass(eq=False)
class _Beside:
    """Columns beside the predictions, block by block: kept columns, and flags of outside rows."""

    new_rows: NewRows
    kept_columns: list[str]
    blocks: deque[tuple[PandasFrame, PandasFrame]] = field(default_factory=deque)

    def add(self, chunk: PandasFrame, rows: PandasFrame) -> None:
        """Take a block of the table, as it is and as the model reads it."""
        unknown = [name for name in self.kept_columns if name not in chunk.columns]
        if unknown:
            raise TableError(
                f"expected the column {unknown[0]!r}, which --keep names, in the table, got "
                f"{listed([repr(name) for name in chunk.columns], FEW)}; name one of them"
            )
        found = self.new_rows.add(rows)
        columns = {} if found is None else {"outside": found}
        pd = load_pandas("predicting")
        kept = chunk[self.kept_columns].reset_index(drop=True)
        self.blocks.append((kept, pd.DataFrame(columns, index=kept.index)))

    def joined(self, predicted: PandasFrame) -> PandasFrame:
        """The predictions of the next block, with what stands beside them."""
        pd = load_pandas("predicting")
        kept, notes = self.blocks.popleft()
        known = {*predicted.columns, *notes.columns}
        twice = [name for name in self.kept_columns if name in known]
        if twice:
            raise TableError(
                f"--keep names {twice[0]!r}, which is a column of the predictions, too; rename it "
                "in the table"
            )
        return pd.concat([kept, predicted, notes], axis=1)


def reading_of(
    bundle: ModelBundle, table: Path, delimiter: str | None, encoding: str | None
) -> tuple[str | None, str | None]:
    """Delimiter and encoding: as given, else those of the fit, if the table has them."""
    made = bundle.facts.get("reading") or {}
    if encoding is None:
        encoding = found_encoding(table)
        if encoding_note(table, encoding) is not None:  # a guess
            known = made.get("encoding")
            encoding = None if known in (None, UTF_8) else known
    if delimiter is None and made.get("delimiter"):
        header = first_line(table, encoding or UTF_8)
        delimiter = made["delimiter"] if made["delimiter"] in header else None
    return delimiter, encoding


def _nothing_yet(out: Path) -> Json:
    """The summary before any row was predicted."""
    return {
        "rows": 0,
        "ignored_columns": [],
        "unseen_categories": {},
        "infinite_intervals": 0,
        "out": str(out),
    }


def _check_options(out: Path, as_json: bool, coverage: float | None) -> None:
    """Refuse options that no model can satisfy."""
    try:
        format_to_write(out)
    except TableError as error:
        fail(f"{error}.", BAD_USAGE)
    if as_json and goes_to_stdout(out):
        fail("--json prints to standard output too: give --out the name of a file.", BAD_USAGE)
    if coverage is not None and not 0.0 < coverage < 1.0:
        fail(f"--coverage must lie between 0 and 1, got {coverage:g}: 0.9 is usual.", BAD_USAGE)


def _check_intervals(bundle: ModelBundle, coverage: float | None) -> None:
    unlike = {SURVIVAL: "predicts times to an event", RANKING: "ranks rows"}
    found = unlike.get(bundle.facts["task"])
    if coverage is not None and (found or not hasattr(bundle, "predict_interval")):
        reason = "predicts classes" if bundle.facts["classes"] else "is of a method without them"
        reason = found or reason
        raise MethodError(
            f"--coverage is about intervals of numbers, but the model {reason}; leave it out"
        )


def _n_infinite(predicted: PandasFrame) -> int:
    """Rows with an interval that has no end."""
    ends = predicted[[name for name in predicted.columns if name.startswith("upper")]]
    return int(np.isinf(ends).any(axis=1).sum())


def _predicted(
    bundle: ModelBundle, rows: Iterator[TypedBlock], coverage: float, client: Client | None
) -> Iterator[PandasFrame]:
    """Predictions for blocks of rows in their order, by workers where there is a client of them."""
    if client is None:
        for block, exposure in rows:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ExtrapolationWarning)  # one warning for all rows
                predicted = predictions(bundle, block, coverage, exposure)
            yield predicted
        return
    model = shared_argument(client, bundle)
    with_coverage = ((block, coverage, exposure) for block, exposure in rows)
    yield from ordered_results(client, ((predictions, (model, *both)) for both in with_coverage))


def _typed_rows(
    bundle: ModelBundle,
    chunks: Iterable[PandasFrame],
    summary: Json,
    files: ViewFiles,
    beside: _Beside,
) -> Iterator[TypedBlock]:
    """The rows of the table as the model reads them, and exposures of counts, block by block."""
    columns = [Column(**column) for column in bundle.facts["columns"]]
    check_view_files(columns, files.views)
    exposure = bundle.facts.get("exposure")
    seen = {name: set(values) for name, values in (bundle.facts.get("categories") or {}).items()}
    for chunk in chunks:
        chunk.columns = [str(name) for name in chunk.columns]
        if summary["rows"] == 0 and len(chunk) == 0:
            raise TableError("the table has no rows below its column names; add rows")
        chunk = files.joined(chunk)
        if summary["rows"] == 0:
            targets = {*(bundle.facts.get("outcomes") or [bundle.facts["target"]])}
            targets |= {bundle.facts.get(role) for role in ("event", "exposure", "rank_by")}
            summary["ignored_columns"] = _ignored(chunk, columns, targets)
        first = summary["rows"]
        rows = typed_columns(chunk, columns, first)
        summary["rows"] += len(rows)
        _count_unseen(rows, seen, summary["unseen_categories"])
        beside.add(chunk, rows)
        numbered = chunk.set_axis(range(first, first + len(chunk)))  # messages name the row
        yield rows, None if exposure is None else exposures_of(numbered, exposure)


def _count_unseen(rows: PandasFrame, seen: dict[str, set[str]], counts: dict[str, int]) -> None:
    """Add the rows with a category that the model was never shown to the counts by column."""
    for name, values in seen.items():
        n_unseen = int((~rows[name].isin(values | {""})).sum())  # empty where it is missing
        if n_unseen:
            counts[name] = counts.get(name, 0) + n_unseen


def check_view_files(columns: list[Column], views: Collection[str]) -> None:
    """Refuse a model that reads sources from files which were not named."""
    needed = columns_used(columns, "sequence", "sparse row", "graph")
    lacking = [name for name in needed if name not in views]
    if lacking:
        raise TableError(
            f"the model reads {', '.join(lacking)} from files, which --views has not named; give "
            "it a TOML file like that of the fit, with files of these rows"
        )


def _ignored(chunk: PandasFrame, columns: list[Column], targets: set[str]) -> list[str]:
    """Columns that are unknown to the model, without those that the fit left out."""
    known = {column.name for column in columns} | targets
    if columns_used(columns, "row number"):
        return []
    return [name for name in chunk.columns if name not in known]


def _show(summary: Json, coverage: float, as_json: bool, quiet: bool, err: bool) -> None:
    if as_json:
        typer.echo(json.dumps(summary))
    elif not quiet:
        ignored = summary["ignored_columns"]
        if ignored:
            say(f"Ignored, since the model does not know them: {listed(ignored, FEW)}.", err)
        unseen = summary["unseen_categories"]
        if unseen:
            listed_categories = [f"{name} in {counted(n, 'row')}" for name, n in unseen.items()]
            say(f"Categories that the model has never seen: {listed(listed_categories, FEW)}.", err)
        threshold = summary["threshold"]
        for sentence in [*summary["sentences"], *([threshold["sentence"]] if threshold else [])]:
            say(sentence, err)
        if summary["infinite_intervals"]:
            say(
                f"The intervals of {counted(summary['infinite_intervals'], 'row')} are infinite: a "
                f"coverage of {coverage:g} needs a model of {fewest_rows(coverage)} rows or more.",
                err,
            )
        say(f"{counted(summary['rows'], 'row')} predicted; written: {summary['out']}", err)
