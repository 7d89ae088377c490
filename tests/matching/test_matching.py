"""Free text to admissible names."""

import subprocess
import sys

import numpy as np
import pytest

from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.matching.registry import matcher_named
from tests.matching.phrases import PARTS, read_phrases, score

PLACES = ("inside fridge", "inside kitchen cabinet", "on bathroom counter", "on kitchen table")


@pytest.mark.parametrize("text", [
    *("walk to the kitchen", "Fridge", "a", "the", "cabinet 2", "küche", "冰箱", "pick-up a"),
    *("???", "to the", "1. go", "1."),
])  # fmt: skip
def test_equal_texts_have_similarity_one(text: str) -> None:
    assert LexicalMatcher().similarities(text, (text,)) == pytest.approx(1.0)


@pytest.mark.parametrize(("text", "options", "best"), [
    ("inside the fridge", PLACES, 0),
    ("The fridge.", PLACES, 0),
    ("INSIDE KITCHEN CABINET", PLACES, 1),
    ("kitchen cabinets", PLACES, 1),
    ("It is probably on the kitchen table!", PLACES, 3),
    ("bathroom counter", PLACES, 2),
    ("", PLACES, None),
    ("???", PLACES, None),
    ("who could say", PLACES, None),
    ("xyzzy", PLACES, None),
    ("inside the garage", PLACES, None),  # the relation alone is not enough
    ("fridge", ("oven", "fridge", "fridge"), 1),  # the first of equals
    ("go a", ("go a", "go b"), 0),  # here "a" is a name
    ("go b", ("go a", "go b"), 1),
    ("put b on a", ("put a on b", "put b on a"), 1),  # the order counts
    ("walk to x", ("move to x", "walk to x"), 1),  # synonyms that the options tell apart
    ("load crate 2", ("load crate1", "load crate2"), 1),
    ("load the second crate", ("load crate1", "load crate2"), 1),
    ("tooth brush", ("tooth paste", "toothbrush"), 1),
    ("toothbrush", ("tooth paste", "tooth brush"), 1),
    ("the fridgee", PLACES, 0),
    ("in den Kuhlschrank", ("in den Kühlschrank", "in den Ofen"), 0),
    ("año", ("ano", "año"), 1),
])  # fmt: skip
def test_a_text_finds_its_option(text: str, options: tuple[str, ...], best: int | None) -> None:
    assert LexicalMatcher().best(text, options) == best


def test_without_options_there_is_no_best() -> None:
    assert LexicalMatcher().best("fridge", ()) is None
    assert LexicalMatcher().similarities("fridge", ()).shape == (0,)


def test_similarities_are_cosines() -> None:
    found = LexicalMatcher().similarities("put the apple on the table", [*PLACES, "put the apple on the table"])
    assert ((found >= -1e-6) & (found <= 1 + 1e-6)).all()
    assert int(np.argmax(found)) == 4
    assert found.dtype == np.float64


def test_small_words_and_case_do_not_count() -> None:
    found = LexicalMatcher().similarities("put apple on table", ("Put the apple on a table",))
    assert found == pytest.approx(1.0)


def test_what_finds_nothing_is_counted() -> None:
    matcher = LexicalMatcher()
    assert [matcher.best(text, PLACES) for text in ("xyzzy", "fridge", "who could say")] == [None, 0, None]
    assert matcher.unmatched == 2
    assert LexicalMatcher().unmatched == 0


@pytest.mark.parametrize("text", ["inside kitchen cabinet", "Inside the kitchen cabinets!"])
def test_a_misspelt_word_is_less_similar_than_the_right_one(text: str) -> None:
    matcher = LexicalMatcher()
    misspelt = matcher.similarities("inside kitchen cabinnet", PLACES)[1]
    assert 0.5 < misspelt < matcher.similarities(text, PLACES)[1]


def test_equal_calls_give_equal_bytes() -> None:
    texts = ("the icebox", "kitchen table", "frigde")
    first, second = ([LexicalMatcher().similarities(t, PLACES).tobytes() for t in texts] for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("part", "floor"), list(zip(PARTS, (0.97, 0.96, 0.71), strict=True)))
def test_phrases_find_the_option_that_is_meant(part: str, floor: float) -> None:
    result = score(LexicalMatcher(), [p for p in read_phrases() if p.part == part])
    print(f"\nlexical, {part}: {result}, accuracy {result.accuracy:.3f}")
    assert result.accuracy >= floor


def test_the_phrases_are_many_and_some_mean_nothing() -> None:
    phrases = read_phrases()
    assert len(phrases) >= 250
    assert sum(not p.meant for p in phrases) >= 35
    assert all(p.meant in (*p.options, "") for p in phrases)


def test_a_matcher_by_name() -> None:
    assert matcher_named("lexical").name == "lexical"


@pytest.mark.parametrize(("spec", "said"), [
    ("lexicl", "did you mean 'lexical'"),
    ("embedings:folder", "did you mean 'embeddings'"),
    ("embeddings:", "embeddings:MODEL_OR_FOLDER"),
    ("", "there are lexical, embeddings"),
    ("lexical:model", "the matcher lexical is asked for as lexical, not as lexical:model"),
])  # fmt: skip
def test_a_wrong_name_is_said_with_those_that_there_are(spec: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        matcher_named(spec)


def test_embeddings_without_their_package_say_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingError, match=r"pip install 'commonsense-planning\[embeddings\]'") as raised:
        matcher_named("embeddings")
    assert isinstance(raised.value.__cause__, ImportError)


def test_matching_loads_no_embeddings() -> None:
    code = "import sys, commonsense_planning.matching.registry as m; m.matcher_named('lexical'); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "sentence_transformers"} & set(ended.stdout.split())
