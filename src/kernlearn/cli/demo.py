"""`kernlearn demo`: a kernel learned from data, in a few seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernlearn.cli.demo_report import score_fact, write_demo_report
from kernlearn.cli.failure import failures
from kernlearn.cli.output import check_outputs
from kernlearn.cli.picture import check_picture
from kernlearn.estimators import MKLClassifier
from kernlearn.inspection import KernelWeightsDisplay, kernel_label
from kernlearn.inspection._matplotlib import save_figure

__all__ = ["demo"]

GRID = {"C": np.logspace(-2, 4, 7), "gamma": np.logspace(-5, 1, 7)}


@dataclass(frozen=True)
class _Fit:
    """One row of the comparison."""

    name: str
    accuracy: float
    seconds: float
    solves: int
    model: Any = None


def demo(
    picture: Annotated[
        Path | None, typer.Option(help="Also draw the learned weights into this file (PNG, SVG).")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Also write a report of what was learned (HTML).")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random split.")] = 0,
) -> None:
    """Learn a kernel from the breast cancer data that come with scikit-learn."""
    if picture is not None:
        check_picture(picture)
    check_outputs([picture, report])
    console = Console()
    # Only the report needs the names of the columns, and pandas for them.
    cancer = load_breast_cancer(as_frame=report is not None)
    rows, held_out, *codes = train_test_split(
        cancer.data, cancer.target, test_size=0.3, stratify=cancer.target, random_state=seed
    )
    y_train, y_test = (cancer.target_names[code] for code in codes)
    scaler = StandardScaler().fit(rows)
    X_train, X_test = scaler.transform(rows), scaler.transform(held_out)
    console.print(
        f"Breast cancer, Wisconsin diagnostic: {len(X_train)} tumours to learn from, "
        f"{len(X_test)} held out, {X_train.shape[1]} measurements each."
    )
    fits = [
        _learn("learned kernel, positive weights", "positive", X_train, y_train, X_test, y_test),
        _learn("learned kernel, free-sign weights", "free", X_train, y_train, X_test, y_test),
        _search(X_train, y_train, X_test, y_test, seed),
    ]
    console.print(_weights_table(fits[0].model, fits[1].model))
    for fit in fits[:2]:
        _print_certificate(console, fit)
    console.print(_comparison_table(fits, len(y_test)))
    if picture is not None:
        _draw(fits[0].model, picture)
        console.print(f"The weights are drawn in {picture}.")
    if report is not None:
        scores = [
            score_fact(fit.name, fit.accuracy, len(y_test), fit.seconds, role)
            for fit, role in ((fits[0], "model"), (fits[2], "baseline"))
        ]
        facts = {
            "scores": scores,
            "evaluation": f"{len(y_test)} tumours were held out.",
            "seed": seed,
            "seconds": fits[0].seconds,
            "command": ["kernlearn", "demo", "--report", str(report), "--seed", str(seed)],
        }
        write_demo_report(report, scaler, fits[0].model, rows, y_train, facts)
        console.print(f"The report is in {report}: open it in a browser.")


def _learn(name: str, weights: str, X: Any, y: Any, X_test: Any, y_test: Any) -> _Fit:
    # Free-sign weights make a kernel that is positive semidefinite on the points it is shown, so
    # it is shown the held-out ones too, without their labels, as the paper does.
    unlabeled = X_test if weights == "free" else None
    start = time.perf_counter()
    model = MKLClassifier(weights=weights).fit(X, y, X_unlabeled=unlabeled)
    seconds = time.perf_counter() - start
    return _Fit(name, model.score(X_test, y_test), seconds, model.n_machine_solves_, model)


def _search(X: Any, y: Any, X_test: Any, y_test: Any, seed: int) -> _Fit:
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    start = time.perf_counter()
    search = GridSearchCV(SVC(), GRID, cv=folds).fit(X, y)
    seconds = time.perf_counter() - start
    n_fits = 5 * len(GRID["C"]) * len(GRID["gamma"]) + 1
    return _Fit("RBF, C and γ cross-validated", search.score(X_test, y_test), seconds, n_fits)


def _weights_table(positive: MKLClassifier, free: MKLClassifier) -> Table:
    table = Table(title="Learned weights")
    table.add_column("kernel")
    table.add_column("positive", justify="right")
    table.add_column("free sign", justify="right")
    rows = zip(positive.kernels_, positive.weights_, free.weights_, strict=True)
    for kernel, w, v in rows:
        table.add_row(kernel_label(kernel), f"{w:.4f}" if w else "0", f"{v:.4f}" if v else "0")
    return table


def _print_certificate(console: Console, fit: _Fit) -> None:
    model = fit.model
    console.print(
        f"{fit.name}: objective {model.objective_:.8g}; no other weights can go below "
        f"{model.lower_bound_:.8g} (relative gap {model.duality_gap_:.1e}, "
        f"{model.n_machine_solves_} SVM solves)."
    )


def _comparison_table(fits: list[_Fit], n_test: int) -> Table:
    table = Table(title=f"On the {n_test} held-out tumours")
    table.add_column("method")
    for column in ("accuracy", "seconds", "SVM solves"):
        table.add_column(column, justify="right")
    for fit in fits:
        table.add_row(fit.name, f"{fit.accuracy:.1%}", f"{fit.seconds:.2f}", str(fit.solves))
    return table


def _draw(model: MKLClassifier, picture: Path) -> None:
    with failures(f"draw {picture}", picture):
        save_figure(KernelWeightsDisplay.from_estimator(model).figure_, picture, dpi=150)
