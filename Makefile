# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-portable lint bench truth reproduce clean

demo: $(STAMP)
	$(BIN)/python examples/mortgage.py

# One BLAS thread per worker: the systems are small, and the workers already use every core.
test: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

# The part that depends on how a CPU rounds, as two other CPUs would compute it.
test-portable: $(STAMP)
	$(BIN)/python tests/portable.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# All threads are allowed here: every solver is measured with the number of BLAS threads that suits it better.
bench: $(STAMP)
	$(BIN)/python -m benchmarks.run

# Problems with known answers, counts of broken promises beside what is allowed: fails when one is exceeded.
truth: $(STAMP)
	$(BIN)/python -m benchmarks.truth

# The paper's figure and tables at small size, in reports/paper; its sizes: saddleback reproduce all --scale full.
reproduce: $(STAMP)
	$(BIN)/saddleback reproduce all

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) .venv-peers .pytest_cache .mypy_cache .ruff_cache .hypothesis reports
