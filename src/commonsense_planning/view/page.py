"""A trace as a page to look at: one HTML file that needs no other and no network.

What is in a trace may be anybody's: names of a file, a model's answers. It goes into the page as data that no browser
takes for markup, the page's script puts it there as text alone, and the page's policy lets no other script run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError
from commonsense_planning.support.reading import json_value, read_text, reading

TEMPLATES = Path(__file__).with_name("templates")
STATIC = Path(__file__).with_name("static")
SCRIPTS = ("trace.js", "drawing.js", "map.js", "panels.js", "search.js", "main.js")
"""In their order in the page."""

_INDEXED = {"event", "step", "action", "says", "seen", "notes", "called", "now", "no_longer", "spent"}
_OF_THE_START = {"map", "sentences", "known"}

Event = dict[str, Any]


@dataclass
class View:
    """What a page gets of a trace.

    ``about``: what the start says, and how it ended. ``called``: object → words; ``map``: see ``Lexicon``;
    ``sentences``: predicate → its sentence, with {0}, {1}, … for its arguments. ``facts`` are named once, elsewhere by
    their number. ``known``: those that are known initially, None where the trace does not say. ``stops``: a row for
    each event that one can step to, always in memory; ``details``: what else there is to each, which is read when one
    is there. ``things``: the ids of things that have a belief; a stop has the numbers of those of which something else
    is believed from there on.
    """

    about: Event = field(default_factory=dict)
    called: dict[str, str] = field(default_factory=dict)
    map: dict[str, list[str]] = field(default_factory=dict)
    sentences: dict[str, str] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    known: list[int] | None = None
    stops: list[Event] = field(default_factory=list)
    things: list[str] = field(default_factory=list)
    details: list[Event] = field(default_factory=list)

    def index(self) -> Event:
        """All but the details."""
        return {name: value for name, value in vars(self).items() if name != "details"}


def read_view(path: Path) -> View:
    """Reads a trace of ``cplan solve``. Raises InputError, with the line, for anything else."""
    view, numbers, things = View(), _Numbers(), _Numbers()
    for number, line in enumerate(read_text(path, "a trace").split("\n"), start=1):
        if line.strip():
            with reading(path, "a trace", number):
                _take(view, _event(json_value(line)), numbers, things)
    if not view.stops:
        raise InputError(f"{path}: not a trace: nothing happens in it")
    view.facts, view.things = list(numbers), list(things)
    return view


def page(view: View) -> str:
    """The HTML page of a trace."""
    from jinja2.utils import htmlsafe_json_dumps

    parts = "\n".join((STATIC / name).read_text(encoding="utf-8") for name in SCRIPTS)
    script = f'"use strict";\n(() => {{\n{parts}}})();\n'
    return rendered(
        "view.html.jinja",
        "view.css",
        script,
        title=" of ".join(str(view.about[name]) for name in ("problem", "domain") if view.about.get(name)) or "a trace",
        index=htmlsafe_json_dumps(view.index()),
        details=[htmlsafe_json_dumps(detail) for detail in view.details],
    )


def rendered(template: str, style: str, script: str, **values: Any) -> str:
    """The page that a template makes of ``values``. Its policy lets nothing but this style sheet and script apply."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    sheet = (STATIC / style).read_text(encoding="utf-8")
    policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(sheet)}; base-uri 'none'"
    return environment.get_template(template).render(policy=policy, style=sheet, script=script, **values)


class _Numbers(dict[str, int]):
    """Text → its number, in the order in which they came."""

    def of(self, texts: Sequence[object]) -> list[int]:
        return [self.setdefault(_text(text), len(self)) for text in texts]


def _event(value: object) -> Event:
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        raise ValueError('a line is an object with an "event"')
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:50]!r} is no text")
    return value


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise TypeError(f"{str(value)[:50]!r} is no list")
    return [_text(text) for text in value]


def _take(view: View, event: Event, facts: _Numbers, things: _Numbers) -> None:
    """Takes up the next event."""
    kind = event["event"]
    if kind == "validated":
        valid = {"valid": _text(event["valid_means"])} if "valid_means" in event else {}
        said = {name: valid.get(verdict, verdict) for name, verdict in dict(event["validators"]).items()}
        view.about |= {"outcome": _text(event["status"]), "validators": said}
        view.about["explanation"] = [_texts(lines) for lines in event.get("explanation", [])]
        return
    if kind == "end":
        view.about |= {"outcome": _text(event["status"]), "reason": _text(event["reason"])}
        if not event.get("notes") and not event.get("asked"):
            return
    if kind == "start" and not view.stops:
        view.map = {_text(name): _texts(predicates) for name, predicates in event.get("map", {}).items()}
        view.sentences = {_text(name): _text(said) for name, said in event.get("sentences", {}).items()}
        view.known = facts.of(_texts(event["known"])) if "known" in event else None
        own = {"event", "belief", "asked", "spent", "seen", "notes", *_OF_THE_START}
        view.about |= {name: value for name, value in event.items() if name not in own}
    view.called |= {_text(name): _text(words) for name, words in event.get("called", {}).items()}
    belief = event.get("belief", [])
    facts.of([fact for thing in belief for fact, _ in thing["places"]])  # where things may be is on the map, too
    view.stops.append(
        {
            "kind": kind,
            "step": event.get("step"),
            "action": _text(event.get("action", "")),
            "says": _text(event.get("says", "")),
            "seen": facts.of(_texts(event.get("seen", []))),
            "notes": _texts(event.get("notes", [])),
            "now": facts.of(_texts(event.get("now", []))),
            "gone": facts.of(_texts(event.get("no_longer", []))),
            "things": things.of([str(int(thing["id"])) for thing in belief]),
            "spent": {name: float(value) for name, value in event.get("spent", {}).items()},
            "searched": "search" in event,
            "planned": event.get("why", {}).get("planned") is True,
            **{name: float(event[name] or 0.0) for name in ("starts", "lasts") if name in event},
        }
    )
    left = {name: value for name, value in event.items() if name not in _INDEXED | _OF_THE_START}
    view.details.append(left if kind != "start" else {k: v for k, v in left.items() if k in ("belief", "asked")})


def _hash(text: str) -> str:
    """A text as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
