"""A low-level guide by itself as a plan ("Large Language Models as Common-Sense Heuristics", section 4.2, column G)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from commonsense_planning.search.known_world import Ended, KnownWorld
from commonsense_planning.search.result import Status
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.choice import key_of


def follow_guide(
    world: KnownWorld,
    lines: Sequence[str],
    language: ActionLanguage,
    max_steps: int,
    emit: Callable[[dict[str, Any]], None],
) -> Ended:
    """Carry out the lines of a guide, until the goal is reached, a failure condition holds, ``max_steps`` are done, or
    a line is no action that is possible where it stands.

    A line is the first applicable operator whose text has the same words. Every step goes to ``emit``.
    """
    path = world.start()
    for number, line in enumerate(lines, start=1):
        if world.reached(path) or world.failure(path) or len(path.operators) >= max_steps:
            break
        key = key_of(line)
        operator = next((o for o in world.applicable(path) if key_of(language.text(o)) == key), None)
        if operator is None:
            reason = f'line {number} of the guide, "{line[:80]}", is no action that is possible there'
            return Ended(Status.UNSOLVED, path.operators, reason)
        path = world.after(path, operator)
        step, says = str(world.task.step(operator)), language.text(operator)
        why = {"line": number, "of": len(lines)}
        event = {"event": "step", "step": len(path.operators), "action": step, "says": says, "why": why, "seen": []}
        emit({**event, "notes": []})
    reason = world.failure(path)
    if world.reached(path) and not reason:
        return Ended(Status.SOLVED, path.operators)
    if not reason:
        limit = len(path.operators) >= max_steps
        reason = f"the limit of {max_steps} steps is reached" if limit else "the guide ends and the goal is not reached"
    return Ended(Status.UNSOLVED, path.operators, reason)
