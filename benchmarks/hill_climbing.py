"""What a step of hill climbing costs outside the model, prompts included.

    python -m benchmarks.hill_climbing [GRAPH]

GRAPH is an environment graph of VirtualHome, such as TestScene1's; without one, the pack's own apartment serves. A
model that answers at once carries out "microwave salmon"; the median of the steps must be under 20 ms.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from commonsense_planning.errors import Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.llm.weights import Said, Weights
from commonsense_planning.methods.task import Task, read_task
from commonsense_planning.search.hill_climbing import Chooser, ClimbingOptions, HillClimbing
from commonsense_planning.search.transition_system import PathResult, TransitionSystem
from commonsense_planning.studies.homes.scene_graph import load_graph
from commonsense_planning.studies.virtualhome.home import HomeOptions, import_home, render_home
from commonsense_planning.studies.virtualhome.tasks import task_named
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import ChooseAction, Question

PACK = Path(__file__).parents[1] / "pddl" / "virtualhome"
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
    to know that."""

    name, note = "at once", "a plan"

    def __init__(self, prompts: Prompts) -> None:
        self.prompts = prompts
        self.usage = Usage()
        self.answering = 0.0

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        for question in questions:
            self.prompts.messages(question)
        started = time.perf_counter()
        answers = [[self._answer(question)] for question in questions]
        self.answering += time.perf_counter() - started
        return answers

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        answers = self.ask(questions, n)
        return [Weights(q.options, (Said(text, 1, ()),)) for q, (text,) in zip(questions, answers, strict=True)]

    def take_notes(self) -> list[str]:
        return []

    def _answer(self, question: Question) -> str:
        assert isinstance(question, ChooseAction)
        wanted = PLAN[len(question.taken)]
        index, action = next((entry for entry in question.actions if entry[1] == wanted), question.actions[0])
        return f"{index}. {action}"


def task_of(graph: Path | None, folder: Path) -> Task:
    """The task in the apartment of the graph, or in the pack's own."""
    problem = PACK / "problems" / f"{TASK}.pddl"
    if graph is not None:
        problem = folder / "problem.pddl"
        home, _ = import_home(load_graph(graph), HomeOptions(None, {}))
        problem.write_text(render_home(home, TASK, task_named(TASK), "Imported."), encoding="utf-8")
    return read_task(PACK / "domain.pddl", problem)


def climb(world: TransitionSystem, task: Task) -> tuple[PathResult, list[float], int]:
    """One run: how it ended, the seconds of its steps, and how many actions the first step had to choose from."""
    language = ActionLanguage(world.task, task.lexicon, task.language)
    model = Prompted(Prompts([PACK / "prompts"], language.scene()))
    marks: list[float] = []

    def mark(event: object) -> None:
        marks.append(time.perf_counter() - model.answering)

    chooser = Chooser(model, language, ClimbingOptions(), task.problem.description)
    mark(None)
    ended = HillClimbing(world, chooser, ClimbingOptions(), 20, mark).run()
    return (
        ended,
        [after - before for before, after in zip(marks, marks[1:], strict=False)],
        len(world.applicable(world.start())),
    )


def main() -> int:
    graph = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder:
        task = task_of(graph, Path(folder))
    grounded = ground(task.problem)
    world = TransitionSystem(grounded, compile_task(grounded))
    climb(world, task)  # compiles kernels and templates
    steps: list[float] = []
    for _ in range(ROUNDS):
        ended, seconds, actions = climb(world, task)
        assert ended.status is Status.SOLVED
        steps += seconds
    median = 1000 * statistics.median(steps)
    print(
        f"{graph.name if graph else 'own apartment'}: {grounded.operator_count} operators, {actions} possible at first"
    )
    print(f"median {median:.1f} ms a step outside the model, {1000 * max(steps):.1f} ms at most; limit {MOST:.0f} ms")
    return 0 if median < MOST else 1


if __name__ == "__main__":
    sys.exit(main())
