"""Exercises are made of a user's problems, and the command marks a model's answers to them."""

from pathlib import Path

import pytest

from commonsense_lab.studies.planbench.exercises import GeneratedPrompt, Kind, Marker
from commonsense_lab.studies.planbench.generated import generated
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.validation.replay import initial_state, replay
from commonsense_planning.validation.verdict import Verdict
from lab.tests.studies.conftest import Bench
from tests.chat_server import ChatServer, Messages
from tests.cli.endpoint import environment
from tests.cli.running import Run, cplan
from tests.data import REPOSITORY

__all__ = ["cplan", "environment"]

FLIGHTS = REPOSITORY / "pddl" / "flights"


def prompt_of(exercise: object) -> GeneratedPrompt:
    question = getattr(exercise, "question", None)
    assert isinstance(question, GeneratedPrompt)
    return question


@pytest.mark.parametrize("english", [False, True])
def test_all_kinds_are_made_and_solved_without_a_model(towers: list[Path], english: bool) -> None:
    found = generated(towers[0], towers[1:], [*Kind], 4, 0, english)
    assert {exercise.kind for exercise in found} == {*Kind}
    for exercise in found:
        judge = Marker(exercise)
        mark = judge.mark(judge.exact())
        assert mark.right and mark.explained is not False
        assert exercise.kind != Kind.GENERALISATION or len(prompt_of(exercise).shown) == 2


def test_exercises_are_of_their_kind(towers: list[Path]) -> None:
    found = generated(towers[0], towers[1:], [*Kind], 9, 0, False)
    by_kind = {kind: [exercise for exercise in found if exercise.kind is kind] for kind in Kind}
    judges = [Marker(exercise) for exercise in by_kind[Kind.VERIFICATION]]
    reports = [replay(judge.problem, judge.exercise.steps) for judge in judges]  # type: ignore[arg-type]
    told = ["valid" if r.verdict is Verdict.VALID else "goal" if r.step is None else "step" for r in reports]
    assert told[:3] == ["valid", "goal", "step"]
    replanning = Marker(by_kind[Kind.REPLANNING][0]).problem
    assert initial_state(replanning) != initial_state(read_problem(towers[0], towers[1]))
    event = prompt_of(by_kind[Kind.REPLANNING][0]).asked.event
    assert event is not None and event[0] and event[1]
    assert len(by_kind[Kind.SHUFFLED]) == 3  # the smallest has one part only
    assert len({exercise.name + exercise.kind for exercise in found}) == len(found)


def test_equal_seeds_give_equal_exercises(towers: list[Path]) -> None:
    one, other, another = (generated(towers[0], towers[1:], [*Kind], 4, seed, False) for seed in (0, 0, 1))
    assert one == other and one != another


def test_problems_that_cannot_be_asked(towers: list[Path]) -> None:
    towers[1].write_text(towers[1].read_text().replace("(:goal (and", "(:goal (and (holding b0) (holding b1)"))
    with pytest.raises(InputError, match="of none of its 1 problems a plan was found"):
        generated(towers[0], towers[1:2], [*Kind], 1, 0, False)
    cave = REPOSITORY / "pddl" / "wumpus"
    with pytest.raises(InputError, match="no plan is right or wrong"):
        generated(cave / "domain.pddl", [cave / "problems" / "cave-3.pddl"], [*Kind], 1, 0, False)


def test_costs_and_a_lexicon(tmp_path: Path) -> None:
    files = [FLIGHTS / "problems" / f"{name}.pddl" for name in ("short-oslo-athens", "medium-nuuk-budapest")]
    for exercise in generated(FLIGHTS / "domain.pddl", files, [*Kind], 2, 0, True):
        judge = Marker(exercise)
        assert judge.mark(judge.exact()).right, exercise


def test_the_command_without_a_model(bench: Bench, towers: list[Path], tmp_path: Path) -> None:
    found = bench("planbench", *towers, "--tasks", "2", "--exact")
    assert all(row["right"] and row["calls"] == 0 and row["model"] == "no model: exact answers" for row in found)
    assert {row["kind"] for row in found} == {*Kind} and {row["domain"] for row in found} == {"blocks"}
    assert str(towers[1]) in str(found[0]["command"]) and "(" not in str(found[0]["command"])
    assert "replanning" in (tmp_path / "results" / "report.md").read_text()


def test_the_command_with_a_model(bench: Bench, towers: list[Path]) -> None:
    def answer(messages: Messages) -> str:
        return "valid" if "Is the plan valid?" in messages[-1]["content"] else "(unstack b0 b1) (stack b0 b1)"

    with ChatServer(answer) as server:
        model = ("--model", "openai:m", "--base-url", server.base_url)
        found = bench("planbench", *towers, "--tasks", "3", "--kinds", "verification,generation", *model)
    assert [row["right"] for row in found if row["kind"] == "verification"] == [True, False, False]
    assert [row["right"] for row in found if row["kind"] == "generation"] == [False, False, False]
    assert ["The domain:\n\n(define" in request.prompt for request in server.requests] == [True] * 6


def test_neither_a_domain_nor_prompts(cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CPLAN_DATA")
    cplan("bench", "planbench", "--exact", "-o", "results").says(2, "name a domain with its problems, or --data")
