"""
Weights within constraints
==========================

A learned combination may rest on one source alone. Constraints limit it: a cap on one source, a
floor for another, an order between kernels. The duality gap is that of the constrained
problem, so the price of a constraint is known.
"""

# %%
# Three kinds of measurement of the same cells, each with two kernels.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.constraints import AtLeast, Group, Order
from kernlearn.kernels import Columns, Gaussian, Linear

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
places = {"mean": slice(0, 10), "error": slice(10, 20), "worst": slice(20, 30)}
kernels = [
    Columns(place, kernel, name=name)
    for name, place in places.items()
    for kernel in (Gaussian(0.05), Linear())
]

# %%
# Shares of the trace of the learned kernel, without and with constraints.
sets = {
    "none": None,
    "worst ≤ 30 %": [Group("worst", at_most=0.3)],
    "each kernel ≥ 5 %": [AtLeast(list(range(6)), 0.05)],
    "mean ≥ error ≥ worst": [Order([0, 2, 4]), Order([1, 3, 5])],
}
shares = []
for title, constraints in sets.items():
    model = kl.MKLClassifier(kernels, options=kl.MKLOptions(constraints=constraints)).fit(X, y)
    terms = model.weights_ * [kernel.diag(X).sum() for kernel in model.kernels_]
    shares.append(terms / terms.sum())
    print(f"{title:22} {np.round(shares[-1], 3)}  value {model.objective_:.3f}")

figure, ax = plt.subplots(figsize=(7.0, 2.8), layout="constrained")
start = np.zeros(len(sets))
for i, kernel in enumerate(kernels):
    part = np.array(shares)[:, i]
    ax.barh(list(sets), part, left=start, label=f"{kernel.name}, {type(kernel.kernel).__name__}")
    start += part
ax.invert_yaxis()
ax.set(xlabel="share of the trace", xlim=(0, 1))
legend = ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
