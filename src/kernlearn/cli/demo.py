"""`kernlearn demo`: where learning the kernel wins, by how much, and where it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from kernlearn.bundle import ModelBundle
from kernlearn.cli.demo_data import DemoTable, patients, plant, tumours
from kernlearn.cli.demo_rivals import GRID, Competitor, rivals, run_rival, shown, verdict
from kernlearn.cli.failure import failures
from kernlearn.cli.options import Seed
from kernlearn.cli.output import check_outputs, check_picture
from kernlearn.cli.report import write_html
from kernlearn.estimators import KernelClassifier, MKLClassifier
from kernlearn.inspection import KernelWeightsDisplay
from kernlearn.inspection._matplotlib import save_figure
from kernlearn.methods.description import certificate, kernel_in_words, weights
from kernlearn.methods.facts import SAMPLE_ROWS
from kernlearn.methods.scores import wilson_interval
from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Array, Json


@dataclass(frozen=True)
class DemoOptions:
    """Size and content of the demo."""

    n_patients: int = 300
    n_batches: int = 400
    svm_grid: Mapping[str, Sequence[float]] = field(default_factory=lambda: GRID)
    """C and γ that the rival SVM is tuned over."""
    candidates: Sequence[str] | str = "auto"
    """Candidates of the mixture of kernel machines."""
    pictures: Sequence[str] | None = None
    """Names of the pictures of the report; None for all."""


def demo(
    context: typer.Context,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw the learned weights into this file (PNG, SVG).")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Also write a report of what was learned (HTML).")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Learn kernels from three tables, beside a tuned SVM and boosted trees, in under a minute.

    In the first the sources differ in worth, in the second the columns; the third is real.
    """
    if picture is not None:
        check_picture(picture)
    check_outputs([picture, report])
    if report is not None:
        with failures(f"write {report}", report):
            load_pandas("the report")  # before the work, not after it
    console = Console()
    options = context.obj or DemoOptions()
    _sources(console, options, seed, picture, report)
    _columns(console, options, seed)
    _nothing_to_gain(console, options, seed)
    console.print(
        "\nYour own table: kernlearn fit TABLE --target COLUMN --report page.html; in Python, "
        "kernlearn.KernelClassifier().fit(X, y).",
        highlight=False,
    )


def _sources(
    console: Console, options: DemoOptions, seed: int, picture: Path | None, report: Path | None
) -> None:
    data, places = patients(options.n_patients, seed)
    _open(
        console,
        "1. Sources of unequal worth",
        f"{_rows(data, 'patients')}, drawn at random. Blood values lie on a ring, genes are "
        "shifted a little, and a survey has nothing to do with the illness: each is a source with "
        "kernels of its own, MKLClassifier().fit({'blood': B, 'genes': G, 'survey': S}, y).",
    )
    scaler = StandardScaler().fit(data.X)
    rows, held_out = (_views(scaler.transform(X), places) for X in (data.X, data.X_test))

    def learned(name: str, without: str = "") -> Competitor:
        kept = {key: view for key, view in rows.items() if key != without}
        fit = partial(MKLClassifier(C="auto", random_state=seed).fit, kept, data.y)
        return run_rival(name, fit, {key: held_out[key] for key in kept}, data.y_test)

    ours = learned("learned kernel of three sources")
    others = rivals(data, seed, options.svm_grid)
    _close(console, [ours, *others], "patients")
    alone = ", ".join(f"{name} {learned('', name).accuracy:.1%}" for name in places)
    console.print(
        f"What each source is worth, by the accuracy without it: {alone}.", highlight=False
    )
    console.print(
        "No other weights of the kernels lower the objective by more than "
        f"{ours.model.duality_gap_:.1e} of it.",
        highlight=False,
    )
    if picture is not None:
        _draw(ours.model, picture)
        console.print(f"The weights are drawn in {picture}.", highlight=False)
    if report is not None:
        _report(report, scaler, data, places, [ours, *others], seed, options.pictures)
        console.print(f"The report is in {report}: open it in a browser.", highlight=False)


def _columns(console: Console, options: DemoOptions, seed: int) -> None:
    data = plant(options.n_batches, seed)
    _open(
        console,
        "2. Columns of very different relevance and scale",
        f"{_rows(data, 'batches')}, drawn at random. Twelve sensors, in units from hundredths to "
        "thousands; four of them matter, one through its sine and two through their product: "
        "KernelClassifier().fit(X, y).",
    )
    ours = _start(data, options, seed)
    _close(console, [ours, *rivals(data, seed, options.svm_grid)], "batches")
    found = ours.model.relevance_["relevance"]  # those of sets of columns follow
    relevance = dict(zip(data.names, found.tolist(), strict=False))
    top = sorted(relevance, key=lambda name: -relevance[name])[:4]
    listed = ", ".join(f"{name} {relevance[name]:.2f}" for name in top)
    rest = max(share for name, share in relevance.items() if name not in top)
    console.print(
        f"Lost accuracy when a column is shuffled: {listed}; the other eight, {rest:.2f} at most.",
        highlight=False,
    )


def _nothing_to_gain(console: Console, options: DemoOptions, seed: int) -> None:
    data = tumours(seed)
    _open(
        console,
        "3. A real table with little to gain",
        f"Breast cancer, Wisconsin diagnostic: {_rows(data, 'tumours')}; "
        f"{data.X.shape[1]} measurements each, all of some worth.",
    )
    others = rivals(data, seed, options.svm_grid)
    _close(console, [_start(data, options, seed), *others], "tumours")


def _start(data: DemoTable, options: DemoOptions, seed: int) -> Competitor:
    model = KernelClassifier(options.candidates, random_state=seed)
    fit = partial(model.fit, data.X, data.y)
    return run_rival("learned kernel", fit, data.X_test, data.y_test)


def _views(X: Array, places: Mapping[str, slice]) -> dict[str, Array]:
    return {name: X[:, place] for name, place in places.items()}


def _rows(data: DemoTable, things: str) -> str:
    n, held_out = len(data.y), len(data.y_test)
    return f"{n + held_out} {things}, {n} to learn from and {held_out} held out"


def _open(console: Console, title: str, words: str) -> None:
    console.print(f"\n[bold]{title}[/bold]", highlight=False)
    console.print(words, highlight=False, markup=False)


def _close(console: Console, entries: list[Competitor], things: str) -> None:
    console.print(shown(entries, things))
    console.print(verdict(entries[0], entries[1:]), highlight=False)


def _draw(model: MKLClassifier, picture: Path) -> None:
    with failures(f"draw {picture}", picture):
        save_figure(KernelWeightsDisplay.from_estimator(model).figure_, picture, dpi=150)


def _report(
    path: Path,
    scaler: StandardScaler,
    data: DemoTable,
    places: Mapping[str, slice],
    entries: list[Competitor],
    seed: int,
    pictures: Sequence[str] | None,
) -> None:
    """Write the page that `kernlearn fit --report` writes."""
    X = load_pandas("the report").DataFrame(data.X, columns=list(data.names))
    labels, counts = np.unique(data.y, return_counts=True)
    model, scaled = entries[0].model, "standardised by the training rows"
    facts = {
        "task": "classification",
        "target": "illness",
        "classes": [str(label) for label in labels],
        "class_counts": counts.tolist(),
        "method": "mkl",
        "method_title": "a learned combination of kernels",
        "table": f"{len(X)} of {len(X) + len(data.y_test)} patients, drawn at random",
        "n_rows": len(X),
        "n_train": len(X),
        "n_held_out": len(data.y_test),
        "n_columns": len(data.names),
        "columns": [{"name": name, "kind": "number", "action": scaled} for name in data.names],
        "metric": "accuracy",
        "certificate": certificate(model),
        "kernel": kernel_in_words(model, list(data.names)),
        "weights": weights(model),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "scores": [_score(entry, entry is entries[0]) for entry in entries],
        "evaluation": f"{_rows(data, 'patients')}. {verdict(entries[0], entries[1:])}",
        "views": {name: list(data.names[place]) for name, place in places.items()},
        "seed": seed,
        "seconds": entries[0].seconds,
        "command": ["kernlearn", "demo", "--report", str(path), "--seed", str(seed)],
    }
    pipeline = Pipeline([("scale", scaler), ("learn", model)])
    # The columns on the page have names, so the scaler needs the names too.
    scaler.feature_names_in_ = np.array(data.names, dtype=object)
    bundle = ModelBundle(pipeline, facts, X[:SAMPLE_ROWS], data.y[:SAMPLE_ROWS])
    with failures(f"write {path}", path):
        write_html(bundle, path, pictures)


def _score(entry: Competitor, is_model: bool) -> Json:
    n = len(entry.wrong)
    low, high = wilson_interval(round(entry.accuracy * n), n)
    role = "model" if is_model else "baseline"
    return {
        "name": entry.name,
        "score": entry.accuracy,
        "low": low,
        "high": high,
        "seconds": entry.seconds,
        "role": role,
    }
