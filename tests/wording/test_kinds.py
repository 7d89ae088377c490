"""Things of one name: those of which the same is known are of one kind."""

from __future__ import annotations

from commonsense_planning.wording.kinds import tell_apart

PILLOWS = {0: "robot", 1: "pillow", 2: "pillow", 3: "pillow", 4: "bed", 5: "bed"}


def test_things_of_which_the_same_is_known_are_one_kind() -> None:
    kinds = tell_apart(PILLOWS, [("on", (1, 4)), ("on", (2, 4)), ("on", (3, 4)), ("near", (0, 5))])
    assert {kinds.labels[o] for o in (1, 2, 3)} == {"pillow"}
    assert kinds.alike[1] == 3
    assert {kinds.labels[4], kinds.labels[5]} == {"bed 1", "bed 2"}


def test_what_differs_in_others_of_its_kind_differs() -> None:
    kinds = tell_apart(PILLOWS, [("on", (1, 4)), ("on", (2, 5)), ("on", (3, 5)), ("near", (0, 5))])
    assert kinds.labels[2] == kinds.labels[3] != kinds.labels[1]
    assert (kinds.alike[1], kinds.alike[2]) == (1, 2)


def test_labels_do_not_depend_on_which_of_two_it_is() -> None:
    one = tell_apart({1: "cabinet", 2: "cabinet"}, [("open", (1,))])
    other = tell_apart({1: "cabinet", 2: "cabinet"}, [("open", (2,))])
    assert one.labels[1] == other.labels[2] != one.labels[2] == other.labels[1]
