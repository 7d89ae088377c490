"""The search in belief space: one plan for several worlds, what no plan can do, and decisions that are too bold."""

import pytest

from commonsense_planning import Belief, BestFirst, Environment, Request, Status, Text, method_named, read_task, solve
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.pomdp.agents import Decision
from commonsense_planning.search.pomdp.belief_search import BeliefSearch, BeliefSearchAgent
from commonsense_planning.task import Task

VAULT = """(define (domain vault)
  (:requirements :typing :conditional-effects :negative-preconditions :contingent) (:types key)
  (:predicates (fits ?k - key) (locked) (jammed) (inside) (marked))
  (:action turn :parameters (?k - key) :precondition (not (jammed)) :effect (when (fits ?k) (not (locked))))
  (:action force :effect (and (jammed) (when (not (locked)) (inside))))
  (:action enter :precondition (not (locked)) :effect (inside))
  {})"""
RATTLE = "(:action rattle :observe (locked))"
PRY = "(:action pry :parameters (?k - key) :precondition (fits ?k) :effect (not (locked)))"
MARK = "(:action mark :parameters (?k - key) :precondition (fits ?k) :effect (marked))"
METHODS = ("llm-mcts", "llm-replan")


def vault(keys: str, action: str = "", goal: str = "(not (locked))", opened: str = "oneof", *, seed: int = 0) -> Task:
    fits = " ".join(f"(fits {key})" for key in keys)
    fitting = " ".join(f"(unknown (fits {key}))" for key in keys) if opened == "unknown" else f"({opened} {fits})"
    init = f"(locked) {fitting}"
    problem = f"(define (problem p) (:domain vault) (:objects {' '.join(keys)} - key) (:init {init}) (:goal {goal}))"
    return read_task(Text(VAULT.format(action)), Text(problem), seed=seed)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("task", "most"), [
    (("ab",), 2), (("abc",), 3), (("abc", RATTLE), 6), (("ab", "", "(inside)"), 3), (("ab", RATTLE, "(inside)"), 5),
    (("abc", RATTLE, "(and (inside) (jammed))"), 7), (("ab", "", "(not (locked))", "or"), 2),
])  # fmt: skip
def test_one_plan_serves_all_worlds_where_none_can_be_told_apart(task: tuple[str, ...], most: int, method: str) -> None:
    """What a turn of the key does is not seen, and once the lock is jammed no key turns any more."""
    for seed in range(3):
        solution = solve(Request(vault(*task, seed=seed), method_named(method), seed=seed))
        assert solution.status is Status.SOLVED and solution.plan is not None, solution.reason
        assert len(solution.plan) <= most, str(solution.plan)


@pytest.mark.parametrize("method", METHODS)
def test_the_reason_says_what_was_proven(method: str) -> None:
    """Each world has a plan, but nobody learns which key fits."""
    solution = solve(Request(vault("ab", MARK, "(marked)"), method_named(method)))
    nothing = "nothing that can be done and observed makes it certain in any of 2 possible worlds that the goal holds"
    assert (solution.status, solution.reason) == (Status.UNSOLVED, nothing)


class Bold:
    """Jams the lock, whatever is known."""

    def decide(self, report: object = None) -> Decision:
        return Decision(self.operator, {"bold": True})

    def observe(self, operator: int, observation: Observation) -> None:
        self.belief.update(operator, observation)

    def __init__(self, belief: Belief, operator: int) -> None:
        self.belief, self.operator = belief, operator


def bold(action: str) -> tuple[BeliefSearchAgent, Belief, list[str]]:
    """An agent that would do this again and again; what is known; all actions."""
    task, compiled = vault("ab", RATTLE, "(inside)").seen_in_part
    belief = Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, Environment(compiled, task.init).look())
    names = [str(task.step(o)) for o in range(task.operator_count)]
    search = BeliefSearch(BestFirst(compiled), belief)
    return BeliefSearchAgent(Bold(belief, names.index(action)), search, True, str), belief, names


def test_decisions_that_lose_the_goal_or_lead_nowhere_are_replaced() -> None:
    agent, _, names = bold("(force)")
    assert names[agent.decide().operator or 0].startswith("(turn"), "the lock would be jammed in one world"
    agent, belief, names = bold("(turn a)")
    assert agent.decide().why == {"bold": True}
    agent.observe(names.index("(turn a)"), Observation())
    replaced = agent.decide()
    assert replaced.why == {"planned": True, "worlds": 2, "value": 1.0}, "the key was turned already"
    assert names[replaced.operator or 0] != "(turn a)"


def test_values_are_probabilities_that_the_goal_becomes_known() -> None:
    task, compiled = vault("ab", PRY + RATTLE, "(inside)", "unknown").seen_in_part
    belief = Belief(compiled, uniform_prior(compiled.sensors))
    belief.update(None, Environment(compiled, task.init).look())
    search = BeliefSearch(BestFirst(compiled), belief)
    here = search.here()
    assert here is not None and search.search(here)
    assert len(here.history.members) == 4 and here.value == pytest.approx(0.75), "in one world no key fits"
    search.left = 0
    assert search.search(here), "all is known"
    other = BeliefSearch(BestFirst(compiled), belief)
    other.left = 5
    there = other.here()
    assert there is not None and not other.search(there)
