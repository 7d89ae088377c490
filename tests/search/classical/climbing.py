"""A few places and ways between them, and a model that says which way to go."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from commonsense_planning import Plan, TransitionSystem, read_problem
from commonsense_planning.elicitation.choosing import Chooser, RelevantChooser
from commonsense_planning.elicitation.guidance import Guidance
from commonsense_planning.elicitation.paper_choosing import PaperChooser
from commonsense_planning.elicitation.situations import Situations
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.pomdp.transition_system import PathResult
from commonsense_planning.search.classical.hill_climbing import ClimbingOptions, HillClimbing
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import ChooseAction, Question
from tests.data import write_task
from tests.scripted import ScriptedModel

DOMAIN = """(define (domain ways) (:requirements :strips :typing :negative-preconditions :constraints)
  (:types place)
  (:predicates (at ?p - place) (way ?a ?b - place))
  (:action go :parameters (?a ?b - place)
    :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b))))
"""
PROBLEM = """;; description: go to the end
(define (problem ends) (:domain ways)
  (:objects start loop middle end pit trap - place)
  (:init (at start) (way start loop) (way loop start) (way start middle) (way middle end) (way middle start)
    (way start pit) (way pit end) (way start trap))
  (:goal (at end))
  (:constraints (always (not (at pit)))))
"""

Say = Callable[[ChooseAction], str]
Asked = TypeVar("Asked")


def prefer(*actions: str) -> Say:
    """Says the first of these that is in the list, with its index; else the first of the list."""

    def say(question: ChooseAction) -> str:
        listed = {text: index for index, text in reversed(question.actions)}
        action = next((a for a in actions if a in listed), question.actions[0][1])
        return f"{listed[action]}. {action}"

    return say


def in_turn(*answers: str | Callable[[Asked], str]) -> Callable[[Asked], str]:
    """Says one after the other; the last is repeated for ever."""
    waiting = list(answers)

    def say(question: Asked) -> str:
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return answer if isinstance(answer, str) else answer(question)

    return say


class Climbed:
    """A run in the places, from which it is known what was asked and what happened; ``paper``: with the paper's
    questions."""

    def __init__(
        self, folder: Path, say: Say, steps: int = 20, problem: str = PROBLEM, paper: bool = True, **settings: Any
    ) -> None:
        self.problem = read_problem(*write_task(folder, DOMAIN, problem))
        task = ground(self.problem)

        def script(question: Question) -> Sequence[str]:
            assert isinstance(question, ChooseAction)
            return [say(question)]

        self.model = ScriptedModel(script)
        self.events: list[dict[str, Any]] = []
        config = ClimbingOptions(**settings)
        language, description = ActionLanguage(task, Lexicon(), None), self.problem.description
        world = TransitionSystem(task, compile_task(task))
        asking = self.model, language, config, description, Guidance(language)
        self.chooser: Chooser = PaperChooser(*asking)
        if not paper:
            self.chooser = RelevantChooser(*asking, Situations(world, language))
        climbing = HillClimbing(world, language, self.chooser, config, steps, self.events.append)
        self.ended: PathResult = climbing.run()
        self.plan = Plan(tuple(task.step(o) for o in self.ended.operators))
        self.actions = [str(step) for step in self.plan]

    @property
    def asked(self) -> list[ChooseAction]:
        return [question for question in self.model.asked if isinstance(question, ChooseAction)]
