"""The belief of contingent problems, compared with all worlds that are tried one by one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from commonsense_planning import read_problem, read_task
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.variants import with_world
from commonsense_planning.pomdp.observation_model import Observation
from tests.contingent_problems import HIDDEN, VISIBLE, Action, Contingent, problems
from tests.scripted import World


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


ONE_OF_TWO = ((("p", True), ("q", True)),)
ERASE, RESTORE = Action((), (("p", False),), (), ()), Action((), (("p", True),), (), ())
MOVE = Action((("p", True),), (("p", False), ("q", True)), (), ())
LOOK, SHOW = Action((), (), (), ("q",)), Action((), (), (), ("p",))
UNSEEN = Action((), (), (((("q", False),), ("p", True)),), ())


@example(Contingent(ONE_OF_TWO, (), (), (ERASE, LOOK)), 0, [0, 1])
@example(Contingent(ONE_OF_TWO, (), (), (LOOK,)), 1, [0])
@example(Contingent((), ((("q", False), ("r", False)),), (), (UNSEEN, SHOW)), 0, [1, 0])
@example(Contingent(ONE_OF_TWO, (), (), (RESTORE, ERASE, LOOK)), 1, [0, 1, 2])
@example(Contingent(ONE_OF_TWO, (), (), (LOOK, MOVE, ERASE)), 0, [0, 1, 2])
@given(problems, st.integers(0, 100), st.lists(st.integers(0, 100), max_size=6))
def test_the_belief_is_that_of_all_worlds(folder: Path, problem: Contingent, which: int, choices: list[int]) -> None:
    worlds = problem.worlds()
    now = worlds[which % len(worlds)]
    files = problem.write(folder)
    facts = [f"({fact})" for fact in sorted(now - {"x"})]
    read = read_problem(*files)
    (folder / "world.pddl").write_text(with_world(read, facts) if read.contingent.atoms else files[1].read_text())
    home = World(read_task(*files, world=folder / "world.pddl" if read.contingent.atoms else None))
    numbers, belief = home.facts, home.belief
    possible = [(world, world) for world in worlds]  # at first, and now

    def agree() -> None:
        chances = belief.probabilities()
        for fact, number in numbers.items():
            share = sum(fact in world for _, world in possible) / len(possible)
            assert chances[number] == pytest.approx(share), fact
            assert belief.known[number] == (share in (0, 1)), fact
            assert not belief.known[number] or belief.truth[number] == (fact in now)

    agree()
    for choice in choices:
        names = [str(home.task.step(o)).strip("()") for o in home.possible().tolist()]
        if not names:
            break
        action = problem.actions[int(names[choice % len(names)][1:])]
        assert all((f in world) == v for _, world in possible for f, v in action.wants), "never by chance"
        home.do(names[choice % len(names)])
        now = action.after(now)
        after = [(first, action.after(world)) for first, world in possible]
        visible = [f for f in (*VISIBLE, *HIDDEN) if f in numbers and not home.compiled.hidden[numbers[f]]]
        seen = [f for f in (*action.shows, *visible) if f in numbers]
        possible = [(first, world) for first, world in after if all((f in world) == (f in now) for f in seen)]
        agree()


def test_what_follows_is_known(tmp_path: Path) -> None:
    problem = Contingent(ONE_OF_TWO, ((("q", False), ("r", True)),), (), ())
    world = World(read_task(*problem.write(tmp_path)))
    (part,) = world.belief.correlated
    names = [world.task.facts[f][0] for f in part.facts]
    assert sorted(names) == ["p", "q", "r"]
    assert [sorted(np.array(names)[row]) for row in part.values] == [["p", "r"], ["p"], ["q", "r"]]
    part.revise(np.array([5.0, 2.0, 1.0]))
    chances = dict(zip(names, world.belief.probabilities()[part.facts].tolist(), strict=True))
    assert chances == {"p": 0.875, "q": 0.125, "r": 0.75}
    # a prior that comes later takes the place of the first in the worlds that are left
    part.weigh(np.array([world.facts["r"]], np.int32), np.array([0.0]), np.array([1.0]))
    part.revise(np.array([1.0, 2.0, 3.0]))
    assert part.shares == pytest.approx([0.25, 0.75])
    neither = Observation(readings=tuple((f, False) for f in part.facts.tolist()))
    with pytest.raises(InputError, match="cannot be in any world that :init leaves open"):
        world.belief.contradicted(None, neither)


def test_an_action_that_cannot_be_carried_out_shows_nothing(tmp_path: Path) -> None:
    problem = Contingent(ONE_OF_TWO, (), (), (Action((("p", True),), (), (), ("q",)),))
    files = problem.write(tmp_path)
    (tmp_path / "world.pddl").write_text(with_world(read_problem(*files), ["(q)"]))
    seen = World(read_task(*files, world=tmp_path / "world.pddl")).environment.step(0)
    assert (seen.applied, seen.readings) == (False, ())
