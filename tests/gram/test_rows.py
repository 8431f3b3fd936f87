"""Sums over blocks of rows: the same in any blocks, and bad rows are named by their place."""

from functools import partial
from operator import add

import numpy as np
import pandas as pd
import pytest

from kernlearn.gram.rows import reduce_rows, rows_per_block

X = np.random.default_rng(0).standard_normal((1000, 3))
WIDE = 2**23 // 300  # so many numbers of each row that there are blocks of 300


class Announced:
    """A source that need not keep its promise."""

    def __init__(self, table, n_rows):
        self.table, self.n_rows = table, n_rows

    def __len__(self):
        return self.n_rows

    def blocks(self, size):
        for start in range(0, len(self.table), size):
            yield self.table[start : start + size]


def products(source):
    return reduce_rows(source, lambda block, rows: np.asarray(block).T @ block, add, WIDE)


def test_all_sources_give_the_same_sum(tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for source in (X, mapped, pd.DataFrame(X), Announced(X, 1000)):
        np.testing.assert_allclose(products(source), X.T @ X)


def test_blocks_after_the_first_can_be_added_onto_a_total():
    seen = []

    def onto(total, block, rows, weights):
        seen.append((rows.start, rows.stop))
        total += block.T @ (weights[:, None] * block)  # which nobody else has
        return total

    theta = np.linspace(0.0, 1.0, len(X))
    first = partial(onto, np.zeros((3, 3)))
    total = reduce_rows(X, first, add, WIDE, along=[theta], onto=onto)
    np.testing.assert_allclose(total, X.T @ (theta[:, None] * X))
    assert seen == [(0, 300), (300, 600), (600, 900), (900, 1000)]


def test_blocks_come_in_order_and_know_their_rows():
    seen = reduce_rows(X, lambda block, rows: [(rows.start, rows.stop, len(block))], add, WIDE)
    assert seen == [(0, 300, 300), (300, 600, 300), (600, 900, 300), (900, 1000, 100)]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_number_that_is_none_in_the_last_block_is_named_by_its_row(bad):
    spoilt = X.copy()
    spoilt[973, 1] = bad
    with pytest.raises(ValueError, match="got NaN or infinity in row 973"):
        products(spoilt)


def test_a_source_that_ends_early_or_grows_is_refused():
    with pytest.raises(ValueError, match="must hold the 1200 rows that it announced, got 1000"):
        products(Announced(X, 1200))
    with pytest.raises(ValueError, match="must hold the 400 rows that it announced, got more"):
        products(Announced(X, 400))


def test_a_block_has_rows_however_many_the_columns():
    assert rows_per_block(10**9) == 256
    assert rows_per_block(0) == 2**23
