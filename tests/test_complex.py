"""Complex numbers are refused wherever their imaginary part would be lost."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.families.matrices import RankOneStack
from kernlearn.functionals import Alignment, RegularizedRisk
from kernlearn.gram import check_gram, check_stack, gram_stack, incomplete_cholesky
from kernlearn.kernels import Kernel, Linear, Precomputed, WeightedSum

N = 8
X = np.random.default_rng(0).normal(size=(N, 2))
LABELS = np.arange(N) % 2
ROWS = np.arange(N, dtype=float)[:, None]
# Hermitian, and positive definite: only its imaginary part is wrong.
K = X @ X.T + 9.0 * np.eye(N) + 1j * (np.triu(np.ones((N, N))) - np.tril(np.ones((N, N))))


class Phase(Kernel):
    """Somebody's kernel of complex values."""

    def _evaluate(self, X, Y):
        return (1 + 0j) * X @ Y.T

    def _diag(self, X):
        return (1 + 0j) * (X**2).sum(axis=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: check_gram(K),
        lambda: check_stack(K[None]),
        lambda: gram_stack([lambda X, Y: K], X),
        lambda: incomplete_cholesky(Precomputed(K), ROWS),
        lambda: Precomputed(K)(ROWS),
        lambda: Precomputed(K.tolist())(ROWS),
        lambda: Precomputed(K).diag(ROWS),
        lambda: Phase()(X),
        lambda: Phase().diag(X),
        lambda: WeightedSum([Linear()], [1j])(X),
        lambda: kl.learn_weights([K], LABELS),
        lambda: kl.learn_weights(K[None], LABELS),
        lambda: kl.learn_weights([K.real], LABELS + 1j),
        lambda: kl.learn_weights([K.real], LABELS + 1j, quality="epsilon_svr"),
        lambda: kl.learn_weights([K.real], LABELS, sample_weight=np.ones(N) + 1j),
        lambda: kl.learn_weights([K.real], LABELS, start=np.array([1j])),
        lambda: kl.penalties.HyperNorm(K, 1.0),
        lambda: RankOneStack(K),
        lambda: kl.MKLClassifier([Precomputed(K)]).fit(ROWS, LABELS),
        lambda: kl.MKLRegressor([Phase()], C=1.0).fit(X, LABELS),
        lambda: kl.LSSVMClassifier(Precomputed(K)).fit(ROWS, LABELS),
        lambda: kl.LSSVMRegressor(Phase()).fit(X, LABELS),
        lambda: kl.LSSVMRegressor(theta=[1j], lam=1.0, selection=None).fit(X, LABELS),
        lambda: Alignment()(Precomputed(K), ROWS, LABELS),
        lambda: RegularizedRisk("epsilon_svr")(Linear(), X, LABELS + 1j),
        lambda: kl.metrics.retrieval_auc(K, LABELS),
    ],
)
def test_complex_numbers_are_refused(call):
    with pytest.raises(ValueError, match=r"must hold real numbers, got complex ones; pass their"):
        call()
