"""What a user types is there, documented, and nothing else is."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import kernlearn as kl
from kernlearn import estimators

SETTLED = [
    "KernelClassifier",
    "KernelRegressor",
    "KernelSurvival",
    "MKLSurvival",
    "MKLClassifier",
    "MKLRegressor",
    "MKLNoveltyDetector",
    "HyperkernelClassifier",
    "HyperkernelRegressor",
    "HyperkernelNoveltyDetector",
    "HyperkernelMetric",
    "LSSVMClassifier",
    "LSSVMRegressor",
    "FirstLevelClassifier",
    "FirstLevelRegressor",
    "GraphFusionClassifier",
    "GraphFusionRegressor",
    "Sources",
    "save",
    "load",
    "learn_weights",
    "transductive_error_bound",
    "MKLOptions",
    "HyperkernelOptions",
    "FirstLevelOptions",
]
# Names that are in modules of the package.
IN_MODULES = [
    "constraints.AtLeast",
    "constraints.AtMost",
    "constraints.Constraint",
    "constraints.Group",
    "constraints.Linear",
    "constraints.Order",
    "constraints.Tie",
    "penalties.ElasticNet",
    "penalties.GroupNorm",
    "penalties.HyperNorm",
    "penalties.LinearPenalty",
    "penalties.LpNorm",
    "penalties.NearKernel",
    "penalties.WishartPrior",
    "metrics.brier_scores",
    "metrics.harrell_concordance",
    "metrics.integrated_brier_score",
    "metrics.quadratic_kappa_scorer",
    "metrics.quadratic_weighted_kappa",
    "metrics.retrieval_auc",
    "ranking.MKLRanker",
    "metrics.uno_concordance",
    "results.Progress",
    "results.Solution",
    "results.Status",
    "results.ErrorBound",
    "results.Extension",
    "exceptions.AtChanceWarning",
    "exceptions.IndefiniteKernelWarning",
    "exceptions.InterruptedWarning",
    "families.RankOneStack",
    "survival.SurvivalOutcome",
    "survival.kaplan_meier",
    "survival.nelson_aalen",
    "survival.pseudo_restricted_mean",
    "survival.pseudo_survival",
    "gram.complete_kernel",
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
    "Bhattacharyya",
    "SmithWaterman",
    "Substitution",
    "WhereKnown",
    "Grid",
    "PerColumn",
    "GaussianRange",
    "ARDGaussianRange",
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


def test_the_top_level_holds_what_most_people_need():
    assert sorted(kl.__all__) == sorted(SETTLED)
    assert len(kl.__all__) <= 25


@pytest.mark.parametrize("path", IN_MODULES)
def test_other_names_are_in_their_modules(path):
    module, name = path.split(".")
    assert module in kl.MODULES
    assert module in dir(kl)
    assert name in getattr(kl, module).__all__
    assert hasattr(getattr(kl, module), name)


def test_modules_are_sorted_and_listed_in_the_api_pages():
    assert sorted(kl.MODULES) == kl.MODULES
    index = (Path(__file__).parents[1] / "docs" / "api" / "index.rst").read_text(encoding="utf-8")
    assert [name for name in kl.MODULES if f"   kernlearn.{name}\n" not in index] == []
    others = set(kl.__all__) - set(kl.MODULES)
    assert [name for name in others if f"   ~kernlearn.{name}\n" not in index] == []


@pytest.mark.parametrize("name", [n for n in estimators.__all__ if n[0].isupper()])
def test_every_parameter_has_a_text_of_its_own(name):
    kind = getattr(estimators, name)
    lines = [line.strip() for line in inspect.getdoc(kind).splitlines()]
    for parameter in inspect.signature(kind).parameters:
        assert any(line.startswith(f"{parameter} : ") for line in lines), parameter
    assert not [line for line in lines if line.startswith(("Likewise", "As in :class:"))]


@pytest.mark.parametrize("name", SETTLED_KERNELS)
def test_settled_kernels_are_public(name):
    assert name in kl.kernels.__all__


@pytest.mark.parametrize(
    "module",
    [
        kl,
        kl.kernels,
        kl.gram,
        kl.inspection,
        kl.functionals,
        kl.comparison,
        kl.constraints,
        kl.penalties,
        kl.metrics,
        kl.ranking,
        kl.results,
        kl.exceptions,
        kl.export,
        kl.families,
        kl.survival,
    ],
    ids=lambda module: module.__name__,
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


def _imported(code):
    """The names of the modules that a fresh interpreter holds after it has run this."""
    code += "\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


HEAVY = {"sklearn", "scipy.stats", "pandas", "matplotlib"}
EXTRAS = {"matplotlib", "typer", "cvxpy", "hypothesis", "skops", "torch", "array_api_compat"}


def test_importing_the_package_brings_in_nothing_heavy():
    """Not even NumPy: a name is imported when it is first used."""
    assert set(_imported("import kernlearn").split()) & {*HEAVY, "numpy", "scipy"} == set()


def test_the_version_of_the_command_line_brings_in_nothing_heavy():
    pytest.importorskip("typer")
    code = (
        "import sys, kernlearn.cli\n"
        "sys.argv = ['kernlearn', '--version']\n"
        "try:\n    kernlearn.cli.main()\nexcept SystemExit as end:\n    assert not end.code"
    )
    assert set(_imported(code).split()) & {*HEAVY, "numpy", "scipy"} == set()


def test_an_import_brings_in_no_other_family_of_estimators_and_no_extra():
    """Drawing, the command line and the oracle are imported when they are used."""
    code = "import sys\nfrom kernlearn import MKLClassifier\nfirst = ' '.join(sys.modules)\n"
    told = _imported(code + "import kernlearn.cli, kernlearn.report\nprint(first, '|', end=' ')")
    modules, _, all_modules = (set(part.split()) for part in told.partition("|"))
    assert "kernlearn.report" in all_modules
    assert all_modules & EXTRAS == set()
    assert "kernlearn.estimators.mkl" in modules
    others = {"hyperkernel", "least_squares", "mixture"}
    assert {f"kernlearn.estimators.{name}" for name in others} & modules == set()
    assert {
        f"kernlearn.{name}" for name in ("cli", "papers", "report", "tables")
    } & modules == set()


@pytest.mark.parametrize("package", [kl, estimators])
def test_type_checkers_and_the_interpreter_see_the_same_names(package):
    """Each name is imported from the same module, for a type checker and at run time."""
    with open(package.__file__, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    (branch,) = (node for node in tree.body if isinstance(node, ast.If))
    declared = {
        alias.name: f"{imports.module}.{alias.name}"
        for imports in branch.body
        for alias in imports.names
    }
    (assignment,) = branch.orelse
    given = compile(ast.Expression(assignment.value.args[1]), package.__file__, "eval")
    homes = eval(given, {"__all__": package.__all__, "tuple": tuple})
    lazy = {name: f"{module}.{name}" for module, names in homes.items() for name in names}
    modules = {name: f"kernlearn.{name}" for name in package.__all__ if name not in lazy}
    assert declared == {**lazy, **modules}
    assert sorted(declared) == sorted(package.__all__)


def test_modules_are_attributes_and_the_rest_is_missing():
    assert kl.families.__name__ == "kernlearn.families"
    assert set(kl.__all__) <= set(dir(kl))
    with pytest.raises(
        AttributeError, match=r"module 'kernlearn' has no attribute 'KernelMachine'"
    ):
        _ = kl.KernelMachine


def test_the_citation_names_the_version():
    citation = (Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {kl.__version__}\n" in citation
