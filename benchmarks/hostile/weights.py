"""Hostile problems for :func:`kernlearn.learn_weights`, each from one seed."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.hostile.captured_output import captured_output
from benchmarks.hostile.outcomes import hostile_outcome, preference_pairs
from benchmarks.hostile.run import Verdict, attempt
from kernlearn.constraints import AtLeast, AtMost, Constraint, Group, Linear, Order, Tie
from kernlearn.families.hyper_norm import HyperNorm
from kernlearn.families.matrices import RankOneStack
from kernlearn.learn import learn_weights
from kernlearn.penalties import ElasticNet, GroupNorm, LpNorm
from kernlearn.testing.certificate import Case, complaints
from kernlearn.typing import Array, Targets

QUALITIES = (
    "soft_margin", "hard_margin", "squared_soft_margin", "lagrangian", "nu_svm", "one_class",
    "epsilon_svr", "nu_svr", "least_squares", "alignment", "centered_alignment",
)  # fmt: skip
CRITERIA = ("alignment", "centered_alignment", "max_determinant")
# From this seed on problems ask for the largest determinant, so that those before stay as they are.
DETERMINANTS = 10_000_000
# From this one on they have other norms as penalties, constraints on the weights, or both.
CONSTRAINED = 20_000_000
# From this one on they have the qualities that were added later, under all of these.
FURTHER = 30_000_000
FURTHER_QUALITIES = ("logistic", "huber", "quantile", "cox", "ranking")


@dataclass(frozen=True, eq=False)
class FuzzProblem:
    """What is handed to ``learn_weights``, and a few words on what is odd about it."""

    seed: int
    grams: Any
    y: Targets
    options: dict[str, Any] = field(default_factory=dict)
    words: tuple[str, ...] = ()

    @property
    def matrices(self) -> Any:
        """The Gram matrices, whatever form they were handed over in."""
        if isinstance(self.grams, RankOneStack):
            vectors = self.grams.vectors.T.astype(np.longdouble)
            return np.array([np.outer(v, v) for v in vectors])
        return np.asarray(self.grams)

    def __str__(self) -> str:
        options = ", ".join(f"{k}={_short(v)}" for k, v in self.options.items())
        shape = self.matrices.shape
        return (
            f"seed {self.seed}: {shape[0]} × {shape[1]} points, {options} ({', '.join(self.words)})"
        )


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else type(value).__name__


def make_problem(seed: int) -> FuzzProblem:
    """The problem of this seed: half of them tame, half wild."""
    rng = np.random.default_rng(seed)
    wild = bool(rng.random() < 0.5)
    n = int(rng.choice([3, 5, 8, 12, 18, 25, 35]))
    n_unlabelled = int(rng.choice([0, 0, 0, 2, 6]))
    words = ["wild" if wild else "tame"]
    X = _points(rng, n + n_unlabelled, words)
    m = int(rng.choice([1, 2, 3, 4, 6, 8]))
    quality = str(rng.choice(QUALITIES))
    if DETERMINANTS <= seed < CONSTRAINED:
        quality = "max_determinant"
    if seed >= FURTHER:
        quality = str(rng.choice(FURTHER_QUALITIES))
    y = hostile_outcome(rng, quality, X[:n], wild, words)
    grams: Any = np.array([_kernel(rng, X, wild, words) for _ in range(m)])
    grams = _relatives(rng, grams, words)
    if rng.random() < 0.08:
        grams = RankOneStack(_vectors(rng, X, wild), None)
        words.append("rank one")
    if quality == "ranking":
        grams = _of_differences(rng, grams, wild, words)
    options = _options(rng, quality, y, wild, words)
    traces = (
        (grams.vectors**2).sum(axis=0)
        if isinstance(grams, RankOneStack)
        else np.trace(grams, axis1=1, axis2=2)
    )
    if options["constraint"] == "sum" and options["weights"] == "free":
        if isinstance(grams, RankOneStack) or (traces <= 0).any():
            options["constraint"] = "trace"
        else:
            grams = grams / traces[:, None, None]
    if "total" in options and options["constraint"] == "trace":
        options["total"] *= float(traces.sum())
    return FuzzProblem(seed, grams, y, options, tuple(words))


def _points(rng: np.random.Generator, n: int, words: list[str]) -> Array:
    X = rng.normal(size=(n, int(rng.choice([1, 2, 5, 20]))))
    if rng.random() < 0.15:
        X = X[rng.integers(0, n, size=n)]
        words.append("repeated points")
    if rng.random() < 0.1:
        X[0] *= 1e3
        words.append("an outlying point")
    return X


def _kernel(rng: np.random.Generator, X: Array, wild: bool, words: list[str]) -> Array:
    n = len(X)
    squares = ((X[:, None] - X[None]) ** 2).sum(-1)
    typical = float(np.median(squares)) or 1.0
    kind = int(rng.integers(0, 9 if wild else 6))
    inner = X @ X.T
    if kind <= 2:
        K = np.exp(-squares / typical * 10.0 ** rng.uniform(-2, 2.5))
    elif kind == 3:
        K = inner
    elif kind == 4:
        K = (1.0 + inner / max(float(np.abs(inner).max()), 1e-300)) ** int(rng.integers(2, 5))
    elif kind == 5:
        one = X[:, [int(rng.integers(X.shape[1]))]]
        K = np.exp(-((one - one.T) ** 2))
    elif kind == 6:
        K = np.eye(n)
    elif kind == 7:
        K = np.ones((n, n))
    else:
        K = np.zeros((n, n))
        words.append("a zero matrix")
    if not wild and K.diagonal().mean() > 0:
        K = K / K.diagonal().mean()
    if wild:
        K = K * 10.0 ** rng.uniform(-12, 12)
    if wild and rng.random() < 0.07 and K.any():
        v = rng.normal(size=n)
        v /= np.linalg.norm(v)
        K = K - 3e-9 * float(np.linalg.eigvalsh(K)[-1]) * np.outer(v, v)
        words.append("nearly indefinite")
    return np.asarray(0.5 * (K + K.T))


def _relatives(rng: np.random.Generator, grams: Array, words: list[str]) -> Array:
    draw = rng.random()
    if draw < 0.08:
        words.append("one kernel twice")
        return np.concatenate([grams, grams[:1] * 10.0 ** float(rng.integers(-3, 4))])
    if draw < 0.2:
        n = grams.shape[1]
        v = rng.normal(size=n)
        close = 10.0 ** rng.uniform(-12, -2)
        words.append(f"two kernels alike to {close:.0e}")
        size = float(np.trace(grams[0])) / n
        return np.concatenate([grams, (grams[0] + close * size * np.outer(v, v))[None]])
    if draw < 0.26 and len(grams) > 1:
        words.append("a sum of others")
        return np.concatenate([grams, (grams[0] + grams[1])[None]])
    return grams


def _vectors(rng: np.random.Generator, X: Array, wild: bool) -> Array:
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / X.shape[1])
    m = min(len(X), int(rng.integers(1, 8)))
    vectors = np.linalg.eigh(K)[1][:, -m:] if rng.random() < 0.5 else rng.normal(size=(len(X), m))
    return vectors * (10.0 ** rng.uniform(-3, 3, size=m) if wild else 1.0)


def _of_differences(rng: np.random.Generator, grams: Any, wild: bool, words: list[str]) -> Any:
    """The same kernels, of as many pairs of rows."""
    is_factor = isinstance(grams, RankOneStack)
    n = len(grams.vectors) if is_factor else grams.shape[1]
    pairs = preference_pairs(rng, n, wild, words)
    if is_factor:
        return RankOneStack(pairs @ grams.vectors, None)
    moved = pairs @ grams @ pairs.T
    return 0.5 * (moved + moved.transpose(0, 2, 1))


def _options(
    rng: np.random.Generator, quality: str, y: Targets, wild: bool, words: list[str]
) -> dict[str, Any]:
    n = len(y)
    options: dict[str, Any] = {
        "quality": quality,
        "weights": str(rng.choice(["positive", "free"])),
        "constraint": str(rng.choice(["trace", "trace", "trace", "sum"])),
        "tol": float(rng.choice([1e-3, 1e-6, 1e-6, 1e-8])),
    }
    if quality not in (*CRITERIA, "hard_margin", "one_class", "nu_svm"):
        options["C"] = 10.0 ** rng.uniform(-6, 7.5) if wild else 10.0 ** rng.uniform(-2, 3)
    if quality == "squared_soft_margin" and rng.random() < 0.25:
        options["C"] = "learn"
    if quality == "epsilon_svr":
        options["epsilon"] = float(rng.choice([0.0, 0.1, 0.1 * float(np.std(y))]))
    if quality == "huber":
        spread = float(np.std(y)) or 1.0
        options["epsilon"] = float(rng.choice([0.1, 1e-3 * spread, 0.1 * spread, 10.0 * spread]))
    if quality == "quantile":
        options["quantile"] = float(rng.choice([0.5, 0.1, 0.9, 0.003, 0.999]))
    if quality in ("nu_svm", "one_class", "nu_svr"):
        most = 2.0 * min((y > 0).mean(), (y < 0).mean()) if quality == "nu_svm" else 1.0
        options["nu"] = float(most * rng.choice([0.05, 0.3, 0.7, 1.0]))
    if rng.random() < 0.15 and quality not in CRITERIA:
        options["sample_weight"] = 10.0 ** rng.uniform(-3 if wild else -1, 1, size=n)
        words.append("weighted points")
        if quality == "nu_svm":
            s = options["sample_weight"]
            most = 2.0 * min(s[y > 0].sum(), s[y < 0].sum()) / s.sum()
            options["nu"] = float(most * rng.choice([0.05, 0.3, 0.7]))
    if rng.random() < 0.3:
        options["total"] = 10.0 ** rng.uniform(-6, 6) if wild else 10.0 ** rng.uniform(-1, 1)
    if quality == "cox":
        options["ties"] = str(rng.choice(["efron", "breslow"]))
    return options


def with_penalty(problem: FuzzProblem) -> FuzzProblem:
    """The same problem with a norm of its weights as the penalty, where it takes one."""
    rng = np.random.default_rng([problem.seed, 1])
    without = problem.options["quality"] in ("centered_alignment", "max_determinant")
    if without or problem.options.get("C") == "learn":
        return problem
    m = len(problem.matrices)
    A = rng.normal(size=(m, int(rng.integers(1, m + 1))))
    K_pivots = A @ A.T + (0.1 * np.eye(m) if rng.random() < 0.5 else 0.0)
    strength = 10.0 ** rng.uniform(-4, 3)
    norm: Any = HyperNorm(K_pivots, strength, squared=bool(rng.random() < 0.5))
    if problem.seed >= CONSTRAINED:
        groups = rng.integers(0, 3, size=m).tolist()
        others = LpNorm(1.3, strength), ElasticNet(strength), GroupNorm(groups, strength)
        drawn = int(rng.integers(3 if problem.seed < FURTHER else 4))
        norm = (*others, norm)[drawn]
    options = {**problem.options, "penalty": norm}
    return FuzzProblem(problem.seed, problem.grams, problem.y, options, (*problem.words, "penalty"))


def with_constraints(problem: FuzzProblem) -> FuzzProblem:
    """The same problem with constraints that the weights of one random point satisfy."""
    rng = np.random.default_rng([problem.seed, 2])
    m = len(problem.matrices)
    shares = rng.dirichlet(np.full(m, 0.5))
    kernel = int(rng.integers(m))
    several = rng.permutation(m)[: int(rng.integers(1, m + 1))].tolist()
    room = float(rng.choice([0.0, 0.01, 0.2]))
    drawn: list[Constraint] = [
        AtMost(kernel, min(float(shares[kernel]) + room, 1.0)),
        AtLeast(kernel, max(float(shares[kernel]) - room, 0.0)),
        Group(several, at_most=float(shares[several].sum()) + room),
        Order(np.argsort(-shares).tolist()) if m > 1 else AtMost(0, 1.0),
        Tie(several) if len(several) > 1 else AtMost(0, 1.0),
        Linear(row := rng.normal(size=m), float(row @ shares) + room),
    ]
    chosen = rng.permutation(len(drawn))[: int(rng.integers(1, 3))]
    options = {**problem.options, "constraints": [drawn[i] for i in chosen]}
    words = (*problem.words, "constraints")
    return FuzzProblem(problem.seed, problem.grams, problem.y, options, words)


def judge_seed(seed: int) -> Verdict:
    """Make, solve and judge the problem of this seed; every fourth one has a penalty.

    From :data:`CONSTRAINED` on two of three have constraints.
    """
    problem = make_problem(seed)
    if seed % 4 == 3:
        problem = with_penalty(problem)
    if seed >= CONSTRAINED and seed % 3:
        problem = with_constraints(problem)
    options = problem.options
    solution, said, seconds = attempt(lambda: learn_weights(problem.grams, problem.y, **options))
    verdict = Verdict(str(problem), options["quality"], "refused", seconds, said)
    if solution is not None:
        verdict.status, verdict.gap = solution.status.name.lower(), solution.gap
        verdict.remark = solution.remark
        case = Case(problem.matrices, problem.y, **options, others=_positive_weights(problem))
        with np.errstate(all="ignore"):
            verdict.complaints += complaints(case, solution, seed)
    return verdict


def _positive_weights(problem: FuzzProblem) -> list[Array]:
    """Optimal positive weights, which free signs may not be worse than."""
    if problem.options["weights"] != "free" or problem.options.get("C") == "learn":
        return []
    options = {**problem.options, "weights": "positive"}
    with contextlib.suppress(Exception), warnings.catch_warnings(), captured_output():
        warnings.simplefilter("ignore")
        positive = learn_weights(problem.grams, problem.y, **options)
        if positive.dual_coef is not None:
            return [positive.weights]
    return []
