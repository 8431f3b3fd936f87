"""The number of landmarks that held-out rows choose."""

import numpy as np
import pytest

from kernlearn.kernels import Gaussian
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.nystroem.moments import loss_by_rank
from kernlearn.solvers.nystroem.rank import RankOptions, RankSearch

N = 400
RNG = np.random.default_rng(0)
X = RNG.uniform(-1.0, 1.0, size=(N, 3))
Y = (np.sin(3.0 * X[:, 0]) + X[:, 1] + 0.5 * RNG.standard_normal(N))[:, None]
KERNEL = Gaussian(0.5)
ONE, RIDGE = np.ones(1), 1e-3


def losses_of(statistics):
    return dict(zip(*loss_by_rank(statistics.folds, statistics.factors, ONE, RIDGE), strict=True))


@pytest.mark.parametrize("most", [64, 1000])
@pytest.mark.parametrize("sample_rows", [100, 20_000])
def test_no_half_of_the_chosen_rank_has_a_smaller_loss(most, sample_rows):
    """Neither where the loss rises, nor where the last doubling was all that there was room for."""
    options = RankOptions(
        first=4, moment_numbers=5 * most**2, sample_rows=sample_rows, rows_per_column=1
    )
    search = RankSearch(X, [KERNEL], Y, np.ones(N), 0, options=options)
    found = search.grow_rank(lambda statistics: (ONE, RIDGE), StoppingControl())
    losses = losses_of(search.at(64))
    assert losses[64] > min(losses.values())  # so many landmarks fit the noise
    rank = found.factors.n_columns
    assert rank < 64
    own = losses_of(found)
    assert own[rank] == min(own.values())
    assert own[rank] < 1.02 * min(losses.values())
