"""Files of solved tasks, and of preferences."""

from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.errors import InputError
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.llm.prompts import Example, Prompts, read_examples, read_preferences
from commonsense_planning.wording.questions import Placement, PlacementAgain, Scene

SEEN = '[["a cup is on the desk", "the box is closed"]]'
GOOD = f'{{"instruction": "put it away", "observations": {SEEN}, "actions": ["go"]}}'


def test_examples_are_read(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(GOOD + '\n\n{"instruction": "rest", "actions": []}\n')
    first, second = read_examples(path)
    assert first == Example("put it away", "a cup is on the desk, the box is closed", ("go",))
    assert second == Example("rest", "", ())


@pytest.mark.parametrize(("text", "message"), [
    ("", "no examples"),
    (GOOD + "\n{", ":2:2: not an example"),
    ('{"actions": []}', ":1:1: not an example"),
    ("[]", ":1:1: not an example"),
    ('{"instruction": "x", "actions": 3}', ":1:1: not an example"),
])  # fmt: skip
def test_what_is_no_example_is_named_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_examples(path)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_examples(tmp_path / "none.jsonl")


PREFERENCES = ("yellow shirts go into the drawer", "the plates are kept on the shelf", "fruit: basket")
PLACES = ("inside drawer", "inside closet", "on shelf", "inside basket", "inside fridge")


def weights(thing: str, preferences: tuple[str, ...]) -> dict[str, float]:
    model = EmbeddedModel(np.random.default_rng(0), preferences=preferences)
    (found,) = model.weigh([Placement(thing, PLACES)], 300)
    return dict(zip(PLACES, found.shares.tolist(), strict=True))


@pytest.mark.parametrize(("thing", "place"), [
    ("yellow shirt", "inside drawer"),
    ("shirt", "inside drawer"),  # the last word
    ("plate", "on shelf"),
    ("bowl", "on shelf"),  # of one category
    ("banana", "inside basket"),
])  # fmt: skip
def test_the_embedded_model_generalises(thing: str, place: str) -> None:
    assert weights(thing, PREFERENCES)[place] > 0.8
    assert weights(thing, ())[place] < 0.7


def test_what_no_preference_is_about_stays() -> None:
    assert weights("milk", ("plates go on the shelf",)) == weights("milk", ())
    assert weights("plate", ("plates go on the moon",)) == weights("plate", ())


def test_a_prompt_has_the_preferences() -> None:
    told = Prompts([], Scene(), preferences=PREFERENCES)
    for question in (Placement("shirt", PLACES), PlacementAgain("shirt", PLACES, seen=())):
        (message,) = told.messages(question)
        assert "- yellow shirts go into the drawer.\n" in message["content"]
        (message,) = Prompts([], Scene()).messages(question)
        assert "say where things go" not in message["content"]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "preferences.txt"
    path.write_text("# of the people\n\nShirts go into the drawer.\n  plates: shelf\n")
    assert read_preferences(path) == ("Shirts go into the drawer", "plates: shelf")
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="no preferences here; expected lines such as"):
        read_preferences(path)
