#!/usr/bin/env -S uv run --script

# /// script
# dependencies = ["nox>=2025.10.14"]
# ///

"""Sessions that need an environment of their own. `make` calls them; `nox --list` lists them."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import nox
from packaging.requirements import Requirement

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv|virtualenv"

ROOT = Path(__file__).parent
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
EXTRAS = "cli,dask,excel,graphs,io,onnx,plot,reference"  # all but gpu
TEST_TOOLS = nox.project.dependency_groups(PROJECT, "test")
# One BLAS thread per test process: several threads in several processes fight over the cores.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# A short part of the tests: public names, kernels, solvers, model files, commands.
SMOKE = [
    "tests/test_public_names.py",
    "tests/test_learn.py",
    "tests/kernels",
    "tests/persistence",
    "tests/cli/test_main.py",
]


def run_tests(session: nox.Session, *arguments: str) -> None:
    """Run pytest on every core."""
    parallel = ["-n", "auto", "--dist", "worksteal", "-m", "not slow"]
    session.run("python", "-m", "pytest", *parallel, *arguments, env=ONE_THREAD)


@nox.session(python=["3.11", "3.12", "3.13", "3.14"], default=False)
def tests(session: nox.Session) -> None:
    """Run the tests with the newest dependencies."""
    session.install("--editable", f".[{EXTRAS}]", *TEST_TOOLS)
    run_tests(session, *session.posargs)


@nox.session(python="3.11", default=False)
def lowest(session: nox.Session) -> None:
    """Run the tests with the lowest version of every dependency that pyproject.toml allows."""
    project = PROJECT["project"]
    declared = sum(project["optional-dependencies"].values(), project["dependencies"])
    pins = session.create_tmp() + "/lowest.txt"
    with open(pins, "w", encoding="utf-8") as file:
        for requirement in map(Requirement, declared):
            for bound in requirement.specifier:
                if bound.operator == ">=":
                    file.write(f"{requirement.name}=={bound.version}\n")
    session.install("--editable", f".[{EXTRAS}]", *TEST_TOOLS, "--constraint", pins)
    run_tests(session, *session.posargs)


@nox.session(default=False)
def no_extras(session: nox.Session) -> None:
    """Run the tests without optional packages: those that need one are skipped."""
    session.install("--editable", ".", "hypothesis", "pytest", "pytest-xdist")
    run_tests(session, *session.posargs)


@nox.session
def build(session: nox.Session) -> None:
    """Build the source distribution and the wheel into dist/, and check them."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    session.install("build", "check-wheel-contents", "twine")
    session.run("python", "-m", "build", "--outdir", "dist")
    files = sorted(str(path) for path in Path("dist").iterdir())
    session.run("twine", "check", "--strict", *files)
    session.run("check-wheel-contents", "dist")


@nox.session(requires=["build"])
@nox.parametrize("pattern", ["*.whl", "*.tar.gz"], ids=["wheel", "sdist"])
def installed(session: nox.Session, pattern: str) -> None:
    """Install what `build` made into an empty environment, and run tests against it.

    The tests are those of the source distribution, in a folder without the sources. Name others
    than the short part after ``--``.
    """
    (archive,) = (ROOT / "dist").glob(pattern)
    (sdist,) = (ROOT / "dist").glob("*.tar.gz")
    folder = Path(session.create_tmp()).resolve() / "unpacked"
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(sdist) as file:
        file.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    shutil.rmtree(root / "src")
    session.chdir(root)

    session.install(str(archive))
    session.run("python", "-c", "import kernlearn; print(kernlearn.MKLClassifier())")
    session.install(f"kernlearn[cli,graphs,io,plot] @ {archive.as_uri()}", *TEST_TOOLS)
    session.run("kernlearn", "--version")
    run_tests(session, *(session.posargs or SMOKE))


if __name__ == "__main__":
    nox.main()
