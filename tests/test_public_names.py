"""What a user types is there, documented, and nothing else is."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import kernlearn as kl

SETTLED = [
    "ElasticNet",
    "LpNorm",
    "KernelClassifier",
    "KernelRegressor",
    "MKLClassifier",
    "MKLRegressor",
    "MKLNoveltyDetector",
    "HyperkernelClassifier",
    "HyperkernelRegressor",
    "HyperkernelNoveltyDetector",
    "HyperkernelMetric",
    "IndefiniteKernelWarning",
    "LSSVMClassifier",
    "LSSVMRegressor",
    "FirstLevelClassifier",
    "FirstLevelRegressor",
    "retrieval_auc",
    "save",
    "load",
    "learn_weights",
    "complete_kernel",
    "transductive_error_bound",
    "kernels",
    "gram",
    "inspection",
    "comparison",
    "functionals",
    "hyperkernels",
]
SETTLED_KERNELS = [
    "Linear",
    "Polynomial",
    "Gaussian",
    "ARDGaussian",
    "Laplacian",
    "Matern",
    "Columns",
    "Completed",
    "Precomputed",
    "Features",
    "Spectrum",
    "Mismatch",
    "Subsequence",
    "WeightedDegree",
    "Overlap",
    "ChiSquared",
    "Intersection",
    "Bag",
    "WeisfeilerLehman",
    "ShortestPath",
    "Diffusion",
    "RegularizedLaplacian",
    "GlobalAlignment",
    "WhereKnown",
    "Grid",
    "PerColumn",
]
FITTED = [
    "weights_",
    "kernel_",
    "kernels_",
    "objective_",
    "lower_bound_",
    "duality_gap_",
    "n_machine_solves_",
    "status_",
    "n_iter_",
    "dual_coef_",
    "intercept_",
    "support_",
    "support_vectors_",
]
ACTIVE = ["active_kernels_", "active_weights_"]  # read off the weights


@pytest.mark.parametrize("name", SETTLED)
def test_settled_names_are_public(name):
    assert name in kl.__all__
    assert hasattr(kl, name)


@pytest.mark.parametrize("name", SETTLED_KERNELS)
def test_settled_kernels_are_public(name):
    assert name in kl.kernels.__all__


@pytest.mark.parametrize(
    "module", [kl, kl.kernels, kl.gram, kl.inspection, kl.functionals, kl.comparison]
)
def test_all_is_sorted_and_holds_what_exists(module):
    assert list(module.__all__) == sorted(module.__all__)
    for name in module.__all__:
        assert inspect.getdoc(getattr(module, name)), f"{name} has no docstring"


def test_a_star_import_brings_no_private_names():
    names: dict[str, object] = {}
    exec("from kernlearn import *", names)
    assert {name for name in names if not name.startswith("__")} == set(kl.__all__)


@pytest.mark.parametrize(
    ("call", "order"),
    [
        (kl.MKLClassifier, ["kernels", "quality", "C", "weights"]),
        (kl.MKLRegressor, ["kernels", "quality", "C", "weights"]),
        (kl.MKLNoveltyDetector, ["kernels", "nu", "weights"]),
        (kl.learn_weights, ["grams", "y"]),
    ],
)
def test_positional_parameters_are_the_settled_ones(call, order):
    parameters = inspect.signature(call).parameters.values()
    assert [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY] == order


def test_the_settled_defaults_of_learn_weights():
    parameters = inspect.signature(kl.learn_weights).parameters
    settled = {
        "quality": "soft_margin",
        "C": 1.0,
        "nu": 0.3,
        "weights": "positive",
        "constraint": "trace",
        "total": None,
        "penalty": None,
        "tol": 1e-6,
    }
    assert {name: parameters[name].default for name in settled} == settled


@pytest.mark.parametrize("kind", [kl.MKLClassifier, kl.MKLRegressor, kl.MKLNoveltyDetector])
def test_estimators_document_every_parameter_and_fitted_attribute(kind):
    text = inspect.getdoc(kind)
    for name in [*inspect.signature(kind).parameters, *FITTED, *ACTIVE]:
        assert name in text, f"{kind.__name__} does not document {name}"


@pytest.mark.parametrize("kind", [kl.MKLClassifier, kl.MKLRegressor, kl.MKLNoveltyDetector])
def test_fitted_attributes_are_the_documented_ones(kind):
    X = [[0.0], [1.0], [2.0], [4.0]]
    model = kind().fit(X, [0, 1, 0, 1])
    learned = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    assert set(FITTED) <= learned
    text = inspect.getdoc(kind)
    undocumented = {n for n in learned - {"n_features_in_"} if n not in text}
    assert undocumented == set()


def test_importing_needs_none_of_the_extras():
    """Drawing, the command line and the oracle are imported when they are used."""
    code = (
        "import sys, kernlearn.cli, kernlearn.report\n"
        "print([m for m in ('matplotlib', 'typer', 'cvxpy', 'hypothesis', 'skops', 'torch', "
        "'array_api_compat') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
