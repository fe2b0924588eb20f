# Set-up and the main jobs; every target makes its own virtual environment first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export TF_CPP_MIN_LOG_LEVEL := 3

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-long lint bench docs dist figures clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

venv: $(VENV)/ready  ## build .venv with everything

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if (3, 11) <= v < (3, 13) else f"otafl needs Python 3.11 or 3.12, not {v[0]}.{v[1]}; try make PYTHON=python3.12")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --constraint constraints.txt --editable '.[dev,sionna,ray,slurm]'
	touch $@

demo: venv  ## run the quickstart study and leave its figures in results/quickstart
	$(BIN)/otafl run quickstart --out results/quickstart

# Tests start many processes, and each would compile all modules anew.
test: export PYTHONDONTWRITEBYTECODE :=
test: export OTAFL_CACHE_DIR := $(CURDIR)/$(VENV)/programs
test: lint  ## lint, type-check and run the tests, in as many processes as there are cores
	@# in two goes, as TensorFlow keeps what it compiled until a process ends: 8 GB in one go
	$(BIN)/pytest -n auto --dist worksteal $(filter-out tests/otafl/,$(wildcard tests/*/ tests/test_*.py)) tests/otafl/engine
	$(BIN)/pytest -n auto --dist worksteal tests/otafl --ignore=tests/otafl/engine

test-long: export OTAFL_CACHE_DIR := $(CURDIR)/$(VENV)/programs
test-long: venv  ## run the tests that are left out, as they take long
	$(BIN)/pytest -m slow

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

bench: venv  ## measure speed, as ratios
	$(BIN)/python -m benchmarks

docs: venv  ## build the documentation, docs/_build/html/index.html
	$(BIN)/sphinx-build -W --keep-going -n -q -b html docs docs/_build/html

dist: venv  ## build the wheel and the source distribution, in dist/
	$(BIN)/python -m build --outdir dist

figures: venv  ## run every study and draw the gallery (needs OTAFL_DATA_DIR or a network)
	$(BIN)/python -m figures

clean:  ## remove what make leaves behind
	rm -rf $(VENV) results dist build docs/_build
	git clean -Xfq docs/reference
