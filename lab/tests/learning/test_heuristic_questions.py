"""The prompts that ask a model to write a heuristic for a domain."""

from commonsense_lab.learning.heuristic_questions import MOST_CHARACTERS, TEMPLATES, MendHeuristic, WriteHeuristic
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.wording.questions import Scene

DOMAIN = "; by the generator blocks4ops\n(define (domain d) ; the blocks world\n\n  (:predicates (on ?a ?b)))\n"


def prompt(problem: str) -> str:
    (message,) = Prompts([TEMPLATES], Scene("d")).messages(WriteHeuristic(DOMAIN, (problem,)))
    return message["content"]


def test_comments_are_left_out() -> None:
    told = prompt("; seed 42\n(define (problem p) (:init (on a b)) (:goal (on b a)))")
    assert "generator" not in told and "seed" not in told and "the blocks world" not in told
    assert "(define (domain d)\n  (:predicates (on ?a ?b)))\n" in told


def test_a_long_problem_loses_facts_and_keeps_its_goal() -> None:
    facts = "\n".join(f"    (on a{i} b{i})" for i in range(2000))
    told = prompt(f"(define (problem p) (:INIT\n{facts})\n  (:goal (and (on goal-1 goal-2))))")
    kept = told.count("(on a")
    assert 0 < kept < 2000 and f"… and {2000 - kept} more facts)" in told
    assert "(:goal (and (on goal-1 goal-2))))" in told
    assert len(told) < MOST_CHARACTERS + 8000


def test_a_repair_tells_the_rule_and_the_limits_of_the_question() -> None:
    asked = MendHeuristic(DOMAIN, ("(define (problem p))",), program="pass", tried=2, solved=1, climbed=0)
    (message,) = Prompts([TEMPLATES], Scene("d")).messages(asked)
    rule = prompt("(define (problem p))").partition("It guides ")[2].partition("The aim")[0]
    assert "first that has a lower value" in rule and rule in message["content"]
    for limit in ("within half a minute", "a thousand objects and ten thousand facts", "a millisecond at most", "4000"):
        assert limit in message["content"]
