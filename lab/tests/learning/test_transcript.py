"""Episodes as tokens, and what is learned from them."""

import re

import pytest

from commonsense_lab.learning.lessons import IGNORED, Lesson, Trajectory, lessons
from commonsense_lab.learning.transcript import Transcript, TranscriptReader, names
from commonsense_planning.errors import InputError


class Words:
    """A tokenizer that numbers words as they come."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> list[int]:
        return [self.numbers.setdefault(word, len(self.numbers)) for word in re.findall(r"\w+|[^\w\s]|\n", text)]

    def text(self, tokens: list[int]) -> str:
        words = list(self.numbers)
        return " ".join(words[token] for token in tokens)


TRAJECTORY = Trajectory(
    "put it there", (("it is here", "it is red"), (), ("it is held",)), ("go here", "grab it", "put it there")
)
TEXT = (
    "goal : put it there \n seen : it is here ; it is red ; \n do : go here \n "
    "do : grab it \n seen : it is held ; \n do : put it there \n"
)


def learned(words: Words, lesson: Lesson) -> list[str]:
    """The actions that a lesson teaches."""
    targets = [int(t) for t in lesson.targets if t != IGNORED]
    return [line.strip() for line in words.text(targets).split("\n") if line.strip()]


def test_a_trajectory_is_one_text_of_which_the_actions_are_learned() -> None:
    words = Words()
    (lesson,) = lessons(words, [TRAJECTORY], 128)
    assert words.text(lesson.tokens.tolist()) == TEXT
    assert learned(words, lesson) == list(TRAJECTORY.actions)
    taught = lesson.targets != IGNORED
    assert (lesson.targets[taught] == lesson.tokens[taught]).all()


def test_in_action_the_text_is_the_same_up_to_the_next_action() -> None:
    words = Words()
    transcript = Transcript(words, TRAJECTORY.instruction, 128)
    for sentences, action in zip(TRAJECTORY.observations, TRAJECTORY.actions, strict=True):
        transcript.see(sentences)
        before = words.text(transcript.tokens)
        assert TEXT.startswith(before)
        assert TEXT[len(before) :].startswith(f" {action} \n")
        transcript.do(action)
    assert words.text(transcript.tokens) == TEXT


def test_when_there_is_no_room_the_older_half_is_forgotten_and_no_action_is_lost() -> None:
    words = Words()
    actions = [f"go to place {i}" for i in range(60)]
    long = Trajectory("walk", tuple((f"place {i} is near",) for i in range(60)), tuple(actions))
    found = lessons(words, [long], 128)
    assert len(found) > 1
    assert all(len(lesson) <= 128 for lesson in found)
    assert all(words.text(lesson.tokens.tolist()).startswith("goal : walk \n") for lesson in found)
    assert [action for lesson in found for action in learned(words, lesson)] == actions
    transcript = Transcript(words, "walk", 128)
    for sentences, action in zip(long.observations, actions, strict=True):
        transcript.see(sentences)
        assert len(transcript.tokens) + transcript.room <= 128
        transcript.do(action)


def test_observations_take_a_quarter_at_most() -> None:
    words = Words()
    transcript = Transcript(words, "walk", 128)
    transcript.see([f"thing {i} is here" for i in range(100)])
    assert len(transcript.tokens) <= len(transcript.head) + 32
    text = words.text(transcript.tokens)
    assert "thing 0 is here ;" in text
    assert text.endswith("; \n do :"), "no sentence is cut"


def test_texts_that_are_too_long_are_refused() -> None:
    words = Words()
    with pytest.raises(InputError, match="too long for a context of 128"):
        Transcript(words, "walk " * 40, 128)
    with pytest.raises(InputError, match="more than the 16 that a context of 128 leaves"):
        Transcript(words, "walk", 128).action("go " * 16)


INSTRUCTION = "Put one apple inside the fridge and two toothbrushes on the bathroom counter"


@pytest.mark.parametrize(("sentence", "read"), [
    ("an apple is on the kitchen table", True),
    ("a fridge is inside the kitchen", True),
    ("the fridge is closed", True),
    ("a toothbrush is inside the bathroom cabinet", True),
    ("the robot is in the kitchen", True),
    ("the robot's hand is empty", True),
    ("the robot is not in the kitchen", False),
    ("the apple is an apple", False),
    ("a plum is inside the fridge", False),
    ("a bathroom is inside the home", False),
    ("a counter is inside the kitchen", False),
])  # fmt: skip
def test_sentences_about_named_things_are_read(sentence: str, read: bool) -> None:
    assert TranscriptReader(INSTRUCTION).read([sentence]) == [sentence] * read


def test_sentences_about_the_robot_are_read_once() -> None:
    assert names(INSTRUCTION) == ("apple", "fridge", "toothbrushes", "bathroom counter")
    reader = TranscriptReader(INSTRUCTION)
    seen = ["the robot is in the kitchen", "an apple is on the stove", "an apple is on the stove"]
    assert reader.read(seen) == seen[:2]
    assert reader.read(seen) == seen[1:2]
