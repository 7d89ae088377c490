"""Forty instructions and sixty held out: they can be read, the judge tells goals apart, and repairs end well."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from commonsense_planning.llm.embedded import EmbeddedModel
from lab.benchmarks.instructions.__main__ import HELD_OUT, Instruction, as_one_formula, judged, read_instructions, table
from lab.benchmarks.instructions.equivalence import Meaning, World
from lab.benchmarks.instructions.mistaken import MISTAKES, MistakenModel
from tests.scripted import ScriptedModel

TASKS, INSTRUCTIONS = read_instructions()


@cache
def world(name: str) -> World:
    return World(*TASKS[name])


def same(task: str, one: Meaning, other: Meaning) -> bool:
    return world(task).same(one, other, np.random.default_rng(0))


def test_there_are_forty_of_them_over_four_domains() -> None:
    assert len(INSTRUCTIONS) == len({i.text for i in INSTRUCTIONS}) == 40
    assert len({TASKS[i.task][0] for i in INSTRUCTIONS}) == 4


@pytest.mark.parametrize(
    "instruction", [i for i in INSTRUCTIONS if i.task in ("office", "flights")], ids=lambda i: i.text
)
def test_what_they_mean_is_a_goal_that_can_be_met_and_missed(instruction: Instruction) -> None:
    (means,) = instruction.means
    never = Meaning("(or)", means.constraints)
    assert same(instruction.task, means, means)
    assert not same(instruction.task, means, never)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (
            Meaning("(forall (?p - parcel) (at ?p lab))"),
            Meaning("(not (exists (?p - parcel) (not (at ?p lab))))"),
            True,
        ),
        (Meaning("(forall (?p - parcel) (at ?p lab))"), Meaning("(exists (?p - parcel) (at ?p lab))"), False),
        (Meaning("(forall (?r - room) (lit ?r))"), Meaning("(and (lit lobby) (lit lab) (lit kitchen))"), False),
        (Meaning("(at vase_1 lab)", ("(always (lit kitchen))",)), Meaning("(at vase_1 lab)"), False),
        (
            Meaning("(at vase_1 lab)", ("(always (lit kitchen))",)),
            Meaning("(and (at vase_1 lab) (lit kitchen))"),
            False,
        ),
        (
            Meaning("(at vase_1 lab)", ("(always (lit kitchen))", "(always (not (here lab)))")),
            Meaning("(at vase_1 lab)", ("(always (not (or (here lab) (not (lit kitchen)))))",)),
            True,
        ),
    ],
)
def test_meanings_are_told_apart(one: Meaning, other: Meaning, equal: bool) -> None:
    assert same("office", one, other) is equal


def test_typical_mistakes_are_repaired() -> None:
    chosen = [i for i in INSTRUCTIONS if i.task in ("office", "flights")]
    assert len(chosen) >= len(MISTAKES)
    model = MistakenModel({i.text: as_one_formula(i.means[0]) for i in chosen})
    results = [judged(i, world(i.task), model, "lexical", 0) for i in chosen]
    assert [r.verdict for r in results] == ["right"] * len(chosen)
    assert {r.repairs for r in results} == {0, 1, 2}
    assert f"| all together | {len(chosen)} | {len(chosen)} | 0 | 0 |" in table(results)


def test_what_is_taken_wrongly_and_what_is_refused_stands_below_the_table() -> None:
    chosen = next(i for i in INSTRUCTIONS if i.text.startswith("Fly to Athens"))
    wrong = judged(chosen, world("flights"), ScriptedModel(lambda _: ["(at athens)"]), "lexical", 0)
    refused = judged(chosen, world("flights"), ScriptedModel(lambda _: ["(at atlantis)"]), "lexical", 0)
    assert (wrong.verdict, wrong.questions) == ("wrong", 1)
    assert (refused.verdict, refused.questions) == ("refused", 2)  # the same answer again: no third time
    text = table([wrong, refused])
    assert 'wrong: "Fly to Athens via Rome." was taken for the traveller is at athens' in text
    assert "unknown object 'atlantis'" in text


def test_of_the_held_out_ones_over_small_domains_none_is_taken_wrongly() -> None:
    tasks, held_out = read_instructions(HELD_OUT)
    chosen = [i for i in held_out if i.task in ("flights", "greenhouse")]
    model = EmbeddedModel(np.random.default_rng(0))
    worlds = {name: World(*tasks[name]) for name in ("flights", "greenhouse")}
    verdicts = [judged(i, worlds[i.task], model, "lexical", 0).verdict for i in chosen]
    assert {verdict: verdicts.count(verdict) for verdict in set(verdicts)} == {"right": 17, "refused": 6}
    assert len(held_out) == len({i.text for i in held_out}) == 60


def test_an_instruction_without_a_meaning_is_right_if_it_is_refused() -> None:
    nowhere = Instruction("Put it there.", "office", "places", ())
    model = ScriptedModel(lambda _: ["no"])
    assert judged(nowhere, world("office"), model, "lexical", 0).verdict == "right"
    model = ScriptedModel(lambda _: ["(lit lab)"])
    assert judged(nowhere, world("office"), model, "lexical", 0).verdict == "wrong"


def test_embedded_reads_these_of_our_own_domain() -> None:
    model = EmbeddedModel(np.random.default_rng(0))
    results = [judged(i, world(i.task), model, "lexical", 0) for i in INSTRUCTIONS if i.task == "office"]
    assert [r.verdict for r in results] == ["right"] * len(results)
