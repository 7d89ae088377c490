"""Things of one name: those of which the same is known are of one kind."""

from __future__ import annotations

from commonsense_planning.wording.kinds import alike

PILLOWS = {0: "robot", 1: "pillow", 2: "pillow", 3: "pillow", 4: "bed", 5: "bed"}


def test_things_of_which_the_same_is_known_are_one_kind() -> None:
    kind = alike(PILLOWS, [("on", (1, 4)), ("on", (2, 4)), ("on", (3, 4)), ("near", (0, 5))])
    assert len({kind[o] for o in (1, 2, 3)}) == 1
    assert kind[4] != kind[5]


def test_what_differs_in_others_of_its_kind_differs() -> None:
    kind = alike(PILLOWS, [("on", (1, 4)), ("on", (2, 5)), ("on", (3, 5)), ("near", (0, 5))])
    assert kind[2] == kind[3] != kind[1]


def test_kinds_do_not_depend_on_which_of_two_it_is() -> None:
    one = alike({1: "cabinet", 2: "cabinet"}, [("open", (1,))])
    other = alike({1: "cabinet", 2: "cabinet"}, [("open", (2,))])
    assert one[1] == other[2] != one[2] == other[1]
