"""
Weights along C
===============

How the learned weights change with C, the cost of an error. Weights that are stable over decades of
C are a property of the data; the others depend on the choice of C.
"""

from __future__ import annotations

from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier
from kernlearn.inspection import WeightPathDisplay
from kernlearn.kernels import default_bank

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
display = WeightPathDisplay.from_estimator(
    MKLClassifier(default_bank(X)), X, y, "C", [0.01, 0.1, 1.0, 10.0, 100.0]
)
