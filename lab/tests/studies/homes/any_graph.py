"""Any environment graph with VirtualHome's schema, for Hypothesis: what was recorded, and what no simulator would."""

from typing import Any

from hypothesis import strategies as st

from commonsense_lab.studies.homes.scene_graph import SceneGraph, parse_graph

RECORDED = "apple bed bookshelf box breadslice closetdrawer faucet fridge garbagecan juice knifeblock mug sink sofa tv"
UNSEEN = "bottle_water bottle-water 3d-printer Wasserkocher 水 !"
WORDS_OF_PDDL = "and either exists object movable class room on inside located floor wall kitchen hand-empty domain"
CLASSES = [*RECORDED.split(), *UNSEEN.split(), *WORDS_OF_PDDL.split()]
CATEGORIES = ["Props", "Food", "Furniture", "Electronics", "Decor", "Lamps", "Walls", "Floor", "Doors", "Unheard of"]
PROPERTIES = [
    *("GRABBABLE", "GRABBABLE", "CAN_OPEN", "SURFACES", "CONTAINERS", "RECIPIENT", "POURABLE", "DRINKABLE", "EATABLE"),
    *("SITTABLE", "LIEABLE", "HAS_SWITCH", "HAS_PLUG", "LOOKABLE", "COVER_OBJECT", "CUTTABLE", "NEW_ONE"),
]
STATES = ["OPEN", "CLOSED", "ON", "OFF", "PLUGGED_OUT", "DIRTY"]
RELATIONS = ["INSIDE", "INSIDE", "ON", "ON", "CLOSE", "HOLDS_RH", "HOLDS_LH", "BETWEEN"]
SOURCE = "graph.json"

LENGTHS = st.one_of(st.floats(-3, 3), st.sampled_from([0, 1, float("nan"), float("inf"), 1e308]))
TRIPLES = st.lists(LENGTHS, min_size=3, max_size=3)
BOXES = st.none() | st.fixed_dictionaries({"center": TRIPLES, "size": TRIPLES})


@st.composite
def graphs(draw: st.DrawFn) -> SceneGraph:
    """A few nodes of classes that were recorded, were not, or are words of PDDL; properties and states in any
    combination; edges between any two: circles, two places, no room, no character or several, a held wall."""
    rooms, characters, things = (draw(st.sampled_from(counts)) for counts in ([1, 2, 2, 0], [1, 0, 2], range(1, 8)))
    categories = ["Rooms"] * rooms + ["Characters"] * characters
    categories += draw(st.lists(st.sampled_from(CATEGORIES), min_size=things, max_size=things))
    ids = draw(st.permutations(range(-2, len(categories) - 2)))
    nodes = [_node(draw, number, category) for number, category in zip(ids, categories, strict=True)]
    edges = [(i, "INSIDE", draw(st.sampled_from(ids[:rooms]))) for i in ids if rooms and draw(st.integers(0, 4))]
    ends = st.sampled_from(ids)
    edges += draw(st.lists(st.tuples(ends, st.sampled_from(RELATIONS), ends), max_size=15))
    told = [{"from_id": source, "relation_type": relation, "to_id": target} for source, relation, target in edges]
    return parse_graph({"nodes": nodes, "edges": told}, SOURCE)


def _node(draw: st.DrawFn, number: int, category: str) -> dict[str, Any]:
    return {
        "id": number,
        "class_name": draw(st.sampled_from(CLASSES)),
        "category": category,
        "prefab_name": "PRE_1",
        "properties": draw(st.lists(st.sampled_from(PROPERTIES), max_size=5)),
        "states": draw(st.lists(st.sampled_from(STATES), max_size=2)),
        "bounding_box": draw(BOXES),
    }
