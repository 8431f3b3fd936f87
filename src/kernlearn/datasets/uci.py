"""Two-class tables of UCI and Statlog."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.datasets.data_set import DataSet
from kernlearn.datasets.table import TableFormat, read_table

__all__ = ["UCI_NAMES", "load_uci"]


@dataclass(frozen=True, kw_only=True)
class ClassFormat(TableFormat):
    """How a two-class table is spelt.

    Attributes
    ----------
    negative, positive : tuple of str
        Spellings of what becomes -1 and +1, in the file and on OpenML.
    target_names : tuple of str
        What to call the two.
    """

    negative: tuple[str, ...]
    positive: tuple[str, ...]
    target_names: tuple[str, str]


FORMATS = {
    "ionosphere": ClassFormat(
        openml_name="ionosphere", shape=(351, 34),
        negative=("b",), positive=("g",), target_names=("b", "g"),
    ),
    "sonar": ClassFormat(
        openml_name="sonar", shape=(208, 60),
        negative=("R", "Rock"), positive=("M", "Mine"), target_names=("Rock", "Mine"),
    ),
    "statlog_heart": ClassFormat(
        openml_name="heart-statlog", shape=(270, 13),
        negative=("1", "absent"), positive=("2", "present"), target_names=("absent", "present"),
    ),
    "wisconsin_original": ClassFormat(
        openml_name="breast-w", shape=(683, 9), dropped_columns=("id",),
        negative=("2", "benign"), positive=("4", "malignant"),
        target_names=("benign", "malignant"),
    ),
    "pima": ClassFormat(
        openml_name="diabetes", shape=(768, 8),
        negative=("0", "tested_negative"), positive=("1", "tested_positive"),
        target_names=("tested_negative", "tested_positive"),
    ),
    "wdbc": ClassFormat(
        openml_name="wdbc", shape=(569, 30),
        negative=("B", "1"), positive=("M", "2"), target_names=("benign", "malignant"),
    ),
    "new_thyroid": ClassFormat(
        openml_name="thyroid-new", shape=(215, 5),
        negative=("1",), positive=("2", "3"), target_names=("normal", "hyper or hypo"),
    ),
    "crx": ClassFormat(
        openml_name="credit-approval", shape=(653, 15), n_text_inputs=9,
        negative=("-",), positive=("+",), target_names=("-", "+"),
    ),
    "glass": ClassFormat(
        openml_name="glass", shape=(214, 9), dropped_columns=("id",),
        negative=("5", "6", "7", "containers", "tableware", "headlamps"),
        positive=(
            "1", "2", "3", "4", "build wind float", "build wind non-float",
            "vehic wind float", "vehic wind non-float",
        ),
        target_names=("other", "window"),
    ),
}  # fmt: skip

UCI_NAMES = tuple(FORMATS)


def load_uci(name: str, data_dir: str | os.PathLike[str] | None = None) -> DataSet:
    """Load one of the two-class UCI tables.

    Two of them are made of more classes than two: new_thyroid sets the normal patients
    against both diseases, glass the window glasses (types 1 to 4) against the rest.
    Categories spelt in letters (nine inputs of crx) are numbered 1, 2, ... in sorted order.

    Parameters
    ----------
    name : {"ionosphere", "sonar", "statlog_heart", "wisconsin_original", "pima", "wdbc", \
"new_thyroid", "crx", "glass"}
        Which table. Rows with a missing cell (16 of wisconsin_original, 37 of crx) are dropped.
    data_dir : path or None
        Folder holding ``uci_class/NAME.csv.gz``: comma separated text with one header row,
        the class in the last column. None fetches the table from OpenML.

    Returns
    -------
    DataSet
        Inputs as in the source, unscaled; labels -1 and +1.

    Raises
    ------
    DataNotFoundError
        If the file is not in the folder, or OpenML cannot be reached.
    ValueError
        If the name is unknown, or the table is not the one expected.
    """
    if name not in FORMATS:
        raise ValueError(f"name must be one of {', '.join(UCI_NAMES)}, got {name!r}: choose one.")
    class_format = FORMATS[name]
    table = read_table(name, "uci_class", class_format, data_dir)
    return DataSet(
        name,
        table.X,
        _signs(name, class_format, table.targets),
        table.feature_names,
        class_format.target_names,
        table.n_dropped,
    )


def _signs(name: str, class_format: ClassFormat, labels: Sequence[str]) -> NDArray[np.int64]:
    sign = dict.fromkeys(class_format.negative, -1) | dict.fromkeys(class_format.positive, 1)
    unknown = sorted(set(labels) - set(sign))
    if unknown:
        raise ValueError(
            f"{name} should have the classes {' and '.join(sign)} in its last column, "
            f"got {', '.join(unknown)}: replace the file by the original table."
        )
    return np.array([sign[label] for label in labels], dtype=np.int64)
