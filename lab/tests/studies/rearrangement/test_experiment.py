"""The rearrangement experiment: its episodes, and the results of a few."""

from dataclasses import replace
from typing import Any

import pytest

from commonsense_lab.studies.homes.task_homes import TaskSetting
from commonsense_lab.studies.rearrangement.experiment import (
    RearrangementEpisode,
    RearrangementSetup,
    Search,
    layout,
    rearrangement_episodes,
)
from commonsense_lab.studies.rearrangement.tasks import Drawing, understood
from commonsense_lab.studies.solve_study import SolveEpisode
from commonsense_planning.config import Actions, ModelConfig, PolicyAs
from commonsense_planning.errors import Status
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.wording.questions import Question, Translation
from tests.data import REPOSITORY, shared_data
from tests.scripted import ScriptedModel

SCENES = ("TestScene4_graph.json", "TestScene2_graph.json")
SETUP = RearrangementSetup(pack=REPOSITORY / "pddl" / "household")


def episodes(variants: list[str], tasks: int = 10, seeds: int = 1, **changes: Any) -> list[SolveEpisode]:
    return rearrangement_episodes(replace(SETUP, **changes), tasks, seeds, variants)


def cell(episode: SolveEpisode) -> tuple[str, str]:
    labels = episode.of.labels
    return labels["home"], labels["setting"]


def test_a_row_names_llm_mcts_paper_as_the_command_line_does() -> None:
    for table in layout().tables.values():
        assert all("llm-mcts-paper" in line.label for line in table.lines if line.variant == "paper")


def test_seeds_share_the_tasks_of_a_cell() -> None:
    wanted = episodes(["mcts"], 50, 3)
    assert len(wanted) == 50
    simple = [(e.seed, e.of.arguments[0].index) for e in wanted if cell(e) == ("seen", TaskSetting.SIMPLE)]
    assert simple == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)]


def test_tables_1_and_2_are_the_default_without_the_learned_policy_where_it_has_no_weights() -> None:
    wanted = rearrangement_episodes(SETUP, 20, 2)
    assert len({e.key for e in wanted}) == len(wanted)
    variants = {e.variant for e in wanted}
    assert {"uct", "policy", "mcts", "replan", "expert", "paper", "paper-no-policy", "paper-observable"} <= variants
    assert "learned" not in variants
    notes: list[str] = []
    only = {e.variant for e in rearrangement_episodes(SETUP, 10, 1, tables=["1"], note=notes.append)}
    assert "uct" in only and "learned" not in only
    assert notes == ["the learned policy is left out: it needs --weights, a folder that cplan train-policy wrote"]
    weights = replace(SETUP, weights=REPOSITORY)
    assert "learned" in {e.variant for e in rearrangement_episodes(weights, 10, 1)}


def test_a_variant_goes_by_its_own_name_or_by_its_method() -> None:
    assert {e.variant for e in episodes(["llm-mcts", "expert"])} == {"mcts", "expert"}
    assert {e.method.name for e in episodes(["llm-mcts", "expert"])} == {"llm-mcts", "astar"}
    assert set(episodes(["mcts"])[0].tables) >= {"1", "2-ours"}


def test_a_setup_names_what_results_depend_on() -> None:
    setup = replace(SETUP, model=ModelConfig("openai:x"), search=Search(simulations=7, max_steps=9), command="cplan …")
    told = "model openai:x, the homes that ship, at most 9 steps, simulations 7"
    assert setup.text == f"{told}, actions all, policy as evidence"
    as_in_0_2_0 = replace(setup, search=replace(setup.search, actions=Actions.RELEVANT, policy_as=PolicyAs.PRIOR))
    assert as_in_0_2_0.text == told


@pytest.mark.parametrize("variant", ["expert", "mcts", "replan", "uct", "policy"])
def test_an_episode_is_judged_by_the_tasks_own_goal(variant: str) -> None:
    episode = next(e for e in episodes([variant]) if cell(e) == ("unseen", TaskSetting.SIMPLE))
    row = episode.run()
    assert row.status in (Status.SOLVED, Status.UNSOLVED)
    assert row.cause in ("", *layout().tables["1"].causes)
    assert (row.cause == "") == (row.status == Status.SOLVED)
    assert row.steps == len(row.plan) <= 30
    assert all(step.startswith("(") for step in row.plan)
    assert row.decisions == (1 if variant == "expert" else row.steps)
    assert 0 < row.decision_seconds <= row.seconds
    assert bool(row.questions) == (variant not in ("expert", "uct"))


def test_unseen_things_are_the_models_fault_and_all_else_the_policys() -> None:
    episode = next(e for e in episodes(["uct"]) if cell(e)[1] == TaskSetting.COMP)
    assert isinstance(episode, RearrangementEpisode)
    posed = episode.posed
    drawn = posed.made_of.task()[0]
    things = {wish.thing: next(m for m in drawn.apartment.movables if m.kind == wish.thing) for wish in drawn.wishes}
    events = [{"event": "step", "seen": [f"(on {thing.name} somewhere)"]} for thing in things.values()]
    assert episode._cause(posed, "", events) == "policy"
    assert episode._cause(posed, "", events[1:]) == "model"
    assert episode._cause(posed, "the goal is another", events) == "translation"


def scripted(monkeypatch: pytest.MonkeyPatch, goal: str) -> None:
    """Every model says ``goal`` when it is to translate, and nothing else."""

    def script(question: Question) -> list[str]:
        return [goal] if isinstance(question, Translation) else []

    monkeypatch.setattr(ModelSession, "open", lambda self, *rest: ScriptedModel(script))


def test_a_wrong_translation_is_followed_and_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch, "(INSIDE, apple, fridge, 1)")
    episode = next(e for e in episodes(["replan"]) if cell(e) == ("seen", TaskSetting.COMP))
    row = episode.run()
    assert (row.status, row.cause) == ("unsolved", "translation")
    assert row.reason.startswith("the instruction was taken for (exists (?x1 - movable)")


def test_nonsense_in_place_of_a_translation(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch, "I would rather not.")
    row = episodes(["mcts"])[0].run()
    assert (row.status, row.cause, row.plan, row.decisions) == ("unsolved", "translation", None, 0)
    assert "I would rather not" in row.reason


@pytest.mark.parametrize("index", range(5))
def test_another_way_to_say_the_same_goal_is_right(index: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = Drawing("seen", TaskSetting.COMP, index, 3, None, SETUP.pack)
    drawn, task = drawing.task()
    terms = [f"({wish.relation}, {wish.thing}, {wish.place})" for wish in reversed(drawn.wishes)]
    scripted(monkeypatch, "-".join(terms).upper())
    assert understood(drawing, ModelSession()) == (task, "")


@pytest.mark.parametrize("scenes", [None, pytest.param(SCENES, marks=pytest.mark.data)], ids=["own", "scenes"])
@pytest.mark.parametrize("home", ["seen", "unseen"])
@pytest.mark.parametrize("setting", TaskSetting)
def test_the_embedded_model_takes_instructions_for_the_tasks_own_goals(
    setting: TaskSetting, home: str, scenes: tuple[str, str] | None
) -> None:
    files = tuple(shared_data("virtualhome") / name for name in scenes) if scenes else None
    for index in range(8):
        drawing = Drawing(home, setting, index, 9, files, SETUP.pack)  # type: ignore[arg-type]
        assert understood(drawing, ModelSession())[1] == "", drawing.name


@pytest.mark.data
def test_scenes_in_place_of_the_homes_that_ship() -> None:
    folder = shared_data("virtualhome")
    scenes = (folder / SCENES[0], folder / SCENES[1])
    wanted = episodes(["expert"], scenes=scenes)
    assert wanted[0].of.labels["scene"] == "TestScene4_graph and TestScene2_graph"
    assert {e.run().status for e in wanted[:4]} == {"solved"}
