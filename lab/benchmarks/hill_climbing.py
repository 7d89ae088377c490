"""What a step of hill climbing costs outside the model, prompts included.

    python -m lab.benchmarks.hill_climbing [GRAPH]

GRAPH is an environment graph of VirtualHome; without one, the pack's own apartment serves. A model that answers at once
carries out "microwave salmon", with the paper's questions and with cplan's; the median of the steps must be under 20
ms.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.virtualhome.home import import_home, render_home
from commonsense_lab.studies.virtualhome.tasks import task_named
from commonsense_planning.elicitation.choosing import Chooser, RelevantChooser
from commonsense_planning.elicitation.guidance import Guidance
from commonsense_planning.elicitation.paper_choosing import PaperChooser
from commonsense_planning.elicitation.situations import Situations
from commonsense_planning.errors import Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.llm.model import CHARACTERS_PER_TOKEN, Usage
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pomdp.transition_system import PathResult, TransitionSystem
from commonsense_planning.search.classical.hill_climbing import ClimbingOptions, HillClimbing
from commonsense_planning.task import Task, read_task
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import ChooseAction, Question

PACK = Path(__file__).parents[2] / "pddl" / "virtualhome"
TASK = "microwave-salmon"
MOST = 20.0  # ms
ROUNDS = 5
PLAN = (
    "[WALK]<salmon>",
    "[GRAB]<salmon>",
    "[WALK]<microwave>",
    "[OPEN]<microwave>",
    "[PUTIN]<salmon><microwave>",
    "[CLOSE]<microwave>",
    "[SWITCHON]<microwave>",
)


class Prompted:
    """Fills in the prompts of all questions, and says at once what comes next of ``PLAN``; keeps the time that it takes
    to know that, and how much was asked."""

    name, note = "at once", "a plan"

    def __init__(self, prompts: Prompts) -> None:
        self.prompts = prompts
        self.usage = Usage()
        self.answering = 0.0

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        for question in questions:
            text = "".join(message["content"] for message in self.prompts.messages(question))
            self.usage.questions += 1
            self.usage.prompt_tokens += len(text) // CHARACTERS_PER_TOKEN
        started = time.perf_counter()
        answers = [[self._answer(question)] for question in questions]
        self.answering += time.perf_counter() - started
        return answers

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        answers = self.ask(questions, n)
        return [read_answers(q, texts, LexicalMatcher()) for q, texts in zip(questions, answers, strict=True)]

    def answers(self, kind: type[Question]) -> bool:
        return True

    def take_notes(self) -> list[str]:
        return []

    def _answer(self, question: Question) -> str:
        assert isinstance(question, ChooseAction)
        left = PLAN[_done(question.taken) :]
        listed = {text: index for index, text in question.actions}
        action = next((action for action in left if action in listed), question.actions[-1][1])
        return f"{listed[action]}. {action}"


def _done(taken: Sequence[str]) -> int:
    """Returns how much of ``PLAN`` the actions taken have left behind."""
    done = 0
    for action in taken:
        if action in PLAN[done:]:
            done = PLAN.index(action, done) + 1
    return done


def task_of(graph: Path | None, folder: Path) -> Task:
    """Returns the task in the apartment of the graph, or in the pack's own."""
    problem = PACK / "problems" / f"{TASK}.pddl"
    if graph is not None:
        problem = folder / "problem.pddl"
        home, _ = import_home(load_graph(graph))
        problem.write_text(render_home(home, TASK, task_named(TASK), "Imported."), encoding="utf-8")
    return read_task(PACK / "domain.pddl", problem)


def climb(world: TransitionSystem, task: Task, paper: bool) -> tuple[PathResult, list[float], Usage]:
    """Runs it once, with the paper's questions or cplan's; returns its result, the seconds of its steps, and usage."""
    language = ActionLanguage(world.task, task.lexicon, task.language)
    model = Prompted(Prompts([Path("paper")] if paper else [], language.scene()))
    marks: list[float] = []

    def mark(event: object) -> None:
        marks.append(time.perf_counter() - model.answering)

    config, description = ClimbingOptions(), task.problem.description
    asking = model, language, config, description, Guidance(language)
    chooser: Chooser = PaperChooser(*asking)
    if not paper:
        chooser = RelevantChooser(*asking, Situations(world, language))
    mark(None)
    ended = HillClimbing(world, language, chooser, config, 20, mark).run()
    return ended, [after - before for before, after in zip(marks, marks[1:], strict=False)], model.usage


def main() -> int:
    graph = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder:
        task = task_of(graph, Path(folder))
    grounded = ground(task.problem)
    world = TransitionSystem(grounded, compile_task(grounded))
    possible = len(world.applicable(world.start()))
    home = graph.name if graph else "own apartment"
    print(f"{home}: {grounded.operator_count} operators, {possible} possible at first; limit {MOST:.0f} ms")
    slow = False
    for name, paper in (("ours", False), ("paper", True)):
        climb(world, task, paper)  # compiles kernels and templates
        steps: list[float] = []
        for _ in range(ROUNDS):
            ended, seconds, usage = climb(world, task, paper)
            assert ended.status is Status.SOLVED
            steps += seconds
        median = 1000 * statistics.median(steps)
        slow = slow or median >= MOST
        print(
            f"{name}: median {median:.1f} ms a step outside the model, {1000 * max(steps):.1f} ms at most; "
            f"{usage.questions} questions, some {usage.prompt_tokens} tokens of prompts"
        )
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
