"""Whether the questions what to do next are true and complete, on random domains and states.

    python -m lab.benchmarks.true_questions [TASKS]

For each of TASKS (200) random domains, the questions on a walk of some steps are read back word by word: each sentence
is held against what the task means and what the agent knows, and each offered action against the facts that never
change and that it needs, as in ``tests.elicitation.test_true_questions``, which has a sample. The exit code is 1 if
anything is wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from commonsense_planning.wording.questions import NextAction
from lab.benchmarks.performance.table import head, line
from tests.elicitation.test_true_questions import faults

TOLD = ("done", "to_do", "fixed", "facts", "unknown", "rules", "effects", "actions")


def sentences(question: NextAction) -> int:
    """The number of its sentences, with the goal."""
    return 1 + sum(len(getattr(question, part)) for part in TOLD)


def count(tasks: int) -> int:
    """Prints the table; returns how many faults there are."""
    questions = told = 0
    wrong: list[str] = []
    for seed in range(tasks):
        with TemporaryDirectory() as folder:
            for question, found in faults(seed, Path(folder)):
                questions, told = questions + 1, told + sentences(question)
                wrong += [f"domain {seed}: {fault}" for fault in found]
    print(head("random domains", "questions", "sentences", "faults"))
    print(line(tasks, questions, told, len(wrong)))
    print(*wrong, sep="\n")
    return len(wrong)


if __name__ == "__main__":
    raise SystemExit(min(1, count(int(sys.argv[1]) if sys.argv[1:] else 200)))
