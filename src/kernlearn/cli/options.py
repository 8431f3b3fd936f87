"""Options of several commands, and options of the target."""

from __future__ import annotations

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")]
CostTexts = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--cost",
        metavar="FALSE_POSITIVE=1 FALSE_NEGATIVE=5",
        help="Costs of the two kinds of errors; predictions minimise the expected cost. The second "
        "of the two classes in order is the positive one.",
    ),
]
Delimiter = Annotated[
    str | None, typer.Option(help="Separator of the cells, if not a comma or a tab.")
]
Encoding = Annotated[
    str | None,
    typer.Option(
        help="Encoding of the text, latin-1 for example.",
        show_default="UTF-8; if the table is not, that of the fit, or Windows-1252",
    ),
]
NoBar = Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")]
Quietly = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything drawn at random.")]
Grades = Annotated[
    str | None,
    typer.Option(
        metavar="GRADES",
        help="The target has ordered grades: their names from the lowest to the highest, as in "
        '"low,mid,high", or "numbers" for whole numbers.',
    ),
]
MetricName = Annotated[
    str | None,
    typer.Option(
        help="Score to judge models by: the name of a scorer of scikit-learn, such as "
        "balanced_accuracy, roc_auc or neg_mean_absolute_error.",
        show_default="accuracy, or r2 for numbers",
    ),
]
ClassWeights = Annotated[
    str | None,
    typer.Option(help='Weights of the classes: balanced, or for example "yes=5,no=1".'),
]
