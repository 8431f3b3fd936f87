# The front door. Every target sets up what it needs: python3 (3.11 or later), make and PyPI.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS_STAMP := $(VENV)/.installed-docs
EXTRAS := cli,dask,excel,graphs,io,onnx,plot,reference
PYTEST = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-processors test-pythons test-lowest test-no-extras coverage fuzz lint format bench docs links paper dist clean

help:
	@echo "make demo             where learning the kernel wins, and where not, in under a minute"
	@echo "make test             run the test suite"
	@echo "make test-slow        run the tests that take minutes"
	@echo "make test-processors  run the tests with the arithmetic of other processors (two hours on two cores)"
	@echo "make test-pythons     run the tests with every Python from 3.11 to 3.14 that is installed"
	@echo "make test-lowest      run the tests with the lowest versions of the dependencies"
	@echo "make test-no-extras   run the tests without optional packages"
	@echo "make coverage         run the test suite and print the share of lines that it runs"
	@echo "make fuzz             judge 30,000 hostile problems, and hostile fits and files (75 minutes on two cores)"
	@echo "make lint             ruff, mypy, import-linter, codespell, numpydoc, sp-repo-review, links"
	@echo "make format           let ruff format the code"
	@echo "make bench            measure the speed, as ratios in one run"
	@echo "make docs             build these pages and the API into docs/_build/html"
	@echo "make links            try the links of the pages that lead elsewhere"
	@echo "make paper            build paper/paper.md into docs/_build/paper.html (needs pandoc)"
	@echo "make dist             build the release into dist/, install it, test what is installed"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "kernlearn needs Python 3.11 or later, got $$($(PYTHON) --version); set PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"  # the first with --group
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$(EXTRAS)]" --group dev
	@touch $@

demo: $(STAMP)
	$(BIN)/kernlearn demo --report kernlearn-demo.html

# One BLAS thread per test process: two processes of two threads each fight over two cores. What one
# process has compiled, the others read, even where the environment asks for no bytecode.
test: $(STAMP)
	@.ci/chromium
	$(PYTEST) -n auto --dist worksteal -m "not slow"

test-slow: $(STAMP)
	$(BIN)/python -m pytest -m slow

test-processors: $(STAMP)
	$(BIN)/python .ci/processors.py

test-pythons: $(STAMP)
	$(BIN)/nox --session tests --no-error-on-missing-interpreters

test-lowest: $(STAMP)
	$(BIN)/nox --session lowest

test-no-extras: $(STAMP)
	$(BIN)/nox --session no_extras

coverage: $(STAMP)
	@.ci/chromium
	$(PYTEST) -n auto --dist worksteal -m "not slow" --cov --cov-report=term:skip-covered --cov-report=html

fuzz: $(STAMP)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.hostile weights --problems 20000 --jobs 2
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.hostile weights --problems 5000 --seed 20000000 --jobs 2
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.hostile weights --problems 5000 --seed 30000000 --jobs 2
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.hostile fits --problems 400
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.hostile fits --problems 300 --seed 1000000
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.hostile files --problems 2000

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/numpydoc lint $$(find src -name '*.py')
	$(BIN)/sp-repo-review --show err .
	$(BIN)/python .ci/links.py

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)
	$(BIN)/python -m benchmarks

$(DOCS_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs
	@touch $@

# The examples run in the build; a warning is an error, but all of them are shown.
docs: $(DOCS_STAMP)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

links: $(STAMP)
	$(BIN)/python .ci/links.py

# Pandoc before 2.19, which Debian 12 has, calls --embed-resources --self-contained.
PANDOC ?= pandoc
EMBED = $(if $(findstring embed-resources,$(shell $(PANDOC) --help)),--embed-resources,--self-contained)
paper:
	@mkdir -p docs/_build
	cd paper && $(PANDOC) paper.md --citeproc --fail-if-warnings --standalone $(EMBED) --mathml \
		--output ../docs/_build/paper.html

dist: $(STAMP)
	$(BIN)/nox --session build installed

clean:
	rm -rf dist .nox .coverage htmlcov docs/_build docs/api/generated docs/auto_examples
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
