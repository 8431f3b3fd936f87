"""
What several outcomes have in common
====================================

Twelve outcomes of seventy rows are noisy measurements of two causes. ``KernelRegressor`` learns a
kernel over the outcomes beside the kernel over the rows, and keeps it if it predicts held-out rows
better.
"""

from __future__ import annotations

import warnings

import matplotlib.pyplot as plt
import numpy as np

from kernlearn import KernelRegressor
from kernlearn.exceptions import AtChanceWarning

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, (370, 3))
causes = np.column_stack([np.sin(X[:, 0] + X[:, 1]), np.cos(X[:, 1] - X[:, 2])])
truth = np.repeat(causes, 6, axis=1)
Y = truth + rng.normal(size=truth.shape)
train, test = slice(0, 70), slice(70, None)

# One outcome alone is so noisy that some fits warn that they are no better than guessing.
warnings.simplefilter("ignore", AtChanceWarning)

together = KernelRegressor(["linear", "Gaussian"]).fit(X[train], Y[train])
predicted = together.predict(X[test])
alone = np.column_stack(
    [KernelRegressor(["linear", "Gaussian"]).fit(X[train], y).predict(X[test]) for y in Y[train].T]
)
for name, prediction in {"together": predicted, "one by one": alone}.items():
    error = np.sqrt(np.mean((prediction - truth[test]) ** 2))
    print(f"{name}: distance to the truth {error:.2f}")

# %%
# Outcomes of one cause have a large entry in the learned kernel over outcomes. The certificate of
# this kernel is the relative duality gap `output_gap_`.

print(f"duality gap: {together.output_gap_:.0e}")
figure, (left, right) = plt.subplots(1, 2, figsize=(8.0, 3.4), layout="constrained")
image = left.imshow(together.output_kernel_, cmap="viridis")
figure.colorbar(image, ax=left, shrink=0.8)
left.set(title="kernel over the outcomes", xlabel="outcome", ylabel="outcome")
errors = [np.sqrt(np.mean((p - truth[test]) ** 2, axis=0)) for p in (alone, predicted)]
for shift, (name, values) in enumerate(zip(("one by one", "together"), errors, strict=True)):
    right.bar(np.arange(12) + 0.4 * shift, values, width=0.4, label=name)
right.set(title="distance of each outcome to the truth", xlabel="outcome", ylim=(0, 0.8))
right.legend(frameon=False, ncols=2)
