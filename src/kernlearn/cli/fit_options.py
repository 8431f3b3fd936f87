"""The options of `kernlearn fit`, as they are typed and explained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kernlearn.methods.registry import METHODS

NAMES = (*METHODS, "auto")
HOLDOUT = 0.25

TableFile = Annotated[
    Path, typer.Argument(help="CSV, TSV, .data or Parquet, or gzip of one, with column names.")
]
TargetName = Annotated[str, typer.Option(help="Name of the column to predict.")]
MethodName = Annotated[
    str | None,
    typer.Option(
        help=f"One of {', '.join(NAMES)}; auto compares them all by nested cross-validation.",
        show_default="kernel; mkl with --views or --kernel-matrix",
    ),
]
TaskName = Annotated[
    str,
    typer.Option(
        help="auto, classification or regression; auto takes text, and whole numbers of which "
        "at most ten differ, for classes."
    ),
]
ModelFile = Annotated[Path | None, typer.Option(help="Write the model into this file.")]
ReportFile = Annotated[Path | None, typer.Option(help="Write a report into this file (HTML).")]
ViewsFile = Annotated[
    Path | None,
    typer.Option(
        help="TOML file with a table named views, a list of columns or a file under each name: "
        "every view has kernels of its own."
    ),
]
MatrixFiles = Annotated[
    list[Path] | None,
    typer.Option(
        help="Kernel of all rows against all rows (.npy, or text), instead of the columns; "
        "may be given several times."
    ),
]
Repairing = Annotated[
    str,
    typer.Option(
        help="What to do with a kernel matrix that is not positive semidefinite: raise (refuse "
        "it), clip (its negative eigenvalues become zero), shift (add to its diagonal), or "
        "trust (do not look)."
    ),
]
HoldoutShare = Annotated[float, typer.Option(help="Share of rows held out for the score.")]
Folds = Annotated[int | None, typer.Option(min=2, help="Cross-validate in so many folds instead.")]
Refitting = Annotated[
    bool,
    typer.Option(
        help="Whether the model that is written is fitted to all rows once it is scored, or is "
        "the one that was scored."
    ),
]
MetricName = Annotated[
    str | None,
    typer.Option(
        help="What models are judged by: the name of a scorer of scikit-learn, such as "
        "balanced_accuracy, roc_auc or neg_mean_absolute_error.",
        show_default="accuracy, or r2 for numbers",
    ),
]
ClassWeights = Annotated[
    str | None,
    typer.Option(help='Weights of the classes: balanced, or for example "yes=5,no=1".'),
]
CategoryNames = Annotated[
    list[str] | None, typer.Option(help="Column of categories, whatever it looks like.")
]
DroppedNames = Annotated[list[str] | None, typer.Option(help="Column to leave out.")]
Delimiter = Annotated[
    str | None, typer.Option(help="What separates the cells, if not a comma or a tab.")
]
Seconds = Annotated[
    float | None,
    typer.Option(
        help="Limit of one fit in seconds, where the method has one (rbf-svm has none); it "
        "then ends with the best so far. Tuning and comparing take many fits."
    ),
]
Bytes = Annotated[
    str | None,
    typer.Option(
        help="What the command may take of it in all, such as 2GB: ranks are chosen, and rows "
        "of a table that is too large sampled, so that it is enough.",
        show_default="what is free",
    ),
]
DeviceName = Annotated[
    str | None,
    typer.Option(
        help="Where the methods that learn through landmarks (mkl, first-level, lssvm) compute "
        "kernels and products: cpu, cuda, or the like of cuda:1. `kernlearn info` lists them.",
        show_default="cpu",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Learn the model (by mkl, first-level or lssvm, from more than 3000 rows) on the "
        "workers of the Dask scheduler at this address.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything drawn at random.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")]
Quietly = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
