"""Pieces written are the whole read."""

from __future__ import annotations

import pandas as pd
import pytest

from kernlearn.tables import read_table
from kernlearn.tables.writing import table_writer


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.csv.gz", "o.parquet", "o.parquet.gz"])
def test_every_format(name, tmp_path):
    pieces = [
        pd.DataFrame({"prediction": ["a, b", "ü"], "decision": [0.1, 1 / 3]}),
        pd.DataFrame({"prediction": ["c"], "decision": [-2.0]}),
    ]
    with table_writer(tmp_path / name) as write:
        for piece in pieces:
            write(piece)
    read = read_table(tmp_path / name)
    assert read["prediction"].tolist() == ["a, b", "ü", "c"]
    assert read["decision"].astype(float).tolist() == [0.1, 1 / 3, -2.0]


@pytest.mark.parametrize("name", ["o.csv", "o.csv.gz", "o.parquet"])
def test_an_interruption_leaves_nothing(name, tmp_path):
    def stopped():
        with table_writer(tmp_path / name) as write:
            write(pd.DataFrame({"prediction": [1.0] * 1000}))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert list(tmp_path.iterdir()) == []
