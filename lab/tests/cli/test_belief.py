"""cplan belief: what it prints, what it judges, and endpoints as people use them."""

import math
from pathlib import Path

import pytest

from commonsense_planning.elicitation import prior as priors
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Floats
from tests import chat_habits as habits
from tests import chat_troubles as troubles
from tests.chat_server import ChatServer
from tests.cli.endpoint import environment
from tests.cli.running import Run
from tests.cli.test_endpoint_modes import clock, server, tried
from tests.endpoint_modes import MORE_ROOM, NEEDED, NOT_HEARD, UNHEARD, Clock, Mode, always
from tests.scripted import HOUSEHOLD

__all__ = ["clock", "environment", "server"]

SMALL = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def with_more(folder: Path, more: dict[str, str]) -> tuple[Path, Path]:
    """The task with more behind some of its words."""
    text = SMALL[1].read_text()
    for old, new in more.items():
        assert old in text
        text = text.replace(old, f"{old} {new}")
    (folder / "more.pddl").write_text(text)
    return SMALL[0], folder / "more.pddl"


def test_things_of_one_name_are_shown_once(tmp_path: Path, cplan: Run) -> None:
    lying = "(inside apple_2 fridge) (on apple_3 kitchentable)"
    added = {"(:objects": "apple_2 apple_3 - movable", "(inside apple_1 fridge)": lying}
    added |= {"(:goal": "(and (on apple_2 kitchentable) (on apple_3 kitchentable)", "(on apple_1 kitchentable)": ")"}
    three_apples = with_more(tmp_path, added)
    ended = cplan("belief", *three_apples, "--only", "apple")
    assert [line for line in ended.out.splitlines() if line.startswith("apple")] == ["apple (3)"]
    marks = {line.split("  ")[1]: line.split("%")[-1].strip() for line in ended.out.splitlines() if "%  true" in line}
    assert marks == {"inside fridge": "true for 2", "on kitchen table": "true for 1"}
    (block,) = cplan("belief", *three_apples, "--only", "apple", "--json").json["things"]
    assert [thing["objects"] for thing in block["things"]] == [["apple_1"], ["apple_2"], ["apple_3"]]


def test_places_of_one_name_share_a_row_but_not_a_score(tmp_path: Path, cplan: Run) -> None:
    there = "(located kitchencabinet_2 kitchen)"
    task = with_more(tmp_path, {"(:objects": "kitchencabinet_2 - container", "(openable fridge)": there})
    (block,) = cplan("belief", *task, "--only", "plate", "--json").json["things"]
    row = next(row for row in block["places"] if row["place"] == "inside kitchen cabinet")
    assert (row["count"], row["true"]) == (2, 1)
    assert block["things"][0]["model"]["log_loss"] == pytest.approx(-math.log(row["probability"] / 2))


def test_top_keeps_the_true_place(cplan: Run) -> None:
    ended = cplan("belief", *SMALL, "--only", "PLATE", "--top", "1")
    lines = ended.out.splitlines()
    assert not any(line.startswith("apple") for line in lines) and "\x1b" not in ended.out and ended.err == ""
    assert [line[:2] for line in lines if "inside kitchen cabinet" in line] == ["… "]
    assert [line.split("  ")[1] for line in lines if " more " in line] == ["1 more"]
    assert " 1 " in next(line for line in lines if line.startswith("uniform"))


def test_belief_is_the_one_that_solve_starts_with(cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Kept(Belief):
        def revise(self, group: int, prior: Floats) -> None:
            super().revise(group, prior)
            started.append(sorted(p for p in self.distribution(group).tolist() if p))

    monkeypatch.setattr(priors, "Belief", Kept)
    cplan("solve", *SMALL, "--seed", "5", "--simulations", "1", "--max-steps", "1")
    things = cplan("belief", *SMALL, "--seed", "5", "--only", "apple_1", "--json").json["things"]
    assert started[0] == sorted(row["probability"] for thing in things for row in thing["places"])


def test_contingent_problem_is_judged_in_a_world_that_is_drawn(tiny: tuple[Path, Path], cplan: Run) -> None:
    text = tiny[1].read_text().replace("(in ball blue-box)", "(oneof (in ball blue-box) (in ball red-box))")
    tiny[1].write_text(text)
    assert cplan("belief", *tiny).code == 0
    ended = cplan("belief", *tiny, "--world", tiny[1].parent / "world.pddl", "--json")
    assert (ended.code, [thing["name"] for thing in ended.json["things"]]) == (0, ["ball"])


def test_it_follows_preferences(cplan: Run, tmp_path: Path) -> None:
    path = tmp_path / "preferences.txt"
    path.write_text("apples go into the fridge\n")
    plain, told = (cplan("belief", *SMALL, "--json", *more).json for more in ((), ("--preferences", path)))
    assert told["mean"] != plain["mean"]


BELIEF = "belief"
MODES = [
    Mode("keeps to schemas, a belief", always(), BELIEF, 0, 1, "a list of the likeliest"),
    Mode("blank, a belief", always(troubles.says("\n\n")), BELIEF, 0, 3, NOT_HEARD, UNHEARD),
    Mode("nonsense, a belief", always(troubles.says(troubles.NONSENSE)), BELIEF, 3, 3, NOT_HEARD, UNHEARD,
         options=NEEDED),
    Mode("a web page, a belief", always(lambda request, server: habits.page(200, "My router")), BELIEF, 3, 3,
         "My router", None),
    Mode("thinks for 3,000, a belief", always(habits.thinks_first(3000)), BELIEF, 0, 2, MORE_ROOM.format(4096)),
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_mode(mode: Mode, server: ChatServer, clock: Clock, cplan: Run, tiny: tuple[Path, Path]) -> None:
    tried(mode, server, clock, cplan, tiny)
