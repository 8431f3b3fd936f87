"""
Weights along C
===============

How the learned weights change with the price of errors. Weights that stay over decades of C say
something about the data; those that come and go say more about C.
"""

from __future__ import annotations

from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier
from kernlearn.inspection import WeightPathDisplay

X, y = load_wine(return_X_y=True)
display = WeightPathDisplay.from_estimator(
    MKLClassifier(), StandardScaler().fit_transform(X), y, "C", [0.01, 0.1, 1.0, 10.0, 100.0]
)
