# The front door. Every target sets up what it needs: python3 (3.11 or later), make and PyPI.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS_STAMP := $(VENV)/.installed-docs

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-processors fuzz lint format bench docs clean

help:
	@echo "make demo             where learning the kernel wins, and where not, in under a minute"
	@echo "make test             run the test suite"
	@echo "make test-slow        run the tests that take minutes"
	@echo "make test-processors  run the tests with the arithmetic of other processors (two hours on two cores)"
	@echo "make fuzz             judge 20,000 hostile problems, and hostile fits and files (an hour on two cores)"
	@echo "make lint             ruff, mypy, import-linter"
	@echo "make format           let ruff format the code"
	@echo "make bench            measure the speed, as ratios in one run"
	@echo "make docs             build these pages and the API into docs/_build/html"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "kernlearn needs Python 3.11 or later, got $$($(PYTHON) --version); set PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	@touch $@

demo: $(STAMP)
	$(BIN)/kernlearn demo --report kernlearn-demo.html

# One BLAS thread per test process: two processes of two threads each fight over two cores. What one
# process has compiled, the others read, even where the environment asks for no bytecode.
test: $(STAMP)
	@.ci/chromium
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

test-slow: $(STAMP)
	$(BIN)/python -m pytest -m slow

test-processors: $(STAMP)
	$(BIN)/python .ci/processors.py

fuzz: $(STAMP)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m kernlearn.testing.fuzz --problems 20000 --jobs 2
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m kernlearn.testing.hostile.fits 400
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m kernlearn.testing.hostile 2000

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)
	$(BIN)/python -m benchmarks

$(DOCS_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch $@

# The examples run in the build; a warning is an error, but all of them are shown.
docs: $(DOCS_STAMP)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

clean:
	rm -rf docs/_build docs/api/generated docs/auto_examples
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
