"""The embedded model: its answers are options, repeat with the seed, and are sensible."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.embedded.answers import ELSEWHERE, TABLE, CommonsenseTable
from commonsense_planning.errors import InputError
from commonsense_planning.llm.embedded import EmbeddedModel, read_kept
from commonsense_planning.matching.answers import pair_in
from commonsense_planning.wording.questions import ChooseAction, NextAction, Placement, PlacementAgain
from tests.embedded.test_commonsense_table import PAPER_MOVABLES, words

# The places of the paper's appendix A.1 for movable things, with the relation.
INSIDE = "bathroom cabinet, kitchen cabinet, fridge, oven, dishwasher, microwave, stove, cabinet"
ON = "bathroom counter, bed, bookshelf, coffee table, floor, kitchen counter, kitchen table, nightstand, sofa"
PLACES = (*(f"inside {p}" for p in words(INSIDE)), *(f"on {p}" for p in words(ON)))


def top(thing: str) -> str:
    weights = CommonsenseTable.read(TABLE).weights(thing, PLACES)
    assert weights.sum() == pytest.approx(1.0)
    return PLACES[int(np.argmax(weights))]


@pytest.mark.parametrize(("thing", "places"), [
    ("milk", {"inside fridge"}),
    ("salmon", {"inside fridge"}),
    ("toothbrush", {"on bathroom counter", "inside bathroom cabinet"}),
    ("plate", {"inside kitchen cabinet", "inside dishwasher", "on kitchen table"}),
    ("book", {"on bookshelf"}),
    ("pillow", {"on bed", "on sofa"}),
    ("remote control", {"on coffee table", "on sofa"}),
    ("frying pan", {"inside stove", "inside kitchen cabinet", "on kitchen counter"}),
])  # fmt: skip
def test_the_first_guess_is_sensible(thing: str, places: set[str]) -> None:
    assert top(thing) in places


def test_every_movable_of_the_paper_gets_a_distribution() -> None:
    for thing in words(PAPER_MOVABLES):
        assert top(thing) in PLACES


def test_answers_are_options_and_repeat_with_the_seed() -> None:
    question = Placement("apple", PLACES)
    one, other, third = (EmbeddedModel(np.random.default_rng(seed)) for seed in (1, 1, 2))
    answers = one.ask([question], 50)[0]
    assert len(answers) == 50
    assert set(answers) <= set(PLACES)
    assert answers == other.ask([question], 50)[0]
    assert answers != third.ask([question], 50)[0]
    assert one.usage.questions == 1


def test_an_unknown_thing_falls_back_to_its_category_a_similar_name_or_uniform() -> None:
    table = CommonsenseTable.read(TABLE)
    uniform = np.full(len(PLACES), 1 / len(PLACES))
    assert table.weights("xyzzy", PLACES) == pytest.approx(uniform)
    assert table.weights("apple", ("inside xyzzy", "on plugh")) == pytest.approx([0.5, 0.5])
    assert table.weights("Apple_3", PLACES) == pytest.approx(table.weights("apple", PLACES))
    assert table.weights("toothbrushes", PLACES) == pytest.approx(table.weights("toothbrush", PLACES))
    assert table.weights("cold dessert", PLACES)[PLACES.index("inside fridge")] > 0.4


LIBRARY = tuple(f"in {p}" for p in words("stacks, archive, map room, lending hall, periodicals, carrel, foyer"))


def test_elsewhere_than_in_a_home_all_places_weigh_the_same_which_is_said_once() -> None:
    model = EmbeddedModel(np.random.default_rng(0))
    textbook, atlas = Placement("textbook", LIBRARY), PlacementAgain("atlas", LIBRARY[1:], ((LIBRARY[0], ("novel",)),))
    for weights in model.weigh([textbook, atlas], 100):
        assert weights.shares == pytest.approx(np.full(len(weights.options), 1 / len(weights.options)))
    (note,) = model.take_notes()
    assert "textbook, atlas" in note and "look-nearest needs no model" in note
    model.weigh([Placement("novel", LIBRARY)], 100)
    assert model.take_notes() == []


def test_at_home_there_is_nothing_to_note() -> None:
    model = EmbeddedModel(np.random.default_rng(0))
    (weights,) = model.weigh([Placement("textbook", (*PLACES, "on carrel"))], 100)
    assert weights.shares.max() > 0.4 and model.take_notes() == []


def test_where_people_say_that_things_go_they_are_likely_elsewhere_than_in_a_home_too() -> None:
    model = EmbeddedModel(np.random.default_rng(0), preferences=("textbooks go in the archive",))
    (weights,) = model.weigh([Placement("textbook", LIBRARY)], 100)
    assert weights.shares[LIBRARY.index("in archive")] > 0.8 and model.take_notes() == []


def test_what_next_is_nothing_that_the_model_knows() -> None:
    model = EmbeddedModel(np.random.default_rng(0))
    assert model.answers(Placement) and not model.answers(NextAction)
    assert model.ask([NextAction("g", (), ("go", "stay"), ())], 4) == [[]]


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("[objects]\n")
    with pytest.raises(InputError, match="not a commonsense table"):
        CommonsenseTable.read(path)


def small(places: dict[str, dict[str, object]], kept: dict[str, float]) -> CommonsenseTable:
    """A table of one object, a "lamp", kept at ``kept``."""
    return CommonsenseTable({"places": places, "categories": {}, "objects": {"lamp": {"places": kept}}})


DESK, SHELF, BOX, FLOOR = (
    {"room": "bedroom"},
    {"room": "living room"},
    {"room": "living room", "near": ["on desk", "on shelf"]},
    {"aliases": ["ground"]},
)


def test_a_weight_goes_to_the_spot_itself_else_to_the_other_relation() -> None:
    table = small({"desk": DESK, "shelf": SHELF}, {"on desk": 0.75, "on shelf": 0.25})
    both = table.weights("lamp", ("inside desk", "on desk", "on shelf"))
    assert both == pytest.approx([ELSEWHERE, 0.75 * (1 - ELSEWHERE), 0.25 * (1 - ELSEWHERE)])
    assert table.weights("lamp", ("inside desk", "on shelf")) == pytest.approx([0.75, 0.25])


def test_the_weight_of_a_place_that_a_home_lacks_goes_to_the_first_near_one_that_it_has() -> None:
    table = small({"desk": DESK, "shelf": SHELF, "box": BOX}, {"inside box": 0.75, "on shelf": 0.25})
    assert table.weights("lamp", ("on desk", "on shelf")) == pytest.approx([0.75, 0.25])
    assert table.weights("lamp", ("on shelf", "on plugh")) == pytest.approx([1, 0])
    assert table.weights("lamp", ("in shelf", "in desk")) == pytest.approx([0.25, 0.75])
    own = table.weights("lamp", ("inside box", "on shelf", "on plugh"))
    assert own == pytest.approx([0.75, 0.25, 0])


def test_all_other_places_of_the_rooms_together_get_a_small_share() -> None:
    places = {"desk": DESK, "bed": {"room": "bedroom"}, "rug": {"room": "bedroom"}, "shelf": SHELF}
    weights = small(places, {"on desk": 1.0}).weights("lamp", ("on desk", "on bed", "on rug", "on shelf"))
    assert weights == pytest.approx([1 - ELSEWHERE, ELSEWHERE / 2, ELSEWHERE / 2, 0])


def test_a_room_before_a_place_says_which_of_several_it_is() -> None:
    places = {"desk": DESK, "shelf": SHELF, "floor": FLOOR}
    table = small(places, {"on floor": 0.5, "on desk": 0.4, "on shelf": 0.1})
    spots = ("on bedroom floor", "on living room ground", "on dining room floor", "on desk", "on shelf")
    assert table.weights("lamp", spots) == pytest.approx([0.4, 0.1, 0, 0.4, 0.1])
    nowhere = table.weights("lamp", ("on kitchen floor", "on garage floor"))
    assert nowhere == pytest.approx([0.5, 0.5])


def test_several_places_of_one_name_share_a_weight() -> None:
    table = small({"desk": DESK, "shelf": SHELF}, {"on desk": 0.5, "on shelf": 0.5})
    assert table.weights("lamp", ("on old desk", "on desk_2", "on shelf")) == pytest.approx([0.25, 0.25, 0.5])


def test_the_top_of_a_place_is_that_place() -> None:
    table = small({"desk": DESK, "shelf": SHELF}, {"on desk": 0.5, "inside desk": 0.25, "on shelf": 0.25})
    assert table.weights("lamp", ("on top of the desk", "inside desk", "on shelf")) == pytest.approx([0.5, 0.25, 0.25])


def test_an_unknown_thing_is_looked_up_by_its_last_words() -> None:
    table = CommonsenseTable.read(TABLE)
    assert table.weights("big wine glass", PLACES) == pytest.approx(table.weights("wineglass", PLACES))
    assert table.weights("wine glass holder", PLACES) == pytest.approx(np.full(len(PLACES), 1 / len(PLACES)))


@pytest.mark.parametrize("think", [False, True])
def test_a_choice_is_a_pair_behind_the_marker_where_one_is_asked_for(think: bool) -> None:
    actions = ((1, "[GRAB]<plate>"), (2, "[GRAB]<salmon>"))
    question = ChooseAction("microwave salmon", "", (), actions, think=think)
    (answer,) = EmbeddedModel(np.random.default_rng(0)).ask([question], 1)[0]
    assert pair_in(answer, think).index == 2


def test_where_things_of_its_category_were_seen_a_thing_is_likelier() -> None:
    places = ("inside bathroom cabinet", "inside wardrobe", "inside fridge", "on bed")
    table = CommonsenseTable.read(TABLE)
    seen = (("inside wardrobe", ("salmon", "chicken", "mug")), ("on kitchen table", ("milk",)))
    before, after = table.weights("cutlets", places), table.weights_after("cutlets", places, seen)
    assert after.sum() == pytest.approx(1.0)
    assert after[1] > before[1] and after[3] > before[3]  # another wardrobe; its room
    assert after[0] == 0
    assert np.array_equal(before, table.weights_after("cutlets", places, (("inside wardrobe", ("mug",)),)))


def test_asked_again_it_names_all_places_that_are_as_likely_together() -> None:
    question = PlacementAgain("cutlets", ("inside oven", "inside sink", "inside microwave"), (("inside fridge", ()),))
    weights = CommonsenseTable.read(TABLE).weights(question.thing, question.places)
    for answer in EmbeddedModel(np.random.default_rng(0)).ask([question], 20)[0]:
        named = [question.places.index(place) for place in answer.split(", ")]
        assert np.ptp(weights[named]) < 1e-6
        assert len(named) == np.isclose(weights, weights[named[0]]).sum()


@pytest.mark.parametrize(
    ("thing", "room"),
    [("fridge", "kitchen"), ("bathroom counter", "bathroom"), ("bed", "bedroom"), ("sofa", "living room")],
)
def test_furniture_stands_in_its_room(thing: str, room: str) -> None:
    rooms = ("inside bathroom", "inside bedroom", "inside kitchen", "inside living room")
    weights = CommonsenseTable.read(TABLE).weights(thing, rooms)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[rooms.index(f"inside {room}")] == pytest.approx(1 - ELSEWHERE + ELSEWHERE / 4)


def test_furniture_that_may_be_anywhere_is_anywhere() -> None:
    weights = CommonsenseTable.read(TABLE).weights("sink", ("inside bathroom", "inside kitchen"))
    assert weights.tolist() == [0.5, 0.5]


def test_a_domains_own_table_goes_by_how_many_places_there_are(tmp_path: Path) -> None:
    file = tmp_path / "kept.toml"
    file.write_text('[kept]\n"book" = { "desk" = 30.0, "shelf" = 10.0 }\n')
    model = EmbeddedModel(np.random.default_rng(0), kept=read_kept(file))
    (weights,) = model.weigh([Placement("book", ("in desk", "in shelf", "in bed"), counts=(1, 6, 1))], 10)
    assert weights.shares.tolist() == pytest.approx([1 / 3, 2 / 3, 0])
    file.write_text("[kept]\nbook = 3\n")
    with pytest.raises(InputError, match="where things are kept"):
        read_kept(file)
