"""Small learning problems that several folders of tests share."""

from __future__ import annotations

import ast
import gc
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings
from sklearn.feature_extraction.text import TfidfVectorizer

from kernlearn import KernelClassifier, KernelRegressor, kernels
from kernlearn.estimators.least_squares.lssvm import LeastSquaresOptions, LeastSquaresSVM
from kernlearn.estimators.mkl.parameters import CombinationParameters, EngineOptions
from kernlearn.quality import QUALITIES, Settings
from kernlearn.solvers.engine.statement import ChoiceOptions
from kernlearn.solvers.selection.objective import SelectionOptions
from kernlearn.survival import SurvivalOutcome, survival_outcome

# These read the sources, which are not beside the tests of an installed package.
if not (Path(__file__).parent.parent / "src").is_dir():
    collect_ignore = [
        "test_docs_notation.py",
        "test_imports.py",
        "test_structure.py",
        "test_troubleshooting.py",
    ]

# How long an example takes says more of the machine than of the code.
# The same examples in every run: what one run finds, the next one has to find, too.
settings.register_profile("untimed", deadline=None, derandomize=True)
settings.load_profile("untimed")


@contextmanager
def _no_garbage():
    """Look for garbage neither among what is being made, of which there is none, nor later."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without looking for garbage."""
    with _no_garbage():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for examples in the docstrings of the package, not in those of its tests."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


def gaussian(X, gamma):
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=-1))


def normalised(K):
    length = np.sqrt(K.diagonal())
    return K / np.outer(length, length)


def _stack(kind, X, rng):
    """One list of kernels for each way in which a stack can be awkward."""
    n = len(X)
    standard = [normalised((1 + X @ X.T) ** 2), gaussian(X, 0.3), normalised(X @ X.T)]
    outer = np.outer(X[:, 0], X[:, 0])
    v = rng.normal(size=n)
    return {
        "standard": standard,
        "duplicate": [*standard, standard[1].copy()],
        "rank one": [np.outer(v, v), *standard[1:]],
        "useless": [*standard, np.eye(n)],
        "low rank": [X @ X.T, outer + 1.0, np.outer(np.sin(X[:, 1]), np.sin(X[:, 1]))],
        "alike": [gaussian(X, gamma) for gamma in (0.01, 0.1, 1.0)],
    }[kind]


def _problem(kind="standard", n=12, n_unlabelled=0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + n_unlabelled, 4))
    score = X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=len(X))
    y = np.where(score > np.median(score[:n]), 1.0, -1.0)
    target = np.sin(X[:, 0]) + 0.3 * X[:, 1] ** 2 + 0.1 * rng.normal(size=len(X))
    grams = np.stack(_stack(kind, X, rng))
    return SimpleNamespace(X=X, grams=grams, y=y[:n], target=target[:n], n=n)


def _machine(name, problem, *, C=1.0, nu=0.3, epsilon=0.1):
    settings, target = Settings(C, nu, epsilon, np.ones(problem.n)), _target(name, problem)
    if QUALITIES[name].targets == "times":
        target = survival_outcome(target).signed
    return QUALITIES[name].build(target, settings)


def _target(name, problem):
    kind = QUALITIES[name].targets if name in QUALITIES else "labels"
    targets = {
        "labels": problem.y,
        "none": np.zeros(problem.n),
        "times": SurvivalOutcome(np.exp(problem.target), np.arange(problem.n) % 3 > 0).structured,
    }
    return targets.get(kind, problem.target)


@pytest.fixture(scope="session")
def syntax():
    """The syntax trees of the files of the library, which take a second to make."""
    return _parsed(Path(__file__).parents[1] / "src" / "kernlearn")


@pytest.fixture(scope="module")
def syntax_of_tests():
    """The syntax trees of the files of the tests."""
    return _parsed(Path(__file__).parent)


def _parsed(folder):
    with _no_garbage():
        return {path: ast.parse(path.read_text("utf-8")) for path in sorted(folder.rglob("*.py"))}


@pytest.fixture(scope="session")
def make_stack():
    """Kernels on random points, labels (half of them +1) and targets."""
    return _problem


@pytest.fixture(scope="session")
def make_machine():
    """The machine of that name on a problem from ``make_stack``."""
    return _machine


@pytest.fixture(scope="session")
def target_of():
    """Labels or targets of a problem, whichever the quality learns from."""
    return _target


@pytest.fixture
def without(monkeypatch):
    """Let a package be one that is not installed."""

    def remove(package):
        def find_spec(name, *others):
            if name.partition(".")[0] == package:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        for name in list(sys.modules):
            if name.partition(".")[0] == package:
                monkeypatch.delitem(sys.modules, name)
        finder = SimpleNamespace(find_spec=find_spec)
        monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])

    return remove


@pytest.fixture
def quick_choices(monkeypatch):
    """Choose among few, and roughly: for tests of other things, of which any choice tells."""

    options = EngineOptions(widths=(-2.0, 2.0), choices=ChoiceOptions(factors_of_C=(1.0, 10.0)))
    monkeypatch.setattr(CombinationParameters, "_engine", options)
    few = SelectionOptions(ridges=(1.0, 1e-2), scales=(0.2, 1.0), rougher=100.0)
    monkeypatch.setattr(LeastSquaresSVM, "_options", LeastSquaresOptions(selection=few))


@pytest.fixture
def few_candidates(monkeypatch):
    """Two candidates where the choice is left to the mixtures."""
    for kind in (KernelClassifier, KernelRegressor):
        monkeypatch.setattr(kind.__init__, "__defaults__", (["linear", "Gaussian"],))


WATER = {"edges": [(0, 1), (0, 2)], "labels": ["O", "H", "H"]}
METHANOL = {
    "edges": [(0, 1), (0, 2), (0, 3), (0, 4), (4, 5)],
    "labels": ["C", "H", "H", "H", "O", "H"],
}
GRAPHS = [
    WATER,
    METHANOL,
    {"edges": [("a", "b")], "labels": {"a": "C", "b": "O"}},
    {"labels": ["O"]},
    [(0, 1), (1, 2), (2, 0)],
]
EDGES = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")]
DNA = ["GATTACA", "ATTACCA", "GGGATTA", "AC", "", "TTTTTTT"]
SERIES = [np.sin(np.arange(n) / 2.0) + n % 3 for n in (4, 7, 5, 1)]
CATEGORIES = [["red", 1], ["blue", 2], ["red", None], ["green", 1], ["red", 2]]
BAGS = [np.arange(6.0).reshape(3, 2), np.ones((1, 2)), np.array([[0.5, -1.0], [2.0, 0.0]])]
TEXTS = ["a warm hat", "the hat is too small", "warm and soft", ""]


@pytest.fixture
def thing_examples():
    """For every kernel that takes things: an example of it, and rows to call it on."""
    return {
        "Bag": (kernels.Bag(kernels.Gaussian(0.3)), BAGS),
        "Bhattacharyya": (kernels.Bhattacharyya(0.5), BAGS),
        "Completed": (
            kernels.Completed(kernels.Spectrum(2), kernels.Normalized(kernels.Spectrum(1))),
            [*DNA[:3], None, np.nan],
        ),
        "Diffusion": (kernels.Diffusion(EDGES, beta=0.7), list("abceab")),
        "Features": (kernels.Features(TfidfVectorizer(), kernels.Linear()), TEXTS),
        "GlobalAlignment": (kernels.GlobalAlignment(2.0), SERIES),
        "Mismatch": (kernels.Mismatch(3, 1), DNA),
        "Overlap": (kernels.Overlap(), CATEGORIES),
        "RegularizedLaplacian": (kernels.RegularizedLaplacian(EDGES, 0.5), list("abceab")),
        "ShortestPath": (kernels.ShortestPath(), GRAPHS),
        "SmithWaterman": (kernels.SmithWaterman(references=DNA[:3]), DNA),
        "Spectrum": (kernels.Spectrum(2), DNA),
        "Substitution": (
            kernels.Substitution("ACG", [[2.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.5]]),
            ["GATTACA", "GATCACA", "TATTTCG"],
        ),
        "Subsequence": (kernels.Subsequence(2, 0.6), DNA),
        "WeightedDegree": (kernels.WeightedDegree(3), ["GATTACA", "GATCACA", "TATTTCG"]),
        "WeisfeilerLehman": (kernels.WeisfeilerLehman(2), GRAPHS),
        "WhereKnown": (kernels.WhereKnown(kernels.Spectrum(2)), [*DNA[:3], None, np.nan]),
    }
