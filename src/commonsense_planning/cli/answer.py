"""``cplan answer``: the questions that ``--ask-later`` wrote, answered by hand."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, STANDARD
from commonsense_planning.cli.task_arguments import standard_input
from commonsense_planning.errors import EXIT_SOLVED, EXIT_UNSOLVED, UsageError
from commonsense_planning.support.english import counted

EPILOG = """\b
Examples:
  cplan solve household:demo --model openai:chat --ask-later asked.jsonl
  cplan answer asked.jsonl               print the first unanswered question, to paste into a chat window
  cplan answer asked.jsonl reply.txt     take the reply as its answer; - reads standard input
  cplan solve household:demo --model openai:chat --ask-later asked.jsonl

\b
The same command with the same options continues where it stopped, until every question has an answer; --replay then
repeats the run. A program answers by adding the question's line to the file again, with "texts": ["the answer"].
Exit code 1: no question is unanswered.
"""
SPEAKERS = {"assistant": "Your answer was:", "user": "Then:"}


@click.command(name="answer", short_help="Answer by hand the questions that --ask-later wrote.", epilog=EPILOG)
@click.argument("asked", type=FILE)
@click.argument("reply", type=FILE, required=False)
def command(asked: Path, reply: Path | None) -> int:
    """Print the first unanswered question of the file ASKED, or take the text of REPLY as its answer."""
    from commonsense_planning.cli.output import complain, print_text
    from commonsense_planning.llm.later import answer_to, waiting
    from commonsense_planning.support.reading import read_text

    questions = waiting(asked)
    if not questions:
        complain(f"{asked}: every question has an answer")
        return EXIT_UNSOLVED
    first, *rest = questions
    if reply is None:
        print_text(_as_text(first["messages"]))
        complain(f"{asked}: {counted(len(questions), 'question')} without an answer; the first is printed above")
        return EXIT_SOLVED
    text = read_text(standard_input(click.get_current_context()) if reply == STANDARD else reply, "an answer").strip()
    if not text:
        raise UsageError(f"{reply}: contains no answer")
    answer_to(asked, first, text)
    complain(f"{asked}: answered; {counted(len(rest), 'question')} left")
    return EXIT_SOLVED


def _as_text(messages: list[dict[str, str]]) -> str:
    """Messages as one text to paste; the speakers are named if there is more than the rules and a question."""
    parts = []
    for i, message in enumerate(messages):
        said = SPEAKERS.get(message["role"], "") if i > 1 else ""
        parts.append("\n".join(part for part in (said, message["content"].strip()) if part))
    return "\n\n".join(parts) + "\n"
