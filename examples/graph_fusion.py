"""
Several graphs fused as a Gaussian process
==========================================

Three graphs join the same digits: neighbours by the upper half of each picture, by its lower half,
and by chance. Their weights are learned from a few labels, and the other digits are labelled along
the edges. The fit ends when the duality gap is closed.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph

from kernlearn import GraphFusionClassifier

X, y = load_digits(n_class=5, return_X_y=True)
X, y = X[:400], y[:400]
rng = np.random.default_rng(0)
parts = {"upper half": X[:, :32], "lower half": X[:, 32:], "chance": rng.normal(size=(len(X), 5))}
graphs = [np.argwhere(kneighbors_graph(part, 6).toarray()) for part in parts.values()]
rows = rng.permutation(len(X))
known, unknown = rows[:80], rows[80:]
model = GraphFusionClassifier(graphs).fit(known, y[known])
for name, weight in zip(parts, model.weights_, strict=True):
    print(f"{weight:.3f}  {name}")
print(f"{model.score(unknown, y[unknown]):.2f} correct, gap {model.duality_gap_:.0e}")
for name, graph in zip(parts, graphs, strict=True):
    alone = GraphFusionClassifier([graph]).fit(known, y[known])
    print(f"{alone.score(unknown, y[unknown]):.2f} with the graph of {name} alone")

figure, ax = plt.subplots(figsize=(6.0, 3.4), layout="constrained")
ax.barh(list(parts), model.weights_)
ax.set(xlabel="weight")

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore
