"""The numbers printed in Ong, Smola and Williamson (2005), Tables 3 to 5 and Figure 4."""

from __future__ import annotations

from pathlib import Path

from kernlearn.papers.printed import read_printed

_FOLDER = Path(__file__).parent

# Errors in per cent. The last column of Table 3 is the exponent of the C printed in brackets.
TABLE_3 = read_printed(_FOLDER / "table_3.csv")
TABLE_4 = read_printed(_FOLDER / "table_4.csv")

# Mean squared errors, in the units that the row's name gives.
TABLE_5 = read_printed(_FOLDER / "table_5.csv")

FIGURE_4_SLOPES = {"C-SVM": 3.13, "ν-SVM": 3.05, "Lag-SVM": 3.03}
