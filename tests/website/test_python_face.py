"""The page of Python's names: all of them, with what they say of themselves, the same in each run."""

import importlib
import re

import pytest

import commonsense_planning as cplan
from commonsense_planning.methods.result import KEYS
from tests.data import REPOSITORY


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.syspath_prepend(REPOSITORY / "website")
    text: str = importlib.import_module("python_face").python_page()
    return text


def test_every_name_has_its_entry(page: str) -> None:
    checks = ["check_method", "check_heuristic", "check_model"]
    assert sorted(re.findall(r"^### (\w+)$", page, re.MULTILINE)) == sorted([*cplan.__all__, *checks])


def test_an_entry_has_signature_docstring_members_and_settings(page: str) -> None:
    agent = page.partition("\n### Agent\n")[2].partition("\n### ")[0]
    assert "    tries: int = 3,\n" in agent and "act(seen: ObservationReport | None = None" in agent
    assert "`tries`: plans avoid an action after so many" in agent
    assert "| `max_usd` | Limit on the cost, in US dollars. |" in page
    assert "Status.SOLVED = 'solved'" in page


def test_it_is_the_same_each_time(page: str) -> None:
    assert not re.search(r" at 0x|(?<!`)``(?!`)|<factory>", page)


def test_every_key_of_a_result_has_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "website")
    page: str = importlib.import_module("result_keys").keys_page()
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    assert [row[0].strip("| `").partition("`")[0] for row in rows] == [*KEYS] and {len(row) for row in rows} == {4}
    assert ["| `seconds`", "`float`", "the wall-clock time", "unified-planning |"] in rows
