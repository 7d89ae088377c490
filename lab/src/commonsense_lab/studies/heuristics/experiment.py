"""Heuristics that a model writes, on the domains of the planning competition's learning track of 2023, after Corrêa,
Pereira and Seipp (NeurIPS 2025): training problems for writing, test problems for judging."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from commonsense_lab.learning.heuristic_writer import HeuristicWriter
from commonsense_lab.learning.llm_heuristic import NO_PROGRAMS
from commonsense_lab.learning.settings import WritingOptions
from commonsense_lab.report.study import Study
from commonsense_lab.runner.rows import Labels
from commonsense_lab.runner.runner import spent
from commonsense_lab.studies.heuristics.benchmarks import problems, training
from commonsense_lab.studies.heuristics.solvers import LLM, SOLVERS, WRITTEN
from commonsense_lab.studies.heuristics.tables import (
    SolvingOutcome,
    SolvingRow,
    WritingOutcome,
    WritingRow,
    read_row,
    sections,
)
from commonsense_lab.studies.solve_study import Setup, labels_of
from commonsense_planning.errors import BudgetError, Status, UsageError
from commonsense_planning.llm.adapters import adapter_of
from commonsense_planning.llm.models import own_models
from commonsense_planning.methods.provenance import model_in_words
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.planners.planner import PlannerResult
from commonsense_planning.validation.replay import REPLAYED, replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.questions import Scene

SUITE = "heuristics"

STUDY = Study(read_row, sections)
writing_labels, solving_labels = labels_of(WritingRow, Labels), labels_of(SolvingRow, Labels)


@dataclass(frozen=True, kw_only=True)
class HeuristicsSetup(Setup):
    """``data``: the folder of the benchmarks; ``renamed``: the folder of the same under other names, for the model's
    heuristics. Each ``every``-th test problem is taken, from the ``first`` on, if that is given, with ``seconds`` for
    each. ``training``: the number of problems for writing."""

    data: Path
    writing: WritingOptions = WritingOptions()
    training: int = 5
    every: int = 9
    first: int | None = None
    seconds: float = 30.0
    seed: int = 0
    renamed: Path | None = None

    @property
    def text(self) -> str:
        """Everything on which the results depend but model and solver, as text."""
        begin = "" if self.first is None else f" from number {self.first} on"
        return f"every {self.every}th test problem{begin}, {self.seconds:g} s for each"

    def domain_file(self, domain: str) -> Path:
        """Returns the domain's file, under the names in use."""
        return (self.renamed or self.data) / domain / "domain.pddl"

    def here(self, file: Path) -> Path:
        """Returns a file of ``data`` under the names in use."""
        return file if self.renamed is None else self.renamed / file.relative_to(self.data)


@dataclass(frozen=True)
class WritingEpisode:
    """The model writes a heuristic for a domain."""

    domain: str
    setup: HeuristicsSetup

    @property
    def labels(self) -> Labels:
        setup, writing = self.setup, self.setup.writing
        words = speaker(setup)
        files = [file.stem for file in training(setup.data, self.domain, setup.training)]
        key = (
            f"{SUITE}: {self.domain}, written by {words}, {writing.candidates} candidates, {writing.repairs} "
            f"repairs, tried on {' '.join(files)} for {writing.trial_seconds:g} s, seed {setup.seed}, {setup.text}"
        )
        return writing_labels(
            **setup.shared_labels(SUITE, key),
            domain=self.domain,
            model=words,
            training=files,
            seed=setup.seed,
            validators=REPLAYED,
        )

    def run(self) -> WritingOutcome:
        """Writes it with the model. Raises BudgetError if a budget for all episodes ended it."""
        setup, writing = self.setup, self.setup.writing
        started = time.perf_counter()
        files = training(setup.data, self.domain, setup.training)
        read = [read_problem(setup.domain_file(self.domain), setup.here(file)) for file in files]
        with own_models(setup.model, setup.limits, self.labels.key, setup.seed) as models:
            model = models.open_by_seed(Scene(self.domain), seed=setup.seed)
            written = HeuristicWriter(model, read, writing.trial_seconds).write(writing.candidates, writing.repairs)
            usage, cost, note = models.usage, models.cost, models.note
        best = next((candidate for candidate in written[:1] if candidate.solved), None)
        repairs = sum(candidate.name.startswith("repair") for candidate in written)
        return WritingOutcome(
            program="" if best is None else best.program,
            name="" if best is None else best.name,
            solved=0 if best is None else best.solved,
            climbed=0 if best is None else best.climbed,
            candidates=len(written) - repairs,
            refused=sum(bool(candidate.refused) for candidate in written),
            repairs=repairs,
            model_note=note,
            seconds=round(time.perf_counter() - started, 3),
            **spent(usage, cost),
        )


@dataclass(frozen=True)
class SolvingEpisode:
    """A solver gets a test problem; ``program``: the heuristic for it, ``by`` whom, where it needs one."""

    domain: str
    level: str
    file: Path
    solver: str
    setup: HeuristicsSetup
    program: str = ""
    by: str = ""

    @property
    def labels(self) -> Labels:
        setup = self.setup
        solver = f"{self.solver}, {self.by}" if self.by else self.solver
        key = f"{SUITE}: {self.domain}, {self.level} {self.file.stem}, {solver}, {setup.text}"
        return solving_labels(
            **setup.shared_labels(SUITE, key),
            domain=self.domain,
            solver=solver,
            level=self.level,
            problem=self.file.stem,
            validators=REPLAYED,
        )

    def run(self) -> SolvingOutcome:
        """Solves it, and has the plan replayed."""
        started = time.perf_counter()
        try:
            problem = read_problem(self.setup.domain_file(self.domain), self.setup.here(self.file))
            left = self.setup.seconds - (time.perf_counter() - started)
            found = SOLVERS.get(self.solver, WRITTEN).solve(problem, self.program, max(left, 0.1))
        except BudgetError as error:  # only this problem's: there is no limit for all
            found = PlannerResult(Status.BUDGET, None, str(error))
        status, reason, plan = found.status, found.reason, found.plan
        if plan is not None and replay(problem, plan).verdict is not Verdict.VALID:
            status, reason = Status.INVALID, "the replay refuses the plan"
        return SolvingOutcome(
            status=str(status),
            reason=reason,
            steps=None if plan is None else len(plan),
            seconds=round(time.perf_counter() - started, 3),
            expanded=found.expanded,
            evaluated=found.evaluated,
        )


def speaker(setup: HeuristicsSetup) -> str:
    """Returns who writes, and whether under other names."""
    return model_in_words(setup.model).removeprefix("model ") + (", other names" if setup.renamed else "")


def writing_episodes(setup: HeuristicsSetup, wanted: Sequence[str]) -> list[WritingEpisode]:
    """Returns one for each domain. Raises UsageError for a model that writes no programs."""
    if not adapter_of(setup.model)[0].reads_prompts:
        raise UsageError(NO_PROGRAMS.format(setup.model.name))
    return [WritingEpisode(domain, setup) for domain in wanted]


def solving_episodes(
    setup: HeuristicsSetup, wanted: Sequence[str], solvers: Sequence[str], programs: Mapping[str, str], by: str = ""
) -> list[SolvingEpisode]:
    """Returns every solver on every test problem, problem by problem. ``programs``: domain → the model's heuristic,
    ``by`` whom, by default the model of the setup; where there is none, its solver is left out."""
    by = by or speaker(setup)
    episodes = []
    for domain in wanted:
        for level, file in problems(setup.data, domain, setup.every, setup.first):
            for name in solvers:
                own = SOLVERS.get(name, WRITTEN).program
                program = programs.get(domain, "") if name == LLM else own(domain) if own is not None else ""
                if program or (name != LLM and own is None):
                    said = by if name == LLM else ""
                    episodes.append(SolvingEpisode(domain, level, file, name, setup, program, said))
    return episodes
