"""What is told of a home step by step: everything at first, then what is new."""

from __future__ import annotations

from pathlib import Path

from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.task import read_task
from commonsense_planning.wording.verbalise import News, Verbaliser

PACK = Path(__file__).parents[2] / "pddl" / "household"


def test_only_what_changed_is_told_again() -> None:
    task = read_task(PACK / "domain.pddl", PACK / "problems" / "any-mug.pddl")
    grounded, compiled = task.seen_in_part
    environment = Environment(compiled, grounded.init)
    belief = Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, environment.look())
    say = Verbaliser(grounded, task.lexicon)
    news = News(say, compiled.hidden)
    first = news.take(belief.truth, belief.known)
    assert {"a mug is on the desk", "the fridge is closed", "a desk is inside the bedroom"} <= set(first)
    assert news.take(belief.truth, belief.known) == []
    walk = next(o for o in range(grounded.operator_count) if str(grounded.step(o)) == "(walk-to-room livingroom)")
    belief.update(walk, environment.step(walk))
    then = news.take(belief.truth, belief.known)
    assert "a radio is on the bookshelf" in then
    assert "the robot is not in the bedroom" in then
    assert "a mug is on the desk" not in then
    assert not any("fridge" in sentence for sentence in then)
