"""The picture of the README: weights learned for the breast cancer data.

Run ``python examples/learned_weights.py FILE.png``.
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier
from kernlearn.inspection import KernelWeightsDisplay


def main(path: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = MKLClassifier().fit(StandardScaler().fit_transform(X), y)
    display = KernelWeightsDisplay.from_estimator(model)
    display.ax_.set_title(
        f"Breast cancer: {len(y)} tumours, {X.shape[1]} measurements\n"
        f"{model.n_machine_solves_} SVM solves, relative duality gap {model.duality_gap_:.0e}",
        fontsize="medium",
    )
    display.figure_.savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1])
