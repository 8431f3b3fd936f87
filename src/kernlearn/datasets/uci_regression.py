"""UCI tables with a numeric target."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np

from kernlearn.datasets.attributes import is_text
from kernlearn.datasets.regression_set import RegressionSet
from kernlearn.datasets.table import TableFormat, read_table

__all__ = ["UCI_REGRESSION_NAMES", "load_uci_regression"]


@dataclass(frozen=True, kw_only=True)
class RegressionFormat(TableFormat):
    """How a table with a numeric target is spelt.

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

UCI_REGRESSION_NAMES = tuple(REGRESSION_FORMATS)


def load_uci_regression(name: str, data_dir: str | os.PathLike[str] | None = None) -> RegressionSet:
    """Load one of the UCI tables with a numeric target.

    Categories spelt in letters (ten inputs of imports85, two of servo) are numbered 1, 2, ... in
    sorted order. Columns that are no inputs are left out: the name of the car in auto_mpg,
    vendor, model and the earlier estimate ERP in cpu_machine.

    Parameters
    ----------
    name : {"auto_mpg", "boston_housing", "imports85", "cpu_machine", "servo"}
        Which table; the targets are mpg, MEDV, price, PRP and class. Rows with a missing cell
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
    table = read_table(name, "uci_reg", regression_format, data_dir)
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
