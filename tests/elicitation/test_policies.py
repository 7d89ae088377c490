"""Policies: the paper's formula on an example by hand, and plans in place of a model's answers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from commonsense_planning import BestFirst, LanguageModel, Matcher
from commonsense_planning.elicitation.next_question import NextQuestions, Situation
from commonsense_planning.elicitation.policies import AdvisedPolicy, ModelPolicy
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.matching.matcher import LexicalMatcher, Similarities
from commonsense_planning.search.pomdp.hindsight import HindsightPlanner, PlanPolicy, policy_of
from commonsense_planning.search.pomdp.mcts import UniformRollout
from commonsense_planning.wording.questions import NextAction
from tests.scripted import ScriptedModel, World, small_apple


class HandMatcher(LexicalMatcher):
    """Similarities as a table says."""

    table = {"walk to the kitchen": (1.0, 0.0, -0.5), "dance": (0.25, 0.25, 0.25)}

    def similarities(self, text: str, options: Sequence[str]) -> Similarities:
        return np.array(self.table[text][: len(options)])


def situation(world: World, count: int | None = None) -> Situation:
    return Situation(world.belief.truth, world.belief.known, world.possible()[:count], (0,))


def asked_of(world: World) -> NextQuestions:
    return NextQuestions(world.task, world.compiled, world.say, "the goal")


def policy(world: World, answers: Sequence[str], mixing: float = 0.5, matcher: Matcher | None = None) -> ModelPolicy:
    matcher = matcher or LexicalMatcher()
    return ModelPolicy(ScriptedModel(lambda q: answers, matcher), asked_of(world), matcher, mixing, 10)


def hindsight_of(world: World) -> HindsightPlanner:
    return HindsightPlanner(world.task, BestFirst(world.compiled), world.belief, np.random.default_rng(0))


def planning(world: World, model: LanguageModel) -> AdvisedPolicy:
    return policy_of(model, asked_of(world), hindsight_of(world), LexicalMatcher(), 0.0, 10)


def each_by_itself(here: Situation) -> Situation:
    """Options that are one action each."""
    return replace(here, plans=tuple((operator,) for operator in here.operators.tolist()))


def three(world: World) -> Situation:
    found = situation(world)
    return Situation(found.truth, found.known, np.array([0, 1, 2], np.int32), (), ((0,), (1,), (2,)))


@pytest.mark.parametrize("mixing", [0.0, 0.3, 0.5, 1.0])
def test_the_formula_of_the_paper_by_hand(mixing: float) -> None:
    world = small_apple()
    answers = ["walk to the kitchen", "walk to the kitchen", "dance"]
    found = policy(world, answers, mixing, HandMatcher()).probabilities([three(world)])[0]
    sums = np.array([2.25, 0.25, -0.75])
    eta = sums.mean()
    softmax = np.exp(sums - eta) / np.exp(sums - eta).sum()
    assert found == pytest.approx(mixing / 3 + (1 - mixing) * softmax)
    assert found.sum() == pytest.approx(1.0)


def test_a_model_that_does_not_answer_leaves_the_policy_uniform() -> None:
    world = small_apple()
    assert policy(world, []).probabilities([three(world)])[0] == pytest.approx(np.full(3, 1 / 3))


def test_more_of_an_action_among_the_answers_makes_it_more_likely() -> None:
    world = small_apple()
    here = each_by_itself(situation(world))
    texts = [world.say.action(int(o)) for o in here.operators]
    kitchen = texts.index("walk to the kitchen")
    answers = [texts[kitchen]] * 7 + [texts[1 - kitchen]] * 3
    found = policy(world, answers).probabilities([here])[0]
    assert int(np.argmax(found)) == kitchen
    assert found.sum() == pytest.approx(1.0)
    assert (found > 0).all()


def test_between_two_actions_the_model_decides() -> None:
    world = small_apple()
    here = each_by_itself(situation(world, 2))
    found = policy(world, [world.say.action(int(here.operators[1]))], mixing=0.0).probabilities([here])[0]
    assert found[1] > found[0]


def test_nothing_is_asked_where_one_action_is_left_that_may_be_of_use() -> None:
    world = small_apple()
    model_policy, here = policy(world, ["x"]), situation(world)
    assert model_policy.probabilities([situation(world, 1)])[0].tolist() == [1.0]
    assert model_policy.probabilities([situation(world, 0)])[0].tolist() == []
    assert len(here.operators) > 1
    found = model_policy.probabilities([here])[0]
    assert model_policy.model.usage.questions == 0
    assert here.operators[np.argmax(found)] == world.operators["walk-to-room kitchen"]
    assert (found > 0).all() and found.sum() == pytest.approx(1.0)


def test_a_search_asks_the_same_question_once_and_an_agent_without_one_each_time() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen")
    here = situation(world)
    searching, alone = (policy(world, ["walk to the fridge"]) for _ in range(2))
    first = searching.probabilities([here, replace(here, done=(0, 1))])
    again = searching.probabilities([here])
    assert first[0].tolist() == first[1].tolist() == again[0].tolist()
    assert searching.model.usage.questions == 1
    assert alone.suggest(here)[0] == alone.suggest(here)[0] == "walk to the fridge"
    assert alone.model.usage.questions == 2


def test_plans_stand_in_for_a_model_that_cannot_say_what_comes_next() -> None:
    world = small_apple()
    here = situation(world)
    model = EmbeddedModel(np.random.default_rng(0))
    found = planning(world, model)
    assert isinstance(found, PlanPolicy)
    assert [said.text for said in found.advice([here], 5)[0].said] == ["walk to the kitchen"] * 5
    kitchen = np.flatnonzero(here.operators == world.operators["walk-to-room kitchen"])[0]
    assert int(np.argmax(found.probabilities([here])[0])) == kitchen
    assert found.suggest(here) == ("walk to the kitchen", kitchen)
    assert model.usage.questions == 3
    found.probabilities([here, here])
    assert model.usage.questions == 5


def test_a_model_that_can_say_what_comes_next_is_asked() -> None:
    model = ScriptedModel(lambda q: ["walk to the fridge"])
    world = small_apple()
    world.do("walk-to-room kitchen")
    assert planning(world, model).suggest(situation(world))[0] == "walk to the fridge"
    assert [type(question) for question in model.asked] == [NextAction]


def test_hindsight_begins_relaxed_plans_where_things_may_be() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen")
    here = situation(world)
    first = set(hindsight_of(world).first_operators(here, 40))
    places = ("walk-to-place fridge kitchen", "walk-to-place kitchencabinet kitchen")
    assert {world.operators[name] for name in places} <= first <= set(here.operators.tolist())


def test_hindsight_without_hope_names_nothing() -> None:
    world = small_apple()
    known = world.belief.known.copy()
    known[world.belief.groups.row(0)] = True  # the apple is in none of its places
    here = replace(situation(world), known=known, done=())
    assert hindsight_of(world).first_operators(here, 5) == []


def test_uniform_rollouts_repeat_with_the_seed() -> None:
    world = small_apple()
    values = []
    for _ in range(2):
        rollout = UniformRollout(world.compiled, np.random.default_rng(3))
        values.append([rollout(world.belief.state(world.task.init), 200, 0.99) for _ in range(5)])
    assert values[0] == values[1]
    assert len(set(values[0])) > 1
    assert all(0 <= v <= 1 for v in values[0])
