"""The most probable route: what answers are worth, which route that makes, and what is asked for it."""

import itertools
import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.studies.travelling.likely import DOUBTFUL, STEP, WayBelief, most_probable_route
from commonsense_lab.studies.travelling.methods import uniform_cost

Lists = dict[str, str]
"""Place → the places that the model names, a letter each."""


class Answers:
    """A model that lists ``lists`` and is as sure of a way as ``sure`` says, 1/2 of any other; keeps what was asked."""

    def __init__(self, lists: Lists, sure: dict[str, float] | None = None) -> None:
        self.said, self.surety = lists, sure or {}
        self.places: list[str] = []
        self.doubts: list[str] = []

    def lists(self, places: Sequence[str]) -> list[str]:
        self.places += places
        return [self.said.get(place, "") for place in places]

    def sure(self, ways: Sequence[tuple[str, str]]) -> list[float]:
        names = ["".join(way) for way in ways]
        self.doubts += names
        return [self.surety.get(name, 0.5) for name in names]

    def route(self, most: int = 9, depth: int = 6, again: int = 10) -> str:
        return "".join(most_probable_route("a", "z", self.lists, self.sure, most, depth, again)[0])


def believed(lists: Lists, most: int = 9) -> WayBelief[str]:
    belief = WayBelief[str](most)
    for place, ends in lists.items():
        belief.listed(place, ends)
    return belief


def test_a_list_counts_by_order_and_by_both_ends() -> None:
    once = believed({"a": "bc"})
    assert once.probability("a", "b") > once.probability("a", "c") > 0.8  # the first, the second of a list
    assert once.probability("a", "b") == once.probability("b", "a")
    assert once.probability("a", "d") < once.probability("b", "c") < 0.1  # left out; nothing is said
    both, left_out = believed({"a": "b", "b": "a"}), believed({"a": "b", "b": "c"})
    crowded_out = believed({"a": "b", "b": "cde"}, most=3)
    chances = [belief.probability("a", "b") for belief in (left_out, crowded_out, once, both)]
    assert chances == sorted(chances)
    assert chances[0] <= 0.5 and chances[-1] > DOUBTFUL


def test_a_sure_answer_counts_more() -> None:
    belief = believed({"a": "b"})
    chances = [belief.probability("a", "b")]
    for sure in (1.0, 0.7, 0.5, 0.3, 0.0):
        belief.update("a", "b", sure)
        chances.append(belief.probability("a", "b"))
    unsaid, *told = chances
    assert told == sorted(told, reverse=True)
    assert told[2] == pytest.approx(unsaid)
    assert told[0] < 1 and told[-1] > 0  # a plain word is no proof
    assert belief.probability("b", "a") == pytest.approx(unsaid)  # the answer was about the other direction


def test_a_route_that_both_ends_name_beats_a_shorter_one_that_one_end_names() -> None:
    lists = {"a": "bz", "b": "az", "z": "b"}
    assert Answers(lists).route(again=0) == "abz"
    assert Answers({**lists, "z": "ab"}).route(again=0) == "az"


def test_denied_ways_are_avoided_where_there_is_another_way() -> None:
    sure = {"az": 0.0}
    trusted = Answers({"a": "zbc", "z": "a"}, sure)
    assert (trusted.route(), trusted.doubts) == ("az", [])  # both ends name it: it is not asked about
    lists = {"a": "zc", "c": "zx", "z": "bd"}
    assert Answers(lists).route(most=2) == "az"
    model = Answers(lists, sure)
    assert (model.route(most=2), model.doubts) == ("acz", ["az", "ac", "cz"])
    only = Answers({"a": "z"}, sure)
    assert (only.route(), only.doubts) == ("az", ["az"])


def test_no_more_doubts_are_asked_about_than_allowed() -> None:
    model = Answers({"a": "bcdef", "z": "bcdef"}, {f"{hub}z": 0.0 for hub in "bcdef"})
    model.route(again=3)
    assert len(model.doubts) == 3 == len(set(model.doubts))


def test_a_place_is_asked_about_once_and_both_ends_first() -> None:
    model = Answers({"a": "bcd", "b": "a", "c": "ay", "y": "cz", "z": "y"})
    assert model.route() == "acyz"
    assert model.places[:2] == ["a", "z"]
    assert len(model.places) == len(set(model.places))


def test_unreachable_places_have_no_route() -> None:
    assert Answers({}).route() == ""
    assert Answers({"a": "b", "b": "c", "c": "z"}).route() == "abcz"
    assert Answers({"a": "b", "b": "c", "c": "z"}).route(depth=2) == ""
    silent = Answers({"a": "b", "b": "a"})
    assert (silent.route(), sorted(silent.places)) == ("", ["a", "b", "z"])
    assert most_probable_route("a", "a", silent.lists, silent.sure, 9, 6, 10) == (("a",), ())


places = "abcdz"
graphs = st.fixed_dictionaries({place: st.text(st.sampled_from(places), max_size=4) for place in places})


@given(graphs, st.integers(1, 4))
def test_the_route_is_the_cheapest_over_the_listed_ways(lists: Lists, depth: int) -> None:
    belief = believed(lists)
    said = {frozenset((a, b)) for a, ends in lists.items() for b in ends if a != b}
    costs = {}
    for length in range(depth):
        for between in itertools.permutations("bcd", length):
            stops = ("a", *between, "z")
            ways = list(itertools.pairwise(stops))
            if all(frozenset(way) in said for way in ways):
                costs["".join(stops)] = sum(STEP - math.log(belief.probability(*way)) for way in ways)
    route, cost = belief.best_route("a", "z", depth)
    assert cost == pytest.approx(min(costs.values(), default=math.inf))
    assert not costs or costs["".join(route)] == pytest.approx(cost)


@given(graphs)
def test_it_finds_a_route_where_the_search_for_the_fewest_ways_does(lists: Lists) -> None:
    fewest = uniform_cost("a", "z", lambda places: [lists[place] for place in places], 6)
    model = Answers(lists)
    assert fewest is None or model.route() != ""
    assert len(model.places) == len(set(model.places))
