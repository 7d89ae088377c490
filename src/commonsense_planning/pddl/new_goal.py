"""A problem file with another goal. All else stays as it is written, comments and layout too, so that validators and
planners read the new file as they read the user's own."""

from __future__ import annotations

from pathlib import Path

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.check import check_domain, check_task
from commonsense_planning.pddl.syntax import Group, Source, parse, read_source

AFTER_GOAL = (":constraints", ":metric", ":length")  # the sections that stand after the goal


def with_goal(domain: Path, problem: Path, goal: str, out: Path) -> None:
    """Write ``problem`` to ``out`` with the formula ``goal`` (PDDL) for a goal, whether it had one or not.

    Raises InputError, with the place where there is one, if a file cannot be read or written, ``out`` is ``problem``,
    or the goal is no condition of this task; nothing is written then.
    """
    if out.resolve() == problem.resolve():
        raise InputError(f"{out}: the problem with the new goal must be another file than the problem itself")
    parse(goal, "goal", define=False)
    source = read_source(problem)
    text = _replaced(source, goal)
    check_task(check_domain(read_source(domain)), parse(text, out))
    ending = "\r\n" if b"\r\n" in problem.read_bytes() else "\n"
    try:
        out.write_text(text, encoding="utf-8", newline=ending)
    except OSError as error:
        raise InputError(f"{out}: cannot write the problem: {error.strerror}") from error


def has_goal(problem: Path) -> bool:
    """Whether the problem file has a ``:goal`` section. Raises InputError if it cannot be read."""
    return _section(read_source(problem), (":goal",)) is not None


def _replaced(source: Source, goal: str) -> str:
    old = _section(source, (":goal",))
    if old is not None:
        start, end = source.span(old)
        return f"{source.text[:start]}(:goal {goal}){source.text[end:]}"
    following = _section(source, AFTER_GOAL)
    if following is not None:
        at = source.span(following)[0]
        return f"{source.text[:at]}(:goal {goal})\n  {source.text[at:]}"
    at = source.span(source.root)[1] - 1
    return f"{source.text[:at]}\n  (:goal {goal}){source.text[at:]}"


def _section(source: Source, heads: tuple[str, ...]) -> Group | None:
    """The first section with one of the keywords."""
    groups = (item for item in source.root.items if isinstance(item, Group))
    return next((group for group in groups if group.head in heads), None)
