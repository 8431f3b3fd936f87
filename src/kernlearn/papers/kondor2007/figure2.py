"""Figure 2: which two faces are of one person, over the widths σ and σ_h."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from kernlearn import HyperkernelMetric
from kernlearn.datasets import ImageSet, load_att_faces
from kernlearn.hyperkernels import GaussianHyperkernel
from kernlearn.papers.kondor2007.faces_table import (
    EUCLIDEAN,
    NOTES,
    SIGMA_HS,
    SIGMAS,
    SVM,
    draw_areas,
    faces_entries,
    setting,
)
from kernlearn.papers.kondor2007.protocol import Sample, draw_faces, fingerprint
from kernlearn.papers.paper import Request
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.repeat import run_repeated
from kernlearn.papers.tables import ComparisonTable
from kernlearn.typing import Array

__all__ = ["pair_areas", "reproduce_figure2", "run_fold"]


REPETITIONS = 10
COST = 10.0  # the paper's C, for all methods


def reproduce_figure2(request: Request) -> ComparisonTable:
    """Train all machines on every fold; return their areas and seconds beside the paper's."""
    faces = load_att_faces(request.data_dir)
    repetitions = request.repetitions or REPETITIONS
    found = run_repeated(
        run_fold,
        {"faces": faces},
        repetitions,
        request,
        stem="figure2",
        description="Figure 2",
        settings={
            "sigmas": str(SIGMAS),
            "sigma_hs": str(SIGMA_HS),
            "C": COST,
            "data": fingerprint(faces),
        },
        # Seconds are measured: one process at a time.
        jobs=1,
    )
    results = found["faces"]
    picture = save_picture(
        request.out / "figure2.png", lambda figure: draw_areas(figure, results), width=7.5
    )
    columns, entries = faces_entries(results)
    title = f"Kondor and Jebara (2007), Figure 2; ours over {repetitions} folds"
    size = "by".join(f" {side} " for side in faces.images.shape[1:]).strip()
    notes = (*NOTES, f"Images of {size} pixels.", picture)
    return ComparisonTable(title, ("machine", "σ_h"), columns, entries, notes)


def run_fold(faces: ImageSet, index: int, seed: int) -> dict[str, dict[str, float]]:
    """Areas on all pairs and on pairs of different pictures, and seconds, for every setting."""
    sample = draw_faces(faces, index, seed)
    distances = cdist(sample.X_test, sample.X_test)
    results = {EUCLIDEAN: pair_areas(-distances, sample.y_test)}
    for sigma in SIGMAS:
        start = time.perf_counter()
        machine = _concatenated_svm(sample, sigma)
        seconds = time.perf_counter() - start
        scores = machine.decision_function(_concatenated(sample.X_test))
        results[setting(SVM, sigma)] = {
            **pair_areas(scores.reshape(distances.shape), sample.y_test),
            "seconds": seconds,
        }
        for sigma_h in SIGMA_HS:
            for combination in ("conic", "linear"):
                results[setting(combination, sigma, sigma_h)] = _hyperkernel_areas(
                    sample, combination, sigma, sigma_h
                )
    return results


def pair_areas(scores: Array, labels: NDArray[Any]) -> dict[str, float]:
    """Return the area under the curve of a table of scores, with and without its diagonal."""
    same = labels[:, None] == labels[None]
    different = ~np.eye(len(labels), dtype=bool)
    return {
        "all": float(roc_auc_score(same.ravel(), scores.ravel())),
        "different": float(roc_auc_score(same[different], scores[different])),
    }


def _hyperkernel_areas(
    sample: Sample, combination: str, sigma: float, sigma_h: float
) -> dict[str, float]:
    hyperkernel = GaussianHyperkernel(sigma, sigma_h * sigma)
    start = time.perf_counter()
    model = HyperkernelMetric(hyperkernel, combination, C=COST).fit(sample.X_train, sample.y_train)
    seconds = time.perf_counter() - start
    n = len(sample.X_test)
    first, second = np.triu_indices(n)
    scores = np.empty((n, n))
    pairs = np.stack([sample.X_test[first], sample.X_test[second]], axis=1)
    scores[first, second] = scores[second, first] = model.pair_score(pairs)
    return {**pair_areas(scores, sample.y_test), "seconds": seconds}


def _concatenated(X: Array) -> Array:
    """[x_i, x_j] for all i and j, those of the first i first."""
    return np.hstack([np.repeat(X, len(X), axis=0), np.tile(X, (len(X), 1))])


def _concatenated_svm(sample: Sample, sigma: float) -> SVC:
    """The paper's baseline: an SVM with an RBF on both images of a pair, end to end."""
    same = sample.y_train[:, None] == sample.y_train[None]
    machine = SVC(C=COST, gamma=0.5 / sigma**2)
    return machine.fit(_concatenated(sample.X_train), np.where(same, 1, -1).ravel())
