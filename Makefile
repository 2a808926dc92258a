# The newcomer's commands: make demo, make test. Both set up .venv on their first call.
.DEFAULT_GOAL := help
BIN := .venv/bin
INPUTS := pyproject.toml constraints.txt scripts/setup.sh

.PHONY: help demo test vectors check docs bench clean

help:
	@echo "make demo   set up and run one plugin from folder to committed turn"
	@echo "make test   set up and run all tests"
	@echo "make vectors DIR=...  run the conformance vectors of a folder (without DIR: ours)"
	@echo "make check  format, lint, types, import contract, rings, docs"
	@echo "make docs   build the documentation into site/"
	@echo "make bench  measure against floors and peers (installs the peers)"
	@echo "make clean  remove .venv and caches"

.venv/.installed-run: $(INPUTS)
	@echo "Setting up .venv (first call only, about half a minute) ..."
	@PYTHON="$(PYTHON)" sh scripts/setup.sh kit
	@touch $@

.venv/.installed-dev: $(INPUTS)
	@echo "Setting up .venv with the test tools (first call only, about a minute) ..."
	@PYTHON="$(PYTHON)" sh scripts/setup.sh dev
	@touch .venv/.installed-run $@

.venv/.installed-bench: $(INPUTS)
	@PYTHON="$(PYTHON)" sh scripts/setup.sh dev,bench
	@touch .venv/.installed-run .venv/.installed-dev $@

demo: .venv/.installed-run
	@$(BIN)/python scripts/demo.py

# Many tests start a process of the program: without bytecode each would compile it anew.
test: .venv/.installed-dev
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2

# make -C changes the folder before it reads DIR; the shell still knows where it was called.
CALLED_FROM := $(if $(findstring w,$(firstword -$(MAKEFLAGS))),$(PWD),$(CURDIR))

vectors: .venv/.installed-dev
	@$(BIN)/python -m tests.vectors $(if $(DIR),"$(if $(filter /%,$(DIR)),,$(CALLED_FROM)/)$(DIR)")

check: .venv/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -q tests/test_architecture.py
	$(BIN)/mkdocs build --strict --quiet

docs: .venv/.installed-dev
	$(BIN)/mkdocs build --strict

bench: .venv/.installed-bench
	$(BIN)/python -m benchmarks --write

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis
