# make demo    the whole product on a real Kafka broker, on this machine
# make test    everything that is checked: style, types, layers, unit and integration tests
# make lint    style, types and layers only
#
# Each does all its own set-up: it needs Python 3.11 or newer, Java 17 or newer, make and the package
# registries. ARGS goes to the command or to pytest: make demo ARGS=--keep-running
.DEFAULT_GOAL := help
.PHONY: help setup java packages demo test lint format clean

PYTHON ?= $(firstword $(shell command -v python3.11 python3 python))
VENV := .venv
BIN := $(VENV)/bin
# Test files side by side, each in one process, so that the servers it starts serve all its tests.
PARALLEL ?= --numprocesses auto --maxprocesses 4 --dist loadfile
INSTALLED := $(VENV)/.installed

help:
	@sed -n '/^#/!q;s/^# \{0,1\}//p' Makefile

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

setup: $(INSTALLED)

java:
	@$(PYTHON) -m streaming.session.java > /dev/null

packages:
	@.ci/packages

demo: java $(INSTALLED)
	$(BIN)/rebalance-monitor demo $(ARGS)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

test: java packages lint
	$(BIN)/pytest $(PARALLEL) $(ARGS)

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis artifacts demo-output
