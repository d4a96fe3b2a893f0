# The two commands of the README are `make demo` and `make test`; the rest is for daily work.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow lint format bench pins clean help

help:
	@echo "make demo       install into .venv and let the sample bots play a tournament"
	@echo "make test       install into .venv and run ruff, mypy and the tests"
	@echo "make test-slow  the long simulations, minutes"
	@echo "make bench      measure the referee, ten minutes; needs Linux and a C compiler"
	@echo "make format     let ruff format and fix what it can"
	@echo "make pins       renew requirements-dev.txt from the newest releases"
	@echo "make clean      remove .venv and caches"

demo: $(READY)
	$(BIN)/take5-referee run-local sample_bots/*

test: $(READY) lint
	$(BIN)/pytest -n 2

test-slow: $(READY)
	$(BIN)/pytest -m slow

bench: $(READY)
	$(BIN)/python -m benchmarks

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

$(READY): pyproject.toml requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "take5-referee needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

pins:
	rm -rf $(VENV)-pins
	$(PYTHON) -m venv $(VENV)-pins
	$(VENV)-pins/bin/python -m pip install --quiet . $$(cat requirements-dev.in)
	{ sed -n '/^#/p' requirements-dev.txt; $(VENV)-pins/bin/pip freeze | grep -v '^take5-referee'; } > requirements-dev.new
	mv requirements-dev.new requirements-dev.txt
	rm -rf $(VENV)-pins

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
