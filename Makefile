PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint .constraints.txt
# Stamps inside the environment: set-up runs again only when what it reads has changed. An editable install remembers
# which top-level folders were packages, and the version, hence the __init__ files.
INPUTS := pyproject.toml .constraints.txt $(wildcard */__init__.py)
TRAIN_READY := $(VENV)/.ready-train
DEV_READY := $(VENV)/.ready-dev
RUN ?= runs/tiny-$(shell date +%Y%m%d-%H%M%S)
POLICIES := zero,paperwork,rubber_stamp,discount_general,restock,par_blind,cap_blind,auditor

.DEFAULT_GOAL := test
.PHONY: run scores test lint types contracts bench clean

# The whole way in small: a language model is built on the spot, taught to speak, plays, is trained by RLlib, plays again.
run: $(TRAIN_READY)
	$(BIN)/medchain train configs/experiment/coordinator_lora_tiny.yaml --iterations 4 --out $(RUN)

# One table of scores: every scripted coordinator on held-out seeds.
scores: $(TRAIN_READY)
	$(BIN)/medchain eval --policy $(POLICIES) --seeds 50-59 --difficulty light,medium,heavy --workers 2

test: lint types contracts
	$(BIN)/python -m pytest -q -n 2

lint: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV_READY)
	$(BIN)/mypy --strict medchain

contracts: $(DEV_READY)
	$(BIN)/lint-imports --no-logo

# The yardsticks among PettingZoo's classic games need pygame, which is a development dependency.
bench: $(DEV_READY)
	$(BIN)/python -m experiments.bench

# Leaves the environment alone; remove $(VENV) by hand for a fresh one.
clean:
	rm -rf build dist *.egg-info .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find configs experiments medchain policies tests -name __pycache__ -prune -exec rm -rf {} +

# Made last by `python -m venv`, and only where Debian's python3-venv is complete.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "MedChain needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)

$(TRAIN_READY): $(INPUTS) | $(BIN)/pip
	$(PIP) --editable '.[train]'
	@touch $@

$(DEV_READY): $(INPUTS) | $(BIN)/pip
	$(PIP) --editable '.[dev,train,study]'
	@touch $(TRAIN_READY) $@
