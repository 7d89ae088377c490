# make demo   solve a household task and have the plan validated     make test    run the tests
# make lint   ruff        make types   mypy        make examples      make bench      make clean
# All make .venv first, where they need it; nothing is installed outside of it.

PYTHON ?= python3
PY = .venv/bin/python
HOUSEHOLD = pddl/household
SOURCES = src tests examples $(wildcard benchmarks)

.PHONY: demo test lint types examples bench clean

demo: .venv/installed
	.venv/bin/cplan solve $(HOUSEHOLD)/domain.pddl $(HOUSEHOLD)/problems/demo.pddl --method llm-mcts

test: .venv/installed-test
	$(PY) -m pytest -n 2

lint: .venv/installed-dev
	$(PY) -m ruff check $(SOURCES)

types: .venv/installed-dev
	$(PY) -m mypy

examples: .venv/installed
	PATH="$(CURDIR)/.venv/bin:$$PATH" sh examples/own_domain/run.sh
	PATH="$(CURDIR)/.venv/bin:$$PATH" sh examples/compare_methods.sh
	$(PY) examples/python_api.py

bench: .venv/installed
	$(PY) -m benchmarks.grounding
	$(PY) -m benchmarks.household

clean:
	rm -rf .venv build out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Doctor tries every part, and so compiles the kernels once.
.venv/installed: .venv/bin/python setup.cfg pyproject.toml
	$(PY) -m pip install --quiet --disable-pip-version-check -e .
	.venv/bin/cplan doctor
	touch $@

.venv/installed-test: .venv/installed
	$(PY) -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

.venv/installed-dev: .venv/installed-test
	$(PY) -m pip install --quiet --disable-pip-version-check -e '.[test,dev]'
	touch $@

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "cplan needs Python 3.11 or newer; say which: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv .venv
