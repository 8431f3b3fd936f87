"""
Leave-one-out for the price of one fit
======================================

A single fit of a least-squares SVM gives its leave-one-out predictions in closed form.
``LSSVMRegressor`` minimises their squared loss to choose λ and the bandwidth. The figure shows this
loss along the bandwidth, beside the loss on test rows.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from kernlearn import LSSVMRegressor

X, y = load_diabetes(return_X_y=True)
y = (y - y.mean()) / y.std()
X, X_new, y, y_new = train_test_split(X, y, random_state=0)
scaler = StandardScaler().fit(X)
X, X_new = scaler.transform(X), scaler.transform(X_new)

chosen = LSSVMRegressor().fit(X, y)
print(f"chosen: λ = {chosen.lam_:.3g}, θ = {chosen.theta_[0]:.3g} by {chosen.n_evaluations_} fits")
print(f"leave-one-out loss {chosen.loo_loss_:.3f}")
print(f"loss on test rows {np.mean((chosen.predict(X_new) - y_new) ** 2):.3f}")

# %%
# One fit for each point of the curve, λ as chosen:

thetas = np.geomspace(1e-4, 1.0, 25)
fits = [LSSVMRegressor(selection=None, lam=chosen.lam_, theta=t).fit(X, y) for t in thetas]
figure, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
ax.semilogx(thetas, [fit.loo_loss_ for fit in fits], color="#0072b2", label="leave-one-out")
unseen = [np.mean((fit.predict(X_new) - y_new) ** 2) for fit in fits]
ax.semilogx(thetas, unseen, color="#d55e00", linestyle="dashed", label="test rows")
ax.axvline(chosen.theta_[0], color="black", linewidth=0.8, label="chosen by descent")
ax.set_xlabel("θ, the inverse squared length scale")
ax.set_ylabel("mean squared loss")
ax.spines[["top", "right"]].set_visible(False)
legend = ax.legend(frameon=False, loc="lower left")

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore
