"""The evidence at every λ of one decomposition against that of a factorisation for each."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.kernels import Gaussian
from kernlearn.quality.evidence import Evidence
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.quality.ridge_path import RidgePath


@pytest.mark.parametrize("weighted", [False, True])
def test_one_decomposition_serves_every_ridge(weighted):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(30, 2)) + 100.0
    weight = rng.uniform(0.2, 3.0, 30) if weighted else np.ones(30)
    K = Gaussian(0.3)(X)
    path, evidence = RidgePath.of(K, Y, weight), Evidence(weight, Y)
    for lam in np.logspace(-4, 3, 5):
        expected = evidence.value(fit_ls_svm(K, Y, lam / weight))
        assert evidence.value_at(lam, path) == pytest.approx(expected, rel=1e-7)


def test_some_rows_have_an_evidence_of_their_own():
    Y, rows = np.arange(6.0)[:, None] ** 2, np.array([0, 2, 3, 5])
    K = Gaussian(0.3)(Y)[np.ix_(rows, rows)]
    part, alone = Evidence(np.ones(6), Y).subset(rows), Evidence(np.ones(4), Y[rows])
    fit = fit_ls_svm(K, Y[rows], np.ones(4))
    assert part.value(fit) == alone.value(fit)
