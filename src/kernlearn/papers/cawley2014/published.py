"""The numbers printed in Cawley and Talbot (2014), Tables 1 to 4.

Error rates are per cent. Tables 2 and 3 print the mean over the replicates of Table 1 with its
standard error, Table 4 the mean with the standard *deviation* over the replicates. The captions
say that the best mean of each row is bold, and that in Tables 2 and 3 those not told apart from
it by Wilcoxon's signed-rank test at the level 0.05 are italic. Our copy of the paper has lost
the italics and some of the bold, so no marks are kept here. The columns MKL and IKL of Table 4
are those of Gehler and Nowozin (2008), as the paper says.

In our copy the mean ranks under Table 4 for MKL (2.5000) and IKL (2.6923) have changed places: its
errors give 2.6923 and 2.5000. `MEAN_RANKS` holds them as printed.
"""

from __future__ import annotations

_Row = tuple[tuple[float, float], ...]

TABLE_1_COLUMNS = (
    "training patterns", "testing patterns", "number of replicates", "input features"
)  # fmt: skip

TABLE_1: dict[str, tuple[int, int, int, int]] = {
    "banana": (400, 4900, 100, 2),
    "breast cancer": (200, 77, 100, 9),
    "diabetis": (468, 300, 100, 8),
    "flare solar": (666, 400, 100, 9),
    "german": (700, 300, 100, 20),
    "heart": (170, 100, 100, 13),
    "image": (1300, 1010, 20, 18),
    "ringnorm": (400, 7000, 100, 20),
    "splice": (1000, 2175, 20, 60),
    "synthetic": (250, 1000, 100, 2),
    "thyroid": (140, 75, 100, 5),
    "titanic": (150, 2051, 100, 3),
    "twonorm": (400, 7000, 100, 20),
    "waveform": (400, 4600, 100, 21),
}

TABLE_2_COLUMNS = ("RBF-LOO-LSSVM", "RBF-XVAL-LSSVM", "RBF-FLKL-LSSVM")

# {data set: (mean, standard error) in each column}
TABLE_2: dict[str, _Row] = {
    "banana": ((10.605, 0.052), (10.587, 0.051), (10.614, 0.053)),
    "breast cancer": ((27.000, 0.476), (26.753, 0.470), (26.610, 0.506)),
    "diabetis": ((23.320, 0.166), (23.390, 0.170), (23.933, 0.189)),
    "flare solar": ((34.230, 0.168), (34.325, 0.176), (34.295, 0.182)),
    "german": ((23.543, 0.217), (23.620, 0.240), (24.987, 0.253)),
    "heart": ((16.550, 0.354), (16.590, 0.366), (17.140, 0.337)),
    "image": ((2.995, 0.159), (2.861, 0.172), (2.960, 0.166)),
    "ringnorm": ((1.610, 0.015), (1.650, 0.015), (1.608, 0.011)),
    "splice": ((10.828, 0.138), (10.811, 0.148), (10.926, 0.150)),
    "synthetic": ((9.642, 0.059), (9.657, 0.060), (9.658, 0.057)),
    "thyroid": ((4.707, 0.229), (4.627, 0.233), (4.720, 0.235)),
    "titanic": ((22.581, 0.102), (22.568, 0.095), (22.531, 0.089)),
    "twonorm": ((2.845, 0.021), (2.802, 0.019), (2.578, 0.015)),
    "waveform": ((9.786, 0.045), (9.805, 0.044), (9.970, 0.044)),
}

TABLE_3_COLUMNS = ("ARD-LOO-LSSVM", "ARD-XVAL-LSSVM", "ARD-FLKL-LSSVM")

TABLE_3: dict[str, _Row] = {
    "banana": ((10.670, 0.058), (10.656, 0.059), (10.600, 0.054)),
    "breast cancer": ((29.208, 0.479), (28.377, 0.421), (26.584, 0.454)),
    "diabetis": ((23.933, 0.202), (24.277, 0.199), (23.560, 0.170)),
    "flare solar": ((33.953, 0.188), (34.237, 0.181), (34.160, 0.160)),
    "german": ((24.787, 0.244), (24.777, 0.246), (24.523, 0.234)),
    "heart": ((20.540, 0.443), (20.230, 0.425), (17.650, 0.338)),
    "image": ((2.129, 0.145), (2.158, 0.129), (2.198, 0.096)),
    "ringnorm": ((2.062, 0.038), (2.056, 0.027), (1.942, 0.021)),
    "splice": ((4.887, 0.105), (4.621, 0.108), (4.306, 0.094)),
    "synthetic": ((9.743, 0.065), (9.741, 0.063), (9.685, 0.060)),
    "thyroid": ((4.907, 0.203), (4.760, 0.213), (4.640, 0.209)),
    "titanic": ((22.574, 0.115), (22.551, 0.104), (22.452, 0.089)),
    "twonorm": ((4.477, 0.062), (4.353, 0.061), (3.027, 0.024)),
    "waveform": ((12.674, 0.120), (12.569, 0.109), (10.516, 0.052)),
}

TABLE_4_COLUMNS = ("RBF-XVAL-LSSVM", "ARD-FLKL-LSSVM", "MKL separate", "IKL products")

# {data set: (mean, standard deviation) in each column}
TABLE_4: dict[str, _Row] = {
    "banana": ((10.6, 0.5), (10.6, 0.5), (10.5, 0.5), (10.7, 0.5)),
    "breast cancer": ((26.8, 4.7), (26.6, 4.5), (26.7, 4.2), (25.7, 4.1)),
    "diabetis": ((23.4, 1.7), (23.6, 1.7), (24.5, 1.6), (24.3, 1.8)),
    "flare solar": ((34.3, 1.8), (34.2, 1.6), (34.3, 2.1), (32.8, 1.9)),
    "german": ((23.6, 2.4), (24.5, 2.3), (25.1, 2.2), (24.6, 2.4)),
    "heart": ((16.6, 3.7), (17.6, 3.4), (16.7, 4.1), (20.1, 3.6)),
    "image": ((2.9, 0.8), (2.2, 0.4), (3.0, 0.6), (1.4, 0.3)),
    "ringnorm": ((1.6, 0.2), (1.9, 0.2), (1.7, 0.1), (2.1, 0.2)),
    "splice": ((10.8, 0.7), (4.3, 0.4), (6.0, 0.4), (3.1, 0.3)),
    "thyroid": ((4.6, 2.3), (4.6, 2.1), (4.7, 2.1), (4.1, 2.0)),
    "titanic": ((22.6, 0.9), (22.5, 0.9), (22.4, 1.0), (22.4, 1.1)),
    "twonorm": ((2.8, 0.2), (3.0, 0.2), (2.5, 0.1), (3.8, 0.4)),
    "waveform": ((9.8, 0.4), (10.5, 0.5), (10.2, 0.4), (11.4, 0.6)),
}

# {data set: mean number of kernels used by (MKL separate, IKL products)}
TABLE_4_KERNELS: dict[str, tuple[float, float]] = {
    "banana": (1.0, 3.7),
    "breast cancer": (4.5, 16.1),
    "diabetis": (4.0, 22.3),
    "flare solar": (2.9, 2.6),
    "german": (8.3, 46.1),
    "heart": (9.0, 28.2),
    "image": (1.6, 27.1),
    "ringnorm": (2.6, 16.3),
    "splice": (24.1, 72.8),
    "thyroid": (1.0, 12.7),
    "titanic": (1.9, 5.2),
    "twonorm": (3.8, 36.2),
    "waveform": (9.7, 33.7),
}

# {table: the row "Mean Rank"}
MEAN_RANKS: dict[int, tuple[float, ...]] = {
    2: (1.8571, 1.8571, 2.2857),
    3: (2.6429, 2.1429, 1.2143),
    4: (2.3462, 2.4615, 2.5000, 2.6923),
}

_TABLES: dict[int, tuple[tuple[str, ...], dict[str, _Row]]] = {
    2: (TABLE_2_COLUMNS, TABLE_2),
    3: (TABLE_3_COLUMNS, TABLE_3),
    4: (TABLE_4_COLUMNS, TABLE_4),
}

# {method of Tables 2 and 3: {data set: (mean, standard error)}}
ERRORS = {
    method: {name: row[i] for name, row in _TABLES[table][1].items()}
    for table in (2, 3)
    for i, method in enumerate(_TABLES[table][0])
}


def mean_errors(table: int) -> dict[str, dict[str, float]]:
    """Return the printed mean errors of Table 2, 3 or 4, as {method: {data set: error}}.

    >>> mean_errors(3)["ARD-FLKL-LSSVM"]["banana"]
    10.6
    """
    columns, rows = _TABLES[table]
    return {
        method: {name: row[i][0] for name, row in rows.items()} for i, method in enumerate(columns)
    }
