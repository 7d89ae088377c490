"""The conformance tests for plug-ins: what ships passes them, and what breaks the contract does not."""

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import pytest

from commonsense_planning import METHODS, HeuristicKind, Plan, Request, Solution, Status
from commonsense_planning.heuristics.registry import HEURISTICS
from commonsense_planning.llm import adapters
from commonsense_planning.llm.adapters import Adapter, ModelContext
from commonsense_planning.llm.model import ChatRequest, Completion, LanguageModel
from commonsense_planning.support.registry import Registry
from commonsense_planning.testing import check_heuristic, check_method, check_model
from tests.own_methods import OWN, OwnMethod

APPLE = ["household:small-apple"]


@pytest.mark.parametrize("name", ["gbfs", "llm-replan"])
def test_methods_that_ship_pass(name: str) -> None:
    solutions = check_method(METHODS[name])
    assert {solution.status for solution in solutions} == {Status.SOLVED}


@pytest.mark.parametrize("name", ["ff", "lmcut", "blind"])
def test_heuristics_that_ship_pass(name: str) -> None:
    check_heuristic(HEURISTICS.find(name)[0])


def test_the_embedded_model_passes() -> None:
    check_model("embedded")


def test_to_give_up_is_no_mistake() -> None:
    (solution,) = check_method(OWN, APPLE)
    assert solution.status is Status.BUDGET


@dataclass(frozen=True)
class Ending(OwnMethod):
    """Ends in turn with each of some solutions."""

    endings: Any = None

    def solve(self, request: Request) -> Solution:
        return next(self.endings)


NO_PLAN, SHORT = Solution(Status.SOLVED, None), Solution(Status.SOLVED, Plan(()))


@pytest.mark.parametrize(("method", "said"), [
    (object(), "lacks something of a method"),
    (replace(OWN, name="two words"), "has a space"),
    (replace(OWN, summary="Gives up."), "one line without a full stop"),
    (replace(OWN, world="known"), "no World"),
    (replace(OWN, Options=dict), "no class of commonsense_planning.Options"),
    (replace(OWN, reason="it is too hot"), "takes none of the tasks.*too hot"),
    (Ending("own", endings=itertools.repeat(NO_PLAN)), "the replay does not accept the plan: None"),
    (Ending("own", endings=itertools.repeat(SHORT)), "the replay does not accept the plan: Report"),
    (Ending("own", endings=iter([Solution(Status.UNSOLVED, None, "no"), Solution(Status.UNSOLVABLE, None)])),
     "equal seeds"),
])  # fmt: skip
def test_a_method_that_breaks_the_contract_is_named(method: Any, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_method(method, APPLE)


def spoilt(h: Any) -> HeuristicKind:
    """A heuristic that says what ``h`` makes of a state and of the blind one's task."""
    return HeuristicKind(("own",), "a spoilt one", lambda ground, compiled, unit: h, admissible=True)


def changing(state: Any) -> float:
    state[0] ^= 1
    return 0.0


COUNT = itertools.count()


@pytest.mark.parametrize(("h", "said"), [
    (lambda state: -1, "-1.0 is not at least 0"),
    (lambda state: math.nan, "nan is not at least 0"),
    (lambda state: math.inf, "is for dead ends"),
    (lambda state: next(COUNT), "says another thing of the same state"),
    (lambda state: 1, "where the goal holds"),
    (lambda state: 1000 * (state.sum() % 7), "more than the|where the goal holds"),
    (changing, "changes the state"),
])  # fmt: skip
def test_a_heuristic_that_breaks_the_contract_is_named(h: Any, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_heuristic(spoilt(h), APPLE)


class Talkative:
    """An endpoint that gives more than is wanted."""

    async def complete(self, request: ChatRequest) -> Completion:
        return Completion(("inside fridge",) * 7)

    async def close(self) -> None:
        """Nothing is open."""


def test_a_model_that_breaks_the_contract_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_talkative(opening: ModelContext) -> LanguageModel:
        return opening.chat(Talkative)

    talkative = Adapter(("talkative",), "gives more than is wanted", open_talkative, costs=False)
    monkeypatch.setattr(adapters, "MODELS", Registry("model", "no.group", Adapter, (talkative,)))
    with pytest.raises(AssertionError, match="at most 3 texts were wanted"):
        check_model("talkative")
