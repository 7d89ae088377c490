"""``cplan solve --method llm-hill-climb`` and ``llm-guide``: whole runs against a server that is really there."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from commonsense_planning import BestFirst, make_state, read_problem
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from tests.chat_habits import then
from tests.chat_server import ChatServer, Messages
from tests.chat_troubles import error
from tests.cli.endpoint import Solve, environment
from tests.cli.running import Ended, Run
from tests.data import ipc_task, write_task
from tests.search.classical.climbing import DOMAIN, PROBLEM, in_turn

__all__ = ["environment"]

Answer = Callable[[Messages], str]
OWN = ("--method", "llm-hill-climb", "--retries", "0")
CLIMB = (*OWN, "--prompts", "paper")
UNREAD = ((*OWN, "--think"), CLIMB, (*CLIMB, "--think", "--partition", "1"))  # choices, for which "no idea" is none
GUIDED = ("--method", "llm-guide", "--retries", "0", "--prompts", "paper")


def follows(*plan: str) -> Answer:
    """Says what comes next of the plan, by what the prompt says was done, or the first action of its list; the plan
    where a guide is asked for."""

    def answer(messages: Messages) -> str:
        prompt = messages[-1]["content"]
        taken = re.search(r"Actions already taken: (.*)", prompt)
        if taken is None:
            return "\n".join(f"{i}. {action}" for i, action in enumerate(plan, start=1))
        done = 0 if taken[1] == "none" else taken[1].count(",") + 1
        listed = re.findall(r"^(\d+)\. (.*)$", prompt.partition("each with its index:\n")[2], re.MULTILINE)
        index, action = next((entry for entry in listed if entry[1] == plan[done]), listed[0])
        return f"{index}. {action}"

    return answer


RIGHT = follows("go start middle", "go middle end")


@pytest.fixture
def solve(cplan: Run, tmp_path: Path) -> Solve:
    """Runs on the places and ways of the search's tests."""
    return Solve(cplan, write_task(tmp_path, DOMAIN, PROBLEM), tmp_path)


def climb(solve: Solve, server: ChatServer, *args: str | Path) -> Ended:
    return solve(server, *args, quick=CLIMB)


def events(solve: Solve, kind: str) -> list[dict[str, object]]:
    lines = solve.trace.read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]


def prompts(server: ChatServer) -> list[str]:
    return [request.prompt for request in server.requests]


def test_a_whole_run_with_every_kind_of_wrong_pair(solve: Solve) -> None:
    said = in_turn(
        *["I cannot say."] * 5,  # no candidate: asked again
        "1. go start middle",  # index and action differ: both are candidates
        "2. go start loop",  # differ in the end: asked again
        "two",  # no index
        "2. go start middle",
        "7. go middle end",  # no such index: the action with that text
        "1",  # no action
        RIGHT,
    )
    with ChatServer(said) as server:
        ended = climb(solve, server)
    assert ended.code == 0, ended.err
    assert ended.json["plan"] == ["(go start middle)", "(go middle end)"]
    assert (ended.json["validators"]["VAL"], ended.json["heard"]) == ("valid", True)
    steps = [event["why"] for event in events(solve, "step")]
    assert [(why["questions"], why["repeats"]) for why in steps] == [(9, 7), (3, 1)]  # type: ignore[index]
    assert steps[0]["candidates"] == ["(go start middle)", "(go start loop)"]  # type: ignore[index]
    repeated = [re.findall(r'Your previous response was "(.*)"', prompt) for prompt in prompts(server)]
    assert repeated == [[], *[["I cannot say."]] * 5, [], ["2. go start loop"], ["two"], [], [], ["1"]]
    assert not any("(at end)" in prompt or "pit is" in prompt or "goal" in prompt for prompt in prompts(server))


@pytest.mark.parametrize(("options", "good"), [(CLIMB, 2), (GUIDED[:-2], 1)])
def test_an_endpoint_that_ends_in_the_middle_keeps_the_steps(options: tuple[str, ...], good: int, solve: Solve) -> None:
    with ChatServer(follows("go start middle", "go nowhere")) as server:
        server.always(then(good, error(402, "No money.")))
        ended = solve(server, quick=options)
    assert (ended.code, ended.json["status"], ended.json["plan"]) == (3, "unsolved", ["(go start middle)"])
    assert "cannot be used any more: HTTP 402: No money." in ended.json["reason"]


def test_the_parts_of_a_step_are_asked_at_the_same_time(solve: Solve) -> None:
    with ChatServer(RIGHT, delay=0.1) as server:
        assert climb(solve, server, "--partition", "1").code == 0
        assert server.most_at_once == 4
    assert ("go start loop" in server.requests[4].prompt) and ("go start trap" in server.requests[4].prompt)


def test_answers_are_drawn_as_in_the_paper_unless_the_user_says_otherwise(solve: Solve) -> None:
    def sent(server: ChatServer) -> list[tuple[float, int]]:
        return [(request.body["temperature"], request.body["max_tokens"]) for request in server.requests]

    with ChatServer(RIGHT) as server:
        climb(solve, server, "--guide", "low")
        assert sent(server)[:2] == [(0.2, 512), (0.2, 64)]
    with ChatServer(lambda messages: f"so\nANSWER: {RIGHT(messages)}") as server:
        assert climb(solve, server, "--think", "--temperature", "0.9").code == 0
        assert set(sent(server)) == {(0.9, 1024)}


@pytest.mark.parametrize("more", [(), ("--guide", "high", "--backtrack", "--beam", "2", "--partition", "2", "--rules")])
def test_a_replay_and_an_equal_run_give_equal_bytes(solve: Solve, more: Sequence[str]) -> None:
    def unsure(messages: Messages) -> str:
        """No answer at first to what comes after the first step."""
        prompt = messages[-1]["content"]
        lost = "Actions already taken: go start middle" in prompt and "is repeated" not in prompt
        return "no idea" if lost else RIGHT(messages)

    tape = solve.folder / "tape.jsonl"
    with ChatServer(unsure) as server:
        ended = climb(solve, server, "--record", tape, *more)
    assert (ended.code, "step  1  (go start middle)" in ended.err) == (0, bool(more))  # else as it was carried out
    first = solve.plan.read_bytes(), solve.trace.read_bytes()
    with ChatServer(unsure) as server:
        assert climb(solve, server, *more).code == 0
        assert (solve.plan.read_bytes(), solve.trace.read_bytes()) == first
    assert climb(solve, server, "--replay", tape, *more).code == 0  # the server has gone
    assert (solve.plan.read_bytes(), solve.trace.read_bytes()) == first


def test_what_the_prompt_says_of_the_task(solve: Solve) -> None:
    with ChatServer(RIGHT) as server:
        climb(solve, server)
        climb(solve, server, "--description", "find the way out")
        problem = solve.tiny[1]
        problem.write_text(problem.read_text().replace(";; description: go to the end\n", ""))
        climb(solve, server)
        told = [re.search(r"Task: (.*)", prompt)[1] for prompt in prompts(server)]  # type: ignore[index]
    assert list(dict.fromkeys(told)) == ["go to the end", "find the way out", "at end"]
    assert solve.notes == ["the problem has no description: the model is told the goal instead"]


def test_a_guide_by_itself_and_as_a_help(solve: Solve) -> None:
    with ChatServer(RIGHT) as server:
        ended = solve(server, quick=GUIDED)
        assert (ended.code, ended.json["plan"]) == (0, ["(go start middle)", "(go middle end)"])
        assert len(server.requests) == 1
        climb(solve, server, "--guide", "low", "--guide-knowledge", "dynamic")
    assert "go object1 object2\n" in server.requests[0].prompt
    assert "pit\n" in server.requests[1].prompt
    assert "1. go start middle\n2. go middle end\nActions already taken: none" in server.requests[2].prompt
    for nothing, quick in (("", GUIDED), ("My plan is:", GUIDED), *(("no idea", quick) for quick in UNREAD)):
        with ChatServer(lambda messages, said=nothing: said) as server:
            ended = solve(server, quick=quick)
        assert (ended.code, ended.json["plan"], ended.json["heard"]) == (1, [], False)


@pytest.mark.parametrize(("guides", "options", "done", "said", "asked"), [
    (["go start middle\ngo middle end"], ("--max-steps", "1"), "(go start middle)", "limit of 1 step", 1),
    (["go start pit\ngo pit end"], (), "(go start pit)", "is violated", 1),
    (["go start end", "go start middle\ngo start trap"], (), "(go start middle)", "line 2 of the guide,", 2),
])  # fmt: skip
def test_a_guide_is_followed_as_far_as_it_may_be_and_mended_once(
    guides: Sequence[str], options: Sequence[str], done: str, said: str, asked: int, solve: Solve
) -> None:
    with ChatServer(in_turn(*guides, RIGHT)) as server:
        ended = solve(server, *options, quick=("--method", "llm-guide", "--retries", "0"))
    assert (ended.code, " ".join(ended.json["plan"]), len(server.requests)) == (1, done, asked)
    assert said in ended.json["reason"]


def test_a_guide_is_corrected_on_the_way(solve: Solve) -> None:
    def say(messages: Messages) -> str:
        prompt = messages[-1]["content"]
        if "cannot be followed" in prompt:
            return "1. go start middle\n2. go middle end"
        return RIGHT(messages) if "Actions already taken" in prompt else "1. go start end"

    with ChatServer(say) as server:
        assert solve(server, "--guide", "low", quick=OWN).code == 0
    assert "go start end is not possible now: there is no such action.\n" in prompts(server)[1]
    guides = [event["lines"] for event in events(solve, "guide")]
    assert guides == [["go start end"], ["go start middle", "go middle end"]]


@pytest.mark.parametrize("more", [(), ("--guide", "low"), ("--beam", "2", "--partition", "3")])
def test_a_run_asks_no_more_than_was_estimated(more: Sequence[str], solve: Solve) -> None:
    with ChatServer(RIGHT) as server:
        estimate = climb(solve, server, *more, "--dry-run", "--json").json
        assert not server.requests
        usage = climb(solve, server, *more, "--json").json["usage"]
    assert estimate["calls"][0] <= usage["calls"] <= estimate["calls"][1]
    assert usage["prompt_tokens"] <= estimate["prompt_tokens"][1]
    assert estimate["placements"] == 0


@pytest.mark.data
@pytest.mark.parametrize("task", ["blocks/probBLOCKS-4-0", "logistics00/problogistics-4-0"])
def test_any_domain_is_put_into_words(task: str, cplan: Run, tmp_path: Path) -> None:
    domain, problem = ipc_task(task)
    grounded = ground(read_problem(domain, problem))
    compiled = compile_task(grounded)
    found = BestFirst(compiled).gbfs(make_state(compiled, grounded.init)).operators
    plan = [re.sub(r"[-_]", " ", str(grounded.step(o)).strip("()").split()[0]) for o in found]
    plan = [" ".join([name, *map(str.lower, grounded.step(o).arguments)]) for name, o in zip(plan, found, strict=True)]
    with ChatServer(follows(*plan)) as server:
        solve = Solve(cplan, (domain, problem), tmp_path)
        ended = climb(solve, server, "--max-steps", "40", "--partition", "10")
    assert ended.code == 0, ended.err
    assert ended.json["plan"] == [str(grounded.step(o)) for o in found]
