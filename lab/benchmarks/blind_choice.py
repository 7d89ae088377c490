"""What the lists of hill climbing give away: how often whoever chooses at random from them reaches the goal.

    python -m lab.benchmarks.blind_choice [REPEATS]

The ten household tasks, at most 20 steps, without a guide; with our questions and with the paper's (``--prompts
paper``). REPEATS of each, 20 if it is not said.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from commonsense_lab.studies.virtualhome.tasks import TASKS

from commonsense_planning.elicitation.choosing import Chooser, RelevantChooser
from commonsense_planning.elicitation.guidance import Guidance
from commonsense_planning.elicitation.paper_choosing import PaperChooser
from commonsense_planning.elicitation.situations import Situations
from commonsense_planning.errors import Status
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pomdp.transition_system import TransitionSystem
from commonsense_planning.search.classical.hill_climbing import ClimbingOptions, HillClimbing
from commonsense_planning.task import read_task
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import ChooseAction, Question

PACK = Path(__file__).parents[2] / "pddl" / "virtualhome"
STEPS = 20
OPTIONS = ClimbingOptions()


class Blind:
    """Chooses any of the actions of a list, each as likely as the others; "none of these" is none."""

    name, note = "blind", "draws lots"

    def __init__(self, seed: int) -> None:
        self.usage = Usage()
        self._rng = np.random.default_rng(seed)

    def answers(self, kind: type[Question]) -> bool:
        return True

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        self.usage.questions += len(questions)
        return [[self._answer(question)] for question in questions]

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        answers = self.ask(questions, n)
        return [read_answers(q, texts, LexicalMatcher()) for q, texts in zip(questions, answers, strict=True)]

    def take_notes(self) -> list[str]:
        return []

    def _answer(self, question: Question) -> str:
        assert isinstance(question, ChooseAction)
        actions = [entry for entry in question.actions if entry[0]]
        index, action = actions[self._rng.integers(len(actions))]
        return f"{index}. {action}"


def main() -> int:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rates: dict[str, list[float]] = {"ours": [], "paper": []}
    for name in (task.name for task in TASKS):
        task = read_task(PACK / "domain.pddl", PACK / "problems" / f"{name}.pddl")
        grounded = ground(task.problem)
        world = TransitionSystem(grounded, compile_task(grounded))
        language = ActionLanguage(grounded, task.lexicon, task.language)
        situations, description = Situations(world, language), task.problem.description
        for way in rates:
            solved = questions = 0
            for seed in range(repeats):
                model = Blind(seed)
                chooser: Chooser = PaperChooser(model, language, OPTIONS, description)
                if way == "ours":
                    chooser = RelevantChooser(model, language, situations, OPTIONS, description, Guidance(language))
                ended = HillClimbing(world, language, chooser, OPTIONS, STEPS, lambda event: None).run()
                solved += ended.status is Status.SOLVED
                questions += model.usage.questions
            rates[way].append(solved / repeats)
            print(f"{name}, {way}: solved {solved / repeats:.2f}, {questions / repeats:.1f} questions", flush=True)
    print(", ".join(f"{way}: {np.mean(found):.2f}" for way, found in rates.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
