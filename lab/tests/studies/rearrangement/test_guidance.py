"""``cplan bench guidance``: scripted models are as good as they are said to be, and the table compares on the same
tasks."""

from pathlib import Path

import pytest

from commonsense_lab.report.document import Chart
from commonsense_lab.runner.rows import read_lines
from commonsense_lab.studies.rearrangement.guidance import experiment
from commonsense_lab.studies.rearrangement.guidance.scripted import (
    PolicyQuality,
    ScriptedModel,
    ScriptedPolicy,
    StandIn,
)
from commonsense_planning.elicitation.next_question import Situation
from commonsense_planning.llm.model import Usage
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named
from commonsense_planning.methods.simulated import SimulatedEpisode
from commonsense_planning.search.pomdp.agents import PolicyAgent
from commonsense_planning.wording.questions import Placement
from lab.tests.report.lines import grids
from lab.tests.studies.conftest import Bench
from tests.scripted import HOUSEHOLD, World, small_apple


def policy(world: World, quality: str, seed: int = 0) -> ScriptedPolicy:
    asked = PolicyAgent.__new__(PolicyAgent)  # only its parameters are taken over
    asked.policy = ScriptedPolicy.__new__(ScriptedPolicy)
    asked.policy.mixing, asked.policy.samples = 0.5, 5
    return ScriptedPolicy(PolicyQuality.read(quality), world.pack, world.belief, Usage(), seed, asked.policy)


def chosen(world: World, quality: str, seed: int = 0) -> str:
    belief = world.belief
    operators = belief.transition.applicable(belief.state())
    _, choice = policy(world, quality, seed).suggest(Situation(belief.truth, belief.known, operators, ()))
    assert choice is not None
    return str(world.task.step(int(operators[choice]))).strip("()")


def test_a_scripted_prior_is_right_at_its_rate_and_the_same_for_all() -> None:
    pack = small_apple().pack
    (true,) = ScriptedModel(pack, 1.0, Usage(), 0)._true["apple"]
    places = (true, "on the roof", "in the cellar", "in the garden")
    right = 0
    for seed in range(400):
        model = ScriptedModel(pack, 0.6, Usage(), seed)
        (weights,) = model.weigh([Placement("apple", places)], 10)
        assert weights.shares.max() == pytest.approx(0.6 + 0.1)
        right += int(weights.shares.argmax()) == 0
        assert model.weigh([Placement("apple", places)], 3)[0].shares == pytest.approx(weights.shares)
    assert right / 400 == pytest.approx(0.6 + 0.4 / 4, abs=0.06)


def test_a_knowing_policy_goes_straight_to_the_goal() -> None:
    world = small_apple()
    for _ in range(6):  # as many steps as a cheapest plan has
        assert not world.belief.transition.reached(world.belief.state())
        world.do(chosen(world, "1:knowing"))
    assert world.belief.transition.reached(world.belief.state())


def test_errors_are_drawn_or_always_the_same() -> None:
    world = World(HOUSEHOLD / "problems" / "demo.pddl")
    assert len({chosen(world, "0", seed) for seed in range(20)}) > 5
    one, other = (policy(world, "0:stubborn", 3) for _ in range(2))
    belief = world.belief
    here = Situation(belief.truth, belief.known, belief.transition.applicable(belief.state()), ())
    assert len({p.suggest(here)[1] for p in (one, other) for _ in range(10)}) == 1
    assert len({chosen(world, "0:stubborn", seed) for seed in range(20)}) > 5


def test_a_quality_is_read_as_it_is_written() -> None:
    assert [str(PolicyQuality.read(text)) for text in ("0.5:stubborn", "1")] == ["0.5:stubborn", "1"]


def test_a_run_gives_a_table_and_a_chart(bench: Bench, tmp_path: Path) -> None:
    bench("guidance", *("--tasks", "2", "--priors", "0.5", "--policies", "0.5,1:knowing", "--simulations", "5"))
    rows = [line.row(experiment.GuidanceRow) for line in read_lines(tmp_path / "results")]
    assert len(rows) == 2 * (2 * 2 + 3)
    assert {row.model for row in rows} == {"scripted"}
    table, chart = experiment.STUDY.sections("s", rows, "guidance")
    lines = {(cells[1], cells[2]): cells for cells in grids(table)[0].rows}
    assert len(lines) == 7
    assert lines["1:knowing", "llm-mcts"][6] != "–" and lines["1:knowing", "llm-mcts"][7] != "–"
    assert float(lines["–", "look-nearest"][-1]) == 0
    assert isinstance(chart.parts[0], Chart)


def test_each_policy_goes_to_the_methods_that_use_one() -> None:
    setup = experiment.GuidanceSetup(pack=HOUSEHOLD)
    read = [PolicyQuality(0), PolicyQuality(1)]
    episodes = experiment.guidance_episodes(setup, 3, 0, [0.0, 0.5], read, ["llm-policy", "llm-replan"])
    assert len(episodes) == 3 * 2 * (2 + 1)
    assert len({episode.key for episode in episodes}) == len(episodes)


@pytest.mark.parametrize("method", ["llm-mcts", "llm-policy"])
def test_the_policy_answers_in_place_of_the_models(method: str) -> None:
    task = small_apple().pack
    request = Request(task, method_named(method), observer=StandIn(task, 0.5, PolicyQuality.read("1:knowing"), 0))
    acting = SimulatedEpisode(request)
    agent = request.observer.watch(request.method.agent(acting), acting.say, acting.belief, acting.relevance)
    assert isinstance(getattr(agent, "other", agent).policy, ScriptedPolicy)
