"""The prompts of hill climbing on a household task: golden files that a reader can compare with section 3.2 of "Large
Language Models as Common-Sense Heuristics".

    python -m lab.tests.studies.virtualhome.test_hill_climbing_prompts    writes the golden files again
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.virtualhome.home import import_home, render_home
from commonsense_lab.studies.virtualhome.tasks import task_named
from commonsense_planning.config import GuideKnowledge, GuideLevel
from commonsense_planning.elicitation.guidance import Guidance
from commonsense_planning.elicitation.paper_choosing import PaperChooser
from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.matching.answers import guide_lines
from commonsense_planning.methods.hill_climb import HillClimbOptions, write_guide
from commonsense_planning.pomdp.transition_system import TransitionSystem
from commonsense_planning.search.classical.hill_climbing import HillClimbing
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import ChooseAction, Question, WriteGuide
from lab.tests.studies.virtualhome.plans import DOMAIN, PACK
from tests.data import shared_data
from tests.llm.test_prompts import rendered
from tests.scripted import ScriptedModel

GOLDEN = Path(__file__).with_name("golden")
IN_SCENE = "microwave-salmon-run-testscene1"
PAPER = Path("paper")
CLOSE = "[CLOSE]<microwave>"  # no part of the goal
PLAN = (
    "[WALK]<salmon>",
    "[GRAB]<salmon>",
    "[WALK]<microwave>",
    "[OPEN]<microwave>",
    "[PUTIN]<salmon><microwave>",
    "[CLOSE]<microwave>",
    "[SWITCHON]<microwave>",
)
GUIDE = "\n".join(f"{i}. {line}" for i, line in enumerate(PLAN, start=1))


@cache
def home(problem: Path | Text = PACK / "problems" / "microwave-salmon.pddl") -> tuple[Task, GroundTask]:
    task = read_task(DOMAIN, problem)
    return task, ground(task.problem)


class Run:
    """A run in which the model wants to carry out ``PLAN``; its second final answer is wrong."""

    def __init__(self, task: Task, grounded: GroundTask, **settings: Any) -> None:
        self.finals = 0
        self.model = ScriptedModel(self.answer)
        self.language = ActionLanguage(grounded, task.lexicon, task.language)
        self.prompts = Prompts([PAPER], self.language.scene())
        config, description = HillClimbOptions(**settings), task.problem.description
        world = TransitionSystem(grounded, compile_task(grounded))
        lines: tuple[str, ...] = ()
        if config.guide is not GuideLevel.NONE:
            lines = tuple(guide_lines(self.model.ask([guide_question(task, grounded, config.guide, None)], 1)[0][0]))
        chooser = PaperChooser(self.model, self.language, config, description, Guidance(self.language, lines))
        self.ended = HillClimbing(world, self.language, chooser, config, 20, lambda event: None).run()

    def answer(self, question: Question) -> Sequence[str]:
        if isinstance(question, WriteGuide):
            return [GUIDE]
        assert isinstance(question, ChooseAction)
        wanted = next(step for step in PLAN if step not in question.taken and not (step == CLOSE and question.state))
        entry = next((e for e in question.actions if e[1] == wanted), question.actions[0])
        self.finals += len(question.actions) < 20
        if self.finals == 2 and len(question.actions) < 20:
            return [f"{entry[0] + 1}. {entry[1]}"]
        return [f"{entry[0]}. {entry[1]}"]

    def text(self, whole: int = 1) -> str:
        """All prompts in their order; ``whole`` choices in full, of the others the ends of long lists."""
        texts = [rendered(self.prompts.messages(question)) for question in self.model.asked]
        first = next(i for i, question in enumerate(self.model.asked) if isinstance(question, ChooseAction))
        shown = [text if i < first + whole else shortened(text) for i, text in enumerate(texts)]
        return "".join(f"=== prompt {i} ===\n{text}" for i, text in enumerate(shown, start=1))


def shortened(text: str) -> str:
    """A prompt without the middle of a long list of actions."""
    before, mark, listed = text.partition("each with its index:\n")
    lines = listed.splitlines(keepends=True)
    last = max(i for i, line in enumerate(lines) if re.match(r"\d+\. ", line))
    if last > 20:
        lines[1 : last - 1] = [f"… {last - 2} more\n"]
    return before + mark + "".join(lines)


def guide_question(task: Task, grounded: GroundTask, level: GuideLevel, knowledge: GuideKnowledge | None) -> WriteGuide:
    """As the method asks for a guide."""
    language = ActionLanguage(grounded, task.lexicon, task.language)
    return write_guide(
        task.problem.description, level, knowledge, language, TransitionSystem(grounded, compile_task(grounded)), None
    )


def guide_prompt(name: str) -> str:
    """The paper's prompt for a guide; ``low-static`` is for a low-level one by one who knows static properties."""
    level, _, knowledge = name.partition("-")
    task, grounded = home()
    question = guide_question(task, grounded, GuideLevel(level), GuideKnowledge(knowledge))
    scene = ActionLanguage(grounded, task.lexicon, task.language).scene()
    return rendered(Prompts([PAPER], scene).messages(question))


def whole_run() -> str:
    done = Run(*home(), guide=GuideLevel.LOW)
    assert (done.ended.status, len(done.ended.operators)) == (Status.SOLVED, len(PLAN))
    return done.text()


def run_in_recorded_scene() -> Run:
    """The same in TestScene1, the apartment of the paper."""
    apartment, _ = import_home(load_graph(shared_data("virtualhome") / "TestScene1_graph.json"))
    task = task_named("microwave-salmon")
    return Run(*home(Text(render_home(apartment, task.name, task, "Imported."))))


GUIDES = [f"{level}-{knowledge}" for level in ("low", "high") for knowledge in GuideKnowledge]
FILES = {
    "microwave-salmon-run": whole_run,
    **{f"guide-{name}": (lambda name=name: guide_prompt(name)) for name in GUIDES},
}


@pytest.mark.parametrize("name", FILES)
def test_prompts_are_as_in_the_golden_files(name: str) -> None:
    assert FILES[name]() == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.data
def test_a_whole_run_in_a_scene_of_virtualhome() -> None:
    done = run_in_recorded_scene()
    assert done.text(whole=0) == (GOLDEN / f"{IN_SCENE}.txt").read_text(encoding="utf-8")
    assert done.ended.status is Status.SOLVED
    asked = [question for question in done.model.asked if isinstance(question, ChooseAction)]
    assert {question.description for question in asked} == {"microwave salmon"}
    sizes = [len(question.actions) for question in asked]
    assert max(sizes) == 100 and sizes.count(100) >= 2 * len(PLAN)
    assert sum(question.repeated is not None for question in asked) == 1
    for question in asked:
        text = rendered(done.prompts.messages(question))
        assert text.startswith("[user]\nYou control an agent in a household.")
        order = ["Task: microwave salmon", "Actions already taken:", "Hint: ", "Actions to choose from", "Answer with"]
        assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
        assert not re.search(r">\(\d+\)|heated|switched-on|_\d", text)  # no ids, no goal


if __name__ == "__main__":
    for each, make in FILES.items():
        (GOLDEN / f"{each}.txt").write_text(make(), encoding="utf-8")
    (GOLDEN / f"{IN_SCENE}.txt").write_text(run_in_recorded_scene().text(whole=0), encoding="utf-8")
