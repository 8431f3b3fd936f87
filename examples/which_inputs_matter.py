"""
Which measurements of a wine matter
===================================

First-level learning gives every column a scale θ, with a penalty on its size. Shuffled copies of
the columns cannot matter, so their θ show how large a θ can be by chance. Fits to parts of the rows
show how stable each θ is.
"""

from __future__ import annotations

import sys

from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from kernlearn import FirstLevelClassifier
from kernlearn.inspection import ThetaDisplay

N_SAMPLES = 10

wine = load_wine(as_frame=True)
shuffled = wine.data.sample(frac=1, random_state=0, ignore_index=True)
table = wine.data.join(shuffled.add_prefix("shuffled "))
scaler = StandardScaler().set_output(transform="pandas")
samples = StratifiedShuffleSplit(N_SAMPLES, train_size=0.8, random_state=0)
models = [
    FirstLevelClassifier().fit(scaler.fit_transform(table.iloc[rows]), wine.target.iloc[rows])
    for rows, _ in samples.split(table, wine.target)
]
display = ThetaDisplay.from_estimators(models)
title = display.ax_.set_title(
    f"Wine: θ over {N_SAMPLES} samples of 80 % of the rows", fontsize="medium"
)

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    display.figure_.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore
