# The laboratory's targets, and those of the site, which has its pages too. All use .venv/lab.
# make lab   the laboratory, with the core, in .venv/lab      make test-lab     its tests
# make test-lab-data       its tests on real input            make test-lab-processes   those that start processes
# make bench   the benchmarks        make lab-examples
# make differential   compare with programs that others wrote: 1,000 plans, some hundred tasks and files; some minutes
# make train   torch, for the CPU, and transformers, for cplan train-policy    make test-train   the tests that need them
# make local-model   the server and the weights of a small language model, for --model local
# make test-local    the tests that need them
# make test-cluster      the tests that need Ray: a cluster of two nodes on this machine
# make test-bench        the tests of what benchmarks compare with: pomdp-py's model, other planners
# make test-inspect      the example for inspect-ai, in an environment of its own, .venv/inspect
# make test-alfworld     the tests that play ALFWorld's games, in an environment of its own, .venv/alfworld
# make virtualhome   VirtualHome's own executor as a validator    make test-virtualhome   the tests that need it
# make docs   the documentation as a site, build/site/index.html, warnings as errors    make test-docs   the tests of it
# make test-browser      the tests of cplan view's page and the site's search, in a Chromium that is there (apt-get install chromium chromium-driver)
# make pictures          the pictures of README.md and of the pages, docs/pictures, in the same Chromium

LAB = .venv/lab/bin/python
LAB_PIP = $(LAB) -m pip install --quiet --disable-pip-version-check
LAB_INSTALL = $(LAB_PIP)
SMALL = out/classical-small.jsonl
LAB_TESTS = $(LAB) -m pytest -c lab/setup.cfg --rootdir . lab/tests
# What extras of both want, without cplan, which would be built once more for each
extras = $(PY) -m website.wanted $(1) > .venv/lab/wanted.txt && $(LAB_INSTALL) -r .venv/lab/wanted.txt

.PHONY: lab test-lab test-lab-data test-lab-processes lab-examples bench differential train test-train local-model test-local \
	test-cluster test-bench test-inspect test-alfworld virtualhome test-virtualhome docs test-docs test-browser pictures

lab: .venv/lab/installed

test-lab: .venv/lab/installed-test
	$(LAB_TESTS) -n 2

test-lab-data: .venv/lab/installed-test
	$(LAB_TESTS) -n 2 --maxschedchunk 1 -m "data and not virtualhome and not browser and not bench" -rs

test-lab-processes: .venv/lab/installed-test
	$(LAB_TESTS) -n 2 -m "processes and not bench"

local-model: .venv/lab/installed-local
	.venv/lab/bin/cplan local-model

test-local: local-model .venv/lab/installed-test
	$(LAB_TESTS) -m local

train: .venv/lab/installed-train

test-train: .venv/lab/installed-train .venv/lab/installed-test
	$(LAB_TESTS) -m train

test-cluster: .venv/lab/installed-cluster
	$(LAB_TESTS) -m cluster

test-bench: .venv/lab/installed-bench
	$(LAB_TESTS) -m bench

test-inspect: .venv/installed-inspect
	.venv/inspect/bin/python -m pytest -c lab/setup.cfg --rootdir . lab/tests -m inspect -rs  # runs lab/examples/inspect_planbench.py

test-alfworld: .venv/installed-alfworld
	.venv/alfworld/bin/python -m pytest -c lab/setup.cfg --rootdir . lab/tests -m alfworld -rs

virtualhome: .venv/lab/installed-virtualhome

test-virtualhome: .venv/lab/installed-virtualhome .venv/lab/installed-test
	$(LAB_TESTS) -m virtualhome -rs

docs: .venv/lab/installed-docs
	NO_MKDOCS_2_WARNING=1 $(LAB) -m mkdocs build --strict

test-docs: .venv/lab/installed-docs
	$(LAB) -m pytest -m docs -rs

test-browser: .venv/lab/installed-docs .venv/lab/installed-browser
	$(LAB) -m pytest -m browser
	$(LAB_TESTS) -m browser -rs

pictures: .venv/lab/installed-browser
	$(LAB) -m website.pictures.terminal
	$(LAB) -m website.pictures.chart
	$(LAB) -m website.pictures.figures
	$(LAB) -m website.pictures.page

lab-examples: .venv/lab/installed-test
	.venv/lab/bin/cplan bench misplaced --tasks 1 --shares 0,1 --methods look-greedy,look-nearest -o out/results --quiet
	$(LAB) lab/examples/read_results.py out/results

differential: .venv/lab/installed-bench .venv/installed-pddl
	$(LAB) -W ignore -m lab.benchmarks.reliability.differential plans --count 1000
	$(LAB) -W ignore -m lab.benchmarks.reliability.differential successors optimal unsolvable readers marginals oracle

bench: .venv/lab/installed-bench
	$(LAB) -m lab.benchmarks.placements
	$(LAB) -m lab.benchmarks.matching
	$(LAB) -m lab.benchmarks.rearrangement
	$(LAB) -m lab.benchmarks.endpoint
	$(LAB) -m lab.benchmarks.hill_climbing
	$(LAB) -m lab.benchmarks.search_regret
	$(LAB) -m lab.benchmarks.environments
	$(LAB) -m lab.benchmarks.many_goals
	$(LAB) -m lab.benchmarks.performance
	rm -f $(SMALL)
	test ! -d $(CPLAN_DATA)/ipc || $(LAB) -m lab.benchmarks.classical read solved optimal anytime --data $(CPLAN_DATA)/ipc --first 3 --limit 10 --out $(SMALL)

.venv/lab/bin/python: .venv/bin/python
	$(PY) -m venv .venv/lab

.venv/lab/installed: .venv/installed .venv/lab/bin/python lab/setup.cfg
	$(call extras)
	$(LAB_PIP) --no-deps -e . -e lab
	touch $@

.venv/lab/installed-test: .venv/lab/installed
	$(call extras,test)
	touch $@

.venv/lab/installed-bench: .venv/lab/installed-test
	$(call extras,test bench)
	touch $@

.venv/lab/installed-browser: .venv/lab/installed-test
	$(call extras,test browser)
	touch $@

.venv/lab/installed-docs: .venv/lab/installed-test
	$(call extras,test docs)
	touch $@

.venv/lab/installed-local: .venv/lab/installed
	$(call extras,local)
	touch $@

# torch first, in a version that has a build without CUDA.
.venv/lab/installed-train: .venv/lab/installed
	$(LAB_PIP) torch==2.13.0
	$(call extras,train)
	touch $@

.venv/lab/installed-cluster: .venv/lab/installed-test
	$(call extras,test cluster)
	touch $@

# In an environment of its own: it wants an older Lark than we do.
.venv/installed-pddl: .venv/installed
	$(PYTHON) -m venv .venv/pddl
	.venv/pddl/bin/python -m pip install --quiet --disable-pip-version-check pddl==0.5.1
	touch $@

# In an environment of its own: TextWorld has a package fast_downward, and so has what up-fast-downward needs from 1 on.
.venv/installed-inspect: .venv/lab/installed
	$(PYTHON) -m venv .venv/inspect
	PIP_CONSTRAINT= .venv/inspect/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test]' -e lab \
		'inspect-ai>=0.3.285,<0.4'
	touch $@

.venv/installed-alfworld: .venv/lab/installed
	$(PYTHON) -m venv .venv/alfworld
	PIP_CONSTRAINT= .venv/alfworld/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test]' -e lab \
		alfworld==0.4.2 'up-fast-downward<1'
	touch $@

# Without its requirements: they are old versions, for the client of the simulator, and the executor needs none of them.
.venv/lab/installed-virtualhome: .venv/lab/installed
	$(LAB_PIP) --no-deps virtualhome==2.3.0
	touch $@
