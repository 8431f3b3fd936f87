"""The code in the README and the docs runs, and their links lead somewhere."""

import re
import shlex
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import sklearn.datasets

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
# What an extra brings, by the names of the modules.
MODULES = {
    "cli": ("typer", "rich"),
    "dask": ("dask", "distributed"),
    "excel": ("openpyxl",),
    "gpytorch": ("gpytorch",),
    "gpu": ("torch", "array_api_compat", "cupy"),
    "graphs": ("networkx",),
    "io": ("pandas", "pyarrow", "skops"),
    "onnx": ("onnx",),
    "plot": ("matplotlib",),
    "reference": ("cvxpy",),
}
PAGES = sorted(
    [
        README,
        *(page for page in DOCS.rglob("*.md") if DOCS / "_build" not in page.parents),
    ]
)
# The blocks of a tutorial are one session, and have tests of their own.
STANDALONE = [page for page in PAGES if page.parent != DOCS / "tutorials"]
# Smaller numbers, for what is tested is that the code runs; a page without the number has none.
FEWER = {
    "hyperkernels": {"(2500, 3)": "(300, 3)", "n_samples=100": "n_samples=50", "cv=3": "cv=2"},
    "grouped_patients": {"KFold(5": "KFold(2", "GroupKFold(5)": "GroupKFold(2)"},
    "combine_kernels": {
        "(1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)": "(1.0, 1.5)",
        "[0.1, 1.0, 10.0, 100.0]": "[0.1, 1.0]",
        "[0.1, 1.0, 10.0]": "[0.1, 1.0]",
        "X[:150], y[:150]": "X[:60], y[:60]",
        "(150, 3)": "(60, 3)",
        "gumbel(size=150)": "gumbel(size=60)",
        "cv=3": "cv=2",
    },
    "imbalanced_classes": {
        "make_classification(600": "make_classification(120",
        "make_classification(300": "make_classification(120",
        '["linear", "Gaussian", "additive"]': '["linear"]',
        "cv=3": "cv=2",
    },
    "text_beside_numbers": {"120": "60", "cv=3": "cv=2"},
    "on_a_cluster": {"2000": "400", "(500, 5)": "(100, 5)", "rank=100": "rank=30"},
    "learn_a_distance": {
        "[0.5, 1.0, 2.0]": "[0.5, 1.0]",
        "n_pairs=1000": "n_pairs=300",
        "StratifiedKFold(3)": "StratifiedKFold(2)",
    },
    "many_kernels": {"(600, 8)": "(200, 8)", "(200, 20)": "(60, 8)", "(150, 2)": "(60, 2)"},
    "several_sources": {"120": "60", "cv=3": "cv=2"},
    "held_out_learning": {
        "make_moons(400": "make_moons(100",
        '["linear", "Gaussian", "additive"]': '["linear"]',
        '["Gaussian", "Matérn"]': '["Gaussian"]',
    },
    "coming_from": {"cv=3": "cv=2", "[0.1, 1, 10, 100]": "[0.1, 1]"},
    "which_inputs_matter": {
        "FirstLevelClassifier()": "FirstLevelClassifier(lam=1.0, mu=1.0)",
        "StratifiedShuffleSplit(3": "StratifiedShuffleSplit(2",
        "cv=3": "cv=2",
        "n_mus=7": "n_mus=2",
        "(100, 5)": "(40, 5)",
        "(100, 4)": "(40, 4)",
        "size=100)": "size=40)",
    },
}
PACKAGES = sorted((ROOT / "src" / "kernlearn").glob("[a-z]*/__init__.py"))
# Their public names are those of kernlearn itself.
ELSEWHERE = {"cli", "estimators"}


def _id(page):
    return str(page.relative_to(ROOT))


@pytest.fixture
def fewer_rows(monkeypatch):
    """Every sixth row of the tables: what is tested is that the code runs."""

    def thinned(load):
        def loaded(*, return_X_y=False, as_frame=False):
            data = load(as_frame=as_frame)
            for name in ("data", "target", "frame"):
                if data[name] is not None:
                    rows = data[name][::6]
                    data[name] = rows.reset_index(drop=True) if as_frame else rows
            return (data.data, data.target) if return_X_y else data

        return loaded

    for name in ("load_breast_cancer", "load_diabetes", "load_iris", "load_wine"):
        monkeypatch.setattr(sklearn.datasets, name, thinned(getattr(sklearn.datasets, name)))


def _blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def _extras(page):
    """The extras that the installation of the README and the page itself name."""
    texts = [README.read_text("utf-8"), page.read_text("utf-8")]
    named = (re.findall(r"(?:\.|kernlearn)\[([a-z,]+)\]", text) for text in texts)
    return {extra for one in named for names in one for extra in names.split(",")}


def test_the_extras_of_the_project_are_known():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(MODULES) == set(declared["optional-dependencies"])


@pytest.mark.usefixtures("fewer_rows", "quick_choices", "few_candidates")
@pytest.mark.parametrize("page", STANDALONE, ids=_id)
def test_python_blocks_run(page, capsys, monkeypatch, tmp_path, without):
    monkeypatch.chdir(tmp_path)  # where the tables that a page writes may lie
    named = {module for extra in _extras(page) for module in MODULES[extra]}
    hidden = {module for modules in MODULES.values() for module in modules} - named
    for module in hidden:
        without(module)
    needed = _run(page, monkeypatch, hidden)
    assert needed is None, f"{_id(page)} needs {needed}: name the extra in a `pip install` there"


def _run(page, monkeypatch, hidden):
    """Run the blocks of a page, and return the first of the hidden modules that it needs."""
    for block in _blocks(page, "python"):
        for many, few in FEWER.get(page.stem, {}).items():
            block = block.replace(many, few)
        module = ModuleType("__page__")
        # Known by its name, as a script is, so that classes of a block can be pickled.
        monkeypatch.setitem(sys.modules, "__page__", module)
        try:
            exec(compile(block, str(page), "exec"), vars(module))
        except ModuleNotFoundError as error:
            needed = (error.name or "").partition(".")[0]
            if needed not in hidden:
                raise
            return needed
    return None


@pytest.mark.slow
def test_the_readme_prints_what_it_shows(capsys):
    """On all rows, with the default effort, unlike the test above."""
    for block, shown in zip(_blocks(README, "python"), _blocks(README, "text"), strict=True):
        exec(compile(block, "README.md", "exec"), {})
        assert capsys.readouterr().out == shown


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http") and "api/generated/" not in target:  # made by a build
                assert (page.parent / target).exists(), f"{_id(page)}: {target}"


def test_commands_are_understood():
    """Parsed, not run: the command is there, and takes these options."""
    from typer.main import get_command

    from kernlearn.cli.app import app

    group = get_command(app)
    context = group.make_context("kernlearn", ["info"])
    for page in PAGES:
        for line in re.findall(r"^ *(kernlearn \w.*)$", page.read_text("utf-8"), re.MULTILINE):
            name, *arguments = shlex.split(line)[1:]
            command = group.get_command(context, name)
            assert command is not None, f"{_id(page)}: there is no command {name}"
            assert command.make_context(name, arguments).params, f"{_id(page)}: {line}"


@pytest.mark.usefixtures("fewer_rows")
def test_the_shell_lines_of_the_readme_run(monkeypatch, tmp_path):
    """In order, in one folder; of `make` and `pip` only what they name is looked up."""
    from typer.testing import CliRunner

    from kernlearn.cli.app import app
    from kernlearn.cli.problem import CommandOptions
    from kernlearn.methods.importance import ImportanceOptions
    from kernlearn.methods.method import MethodOptions
    from kernlearn.methods.scores import ScoreOptions
    from kernlearn.methods.task import WorkflowOptions

    monkeypatch.chdir(tmp_path)
    workflow = WorkflowOptions(
        importance=ImportanceOptions(most_repeats=1), scoring=ScoreOptions(n_draws=40), baselines=()
    )
    quick = CommandOptions(workflow, MethodOptions(candidates=["linear"]), n_jobs=1, few_rows=0)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for line in "".join(_blocks(README, "sh")).splitlines():
        command, *arguments = shlex.split(line, comments=True)
        match command:
            case "make":
                assert re.search(rf"^{arguments[0]}:", makefile, re.MULTILINE), line
            case "pip":
                extras = re.fullmatch(r"install \.\[(.*)\]", " ".join(arguments))
                assert set(extras[1].split(",")) <= set(MODULES), line
            case "python":
                exec(arguments[arguments.index("-c") + 1], {})
            case _:
                assert command == "kernlearn", line
                done = CliRunner().invoke(app, arguments, obj=quick)
                assert done.exit_code == 0, done.output
    assert {path.name for path in tmp_path.iterdir()} == {
        "wine.csv",
        "wine.kl",
        "wine.html",
        "predictions.csv",
    }


def test_packages_with_public_names_are_in_the_api_pages():
    index = (DOCS / "api" / "index.rst").read_text("utf-8")
    for package in PACKAGES:
        name = package.parent.name
        if "__all__ = " in package.read_text("utf-8") and name not in ELSEWHERE:
            assert f"   kernlearn.{name}\n" in index, name


def test_the_landing_page_shows_the_quickstart_of_the_readme():
    for language in ("python", "text"):
        assert _blocks(DOCS / "index.md", language)[0] == _blocks(README, language)[0]


def test_the_readme_opens_with_the_two_commands():
    opening = README.read_text(encoding="utf-8").split("\n## ")[0]
    assert opening.index("make demo") < opening.index("make test")


def test_the_version_is_the_same_everywhere():
    import kernlearn

    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited is not None
    assert cited.group(1) == kernlearn.__version__


def test_the_paper_cites_what_its_bibliography_and_the_citation_file_hold():
    text = (ROOT / "paper" / "paper.md").read_text("utf-8")
    bibliography = (ROOT / "paper" / "paper.bib").read_text("utf-8")
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    cited = set(re.findall(r"@([\w-]+)", text))
    assert cited == set(re.findall(r"^@\w+\{([\w-]+),$", bibliography, re.MULTILINE))
    (title,) = re.findall(r"^title: (.*)$", text, re.MULTILINE)
    assert f"title: {title}\n" in citation
    for source in ("lanckriet2004", "ong2005", "kondor2007", "cawley2014"):
        entry = bibliography.partition(f"{{{source},")[2]
        assert re.findall(r"title\s*= \{(.*)\},", entry)[0] in citation
    for picture in re.findall(r"\]\(([^)]*png)\)", text):
        assert (ROOT / "paper" / picture).exists()


@pytest.mark.skipif(not (ROOT / "src").is_dir(), reason="needs the sources")
def test_the_files_of_the_architecture_exist():
    source, text = (
        ROOT / "src" / "kernlearn",
        (ROOT / "docs" / "reference" / "architecture.md").read_text("utf-8"),
    )
    for name in set(re.findall(r"`([\w/]+\.py)`", text)) - {"docs/draw_imports.py"}:
        assert any(path.as_posix().endswith(f"/{name}") for path in source.rglob("*.py")), name


def test_the_numbers_that_are_made_smaller_are_those_of_the_pages():
    for page in STANDALONE:
        code = "".join(_blocks(page, "python"))
        for many in FEWER.get(page.stem, {}):
            assert many in code, f"{_id(page)}: {many}"
