"""Large homes: their size, what is wanted, and that half of the things lie where nobody expects them."""

from __future__ import annotations

import pytest

from commonsense_lab.studies.homes.home_task import ROOMS, LargeDrawing, large_home
from tests.data import REPOSITORY

PACK = REPOSITORY / "pddl" / "household"


@pytest.mark.parametrize("rooms", ROOMS)
def test_a_home_is_large(rooms: int) -> None:
    home = large_home(rooms)
    assert len(home.rooms) == rooms and len(home.things) == 400
    assert {piece.room for piece in home.furniture} == set(home.rooms)


def test_half_of_the_things_are_where_nobody_expects_them_and_no_wish_is_true_yet() -> None:
    for index in range(5):
        drawn = LargeDrawing(index, 0, PACK).drawn()
        home = large_home(ROOMS[index])
        assert 5 <= len(drawn.wishes) <= 8 and 1 <= home.ways(drawn.wishes) <= 32
        places = {thing.name: thing.place for thing in drawn.apartment.movables}
        odd = [thing for thing in drawn.apartment.movables if thing.place not in home.likely(thing.kind)]
        assert 0.4 < len(odd) / len(places) < 0.6
        for wish in drawn.wishes:
            assert places[f"{wish.thing}_1"] not in home.pieces[wish.relation, wish.place]
    assert LargeDrawing(0, 0, PACK).drawn() == LargeDrawing(0, 0, PACK).drawn()
    assert LargeDrawing(0, 0, PACK).drawn() != LargeDrawing(0, 1, PACK).drawn()
