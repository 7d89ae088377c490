"""The homes that rearrangement tasks are tested in: those that ship, and VirtualHome's where its graphs are there."""

from functools import cache

import pytest

from commonsense_lab.studies.homes.scene_graph import load_graph
from commonsense_lab.studies.homes.task_homes import Homes, own_homes, scene_homes
from tests.data import shared_data

KINDS = ("own", pytest.param("scenes", marks=pytest.mark.data))


def homes_of(kind: str) -> Homes:
    """Homes by their kind; skips the test where the graphs are missing."""
    return _scenes() if kind == "scenes" else _own()


@cache
def _own() -> Homes:
    return own_homes()


@cache
def _scenes() -> Homes:
    folder = shared_data("virtualhome")
    return scene_homes(load_graph(folder / "TestScene4_graph.json"), load_graph(folder / "TestScene2_graph.json"))
