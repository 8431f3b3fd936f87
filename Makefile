# The front door. Every target sets up what it needs: python3 (3.11 or later), make and PyPI.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow lint format bench clean

help:
	@echo "make demo       learn a kernel from the bundled breast cancer data"
	@echo "make test       run the test suite"
	@echo "make test-slow  run the tests that take minutes"
	@echo "make lint       ruff, mypy, import-linter"
	@echo "make format     let ruff format the code"
	@echo "make bench      measure the speed, as ratios in one run"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "kernlearn needs Python 3.11 or later, got $$($(PYTHON) --version); set PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	@touch $@

demo: $(STAMP)
	$(BIN)/kernlearn demo

# One BLAS thread per test process: two processes of two threads each fight over two cores.
test: $(STAMP)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

test-slow: $(STAMP)
	$(BIN)/python -m pytest -m slow

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

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
