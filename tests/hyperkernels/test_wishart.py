"""The Wishart hyperkernel against its determinants, its integral and the text's special cases."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import multigammaln

from kernlearn.hyperkernels import Wishart
from kernlearn.testing import check_hyperkernel

SPD = np.array([[2.0, 0.6, 0.1], [0.6, 1.0, -0.3], [0.1, -0.3, 0.5]])


def pairs_of(n, d, seed=0, spread=1.0):
    return spread * np.random.default_rng(seed).standard_normal((n, 2, d))


def parts(p, q):
    """S_1, S_2 and S_* of (12)."""
    differences = [(p[0] - p[1]) / math.sqrt(2), (q[0] - q[1]) / math.sqrt(2)]
    return [np.outer(v, v) for v in (*differences, p.mean(axis=0) - q.mean(axis=0))]


def naive(C, r, P, Q):
    """(12) with a full determinant for every entry, times |C|^(3/2)."""

    def value(p, q):
        total = np.linalg.slogdet(C + sum(parts(p, q)))[1]
        start = np.linalg.slogdet(C)[1]
        return math.exp(0.5 * (r + 3) * (start - total))

    return np.array([value(p, q) for p, q in product(P, Q)]).reshape(len(P), len(Q))


def constant(C, r):
    """What (11) gives for two pairs of one point: the factors that (12) leaves out."""
    n = len(C)
    log_ratio = 1.5 * n * math.log(2) + multigammaln((r + 3) / 2, n) - multigammaln(r / 2, n)
    two_pi = 1.5 * n * math.log(2 * math.pi) + n * math.log(2)
    return math.exp(log_ratio - two_pi - 1.5 * np.linalg.slogdet(C)[1])


@pytest.mark.parametrize("r", [3, 4.5, 40])
def test_it_is_equation_12(r):
    P, Q = pairs_of(7, 3), pairs_of(5, 3, seed=1)
    hk = Wishart(SPD, r)
    np.testing.assert_allclose(hk(P, Q), naive(SPD, r, P, Q), rtol=1e-11)
    np.testing.assert_allclose(hk.diag(P), np.diagonal(naive(SPD, r, P, P)), rtol=1e-11)


def test_a_number_is_a_multiple_of_the_identity_and_r_the_number_of_features():
    P = pairs_of(6, 4)
    np.testing.assert_allclose(Wishart(0.3)(P), naive(0.3 * np.eye(4), 4, P, P), rtol=1e-11)
    np.testing.assert_array_equal(Wishart(np.array(0.3))(P), Wishart(0.3, 4)(P))


def test_a_pair_of_equal_points_has_value_one_whatever_C_is():
    point = np.full((1, 2, 3), 7.0)
    for C in (1e-200, 1.0, 1e200, 1e-9 * SPD, 1e9 * SPD):
        assert Wishart(C, 50)(point)[0, 0] == 1.0


def gaussian(x, z, variance):
    return np.exp(-((x - z) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


def integral_in_one_dimension(p, q, c, r):
    """(10): the inverse Wishart law of one dimension is an inverse gamma law."""
    Z = 2 ** (r / 2) * math.gamma(r / 2)

    def integrand(z, log_variance):
        variance = math.exp(log_variance)
        law = c ** (r / 2) / (Z * variance ** (r / 2 + 1)) * math.exp(-c / (2 * variance))
        four = math.prod(gaussian(x, z, variance) for x in (*p, *q))
        return four * law * variance

    width = {"epsabs": 1e-13, "epsrel": 1e-9}
    return dblquad(integrand, -6.0, 9.0, -30.0, 30.0, **width)[0]


def test_it_is_the_integral_10_in_one_dimension():
    p, q, c, r = (0.3, -0.9), (1.1, 0.2), 0.8, 2.0
    value = Wishart(c, r)(np.reshape(p, (1, 2, 1)), np.reshape(q, (1, 2, 1)))[0, 0]
    expected = integral_in_one_dimension(p, q, c, r)
    assert constant(np.array([[c]]), r) * value == pytest.approx(expected, rel=1e-6)


def inverse_wishart_grid(C, r):
    """Covariances on a grid in log-variances and artanh of the correlation, and their masses."""
    logs, turns = np.arange(-4.5, 7.0, 0.3), np.arange(-4.2, 4.2, 0.3)
    s, t, u = np.meshgrid(logs, logs, turns, indexing="ij")
    correlation, root = np.tanh(u).ravel(), np.exp(0.5 * (s + t)).ravel()
    sigma = np.empty((s.size, 2, 2))
    sigma[:, 0, 0], sigma[:, 1, 1] = np.exp(s).ravel(), np.exp(t).ravel()
    sigma[:, 0, 1] = sigma[:, 1, 0] = correlation * root
    # d(Σ11, Σ12, Σ22) = Σ11 Σ22 √(Σ11 Σ22) (1 − ρ²) d(log Σ11, log Σ22, artanh ρ)
    jacobian = root**3 * (1 - correlation**2)
    log_Z = r * math.log(2) + multigammaln(r / 2, 2)
    logarithm = 0.5 * r * np.linalg.slogdet(C)[1] - log_Z
    logarithm = logarithm - 0.5 * (r + 3) * np.linalg.slogdet(sigma)[1]
    logarithm -= 0.5 * np.einsum("nii->n", np.linalg.inv(sigma) @ C)
    return sigma, np.exp(logarithm) * jacobian * 0.3**3


def integral_in_two_dimensions(p, q, sigma, mass):
    """(10) by the trapezoidal rule, which is exponentially accurate for such integrands."""
    steps = np.arange(-3.0, 3.01, 0.5)
    offsets = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    factor = np.linalg.cholesky(sigma)
    inverse = np.linalg.inv(factor)
    middle = np.concatenate([p, q]).mean(axis=0)
    # z = middle + factor @ offset, so that the four Gaussians are standard ones in the offset.
    square = np.zeros((len(sigma), len(offsets)))
    for x in (*p, *q):
        whitened = (inverse @ (x - middle))[:, None] - offsets[None]
        square += (whitened**2).sum(axis=2)
    root = np.sqrt(np.linalg.det(sigma))
    values = np.exp(-0.5 * square).sum(axis=1) * 0.25 * root / (2 * np.pi * root) ** 4
    return float(values @ mass)


def test_it_is_the_integral_10_in_two_dimensions():
    C, r = np.array([[0.9, 0.4], [0.4, 0.7]]), 3.0
    sigma, mass = inverse_wishart_grid(C, r)
    assert mass.sum() == pytest.approx(1.0, abs=0.02), "the law, but for its heavy tail"
    # The integral over z is at most a multiple of |Σ|^(-3/2): the rest cannot matter.
    largest = mass * np.linalg.det(sigma) ** -1.5
    sigma, mass = sigma[largest > 1e-9 * largest.max()], mass[largest > 1e-9 * largest.max()]
    pairs = np.concatenate([np.zeros((1, 2, 2)), pairs_of(2, 2, spread=0.8)])
    K = constant(C, r) * Wishart(C, r)(pairs)
    for p, q in [(0, 1), (1, 2)]:
        expected = integral_in_two_dimensions(pairs[p], pairs[q], sigma, mass)
        assert K[p, q] == pytest.approx(expected, rel=1e-4)


def affinity(c, A, B):
    """Q_c(A, B) of section 4.1."""
    identity = c * np.eye(len(A))
    dets = [np.linalg.det(identity + S) for S in (2 * A, 2 * B, A + B)]
    return (dets[0] * dets[1]) ** 0.25 / math.sqrt(dets[2])


def test_for_a_multiple_of_the_identity_it_is_a_product_of_affinities():
    """The text's form at the end of section 4.1, with the determinants that it drops put back.

    |cI + S₁ + S_* + S₂| comes from Q_c(S₁ + S_*, S₂), and |cI + 2S₁ + 2S_*| from
    Q_c(2S₁, 2S_*); |cI + vvᵀ| = cⁿ⁻¹(c + ‖v‖²) gives the rest.
    """
    c, r, n = 0.7, 5, 3
    P = pairs_of(6, n)
    P[:, 0] -= 0.5 * P[:, 1]
    K = Wishart(c, r)(P)
    for i, j in product(range(6), range(6)):
        S1, S2, S = parts(P[i], P[j])
        outer = affinity(c, S1 + S, S2) ** (r + 3)
        inner = affinity(c, 2 * S1, 2 * S) ** ((r + 3) / 2)
        lengths = [np.trace(4 * S1), np.trace(4 * S), np.trace(2 * S2)]
        plain = [c ** (n - 1) * (c + length) for length in lengths]
        # outer² = |cI+2(S₁+S_*)|^½ |cI+2S₂|^½ / |cI+S₁+S_*+S₂|, raised to (r + 3)/2
        sum_det = (plain[0] * plain[1]) ** ((r + 3) / 8) / inner
        value = outer / (sum_det * plain[2] ** ((r + 3) / 4)) * c ** (n * (r + 3) / 2)
        assert K[i, j] == pytest.approx(value, rel=1e-9)


def test_parallel_differences_are_favoured():
    along, turned = [[-1.0, 0.0], [1.0, 0.0]], [[0.0, -1.0], [0.0, 1.0]]
    K = Wishart(1.0, 2)([along, turned])
    assert K[0, 0] > K[0, 1]


@pytest.mark.parametrize("spread", [1e-6, 1.0, 1e3, 1e5])
@pytest.mark.parametrize("d", [1, 2])
def test_long_and_parallel_differences_lose_no_digits(spread, d):
    """Exact rational arithmetic on the same numbers."""
    from fractions import Fraction

    P = pairs_of(5, d, spread=spread) + 100.0 * spread

    def exact(p, q):
        x, y = ([[Fraction(float(v)) for v in point] for point in pair] for pair in (p, q))
        S = [[Fraction(int(i == j)) for j in range(d)] for i in range(d)]
        for pair in (x, y):
            v = [a - b for a, b in zip(*pair, strict=True)]
            S = [[S[i][j] + v[i] * v[j] / 2 for j in range(d)] for i in range(d)]
        v = [(a + b - c - e) / 2 for a, b, c, e in zip(*x, *y, strict=True)]
        S = [[S[i][j] + v[i] * v[j] for j in range(d)] for i in range(d)]
        return float(S[0][0] if d == 1 else S[0][0] * S[1][1] - S[0][1] * S[1][0])

    r = 2.0
    expected = np.array([[exact(p, q) ** (-0.5 * (r + 3)) for q in P] for p in P])
    np.testing.assert_allclose(Wishart(1.0, r)(P), expected, rtol=1e-9)


def test_images_of_ten_thousand_pixels():
    X = np.random.default_rng(0).random((6, 10_304)) / 100
    P = X.reshape(3, 2, -1)
    K = Wishart(50.0)(P)
    G = np.array(
        [[np.linalg.slogdet(np.eye(3) + np.array(_gram(p, q)) / 50)[1] for q in P] for p in P]
    )
    np.testing.assert_allclose(K, np.exp(-0.5 * (10_304 + 3) * G), rtol=1e-9)
    assert K.min() > 0


def _gram(p, q):
    U = [(p[0] - p[1]) / math.sqrt(2), (q[0] - q[1]) / math.sqrt(2), p.mean(0) - q.mean(0)]
    return [[float(u @ v) for v in U] for u in U]


@pytest.mark.parametrize("hk", [Wishart(SPD, 3), Wishart(0.1, 7.5), Wishart(100.0)])
def test_laws(hk):
    check_hyperkernel(hk, np.random.default_rng(2).standard_normal((6, 3)))


def test_learned_kernels_are_semidefinite_on_new_points():
    pairs = pairs_of(9, 3)
    kernel = Wishart(SPD, 6).expansion(pairs, np.arange(9.0))
    new = np.random.default_rng(5).standard_normal((40, 3))
    assert np.linalg.eigvalsh(kernel(new))[0] > -1e-12


SINGULAR = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("hk", "message"),
    [
        (Wishart(SINGULAR), r"positive definite, got a matrix that is singular or .*; add a small"),
        (Wishart(np.diag([1.0, 1.0, 0.0])), r"singular or has a negative eigenvalue"),
        (Wishart(np.diag([1.0, 1.0, -1.0])), r"singular or has a negative eigenvalue"),
        (Wishart(0.0), r"Wishart's C must be a positive finite number, got 0.0; choose"),
        (Wishart(-2.0), r"Wishart's C must be a positive finite number, got -2.0"),
        (Wishart("cov"), r"Wishart's C must be a positive finite number, got 'cov'"),
        (Wishart([1.0, 2.0, 3.0]), r"a positive number or a square matrix .*got shape \(3,\)"),
        (Wishart(np.eye(3) * np.nan), r"a square matrix of finite numbers, got shape \(3, 3\)"),
        (Wishart(SPD + np.triu(SPD)), r"symmetric, got entries that differ by 0.6 from .*\(C \+"),
        (Wishart(np.eye(2)), r"one row and one column for each feature, got shape \(2, 2\) for 3"),
        (Wishart(1.0, 2), r"r must be above the number of features minus one, got 2 for 3 .*r=3"),
        (Wishart(1.0, np.inf), r"Wishart's r must be a positive finite number, got inf"),
        (Wishart(1.0, "3"), r"Wishart's r must be a positive finite number, got '3'"),
    ],
)
def test_bad_parameters(hk, message):
    pairs = pairs_of(2, 3)
    for call in (hk, hk.diag, lambda P: hk.section(P[0])(P[0])):
        with pytest.raises(ValueError, match=message):
            call(pairs)


def test_differences_beyond_the_range_of_floats_are_refused():
    with pytest.raises(ValueError, match=r"Wishart must give finite values, got an overflow"):
        Wishart(1e-300)(1e200 * pairs_of(2, 3))
