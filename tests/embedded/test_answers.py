"""The commonsense table is complete for the objects of the LLM-MCTS paper; the embedded model's answers are options,
repeat with the seed, and are sensible."""

import math
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commonsense_planning.embedded.answers import ELSEWHERE, TABLE, CommonsenseTable
from commonsense_planning.embedded.knowhow import KnowHow
from commonsense_planning.errors import InputError
from commonsense_planning.llm.embedded import EmbeddedModel, read_kept
from commonsense_planning.matching.answers import pair_in
from commonsense_planning.wording.questions import ChooseAction, NextAction, Placement, PlacementAgain, WriteGuide

# The movable objects of the paper's appendix A.1, as it spells them.
PAPER_MOVABLES = """
alcohol, apple, banana, bar soap, bell pepper, boardgame, book, box, bread slice, bucket, candle,
candy bar, carrot, cellphone, cereal, chicken, Chinese food, chips, chocolate syrup, clock, clothes
pants, clothes pile, clothes shirt, coatrack, coffeepot, condiment bottle, condiment shaker, cooking
pot, crackers, crayons, creamy buns, cupcake, cutlery fork, cutlery knife, cutlets, cutting board,
dish bowl, dishwashing liquid, face cream, folder, fryingpan, glasses, globe, hair product, hanger,
juice, keyboard, lime, lotion bottle, magazine, milk, milkshake, minced meat, mouse, mug, notes,
oven tray, pancake, paper, pear, pie, pillow, plate, plum, poundcake, pudding, radio, remote
control, salad, salmon, slippers, sports ball, sundae, teddybear, toilet paper, toothbrush,
toothpaste, towel, towel rack, toy, washing sponge, water glass, whipped cream, wine, wineglass
"""
# Its places there, with the relation of movable things.
INSIDE = "bathroom cabinet, kitchen cabinet, fridge, oven, dishwasher, microwave, stove, cabinet"
ON = "bathroom counter, bed, bookshelf, coffee table, floor, kitchen counter, kitchen table, nightstand, sofa"
ROOMS = ("kitchen", "bathroom", "bedroom", "living room", "hallway", "garage")


def words(text: str) -> list[str]:
    return [" ".join(part.split()).lower() for part in text.split(",")]


PLACES = (*(f"inside {p}" for p in words(INSIDE)), *(f"on {p}" for p in words(ON)))
KNOWN = CommonsenseTable.read(TABLE)


def squeeze(name: str) -> str:
    return name.lower().replace(" ", "").replace("_", "")


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    file = resources.files("commonsense_planning.embedded") / "commonsense.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def names_of(entries: dict[str, Any]) -> dict[str, str]:
    """Squeezed name or alias → canonical name; a name that two entries claim fails the test."""
    names: dict[str, str] = {}
    for canonical, entry in entries.items():
        for name in [canonical, *entry["aliases"]]:
            assert names.setdefault(squeeze(name), canonical) == canonical, name
    return names


def test_every_movable_of_the_paper_has_an_entry(table: dict[str, Any]) -> None:
    names = names_of(table["objects"])
    movables = words(PAPER_MOVABLES)
    assert [name for name in movables if squeeze(name) not in names] == []
    assert len(table["objects"]) >= 2 * len(movables)


def test_every_place_of_the_paper_is_declared(table: dict[str, Any]) -> None:
    names = names_of(table["places"])
    places = words(f"{INSIDE}, {ON}, cutting board, fryingpan")
    assert [name for name in places if squeeze(name) not in names] == []


@pytest.mark.parametrize("section", ["objects", "categories"])
def test_weights_are_positive_sum_to_one_and_fall_and_are_those_of_declared_places(
    section: str, table: dict[str, Any]
) -> None:
    for name, entry in table[section].items():
        weights = list(entry["places"].values())
        assert 4 <= len(weights) <= 11, name
        assert all(weight > 0 for weight in weights), name
        assert math.isclose(sum(weights), 1.0, abs_tol=0.011), name
        assert weights == sorted(weights, reverse=True), name
        for key in entry["places"]:
            relation, _, place = key.partition(" ")
            assert relation in table["places"][place]["relations"], f"{name}: {key}"


def test_categories_rooms_and_relations_are_declared(table: dict[str, Any]) -> None:
    for name, entry in table["objects"].items():
        assert entry["category"] in table["categories"], name
    for name, place in table["places"].items():
        assert set(place["relations"]) <= {"inside", "on"}, name
        assert place.get("room") in {None, *ROOMS}, name


def test_places_nearest_in_use_are_other_declared_places(table: dict[str, Any]) -> None:
    near = {name: place["near"] for name, place in table["places"].items() if "near" in place}
    assert near["wine rack"] == ["inside kitchen cabinet"]
    for name, spots in near.items():
        assert spots, name
        assert len(spots) == len(set(spots)), name
        for spot in spots:
            relation, _, place = spot.partition(" ")
            assert relation in table["places"][place]["relations"], f"{name}: {spot}"
            assert place != name, name


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
    weights = KNOWN.weights(thing, PLACES)
    assert weights.sum() == pytest.approx(1.0)
    assert PLACES[int(np.argmax(weights))] in places


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
    uniform = np.full(len(PLACES), 1 / len(PLACES))
    assert KNOWN.weights("xyzzy", PLACES) == pytest.approx(uniform)
    assert KNOWN.weights("apple", ("inside xyzzy", "on plugh")) == pytest.approx([0.5, 0.5])
    for thing, other in (("Apple_3", "apple"), ("toothbrushes", "toothbrush"), ("big wine glass", "wineglass")):
        assert KNOWN.weights(thing, PLACES) == pytest.approx(KNOWN.weights(other, PLACES))
    assert KNOWN.weights("wine glass holder", PLACES) == pytest.approx(uniform)  # the last words count
    assert KNOWN.weights("cold dessert", PLACES)[PLACES.index("inside fridge")] > 0.4


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


ONE_ROOM = {"desk": DESK, "bed": {"room": "bedroom"}, "rug": {"room": "bedroom"}, "shelf": SHELF}
NEAR = {"desk": DESK, "shelf": SHELF, "box": BOX}, {"inside box": 0.75, "on shelf": 0.25}
ROOMED = {"desk": DESK, "shelf": SHELF, "floor": FLOOR}, {"on floor": 0.5, "on desk": 0.4, "on shelf": 0.1}
TWO = {"desk": DESK, "shelf": SHELF}
SPOTS = ("on bedroom floor", "on living room ground", "on dining room floor", "on desk", "on shelf")


@pytest.mark.parametrize(("table", "spots", "weights"), [
    # to the spot itself, else to the other relation
    ((TWO, {"on desk": 0.75, "on shelf": 0.25}), ("inside desk", "on desk", "on shelf"),
     [ELSEWHERE, 0.75 * (1 - ELSEWHERE), 0.25 * (1 - ELSEWHERE)]),
    ((TWO, {"on desk": 0.75, "on shelf": 0.25}), ("inside desk", "on shelf"), [0.75, 0.25]),
    # of a place that a home lacks to the first near one that it has
    (NEAR, ("on desk", "on shelf"), [0.75, 0.25]),
    (NEAR, ("on shelf", "on plugh"), [1, 0]),
    (NEAR, ("in shelf", "in desk"), [0.25, 0.75]),
    (NEAR, ("inside box", "on shelf", "on plugh"), [0.75, 0.25, 0]),
    # a small share to all other places of the room together
    ((ONE_ROOM, {"on desk": 1.0}), ("on desk", "on bed", "on rug", "on shelf"),
     [1 - ELSEWHERE, ELSEWHERE / 2, ELSEWHERE / 2, 0]),
    # a room before a place says which of several it is
    (ROOMED, SPOTS, [0.4, 0.1, 0, 0.4, 0.1]),
    (ROOMED, ("on kitchen floor", "on garage floor"), [0.5, 0.5]),
    # several places of one name share a weight; the top of a place is that place
    ((TWO, {"on desk": 0.5, "on shelf": 0.5}), ("on old desk", "on desk_2", "on shelf"), [0.25, 0.25, 0.5]),
    ((TWO, {"on desk": 0.5, "inside desk": 0.25, "on shelf": 0.25}), ("on top of the desk", "inside desk", "on shelf"),
     [0.5, 0.25, 0.25]),
])  # fmt: skip
def test_where_the_weight_of_a_place_goes(table: tuple[Any, Any], spots: tuple[str, ...], weights: list[float]) -> None:
    assert small(*table).weights("lamp", spots) == pytest.approx(weights)


@pytest.mark.parametrize("think", [False, True])
def test_a_choice_is_a_pair_behind_the_marker_where_one_is_asked_for(think: bool) -> None:
    actions = ((1, "[GRAB]<plate>"), (2, "[GRAB]<salmon>"))
    question = ChooseAction("microwave salmon", "", (), actions, think=think)
    (answer,) = EmbeddedModel(np.random.default_rng(0)).ask([question], 1)[0]
    assert pair_in(answer, think).index == 2


def test_where_things_of_its_category_were_seen_a_thing_is_likelier() -> None:
    places = ("inside bathroom cabinet", "inside wardrobe", "inside fridge", "on bed")
    seen = (("inside wardrobe", ("salmon", "chicken", "mug")), ("on kitchen table", ("milk",)))
    before, after = KNOWN.weights("cutlets", places), KNOWN.weights_after("cutlets", places, seen)
    assert after.sum() == pytest.approx(1.0)
    assert after[1] > before[1] and after[3] > before[3]  # another wardrobe; its room
    assert after[0] == 0
    assert np.array_equal(before, KNOWN.weights_after("cutlets", places, (("inside wardrobe", ("mug",)),)))


def test_asked_again_it_names_all_places_that_are_as_likely_together() -> None:
    question = PlacementAgain("cutlets", ("inside oven", "inside sink", "inside microwave"), (("inside fridge", ()),))
    weights = KNOWN.weights(question.thing, question.places)
    for answer in EmbeddedModel(np.random.default_rng(0)).ask([question], 20)[0]:
        named = [question.places.index(place) for place in answer.split(", ")]
        assert np.ptp(weights[named]) < 1e-6
        assert len(named) == np.isclose(weights, weights[named[0]]).sum()


@pytest.mark.parametrize(
    ("thing", "room"),
    [("fridge", "kitchen"), ("bathroom counter", "bathroom"), ("bed", "bedroom"), ("sofa", "living room")],
)
def test_furniture_is_expected_in_its_room(thing: str, room: str) -> None:
    rooms = ("inside bathroom", "inside bedroom", "inside kitchen", "inside living room")
    weights = KNOWN.weights(thing, rooms)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[rooms.index(f"inside {room}")] == pytest.approx(1 - ELSEWHERE + ELSEWHERE / 4)


def test_furniture_that_may_be_anywhere_is_anywhere() -> None:
    assert KNOWN.weights("sink", ("inside bathroom", "inside kitchen")).tolist() == [0.5, 0.5]


def test_a_domains_own_table_goes_by_how_many_places_there_are(tmp_path: Path) -> None:
    file = tmp_path / "kept.toml"
    file.write_text('[kept]\n"book" = { "desk" = 30.0, "shelf" = 10.0 }\n')
    model = EmbeddedModel(np.random.default_rng(0), kept=read_kept(file))
    (weights,) = model.weigh([Placement("book", ("in desk", "in shelf", "in bed"), counts=(1, 6, 1))], 10)
    assert weights.shares.tolist() == pytest.approx([1 / 3, 2 / 3, 0])
    file.write_text("[kept]\nbook = 3\n")
    with pytest.raises(InputError, match="where things are kept"):
        read_kept(file)


FORMS = ("[WALK]<object1>", "[GRAB]<object1>", "[OPEN]<object1>", "[CLOSE]<object1>", "[PUTIN]<object1><object2>")
KNOW = KnowHow.read()


def choose(actions: tuple[str, ...], guide: tuple[str, ...] = (), taken: tuple[str, ...] = ()) -> str:
    question = ChooseAction("put salmon in the fridge", guide, taken, tuple(enumerate(actions, start=1)))
    return KNOW.choice(question).partition(". ")[2]


def test_guides_of_either_level() -> None:
    low = KNOW.guide(WriteGuide("put the salmon in the fridge. be quick", "low", FORMS))
    assert low.splitlines()[3:5] == ["4. [OPEN]<fridge>", "5. [PUTIN]<salmon><fridge>"]
    high = KNOW.guide(WriteGuide("Put the salmon in the fridge!", "high"))
    assert high.splitlines()[1:5] == [
        "2. Pick up the salmon",
        "3. Walk to the fridge",
        "4. Open the fridge",
        "5. Put the salmon in the fridge",
    ]
    assert KNOW.guide(WriteGuide("prove a theorem", "low", FORMS)) == ""


def test_what_is_known_of_the_home_names_the_things() -> None:
    question = WriteGuide("put the cup on the coffee table", "low", FORMS)
    assert "<cup>" in KNOW.guide(question) and "coffeetable" in KNOW.guide(question)
    told = WriteGuide("put the cup on the coffee table", "low", FORMS, (("mug", ()), ("coffeetable", ())))
    assert "<mug>" in KNOW.guide(told) and "<cup>" not in KNOW.guide(told)


@pytest.mark.parametrize("guide", [
    ("[GRAB]<salmon>", "[WALK]<fridge>"),
    ("Pick up the salmon.", "Walk to the fridge."),
    ("take salmon", "go to fridge"),
])  # fmt: skip
def test_the_next_line_of_a_guide_is_chosen(guide: tuple[str, ...]) -> None:
    actions = ("[WALK]<fridge>", "[WALK]<salmon>", "[GRAB]<salmon>")
    assert choose(actions, guide) == "[GRAB]<salmon>"
    assert choose(actions, guide, ("[GRAB]<salmon>",)) == "[WALK]<fridge>"


def test_a_line_that_is_not_possible_is_passed_over() -> None:
    guide = ("[WALK]<fridge>", "[OPEN]<fridge>", "[PUTIN]<salmon><fridge>")
    actions = ("[WALK]<salmon>", "[CLOSE]<fridge>", "[PUTIN]<salmon><fridge>")
    assert choose(actions, guide, ("[WALK]<fridge>",)) == "[PUTIN]<salmon><fridge>"


def test_without_a_guide_the_description_decides_and_nothing_is_done_for_ever() -> None:
    actions = ("[WALK]<wall>", "[WALK]<salmon>", "[WALK]<fridge>")
    assert choose(actions) == "[WALK]<salmon>"
    assert choose(actions, (), ("[WALK]<salmon>",)) == "[WALK]<fridge>"


def test_a_file_that_is_no_table_of_know_how_is_refused(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("[verbs]\n")
    with pytest.raises(InputError, match="not a table of household know-how"):
        KnowHow.read(tmp_path / "table.toml")
