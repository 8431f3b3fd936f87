"""
A ranking, learned from grades
==============================

Twenty judges graded ten items each. ``MKLRanker`` compares items of one judge only, so it does not
matter that some judges are strict. A ridge regression on the same kernel learns the grades
themselves, strictness included.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.kernel_ridge import KernelRidge

from kernlearn.kernels import Gaussian, Linear
from kernlearn.ranking import MKLRanker

rng = np.random.default_rng(0)
judge = np.repeat(np.arange(20), 10)
X = rng.normal(size=(200, 3))
quality = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]
grade = np.round(2 + quality + rng.normal(0, 1.5, 20)[judge] + rng.normal(0, 0.2, 200)).clip(0)
train = judge < 12

model = MKLRanker([Linear(), Gaussian(0.5)])
model.fit(X[train], grade[train], groups=judge[train])
for kernel, weight in zip(model.kernels_, model.weights_, strict=True):
    print(f"{weight:.2f}  {kernel}")
print(f"duality gap: {model.duality_gap_:.0e}")

# %%
# Both are judged on the items of eight other judges, against the quality behind the grades. A
# dot is an item; the closer the dots are to a rising curve, the better the order.

ridge = KernelRidge(kernel="rbf", gamma=0.5, alpha=1.0).fit(X[train], grade[train])
figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.4), layout="constrained")
scores = {"MKLRanker": model.predict(X[~train]), "ridge on the grades": ridge.predict(X[~train])}
for ax, (name, score) in zip(axes, scores.items(), strict=True):
    pairs = np.subtract.outer(score, score) * np.subtract.outer(quality[~train], quality[~train])
    right = (pairs[np.triu_indices(len(score), 1)] > 0).mean()
    ax.scatter(quality[~train], score, s=12)
    ax.set(title=f"{name}: {right:.0%} of pairs in order", xlabel="quality", ylabel="score")
    ax.spines[["top", "right"]].set_visible(False)
