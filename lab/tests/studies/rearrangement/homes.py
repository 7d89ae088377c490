"""The homes that rearrangement tasks are tested in: those that ship, and VirtualHome's where its graphs are there."""

from functools import cache

import pytest

from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.task_homes import Homes, own_homes, scene_homes
from tests.data import shared_data

KINDS = ("own", pytest.param("scenes", marks=pytest.mark.data))


@cache
def homes_of(kind: str) -> Homes:
    """Homes by their kind; skips the test where the graphs are missing."""
    if kind == "own":
        return own_homes()
    return scene_homes(*(load_graph(shared_data("virtualhome") / f"TestScene{i}_graph.json") for i in (4, 2)))
