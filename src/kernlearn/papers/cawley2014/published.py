"""The numbers printed in Cawley and Talbot (2014), Tables 1 to 4.

Error rates are per cent. Tables 2 and 3 print the mean over the replicates of Table 1 with its
standard error, Table 4 the mean with the standard *deviation* over the replicates. The captions
say that the best mean of each row is bold, and that in Tables 2 and 3 those not told apart from
it by Wilcoxon's signed-rank test at the level 0.05 are italic. Our copy of the paper has lost
the italics and some of the bold, so no marks are kept here. The columns MKL and IKL of Table 4
are those of Gehler and Nowozin (2008), as the paper says; the numbers of kernels are means.

In our copy the mean ranks under Table 4 for MKL (2.5000) and IKL (2.6923) have changed places: its
errors give 2.6923 and 2.5000. `MEAN_RANKS` holds them as printed.
"""

from __future__ import annotations

from pathlib import Path

from kernlearn.papers.printed import columns_of, read_printed

TABLE_1, TABLE_2, TABLE_3, TABLE_4 = (
    read_printed(Path(__file__).parent / f"table_{number}.csv") for number in (1, 2, 3, 4)
)

# The columns of errors in each table, and its row "Mean Rank".
COLUMNS = {2: columns_of(TABLE_2), 3: columns_of(TABLE_3), 4: columns_of(TABLE_4)[:4]}
MEAN_RANKS: dict[int, tuple[float, ...]] = {
    2: (1.8571, 1.8571, 2.2857),
    3: (2.6429, 2.1429, 1.2143),
    4: (2.3462, 2.4615, 2.5000, 2.6923),
}


def _errors(table: int) -> dict[str, dict[str, tuple[float, float]]]:
    rows = {2: TABLE_2, 3: TABLE_3, 4: TABLE_4}[table].items()
    return {method: {name: row[method].both for (name,), row in rows} for method in COLUMNS[table]}


# {method of Tables 2 and 3: {data set: (mean, standard error)}}
ERRORS = _errors(2) | _errors(3)


def mean_errors(table: int) -> dict[str, dict[str, float]]:
    """Return the printed mean errors of Table 2, 3 or 4, as {method: {data set: error}}.

    >>> mean_errors(3)["ARD-FLKL-LSSVM"]["banana"]
    10.6
    """
    return {
        method: {name: mean for name, (mean, _) in of_sets.items()}
        for method, of_sets in _errors(table).items()
    }
