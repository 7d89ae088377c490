"""For a question without a recorded answer: the nearest recorded question, and how it differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from commonsense_planning.llm.model import ChatRequest
from commonsense_planning.support.reading import json_value, read_bytes

MOST_LINES = 12  # lines of the difference that are shown


@dataclass(frozen=True)
class _Recorded:
    """A recorded question: the ``lines`` of its messages, the model, the parameters, the version of its templates."""

    lines: tuple[str, ...]
    model: str
    parameters: Mapping[str, Any]
    prompts: str


def nearest_recorded(path: Path, part: str, request: ChatRequest) -> str:
    """Returns how ``request`` differs from the recorded question of ``part`` that shares most lines with it: in the
    model, the parameters, or the words, as a diff of lines (- recorded, + asked)."""
    asked = _lines(request.messages)
    recorded = list(_of_part(path, part))
    if not recorded:
        return "nothing was recorded for this episode" if part else "nothing was recorded here"
    wanted = Counter(asked)
    near = max(recorded, key=lambda one: (_shared(wanted, one.lines), one.model == request.model))
    if near.lines == asked and near.model != request.model:
        return f"it was recorded with the model {near.model}, this is {request.model}"
    parameters = request.content["parameters"]
    if near.lines == asked and near.parameters != parameters:
        then, now = _told(near.parameters, parameters), _told(parameters, near.parameters)
        return f"it was recorded with {then}, and is asked with {now}"
    if near.lines == asked:
        return "it was asked less often then: was that with the same files, seed, method and options?"
    difference = list(unified_diff(near.lines, asked, "recorded", "asked", n=0, lineterm=""))[2:]
    changed = [line for line in difference if not line.startswith("@@")]
    more = [f"  … and {len(changed) - MOST_LINES} more lines"] if len(changed) > MOST_LINES else []
    versions = f" (templates then: {near.prompts}, now: {request.prompts})" if near.prompts != request.prompts else ""
    head = f"the nearest of {len(recorded)} recorded questions differs{versions}; - recorded, + asked:"
    return "\n".join((head, *(f"  {line}" for line in changed[:MOST_LINES]), *more))


def _of_part(path: Path, part: str) -> Iterator[_Recorded]:
    """Yields the questions of a part; lines that cannot be read are skipped."""
    for line in read_bytes(path, "a recording").split(b"\n"):
        try:
            entry = json_value(line)
            if entry.get("part", "") == part and "texts" in entry:
                parameters = dict(entry.get("parameters", {}))
                lines = _lines(entry["messages"])
                yield _Recorded(lines, str(entry.get("model", "")), parameters, str(entry.get("prompts", "")))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            continue


def _lines(messages: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    return tuple(line for message in messages for line in (f"[{message['role']}]", *message["content"].split("\n")))


def _shared(wanted: Counter[str], lines: Sequence[str]) -> float:
    """Returns the share of lines that two questions have in common, in [0, 1]."""
    return (wanted & Counter(lines)).total() / max(1, wanted.total(), len(lines))


def _told(parameters: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    """Returns the parameters that are different or missing in the others."""
    names = [name for name in parameters if parameters[name] != others.get(name)]
    return ", ".join(f"{name} {str(parameters[name])[:60]}" for name in names) or "fewer parameters"
