"""The notebook is carried out as Jupyter does, and what comes is what stands in it."""

from __future__ import annotations

import copy

import pytest

from tests.data import REPOSITORY

pytestmark = pytest.mark.docs

NOTEBOOK = REPOSITORY / "examples" / "belief_step_by_step.ipynb"


def test_the_notebook_shows_what_comes() -> None:
    import nbformat
    from nbclient import NotebookClient

    shown = nbformat.read(NOTEBOOK, as_version=4)
    found = copy.deepcopy(shown)
    folder = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(found, timeout=300, coalesce_streams=True, resources=folder).execute()
    for cell, before in zip(found.cells, shown.cells, strict=True):
        assert outputs(cell) == outputs(before), before.source


def outputs(cell: dict) -> list[tuple[str, ...]]:
    """What a cell puts out: text, and that there is a picture; pictures differ in dots from machine to machine."""
    return [(one.get("text", ""), *sorted(one.get("data", ()))) for one in cell.get("outputs", ())]
