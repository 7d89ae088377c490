"""Questions that are answered later: each is written once, and an answer is that of the question it was given to."""

import json
from pathlib import Path

import pytest

from commonsense_planning.errors import InputError, WaitingError
from commonsense_planning.llm.cassette import Cassette, Mode
from commonsense_planning.llm.later import AskedLater, answer_to, waiting
from commonsense_planning.llm.model import Completion
from tests.llm.asking import ask, ask_at_once, question


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "asked.jsonl"


def asked(path: Path, *texts: str, part: str = "") -> list[Completion]:
    cassette = Cassette(path, Mode.RECORD, AskedLater(path, part), part)
    return ask_at_once(cassette, [question(text) for text in texts])


def wait(path: Path, *texts: str, part: str = "") -> None:
    """Fails unless some of these questions wait."""
    with pytest.raises(WaitingError, match="cplan answer"):
        asked(path, *texts, part=part)


def told(path: Path) -> list[str]:
    """What the questions that wait are about."""
    return [entry["about"].removeprefix("the question ") for entry in waiting(path)]


def test_all_questions_of_a_moment_are_written_once(path: Path) -> None:
    for _ in range(2):
        wait(path, "where?", "when?")
    assert told(path) == ["where?", "when?"]


def test_an_answer_is_the_recording_s(path: Path) -> None:
    wait(path, "where?", "when?")
    answer_to(path, waiting(path)[1], "at noon")
    assert told(path) == ["where?"]
    answer_to(path, waiting(path)[0], "in the box")
    assert [completion.texts for completion in asked(path, "where?", "when?")] == [("in the box",), ("at noon",)]
    replayed = ask(Cassette(path, Mode.REPLAY, None), [question("when?")])
    assert replayed[0].texts == ("at noon",) and replayed[0].estimated and replayed[0].completion_tokens == 1


def test_the_same_question_may_be_asked_again_in_a_run(path: Path) -> None:
    wait(path, "where?")
    answer_to(path, waiting(path)[0], "here")
    wait(path, "where?", "where?")
    answer_to(path, waiting(path)[0], "there")
    assert waiting(path) == []
    assert [completion.texts for completion in asked(path, "where?", "where?")] == [("here",), ("there",)]


def test_parts_of_a_recording_have_questions_of_their_own(path: Path) -> None:
    for part in ("one", "two"):
        wait(path, "where?", part=part)
    answer_to(path, waiting(path)[0], "here")
    assert asked(path, "where?", part="one")[0].texts == ("here",)
    wait(path, "where?", part="two")


def test_what_is_no_text_cannot_be_answered_later(path: Path) -> None:
    later = AskedLater(path)
    found = ask(later, [question(score=["a", "b"])])
    assert [bool(completion.unable) for completion in found] == [True]
    assert not path.exists()


FORM = {"type": "json_schema", "json_schema": {"schema": {"properties": {"answers": {}}}}}


def test_a_form_that_the_question_does_not_show_is_refused(path: Path) -> None:
    found = ask(AskedLater(path), [question(response_format=FORM)])
    assert [bool(completion.unable) for completion in found] == [True] and not path.exists()


def test_an_answer_without_the_form_is_refused_and_the_question_waits(path: Path) -> None:
    with pytest.raises(WaitingError):
        ask(AskedLater(path), [question('where? {"answers": …}', response_format=FORM)])
    with pytest.raises(InputError, match="still waits"):
        answer_to(path, waiting(path)[0], "in the box")
    answer_to(path, waiting(path)[0], '{"answers": []}')
    assert waiting(path) == []


def test_what_is_no_question_is_passed_over(path: Path) -> None:
    wait(path, "where?")
    refusal = {**waiting(path)[0], "texts": [], "unable": "takes no list"}
    others = [json.dumps(entry) for entry in ([1], {"made_with": {}}, {"messages": [1], "key": "k"}, refusal)]
    path.write_text("\n".join(["{torn", *others, path.read_text()]))
    assert told(path) == ["where?"]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write the recording"):
        ask(AskedLater(tmp_path / "none" / "asked.jsonl"), [question()])
    with pytest.raises(InputError, match="cannot be read"):
        waiting(tmp_path / "none.jsonl")
