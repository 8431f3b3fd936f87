"""Rows that lack sources: at the mean, or completed from the other sources?

Sources of real sets are taken away at random, from training and test rows alike. Learned weights
with `missing="mean"` and `missing="complete"` are compared on the test rows. tcga_breast_omics is
left as it is: its published test rows lack the proteins.

    python -m benchmarks.gaps DIR [DIVISIONS]
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace

import numpy as np

from kernlearn import MKLClassifier
from kernlearn.papers.fusion.data import LOADERS, SourceSet
from kernlearn.papers.fusion.methods import kernels_by_source
from kernlearn.papers.tables import mean_and_error

SHARES = (0.2, 0.4, 0.6)
MOST_ROWS = 300
TREATMENTS = ("mean", "complete")


def with_gaps(data: SourceSet, share: float, seed: int) -> SourceSet:
    """The set with every source taken away from a share of the rows."""
    generator = np.random.default_rng(seed)
    X = data.X.copy()
    for source in data.sources.values():
        X[generator.random(len(X)) < share, source.place] = np.nan
    return replace(data, X=X)


def errors(data: SourceSet, index: int) -> list[float]:
    """Test errors in per cent, one for each treatment, on one split."""
    part = data.split(index, 0)
    X, y = part.X_train[:MOST_ROWS], part.y_train[:MOST_ROWS]
    # The Gaussian at the median distance for every source.
    kernels = [bank[-1] for bank in kernels_by_source(data, X, y).values()]
    found = []
    for missing in TREATMENTS:
        model = MKLClassifier(kernels, C="auto", missing=missing).fit(X, y)
        found.append(100.0 * float(np.mean(model.predict(part.X_test) != part.y_test)))
    return found


def main(data_dir: str, splits: int) -> None:
    print(f"| set, share of gaps | {' | '.join(TREATMENTS)} |\n|---|---|---|")
    for name in ("msrc_v5", "mfeat", "prokaryotic", "tcga_breast_omics"):
        data = LOADERS[name](name, data_dir)
        for share in (None,) if data.has_gaps else SHARES:
            columns = zip(
                *(
                    errors(data if share is None else with_gaps(data, share, i), i)
                    for i in range(splits)
                ),
                strict=True,
            )
            cells = ["{:.1f} ± {:.1f}".format(*mean_and_error(column)) for column in columns]
            label = name if share is None else f"{name}, {share:.0%}"
            print(f"| {label} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)
