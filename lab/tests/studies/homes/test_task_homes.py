"""The homes of the experiments: the words of their table, how their distributions differ, and how large they are."""

from itertools import chain

import numpy as np
import pytest

from commonsense_lab.studies.homes.home_task import ROOMS, LargeDrawing, large_home
from commonsense_lab.studies.homes.household import Placing
from commonsense_lab.studies.homes.scene_import import GoalWish
from commonsense_lab.studies.homes.task_homes import Homes, TaskSetting, all_pairs, scene_homes, table
from commonsense_lab.studies.rearrangement.tasks import evaluation_task
from commonsense_planning.errors import InputError
from commonsense_planning.wording.lexicon import Lexicon
from lab.benchmarks.rearrangement import between_homes, from_beliefs
from lab.tests.studies.homes.test_scene_import import graph
from lab.tests.studies.rearrangement.homes import KINDS, homes_of
from tests.scripted import HOUSEHOLD


def test_goals_are_called_as_the_lexicon_says() -> None:
    lexicon = Lexicon.read(HOUSEHOLD / "lexicon.toml")
    pairs = all_pairs()
    classes = {word for wish in pairs.training + pairs.novel for word in (wish.thing, wish.place)}
    for name in classes | table().alike.keys():
        assert name in lexicon.classes
        if name in classes | table().words.keys():
            assert table().words.get(name, name) == lexicon.classes[name]


def test_homes_that_ship_have_virtualhomes_size_and_different_furniture() -> None:
    homes = homes_of("own")
    for home in (homes.seen, homes.unseen):
        assert home.rooms == ("kitchen", "bathroom", "bedroom", "livingroom")
        assert 25 <= len(home.furniture) <= 40 and 90 <= len(home.things) <= 130
        assert sum(count > 1 for count in home.instances.values()) > 20
        assert all(piece.openable == (piece.relation is Placing.INSIDE) for piece in home.furniture)
    kinds = [{piece.name.split("_")[0] for piece in home.furniture} for home in (homes.seen, homes.unseen)]
    assert len(kinds[0] ^ kinds[1]) > 15


def test_every_goal_of_the_table_suits_both_homes_that_ship() -> None:
    homes, pairs = homes_of("own"), all_pairs()
    assert not set(pairs.training) & set(pairs.novel)
    for goals in homes.goals.values():
        assert (goals.pairs, goals.novel) == (pairs.training, pairs.novel)
        assert set(chain.from_iterable(goals.compositions)) == set(goals.pairs)


def test_the_unseen_distribution_is_another_one() -> None:
    homes = homes_of("own")
    distances = between_homes(homes)
    assert len(distances) > 40 and float(np.mean(distances)) > 0.5


@pytest.mark.parametrize("name", ["seen", "unseen"])
def test_the_distributions_are_not_the_embedded_models(name: str) -> None:
    home = homes_of("own").named(name)
    distances = from_beliefs(home)
    assert float(np.mean(distances)) > 0.2 and min(distances) > 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_things_are_drawn_as_the_weights_say(kind: str) -> None:
    home = homes_of(kind).seen
    rng = np.random.default_rng(0)
    drawn = [thing for _ in range(300) for thing in home.arranged((), rng) if thing.kind == "plate"]
    weights = home.likely("plate")
    for place, weight in weights.items():
        share = sum(thing.place == place for thing in drawn) / len(drawn)
        assert share == pytest.approx(weight / sum(weights.values()), abs=0.05)


SMALL = [
    (1, "bedroom", "Rooms", "", "", ""),
    (2, "table", "Furniture", "SURFACES", "", "INSIDE 1"),
    (3, "bed", "Furniture", "LIEABLE", "", "INSIDE 1"),
    (4, "guitar", "Props", "GRABBABLE", "", "INSIDE 1, ON 3"),
    (5, "character", "Characters", "", "", "INSIDE 1"),
]


def test_where_the_usual_places_are_missing_or_wanted_there_are_others() -> None:
    homes = scene_homes(graph(SMALL), graph(SMALL))
    assert homes.seen.likely("guitar") == {"bed_3": 1.0}  # not in the table: the place in the scene
    assert homes.seen.likely("guitar", ["bed_3"]) == {"table_2": 1.0}
    wish = GoalWish(Placing.ON, "guitar", "bed")
    (guitar,) = homes.seen.arranged([wish], np.random.default_rng(0))
    assert guitar.place == "table_2"


@pytest.mark.parametrize("setting", TaskSetting)
def test_a_scene_with_too_little_is_refused(setting: TaskSetting) -> None:
    with pytest.raises(InputError, match=f"too few of the things and places .* setting {setting}"):
        evaluation_task(scene_homes(graph(SMALL), graph(SMALL)), "seen", setting, 0, 0)


@pytest.mark.parametrize("rooms", ROOMS)
def test_a_home_is_large(rooms: int) -> None:
    home = large_home(rooms)
    assert len(home.rooms) == rooms and len(home.things) == 400
    assert {piece.room for piece in home.furniture} == set(home.rooms)


def test_half_of_the_things_are_where_least_expected_and_no_wish_is_true_yet() -> None:
    for index in range(5):
        drawn = LargeDrawing(index, 0, HOUSEHOLD).drawn()
        home = large_home(ROOMS[index])
        assert 5 <= len(drawn.wishes) <= 8 and 1 <= home.ways(drawn.wishes) <= 32
        places = {thing.name: thing.place for thing in drawn.apartment.movables}
        odd = [thing for thing in drawn.apartment.movables if thing.place not in home.likely(thing.kind)]
        assert 0.4 < len(odd) / len(places) < 0.6
        for wish in drawn.wishes:
            assert places[f"{wish.thing}_1"] not in home.pieces[wish.relation, wish.place]
    assert LargeDrawing(0, 0, HOUSEHOLD).drawn() == LargeDrawing(0, 0, HOUSEHOLD).drawn()
    assert LargeDrawing(0, 0, HOUSEHOLD).drawn() != LargeDrawing(0, 1, HOUSEHOLD).drawn()


@pytest.mark.data
def test_scenes_are_closed_and_keep_what_they_have() -> None:
    homes: Homes = homes_of("scenes")
    assert [len(home.things) for home in (homes.seen, homes.unseen)] == [114, 89]
    for home in (homes.seen, homes.unseen):
        goals = homes.goals[home.name]
        assert len(goals.pairs) > 50 and len(goals.compositions) > 100 and len(goals.novel) > 40
        assert not any(piece.opened for piece in home.furniture)
