"""What is compiled away for a simple planner keeps its meaning: random tasks against Fast Downward."""

from __future__ import annotations

import random
from pathlib import Path

from commonsense_planning.errors import Status
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.up_engine_worker import answer
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict

PREDICATES = {"p": 1, "q": 1, "r": 2, "s": 1}


class Tasks:
    """Random domains of three actions over all features, with problems of three objects."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def atom(self, terms: list[str]) -> str:
        name, arity = self.random.choice(sorted(PREDICATES.items()))
        return f"({name} {' '.join(self.random.choices(terms, k=arity))})"

    def literal(self, terms: list[str]) -> str:
        return self.atom(terms) if self.random.random() < 0.6 else f"(not {self.atom(terms)})"

    def condition(self, terms: list[str], depth: int = 0) -> str:
        match self.random.randrange(10) if depth < 2 else 0:
            case 5:
                return f"(or {self.condition(terms, depth + 1)} {self.condition(terms, depth + 1)})"
            case 6:
                return f"(exists (?z - t) {self.condition([*terms, '?z'], depth + 1)})"
            case 7:
                own = [*terms, "?w"]
                return f"(forall (?w - t) (imply {self.literal(own)} {self.literal(own)}))"
            case 8:
                return f"(not (= {' '.join(self.random.choices(terms, k=2))}))"
            case 9:
                return f"(not (and {self.condition(terms, depth + 1)} {self.literal(terms)}))"
        return self.literal(terms)

    def effect(self, terms: list[str]) -> str:
        match self.random.randrange(7):
            case 5:
                return f"(forall (?u - t) {self.literal([*terms, '?u'])})"
            case 6:
                return f"(when {self.literal(terms)} {self.literal(terms)})"
        return self.literal(terms)

    def write(self, domain: Path, problem: Path) -> None:
        terms, objects = ["?x", "?y"], ["a", "b", "c"]
        actions = "\n".join(
            f"(:action a{number} :parameters (?x ?y - t)"
            f" :precondition (and {self.condition(terms)} {self.condition(terms)})"
            f" :effect (and {' '.join(self.effect(terms) for _ in range(self.random.randint(1, 4)))}))"
            for number in range(3)
        )
        predicates = "(p ?x - t) (q ?x - t) (r ?x ?y - t) (s ?x - t)"
        domain.write_text(
            f"(define (domain d) (:requirements :adl) (:types t) (:predicates {predicates})\n{actions})"
        )
        init = " ".join(sorted({self.atom(objects) for _ in range(4)}))
        goal = " ".join(self.literal(objects) for _ in range(2))
        problem.write_text(
            f"(define (problem p) (:domain d) (:objects a b c - t) (:init {init}) (:goal (and {goal})))"
        )


def test_pyperplan_and_fast_downward_agree_on_random_tasks(tmp_path: Path) -> None:
    domain, problem_file = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    tasks = Tasks(seed=7)
    seen = set()
    for _ in range(10):
        tasks.write(domain, problem_file)
        task_text = domain.read_text() + problem_file.read_text()
        problem = read_problem(domain, problem_file)
        compiled = answer(
            {
                "domain": str(domain),
                "problem": str(problem_file),
                "engine": "pyperplan",
                "parameters": {"search": "gbf", "heuristic": "hff"},
                "complete": True,
            }
        )
        assert compiled["status"] == fast_downward.solve(problem, 60).status, task_text
        if compiled["status"] == Status.SOLVED:
            plan = Plan(tuple(Step(name, tuple(arguments)) for name, *arguments in compiled["steps"]))
            assert replay(problem, plan).verdict is Verdict.VALID, task_text
        seen.add(compiled["status"])
    assert seen == {Status.SOLVED, Status.UNSOLVABLE}
