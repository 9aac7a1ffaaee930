# Each target does its own set-up: all it needs is Python 3.11 or later with venv, and make.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
PIP_FLAGS := --quiet --disable-pip-version-check --no-compile # what is used is compiled when it is used
PYTEST_ARGS ?=
GAMES ?= ../shared/data/games/b.bin.xz ../shared/data/games/a.bin.xz
NET_RUN ?= build/net
NET_SEEDS ?= 1 2 3 4 5 6
NET_RECIPE ?= --hidden 256 --king-buckets four --share 0.95 --epochs 6
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
	--no-annotate --no-emit-index-url --no-emit-find-links --custom-compile-command

.DEFAULT_GOAL := help
.PHONY: help setup demo check warm unit screenshots test test-slow bench lab net lock clean

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

setup: $(STAMP) ## install the locked dependencies and Krait itself into .venv

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "make: no $(PYTHON) here; name one with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "make: Krait needs Python 3.11 or later, and $(PYTHON) is $$($(PYTHON) -V); name another with PYTHON=..." >&2; \
		exit 1; }
	@$(PYTHON) -m venv .venv || { \
		rm -rf .venv; echo "make: no venv in this Python (on Debian: apt install python3-venv)" >&2; exit 1; }

$(STAMP): requirements-dev.lock pyproject.toml | $(BIN)/python
	@echo "make: installing the locked dependencies into .venv; half a minute the first time"
	@$(BIN)/python -m pip install $(PIP_FLAGS) --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install $(PIP_FLAGS) --no-deps --no-build-isolation -e .
	@touch $@

demo: setup ## play against Krait in the browser, on a Lichess of your own
	@$(BIN)/krait demo

check: setup ## lint, format, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

warm: setup
	$(BIN)/krait-engine warm

unit: warm
	$(BIN)/pytest -m "not slow" $(PYTEST_ARGS)

test: ## the gate: check, then every quick test
	@start=$$(date +%s); $(MAKE) --no-print-directory setup check unit; status=$$?; \
		echo "make test: $$(($$(date +%s) - start)) s"; exit $$status

screenshots: warm ## the pictures of the README, in deploy/pictures
	$(BIN)/python -m tests.page.shoot deploy/pictures

test-slow: warm ## the tests that take minutes
	$(BIN)/pytest -m slow --timeout 1800 $(PYTEST_ARGS)

bench: warm ## node signature and speed, beside Stockfish where there is one
	@$(BIN)/krait bench --compare

lab: setup ## add what training needs: the lab's lock, and PyTorch's CPU build
	$(BIN)/python -m pip install $(PIP_FLAGS) --require-hashes -r requirements-lab.lock
	$(BIN)/python -m pip install $(PIP_FLAGS) torch==2.13.0

net: lab warm ## train the shipped net anew from GAMES, in NET_RUN: some minutes to label, more to train; Stockfish 15
	for seed in $(NET_SEEDS); do $(BIN)/krait lab label $(GAMES) --nodes 0 --moves 2 --seed $$seed --processes 2 \
		--engine "$$(PATH="$$PATH:/usr/games" command -v stockfish)" --out $(NET_RUN)/$$seed.pos || exit; done
	$(BIN)/krait lab train $(GAMES) $(NET_SEEDS:%=$(NET_RUN)/%.pos) --out $(NET_RUN)/run $(NET_RECIPE) \
		$(if $(wildcard $(NET_RUN)/run/checkpoint.pt),--resume)
	$(BIN)/krait lab quantise $(NET_RUN)/run --out engine/nets/krait.nnue

lock: setup ## write the lock files anew from pyproject.toml (`rm` one first to upgrade its pins)
	$(LOCK) "make lock" pyproject.toml -o requirements.lock
	$(LOCK) "make lock" pyproject.toml --extra dev -c requirements.lock -o requirements-dev.lock
	# torch is left out: on Linux the one on PyPI brings gigabytes of CUDA. CONTRIBUTING says how to add it.
	echo torch | $(LOCK) "make lock (without torch: CONTRIBUTING.md says how to add it)" pyproject.toml \
		--extra lab -c requirements.lock --excludes - -o requirements-lab.lock

clean: ## remove .venv and every cache in this folder (compiled kernels live in the user's cache folder)
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
