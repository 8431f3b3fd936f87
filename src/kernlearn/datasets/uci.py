"""Tables of UCI and Statlog: two classes, and numeric targets."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.datasets.sets import DataSet, RegressionSet
from kernlearn.datasets.uci_tables import UciFormat, is_text, read_uci


@dataclass(frozen=True, kw_only=True)
class ClassFormat(UciFormat):
    """Format of a two-class table.

    Attributes
    ----------
    negative, positive : tuple of str
        Spellings of the classes that become -1 and +1, in the file and on OpenML.
    target_names : tuple of str
        Names of the two classes.
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

#: Names of the two-class tables of UCI, for :func:`load_uci`.
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
    table = read_uci(name, "uci_class", class_format, data_dir)
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


@dataclass(frozen=True, kw_only=True)
class RegressionFormat(UciFormat):
    """Format of a table with a numeric target.

    Attributes
    ----------
    target : str
        The target's column in the file.
    target_mean : float
        Mean of the targets of the complete rows, by which the table is recognised: tables of
        the same name and shape exist in which the target is another column, or two classes.
    """

    target: str
    target_mean: float


# The authors of cpu_machine list vendor and model among its columns as not predictive (nearly
# every model is a category of its own), and ERP is their own estimate of the target.
REGRESSION_FORMATS = {
    "auto_mpg": RegressionFormat(
        openml_name="autoMpg", shape=(392, 7), dropped_columns=("car_name",),
        target="mpg", target_mean=23.4459,
    ),
    "boston_housing": RegressionFormat(
        openml_name="boston", shape=(506, 13), target="MEDV", target_mean=22.5328,
    ),
    "imports85": RegressionFormat(
        openml_name="autos", shape=(159, 25), n_text_inputs=10,
        target="price", openml_target="price", target_mean=11445.7,
    ),
    "cpu_machine": RegressionFormat(
        openml_name="machine_cpu", shape=(209, 6), dropped_columns=("VendorName", "Model", "ERP"),
        target="PRP", target_mean=105.622,
    ),
    "servo": RegressionFormat(
        openml_name="servo", shape=(167, 4), n_text_inputs=2, target="class", target_mean=1.38971,
    ),
}  # fmt: skip

#: Names of the tables of UCI with a numeric target, for :func:`load_uci_regression`.
UCI_REGRESSION_NAMES = tuple(REGRESSION_FORMATS)


def load_uci_regression(name: str, data_dir: str | os.PathLike[str] | None = None) -> RegressionSet:
    """Load one of the UCI tables with a numeric target.

    Categories spelt in letters (ten inputs of imports85, two of servo) are numbered 1, 2, ... in
    sorted order. Columns that are no inputs are left out: the name of the car in auto_mpg,
    vendor, model and the earlier estimate ERP in cpu_machine.

    Parameters
    ----------
    name : {"auto_mpg", "boston_housing", "imports85", "cpu_machine", "servo"}
        Name of the table; the targets are mpg, MEDV, price, PRP and class. Rows with a missing cell
        (6 of auto_mpg, 46 of imports85) are dropped.
    data_dir : path or None
        Folder holding ``uci_reg/NAME.csv.gz``: comma separated text with one header row.
        None fetches the table from OpenML.

    Returns
    -------
    RegressionSet
        Inputs and targets as in the source, unscaled.

    Raises
    ------
    DataNotFoundError
        If the file is not in the folder, or OpenML cannot be reached.
    ValueError
        If the name is unknown, or the table is not the one expected.
    """
    if name not in REGRESSION_FORMATS:
        raise ValueError(
            f"name must be one of {', '.join(UCI_REGRESSION_NAMES)}, got {name!r}: choose one."
        )
    regression_format = REGRESSION_FORMATS[name]
    table = read_uci(name, "uci_reg", regression_format, data_dir)
    target = regression_format.target
    if is_text(table.targets):
        raise ValueError(
            f"{name} should have numbers in its target {target}, got text: "
            "replace the file by the original table."
        )
    y = np.array([float(cell) for cell in table.targets])
    if not math.isclose(y.mean(), regression_format.target_mean, rel_tol=1e-4):
        raise ValueError(
            f"{name} should have targets {target} with the mean {regression_format.target_mean}, "
            f"got {y.mean():.6g}: replace the file by the original table."
        )
    return RegressionSet(name, table.X, y, table.feature_names, target, table.n_dropped)
