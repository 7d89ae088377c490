"""What an agent that gave up had not seen, and the outcome of chance after which nothing helps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np

from commonsense_planning.grounding.attainable import met, relax
from commonsense_planning.grounding.ground_task import Bits, GroundTask, Int32, owners_of
from commonsense_planning.grounding.unreachable import unreachable
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.state import StateView, make_state
from commonsense_planning.support.english import counted, listed

MOST_TOLD = 3  # things, and facts of each


def given_up(task: GroundTask, belief: Belief, relevance: Relevance, done: Sequence[int] = ()) -> str:
    """What an agent that gives up has not seen, and which of the operators ``done`` ended it, as text."""
    return "; ".join(filter(None, (_unseen(task, belief, relevance), _fatal_outcome(task, belief, done))))


def _unseen(task: GroundTask, belief: Belief, relevance: Relevance) -> str:
    """For each relevant hidden thing, the number of its places that are ruled out, the facts that may still hold, and
    what keeps the agent from seeing them; empty if everything relevant is known."""
    unknown, sensors = ~belief.known, belief.task.sensors
    relaxed = relax(task, belief.truth | unknown, ~belief.truth | unknown)
    possible = met(sensors.when, sensors.when_not, relaxed.true, relaxed.false)

    def hides(facts: Int32) -> str:
        rule, fact = owners_of(sensors.seen)
        rules = np.unique(rule[np.isin(fact, facts)])
        if possible[rules].any() or np.isin(sensors.observed.items, facts).any():
            return ""
        if not len(rules):
            return ", and no sensor shows that"
        true, false = sensors.when.row(rules[0]), sensors.when_not.row(rules[0])
        never = [f"{task.fact_step(f)}" for f in true[~relaxed.true[true]].tolist()]
        never += [f"(not {task.fact_step(f)})" for f in false[~relaxed.false[false]].tolist()]
        return f", and seeing that needs {never[0]}, which can never become true"

    def things() -> Iterator[str]:
        found = relevance.of(belief.truth, belief.known)
        for group in np.flatnonzero(found.groups).tolist():
            row = sensors.groups.row(group)
            left = row[unknown[row]]
            places = f"{len(row) - len(left)} of {counted(len(row), 'place')} ruled out for {belief.name(group)}"
            yield f"{places}; {_facts(task, left)} may still hold{hides(left)}"
        for fact in belief.knowledge.open_independent(found.facts).tolist():
            yield f"{task.fact_step(fact)} is not known{hides(np.array([fact], np.int32))}"

    told = [*things()]
    return "; ".join([*told[:MOST_TOLD], *[f"and {len(told) - MOST_TOLD} more"] * (len(told) > MOST_TOLD)])


def _fatal_outcome(task: GroundTask, belief: Belief, operators: Sequence[int]) -> str:
    """The first of the operators, carried out one after the other, after which the delete relaxation does not reach the
    goal; empty if there is none, or the state was not known."""
    if not task.problem.outcomes or not belief.known.all():
        return ""
    passed = belief.transition.trajectory(make_state(belief.task, task.init), operators)
    states: list[Bits] = [StateView(belief.task, state).truth for state in passed]

    def is_hopeless(step: int) -> bool:
        relaxed = relax(task, states[step], ~states[step])
        return not met(task.goal.pos, task.goal.neg, relaxed.true, relaxed.false).any()

    step = bisect_left(range(len(states)), True, key=is_hopeless)
    if not 0 < step < len(states):
        return ""
    before, after = states[step - 1 : step + 1]
    changed = [str(task.fact_step(fact)) for fact in np.flatnonzero(after & ~before).tolist()]
    changed += [f"(not {task.fact_step(fact)})" for fact in np.flatnonzero(before & ~after).tolist()]
    action = task.step(int(task.outcomes.first[operators[step - 1]]))
    outcome = f"step {step}, {action}, ended in {listed(changed[:MOST_TOLD])}"
    return f"{outcome}; since then {unreachable(task, after, ~after, 'then')}"


def _facts(task: GroundTask, facts: Int32) -> str:
    told = [str(task.fact_step(fact)) for fact in facts[:MOST_TOLD].tolist()]
    return listed([*told, *[f"{len(facts) - MOST_TOLD} more"] * (len(facts) > MOST_TOLD)])
