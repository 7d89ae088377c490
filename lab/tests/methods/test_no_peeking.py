"""No method peeks: as long as two worlds look the same, a method does, values and asks the same in both."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from commonsense_lab.learning import learned_policy as learning
from commonsense_planning.elicitation.next_question import Situation
from commonsense_planning.elicitation.policies import PolicyOf, Probabilities
from commonsense_planning.kernels.compiled import State, make_state, pack
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.llm.weights import Weights
from commonsense_planning.methods import tree_search
from commonsense_planning.methods.method import Observability, Request
from commonsense_planning.methods.registry import METHODS, solve
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.task import Task, read_task
from commonsense_planning.wording.questions import NextAction, Placement, Question
from lab.benchmarks.search_regret.harness import read_worlds
from lab.benchmarks.search_regret.problems import numbered
from lab.tests.learning.test_learned_policy import Letters
from tests.scripted import HIDDEN_ROOMS, HOUSEHOLD, ScriptedModel

METHOD_NAMES = [name for name, method in METHODS.items() if method.world is Observability.SEEN_IN_PART]
SETTINGS = {"simulations": 5, "max_steps": 8, "weights": Path("none")}  # as far as a method has them
SEARCHES = (0, 3)  # numbers of generated search problems
APPLES = ("(on apple_1 desk_1)", "(inside apple_1 microwave_1)", "(inside apple_1 closet_1)")

Log = list[tuple[str, Any]]
Peek = Callable[[pytest.MonkeyPatch, Task], dict[str, Any]]


class Overheard:
    """A model, and a log of what it is asked."""

    def __init__(self, model: LanguageModel, log: Log) -> None:
        self.model, self.log = model, log

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        self.log.append(("asked", (tuple(questions), n)))
        return self.model.ask(questions, n)

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        self.log.append(("asked", (tuple(questions), n)))
        return self.model.weigh(questions, n)


class OverheardModels(ModelSession):
    """``scripted``: a model that answers everything, and anything; else the embedded one."""

    def __init__(self, log: Log, scripted: bool) -> None:
        super().__init__()
        self.log, self.scripted = log, scripted

    def open(self, *given: Any) -> LanguageModel:
        return Overheard(ScriptedModel(anything) if self.scripted else super().open(*given), self.log)


def anything(question: Question) -> list[str]:
    """Ten answers that depend on every word of the question, and on nothing else."""
    options = question.places if isinstance(question, Placement) else ("",)
    if isinstance(question, NextAction):
        options = question.actions
    return [options[crc32(f"{question} {i // 4}".encode()) % len(options)] for i in range(10)]


def whim(tokens: Sequence[int], option: Sequence[int]) -> float:
    """A trained policy wants anything, depending on every letter that it has read."""
    return -float(crc32(f"{[*tokens]} {[*option]}".encode()) % 1000)


def log_of(name: str, task: Task, seed: int, scripted: bool, **more: Any) -> Log:
    """The questions and events of an episode, in order."""
    log: Log = []
    method = METHODS[name]
    options = method.Options(**method.Options.among(SETTINGS))
    models = OverheardModels(log, scripted)
    solve(Request(task, method, options, models, seed, emit=lambda event: log.append(("event", event)), **more))
    return log


def assert_equal_until_a_different_sight(one: Log, other: Log) -> None:
    """The first entries that differ, if any do, are equal decisions after which something else is seen."""
    for (kind, entry), (kind_of_other, found) in zip(one, other, strict=False):
        if (kind, entry) == (kind_of_other, found):
            continue
        assert kind == kind_of_other == "event", "a question was asked in one world, not in the other"
        seen, notes = ({"seen", "notes"} & entry.keys(), {"seen", "notes"} & found.keys())
        assert seen == notes == {"seen", "notes"}, "they end differently, having seen the same"
        decided, elsewhere = ({k: e[k] for k in e.keys() - seen} for e in (entry, found))
        assert decided == elsewhere, "what was decided differs, and what was seen before does not"
        assert entry["seen"] != found["seen"], "the trace tells more than what was seen"
        return
    assert len(one) == len(other)


@pytest.fixture(scope="module")
def searches(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Task, ...]]:
    """Worlds of each problem in which the thing is not seen at once."""
    found = [read_worlds(numbered(n), tmp_path_factory.mktemp(str(n))).tasks for n in SEARCHES]
    return [tuple(task for task in tasks if not sees_something(first_sight(task))) for tasks in found]


def sees_something(sight: Observation) -> bool:
    return any(value for _, value in sight.readings)


def first_sight(task: Task) -> Observation:
    ground, compiled = task.seen_in_part
    return Environment(compiled, ground.init).look()


def worlds(folder: Path, text: str, there: Sequence[tuple[str, str]], sensors: Path) -> list[Task]:
    """A problem of the household, and what becomes of it when each of some facts is another."""
    tasks: list[Task] = []
    for number, (fact, other) in enumerate([("", ""), *there]):
        assert fact in text
        file = folder / f"{number}.pddl"
        file.write_text(text.replace(fact, other), encoding="utf-8")
        task = read_task(HOUSEHOLD / "domain.pddl", file, sensors, HOUSEHOLD / "lexicon.toml")
        tasks.append(replace(task, like=tasks[0] if tasks else None))
    return tasks


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> list[Task]:
    """The demo with its apple elsewhere."""
    text, (apple, *places) = (HOUSEHOLD / "problems" / "demo.pddl").read_text(encoding="utf-8"), APPLES
    return worlds(
        tmp_path_factory.mktemp("homes"), text, [(apple, place) for place in places], HOUSEHOLD / "sensors.pddl"
    )


ELSEWHERE = [
    ("(located fridge kitchen)", "(located fridge bathroom)"),
    ("(located kitchencabinet kitchen)", "(located kitchencabinet bathroom)"),
    ("(located kitchentable kitchen)", "(located kitchentable bathroom)"),
    ("(inside apple_1 fridge)", "(inside apple_1 kitchencabinet)"),
]


@pytest.fixture(scope="module")
def hidden_rooms(tmp_path_factory: pytest.TempPathFactory) -> list[Task]:
    """A home of three rooms with furniture, or the apple, elsewhere; the rooms of the furniture are hidden."""
    text = (HOUSEHOLD / "problems" / "small-apple.pddl").read_text(encoding="utf-8")
    text = text.replace("kitchen bathroom - room", "kitchen bathroom hallway - room")
    text = text.replace("(in-room bathroom)", "(in-room hallway)")
    return worlds(tmp_path_factory.mktemp("rooms"), text, ELSEWHERE, HIDDEN_ROOMS)


def test_the_worlds_look_the_same_at_first(
    searches: list[tuple[Task, ...]], homes: list[Task], hidden_rooms: list[Task]
) -> None:
    for tasks in (*searches, homes, hidden_rooms):
        sights = [first_sight(task) for task in tasks]
        assert len(sights) > 2
        assert all(sight == sights[0] for sight in sights)


@pytest.fixture(autouse=True)
def trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "policy_in", lambda folder: Letters(whim))


@pytest.mark.parametrize("scripted", [False, True], ids=["embedded", "scripted"])
@pytest.mark.parametrize("name", METHOD_NAMES)
@pytest.mark.parametrize("kind", ["searches", "homes", "hidden_rooms"])
def test_methods_do_not_peek(kind: str, name: str, scripted: bool, request: pytest.FixtureRequest) -> None:
    worlds = request.getfixturevalue(kind)
    for tasks in worlds if kind == "searches" else [worlds]:
        first, *logs = [log_of(name, task, int(scripted and kind == "searches"), scripted) for task in tasks]
        assert first or kind == "hidden_rooms", "there is something to compare"
        for log in logs:
            assert_equal_until_a_different_sight(first, log)


def knowing_prior(monkeypatch: pytest.MonkeyPatch, task: Task) -> dict[str, Any]:
    """The prior is the truth."""
    ground, compiled = task.seen_in_part
    groups = compiled.sensors.groups
    return {"prior": [ground.init[groups.row(g)].astype(np.float64) for g in range(len(groups))]}


def knowing_policy(monkeypatch: pytest.MonkeyPatch, task: Task) -> dict[str, Any]:
    """The policy wants what a plan for the true world begins with."""
    ground, compiled = task.seen_in_part

    def wanted(situation: Situation) -> Probabilities:
        state = make_state(compiled, np.where(situation.known, situation.truth, ground.init), situation.known)
        plan = BestFirst(compiled).gbfs(state, Limits(evaluations=1000)).operators or ()
        weights = np.isin(situation.operators, plan[:1]) + 1e-6
        return np.asarray(weights / weights.sum())

    knowing = SimpleNamespace(owner=PolicyOf.PLANNER, probabilities=lambda situations: [*map(wanted, situations)])
    monkeypatch.setattr(tree_search, "policy_of", lambda *given: knowing)
    return {}


def knowing_rollout(monkeypatch: pytest.MonkeyPatch, task: Task) -> dict[str, Any]:
    """The roll-out is worth what a plan for the true world is worth, whatever world was drawn."""
    ground, compiled = task.seen_in_part
    hidden, truth = (pack(bits, compiled.half) for bits in (compiled.hidden, ground.init))

    class Knowing:
        def __init__(self, *given: Any) -> None:
            self.planner = BestFirst(compiled)

        def __call__(self, state: State, horizon: int, discount: float) -> float:
            state[: compiled.half] = (state[: compiled.half] & ~hidden) | (truth & hidden)
            plan = self.planner.gbfs(state, Limits(evaluations=1000)).operators or ()
            return discount ** len(plan)

    monkeypatch.setattr(tree_search, "UniformRollout", Knowing)
    return {}


@pytest.mark.parametrize("peek", [knowing_prior, knowing_policy, knowing_rollout])
def test_peeking_is_caught(peek: Peek, searches: list[tuple[Task, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    caught = []
    for tasks in searches:
        one, *logs = [log_of("llm-mcts-paper", task, 0, False, **peek(monkeypatch, task)) for task in tasks]
        for other in logs:
            try:
                assert_equal_until_a_different_sight(one, other)
            except AssertionError as error:
                caught.append("what was decided differs" in str(error))
    pairs = sum(len(tasks) - 1 for tasks in searches)
    assert all(caught)
    assert len(caught) > pairs / 2, "in some pairs of worlds the truth makes no difference"
