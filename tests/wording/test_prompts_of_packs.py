"""What is said and asked of the tasks that ship, byte for byte: recordings of models' answers go by it.

python -m tests.wording.test_prompts_of_packs    adds the digests of new tasks, or writes all under a new name
"""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning import Belief, Environment, Task, read_task
from commonsense_planning.config import GuideKnowledge
from commonsense_planning.elicitation.next_question import NextQuestions, Situation
from commonsense_planning.elicitation.prior import placement_questions, uniform_prior
from commonsense_planning.instructions.pddl_goal import PddlGoalReader
from commonsense_planning.llm.prompts import PAPER, QUESTIONS, Prompts
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import TEMPLATES, Question, Translation, WriteGoal
from commonsense_planning.wording.verbalise import Verbaliser
from tests.data import REPOSITORY
from tests.wording.test_questions_page import PAGE

DIGESTS = Path(__file__).with_name("prompts_of_packs.txt")
LARGE = ("large-salmon", "virtualhome")  # each with some ten thousand actions
MOST = 300  # actions that a question lists


def tasks() -> dict[str, tuple[Path, Path]]:
    """Name → domain and problem: of all packs, examples and goldens."""
    rooms = [*(REPOSITORY / "pddl").iterdir(), *(REPOSITORY / "examples").iterdir()]
    folders = [folder for folder in rooms if (folder / "domain.pddl").is_file()]
    found = {
        f"{folder.name}:{file.stem}": (folder / "domain.pddl", file)
        for folder in sorted(folders)
        for file in sorted([*folder.glob("problem*.pddl"), *folder.glob("problems/*.pddl")])
        if file.stem not in LARGE and folder.name not in LARGE
    }
    virtualhome = REPOSITORY / "pddl" / "virtualhome" / "domain.pddl"
    return {**found, "small-salmon": (virtualhome, REPOSITORY / "tests" / "goldens" / "problems" / "small-salmon.pddl")}


def texts(task: Task) -> Iterator[object]:
    """All that is said of the task."""
    ground, compiled = task.seen_in_part
    say, language = Verbaliser(ground, task.lexicon), ActionLanguage(ground, task.lexicon, task.language)
    yield from ((say.name(o), say.label(o), say.placed(o)) for o in range(len(ground.objects)))
    yield from ((say.action(o), language.text(o)) for o in range(ground.operator_count))
    yield from ((say.fact(f), say.fact(f, False)) for f in range(len(ground.facts)))
    yield from (language.forms(), language.rules(range(ground.operator_count)))
    yield from map(language.knowledge, GuideKnowledge)
    yield sorted(language.instances.named(range(len(ground.objects))).items())
    goal = f"(and {' '.join(str(ground.fact_step(f)) for f in range(min(MOST, len(ground.facts))))})"
    yield PddlGoalReader(task.problem, task.lexicon).english.goal(parse(goal, "goal", define=False).root)


def questions(task: Task) -> list[Question]:
    """What a model is asked about the task."""
    ground, compiled = task.seen_in_part
    say, goals = Verbaliser(ground, task.lexicon), PddlGoalReader(task.problem, task.lexicon)
    asked: list[Question] = [*placement_questions(compiled.sensors, say, range(len(compiled.sensors.groups)))]
    belief = Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, Environment(compiled, ground.init).look())
    operators = np.arange(min(MOST, ground.operator_count), dtype=np.int32)
    situation = Situation(belief.truth, belief.known, operators, ())
    asked += [goals.question("tidy up"), NextQuestions(ground, compiled, say, "").choice(situation, 1).question]
    goal_question = goals.question("tidy up")
    if goal_question.relations:
        asked.append(in_tuples(goal_question))
    return asked


def in_tuples(question: WriteGoal) -> Translation:
    """The paper's question about the same instruction."""
    relations = tuple(map(str.upper, question.relations))
    return Translation(question.instruction, relations, question.things, question.places, question.fitting)


def digests(name: str) -> str:
    task = read_task(*tasks()[name])
    own, asked = [task.prompts] if task.prompts else [], questions(task)
    scene = Verbaliser(task.seen_in_part[0], task.lexicon).scene()
    every = [map(Prompts(folders, scene).messages, asked) for folders in (own, [Path(PAPER), *own])]
    joined = ("\n".join(map(repr, part)) for part in (texts(task), *every))
    return " ".join((name, *(hashlib.sha256(part.encode()).hexdigest()[:16] for part in joined)))


def digests_of_kinds() -> list[str]:
    """Those of all templates, and of the page that shows a question of every kind."""
    files = sorted(TEMPLATES.rglob("*.jinja"))
    templates = "\n".join(f"{file.relative_to(TEMPLATES)}\n{file.read_text(encoding='utf-8')}" for file in files)
    kinds = PAGE.read_text(encoding="utf-8").partition("\n## ")[2]
    parts = {"templates": templates, "kinds": kinds}
    return [f"{name} {hashlib.sha256(text.encode()).hexdigest()[:16]}" for name, text in parts.items()]


def written() -> list[str]:
    """The name of the questions, then the digests kept for it."""
    return DIGESTS.read_text(encoding="utf-8").splitlines()


def changed(before: list[str], now: list[str]) -> bool:
    """Whether a question has changed and its name has not."""
    return before[0] == now[0] and not {*before} <= {*now}


@pytest.mark.parametrize("name", tasks())
def test_what_is_said_and_asked_stays(name: str) -> None:
    assert digests(name) in written()


def test_templates_and_kinds_stay_while_their_name_does() -> None:
    assert [QUESTIONS, *digests_of_kinds()] == written()[:3]


@pytest.mark.parametrize(
    ("now", "refused"),
    [("old a b", False), ("old a b c", False), ("old a d", True), ("old b", True), ("new a d", False)],
)
def test_no_question_changes_under_the_same_name(now: str, refused: bool) -> None:
    assert changed(["old", "a", "b"], now.split()) is refused


if __name__ == "__main__":
    lines = [QUESTIONS, *digests_of_kinds(), *map(digests, tasks())]
    if changed(written(), lines):
        sys.exit(f"questions have changed since they are called {QUESTIONS}: give them a new name in llm/prompts.py")
    DIGESTS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
