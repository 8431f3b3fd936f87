"""
Stay near a kernel of another study
===================================

A study with few rows can take the kernel of a larger one as its prior: the weights are learned, but
a distance from that kernel is penalised. Its strength is chosen by held-out rows.
"""

# %%
# Images of 3 and 8 by thirteen writers. The first study has those of the first writers, the second
# one has twenty images by the others. Kernels see one cell of four pixels each, at three widths.
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import kernlearn as kl
from kernlearn.kernels import Columns, Gaussian
from kernlearn.penalties import NearKernel

X, y = load_digits(return_X_y=True)
X, y = X[np.isin(y, (3, 8))] / 16.0, y[np.isin(y, (3, 8))]
X_there, y_there, X_here, y_here = X[:180], y[:180], X[180:], y[180:]
cells = [
    np.add.outer(8 * np.arange(i, i + 2), np.arange(j, j + 2)).ravel().tolist()
    for i in range(0, 8, 2)
    for j in range(0, 8, 2)
]
kernels = [Columns(cell, Gaussian(gamma)) for cell in cells for gamma in (0.3, 30.0, 300.0)]

# %%
# The first study keeps its model in a file; the second one loads its kernel.
with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/first_study.kl"
    kl.save(kl.MKLClassifier(kernels, C=10.0).fit(X_there, y_there), path)
    prior = kl.load(path).kernel_

# %%
# Errors of the second study, over ten draws of twenty images.
errors = {"alone": [], "near the first study": []}
for seed in range(10):
    rows = np.random.default_rng(seed).permutation(len(y_here))
    few, rest = rows[:20], rows[20:]
    for name, penalty in zip(errors, (None, NearKernel(prior)), strict=True):
        model = kl.MKLClassifier(kernels, C=10.0, options=kl.MKLOptions(penalty=penalty))
        model.fit(X_here[few], y_here[few])
        errors[name].append(1.0 - model.score(X_here[rest], y_here[rest]))
for name, values in errors.items():
    print(f"{name:22} {np.mean(values):.1%} errors")
print(f"the last strength chosen: {model.penalty_strength_:.3g}")

figure, ax = plt.subplots(figsize=(5.0, 3.0), layout="constrained")
for pair in zip(*errors.values(), strict=True):
    ax.plot([0, 1], pair, "o-", color="0.6")
ax.set_xticks([0, 1], list(errors))
ax.set(xlim=(-0.3, 1.3), ylabel="errors, a line for each draw")
