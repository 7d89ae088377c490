"""``cplan solve``: what it prints and writes, equal seeds, interrupts; instructions, and worlds that are drawn."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from commonsense_planning import read_plan, read_problem
from tests.cli.running import CPLAN, Run, cplan_process
from tests.data import REPOSITORY, write_task
from tests.judges import ASKED
from tests.scripted import HOUSEHOLD
from tests.search.pomdp.test_chance import DOMAIN, PROBLEM
from tests.shelves import warehouse
from tests.support.children import children

KEYS = {"status", "method", "model", "seed", "plan", "steps", "seconds", "validators", "usage", "usd"}


@pytest.mark.parametrize("method", ["llm-mcts", "look-nearest", "gbfs", "pyperplan"])
def test_json(method: str, tiny: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("solve", *tiny, "--method", method, "--seed", "3", "--json")
    found = ended.json
    assert found.keys() >= KEYS
    assert (found["method"], found["seed"], found["steps"]) == (method, 3, len(found["plan"]))
    assert found["validators"] == dict.fromkeys(ASKED, "valid")
    assert found["plan"][-1].startswith("(close-box")
    asked = method == "llm-mcts"
    assert (found["model"], found["usage"] is not None) == (("embedded", True) if asked else ("", False))


def test_unsolved_steps_are_shown_and_not_validated(tiny: tuple[Path, Path], cplan: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    ended = cplan("solve", *tiny, "--max-steps", "1", "--json", "--plan", plan)
    assert (ended.json["steps"], ended.json["validators"]) == (1, {})
    assert ended.json["reason"] == "the limit of 1 step (--max-steps) is reached"
    assert "1 step carried out" in ended.err
    assert f"steps written to {plan}; they are not known to solve the task" in ended.err
    assert len(read_plan(plan)) == 1


def test_report_says_who_answered(tiny: tuple[Path, Path], cplan: Run) -> None:
    told = cplan("solve", *tiny)
    assert "model   embedded: hand-written commonsense tables" in told.out
    assert "not a language model" in told.out
    assert "(open-box" in told.out
    assert "saw 1: (in ball blue-box)" in told.out
    assert "true world" not in told.out
    told = cplan("solve", *tiny, "--method", "gbfs")
    assert "none was asked" in told.out
    assert "gbfs was given the true world" in told.out
    (tiny[0].parent / "sensors.pddl").unlink()
    assert "was given the true world" not in cplan("solve", *tiny, "--method", "gbfs").out


def test_quiet_prints_the_outcome_only(tiny: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("solve", *tiny, "--quiet")
    assert ended.out.startswith("solved\n")
    assert ended.err == ""


@pytest.mark.processes
def test_processes_of_equal_seeds_write_equal_traces_and_draw_no_bar_in_a_pipe(
    tmp_path: Path, tiny: tuple[Path, Path]
) -> None:
    traces = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for trace in traces:
        ended = cplan_process("solve", *tiny, "--trace", trace)
        assert (ended.code, ended.err) == (0, "")
        assert "\x1b" not in ended.out
        assert "\r" not in ended.out
    assert traces[0].read_bytes() == traces[1].read_bytes()


@pytest.mark.processes
@pytest.mark.parametrize(("quiet", "drawn"), [(False, True), (True, False)])
def test_a_bar_on_a_terminal(quiet: bool, drawn: bool, tiny: tuple[Path, Path]) -> None:
    ours, theirs = pty.openpty()
    command = [*CPLAN, "solve", *map(str, tiny), *(["--quiet"] if quiet else [])]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert process.wait() == 0
    assert (b"simulations" in shown or b"preparing" in shown) == drawn
    assert b"solved" in shown


def _read(terminal: int) -> bytes:
    """The next output; empty when the other side is closed, which Linux reports as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


@pytest.mark.parametrize(("options", "code"), [
    (("--method", "gbfs"), 0),
    (("--method", "llm-mcts", "--max-steps", "1"), 1),
    (("--method", "magic"), 2),
    (("--method", "fast-downward", "--timeout", "0.01"), 4),
])  # fmt: skip
def test_no_process_is_left(options: tuple[str, ...], code: int, tiny: tuple[Path, Path], cplan: Run) -> None:
    before = children()
    assert cplan("solve", *tiny, *options).code == code
    assert children() == before


DEMO = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "demo.pddl")
TEXT = "put an apple in the icebox and the toothbrush in the bathroom cabinet"


def test_an_instruction_becomes_the_goal_and_is_shown(cplan: Run, tmp_path: Path) -> None:
    kept = tmp_path / "instructed.pddl"
    ended = cplan("solve", *DEMO, "--instruction", TEXT, "--method", "gbfs", "--save-problem", kept, "--json")
    assert ended.code == 0
    assert ended.json["plan"][-1].startswith("(put-in ")
    assert set(ended.json["validators"].values()) == {"valid"}
    goal = "(and (inside apple_1 fridge_1) (inside toothbrush_1 bathroomcabinet_1))"
    assert goal in ended.err and goal in kept.read_text()
    assert '"icebox" is read as fridge (fridge_1)' in ended.err
    again = cplan("solve", DEMO[0], kept, "--method", "gbfs", "--json")
    assert again.json["plan"] == ended.json["plan"]


@pytest.mark.parametrize(("text", "goal"), [
    ("bring drill_1 and drill_2 to s3", "(and (stored drill_1 s3) (stored drill_2 s3))"),
    ("move r2 to s1", "(at r2 s1)"),
])  # fmt: skip
def test_in_a_domain_of_ones_own_a_thing_goes_where_it_can_be(text: str, goal: str, cplan: Run, tmp_path: Path) -> None:
    """Also where files are read strictly: the problem with the goal declares what it requires."""
    domain, problem = warehouse(tmp_path)
    saved = tmp_path / "saved.pddl"
    said = ("--instruction", text, "--save-problem", saved)
    ended = cplan("solve", domain, problem, "--method", "gbfs", "--strict", *said)
    assert goal in ended.out
    assert "not declared" not in ended.err
    assert cplan("check", domain, saved, "--strict").code == 0


def test_what_is_understood_is_said_in_english(cplan: Run, tmp_path: Path) -> None:
    ended = cplan("solve", *warehouse(tmp_path), "--instruction", "deliver drill_1 to r2")
    assert "It understands sentences such as" in ended.err and '"r1 should be holding drill_1"' in ended.err
    assert "A language model, --model NAME, understands more." in ended.err


def test_a_dry_run_estimates_and_asks_no_model(cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    nowhere = ("--model", "openai:gpt-4o-mini", "--base-url", "http://127.0.0.1:9/v1", "--dry-run", "--json")
    bounds = {}
    for method in ("llm-mcts", "llm-mcts-paper", "llm-replan", "llm-policy", "llm-mcts --policy uniform"):
        ended = cplan("solve", *DEMO, *nowhere, "--method", *method.split())
        assert ended.code == 0
        found = bounds[method] = ended.json
        for name in ("calls", "prompt_tokens", "completion_tokens", "usd"):
            assert found[name][0] <= found[name][1]
    assert bounds["llm-replan"]["calls"] == bounds["llm-mcts --policy uniform"]["calls"] == [2, 2]
    most = bounds["llm-policy"]["calls"][1]  # the steps that there may be
    assert bounds["llm-mcts"]["calls"][1] == 2 + most
    assert bounds["llm-mcts-paper"]["calls"][1] == 2 + 30 * 100
    assert 0 < bounds["llm-replan"]["usd"][0] < bounds["llm-mcts"]["usd"][1]


WUMPUS = REPOSITORY / "pddl" / "wumpus"


def test_a_pack_is_solved_at_once_and_the_world_is_named(cplan: Run) -> None:
    ended = cplan("solve", "wumpus:cave-3", "--seed", "1", "--method", "llm-replan")
    assert ended.code == 0, ended.err
    world = "the true world, drawn with seed 1: of the facts that :init leaves open, these are true: (wumpus-in bb)"
    assert world in ended.out
    assert ended.out.split().count("valid") == len(ASKED), "they read the drawn world"


def test_the_world_is_kept_and_used_again(cplan: Run, tmp_path: Path) -> None:
    world = tmp_path / "world.pddl"
    options = ("--world", world, "--seed", "2", "--json", "--quiet", "--method", "llm-replan")
    first = cplan("solve", "wumpus:cave-3", *options).json
    assert set(first["world"]) < set(world.read_text().replace(") (", ")\n(").replace("\n    ", "\n").split("\n"))
    again = cplan("solve", "wumpus:cave-3", *options).json
    assert ("world" in again, again["plan"]) == (False, first["plan"])


def test_other_planners_and_validators_get_plain_pddl(cplan: Run) -> None:
    ended = cplan("solve", "medical:ward-3", "--method", "fast-downward", "--validate", "all", "--json", "--quiet")
    judges = dict.fromkeys(("VAL", "unified-planning", "replay"), "valid")
    assert (ended.json["status"], ended.json["validators"]) == ("solved", judges)
    assert "fast-downward was given the true world" in ended.err
    problem = read_problem(WUMPUS / "domain.pddl", WUMPUS / "problems" / "cave-3.pddl")
    with problem.plain_files() as (domain, _):
        text = domain.read_text()
        assert (":observe" in text, ":contingent" in text, text.count(":effect (and)")) == (False, False, 2)
    assert not domain.exists()


def test_a_plan_is_judged_in_a_world_alone(cplan: Run, tmp_path: Path) -> None:
    world, plan = tmp_path / "world.pddl", tmp_path / "plan"
    options = ("--world", world, "--plan", plan, "--quiet", "--method", "llm-replan")
    assert cplan("solve", "medical:ward-3", *options).code == 0
    ended = cplan("validate", "medical:ward-3", plan)
    assert ended.code == 3
    assert "the initial state is not fully known" in ended.out
    assert " valid" not in ended.out
    assert cplan("validate", REPOSITORY / "pddl" / "medical" / "domain.pddl", world, plan).code == 0


NEVER = "(define (problem never) (:domain gamble) (:init (begun)) (:goal (and (won) (lost))))"
CYCLE = """(define (domain gamble) (:requirements :strips :non-deterministic) (:predicates (begun) (won) (lost))
  (:action toss :parameters () :precondition (begun) :effect (oneof (won) (not (won)))))"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write_task(tmp_path, DOMAIN, PROBLEM)


@pytest.mark.parametrize("method", ["uct", "llm-replan", "llm-mcts"])
def test_a_cycle_without_end_ends(method: str, tmp_path: Path, cplan: Run) -> None:
    made = cplan("solve", *write_task(tmp_path, CYCLE, NEVER), "--method", method, "--max-steps", "5")
    assert made.code == 1
    assert any(why in made.out for why in ("the limit of 5 steps", "can the goal be reached", "no plan")), made.out


@pytest.mark.parametrize(("plan", "code", "said"), [
    ("(step)\n(finish--2)\n(finish)", 0, "the actions were applicable and reached the goal in this world"),
    ("(step)\n(finish--2)", 1, "goal"),
    ("(step--2)\n(finish)", 1, "(finish)"),
    ("(step--3)", 1, "step--3"),
])  # fmt: skip
def test_a_plan_is_judged_with_the_outcomes_that_it_names(
    plan: str, code: int, said: str, tmp_path: Path, files: tuple[Path, Path], cplan: Run
) -> None:
    (tmp_path / "plan").write_text(plan)
    judged = cplan("validate", *files, tmp_path / "plan")
    assert judged.code == code, judged.err
    assert said in judged.out + judged.err
    assert " valid\n" not in judged.out


def test_the_share_of_solved_episodes_is_reported(files: tuple[Path, Path], cplan: Run) -> None:
    """By the better of two actions: 0.9 in all."""
    made = cplan("solve", *files, "--method", "uct", "--episodes", "30", "--quiet")
    assert made.code == 1
    assert len((made.out + made.err).splitlines()) < 35, "a line for each, and the share"
    share = float((made.out + made.err).rsplit("episodes solved: ", 1)[1].split()[0])
    assert 0.7 <= share < 1  # three standard deviations
