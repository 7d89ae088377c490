"""The questions to a language model: small values, each with the attributes of its kind.

A question is a frozen dataclass. Its fields are what its template may tell; the class says with which template it is
put, how its answers are drawn, how long they may be, and what messages call it. A model answers in free text, which
``matching`` reads.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any, ClassVar, Self

from commonsense_planning.matching.answers import meant, next_phrases, pair_in, places, text_of, unlisted

TEMPLATES = Path(__file__).with_name("templates")
FORMS = TEMPLATES / "forms"  # of answers, whatever the question
THINKING_TOKENS = 1024  # of an answer before which it may be reasoned
LINES = 100  # of actions that a prompt tells


@dataclass(frozen=True)
class Scene:
    """What the prompts may tell of a task as a whole, in English.

    ``objects``: type → the names of its objects, each once, in the order of the problem. ``actions``: the action
    schemas with their parameters' types, such as "put <movable> inside <container>".
    """

    domain: str = ""
    objects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    actions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Statement:
    """A fact of which the agent knows whether it ``holds``: its predicate and arguments as the user spells them, and
    the sentence that says it."""

    predicate: str
    arguments: tuple[str, ...]
    holds: bool
    text: str


Places = tuple[tuple[str, tuple[str, ...]], ...]
"""What places belong to, such as a room, or nothing, and their names."""


@dataclass(frozen=True)
class Missing:
    """``things`` that were not found yet, and the ``places`` where they may be; ``needed``: unless others that were
    found serve as well."""

    things: tuple[str, ...]
    places: Places
    needed: bool = True


@dataclass(frozen=True)
class Question(ABC):
    """The base of all kinds of questions, which are frozen dataclasses.

    ``template``: the file that puts it into words; a file of that name in a user's folder or beside the domain wins.
    ``temperature``: of its answers, where the user sets none. ``tokens``: limit on the length of an answer. ``batch``:
    the kind of question that asks several of this kind at once, if there is one. ``names_one``: of the phrases of an
    answer the first that fits an option is meant, not each of them.
    """

    template: ClassVar[Path]
    temperature: ClassVar[float]
    tokens: ClassVar[int]
    batch: ClassVar[type[Batch] | None] = None
    names_one: ClassVar[bool] = False

    @property
    @abstractmethod
    def about(self) -> str:
        """The subject of the question, as text to follow "the answer to" in messages."""

    @property
    def most_tokens(self) -> int:
        """Limit on the length of the answer to this question."""
        return self.tokens

    @property
    def similar_to(self) -> str | None:
        """What solved tasks in the prompt should be similar to; None if they have no
        place."""
        return None

    @property
    def options(self) -> tuple[str, ...]:
        """The admissible answers, each once; none where an answer is free text."""
        return ()

    def phrases(self, answer: str) -> tuple[str, ...]:
        """What an answer names, each to be matched with one of the options; an option names itself."""
        return (answer,) if answer in self.options else self._phrases(answer)

    def _phrases(self, answer: str) -> tuple[str, ...]:
        return (answer,)

    def preferring(self, preferences: tuple[str, ...]) -> Self:
        """The question with these preferences; itself if they are not relevant to it."""
        return self

    def given(self) -> dict[str, Any]:
        """What the template is given, by name."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}


@dataclass(frozen=True)
class Batch(Question):
    """Several questions of a kind at once. ``parts``: two at least."""

    parts: tuple[Any, ...]

    @abstractmethod
    def apart(self, answer: str) -> tuple[str, ...]:
        """The answer to each of the parts; empty for those that it leaves out."""


@dataclass(frozen=True)
class Placements(Batch):
    """Where might each of several things be? An answer has a line for each thing: "apple: inside fridge, on desk"."""

    template = TEMPLATES / "placements.jinja"
    temperature = 0.7
    tokens = 64  # a thing
    parts: tuple[Placement, ...]

    @property
    def about(self) -> str:
        return f"where the {', '.join(part.thing for part in self.parts)} may be"

    @property
    def options(self) -> tuple[str, ...]:
        """Those of the parts, one after the other, each behind its thing: "apple: inside fridge"."""
        return tuple(f"{part.thing}: {place}" for part in self.parts for place in part.places)

    @property
    def most_tokens(self) -> int:
        return self.tokens * len(self.parts)

    def apart(self, answer: str) -> tuple[str, ...]:
        lines = (line.partition(":") for line in map(unlisted, text_of(answer).splitlines()))
        said = {unlisted(thing).lower(): places.strip() for thing, _, places in lines}
        return tuple(said.get(part.thing.lower(), "") for part in self.parts)

    def given(self) -> dict[str, Any]:
        places = dict.fromkeys(place for part in self.parts for place in part.places)
        things, preferences = tuple(part.thing for part in self.parts), self.parts[0].preferences
        return {"things": things, "places": tuple(places), "preferences": preferences}

    def preferring(self, preferences: tuple[str, ...]) -> Self:
        return dataclasses.replace(self, parts=tuple(part.preferring(preferences) for part in self.parts))


@dataclass(frozen=True)
class Placement(Question):
    """Where might a thing be? (LLM-MCTS paper, section 2.2 and Listing 2.) An answer names one or more of the places.

    ``thing`` in English; ``places`` are relation and place, such as "inside fridge"; each once. ``preferences``: what
    the people there say of where things go, a sentence each (TidyBot, Wu et al. 2023, section 3). ``counts``: how many
    there are of each place, one each if it is empty; no prompt tells it.
    """

    template = TEMPLATES / "placement.jinja"
    temperature = 0.7
    tokens = 64
    batch: ClassVar[type[Batch] | None] = Placements
    where: ClassVar[bool] = True
    thing: str
    places: tuple[str, ...]
    preferences: tuple[str, ...] = field(default=(), kw_only=True)
    counts: tuple[int, ...] = field(default=(), kw_only=True)

    @property
    def about(self) -> str:
        return f"where the {self.thing} may be"

    def preferring(self, preferences: tuple[str, ...]) -> Self:
        return dataclasses.replace(self, preferences=preferences)

    def given(self) -> dict[str, Any]:
        return {**super().given(), "where": self.where}

    @property
    def options(self) -> tuple[str, ...]:
        return self.places

    def _phrases(self, answer: str) -> tuple[str, ...]:
        return places(answer)


@dataclass(frozen=True)
class Trait(Placement):
    """Which of several things is so of a thing, such as its colour? The same where the words tell no place: ``places``
    are then just names, such as "red"."""

    batch = None
    where = False

    @property
    def about(self) -> str:
        return f"which of {', '.join(self.places)} the {self.thing} is"


@dataclass(frozen=True)
class PlacementAgain(Placement):
    """Where else might a thing be that was not found? ``places``: those not looked at yet; ``seen``: those looked at,
    each with the names of the things there, each name once, the thing's own first; ``unsure``: those of them where more
    may be."""

    template = TEMPLATES / "placement_again.jinja"
    batch = None
    seen: tuple[tuple[str, tuple[str, ...]], ...]
    unsure: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        return f"where else the {self.thing} may be"


@dataclass(frozen=True)
class Alternatives(Question):
    """Which of several things may be so, of which one is? What a contingent problem leaves open, where it is not about
    where one thing is. ``alternatives``: sentences, each once."""

    template = TEMPLATES / "alternatives.jinja"
    temperature = 0.7
    tokens = 64
    alternatives: tuple[str, ...]

    @property
    def about(self) -> str:
        return f"which of {len(self.alternatives)} things is so"

    @property
    def options(self) -> tuple[str, ...]:
        return self.alternatives


@dataclass(frozen=True)
class NextAction(Question):
    """What should be done next? (Section 2.3 and Listing 1.) An answer is one of the ``actions``, or a list of actions,
    of which the first counts.

    Given is what is relevant for the goal; questions of which that is equal are equal. ``actions``: those that may be
    named, each once; ``steps``: where they are what to bring about next rather than what to do at once, how many
    actions that takes. ``wanted``: the goal as cplan's own templates tell it, if otherwise; ``done`` and ``to_do``: the
    parts of it. ``fixed``: facts that never change; ``facts``: those known now. ``missing``: what was not found
    yet; ``seen``: the places where it is not and an action was about, each with what is there; ``passed``: the other
    places where it is not. ``unknown``: what else is not known, each by alternatives of which one is so, or by itself
    behind "whether". ``rules``: the preconditions of other useful actions; ``effects``: those of useful actions
    that their words do not tell. ``lately``: the actions before this one, where they are told.

    What else there is does not count: ``completed``, all actions so far, and ``observation``, all that is known.
    Templates get ``known`` and ``denied``, too: the statements that hold and those that do not, by predicate. A prompt
    tells at most ``LINES`` lines of actions: of more actions, they get several in a line.
    """

    template = TEMPLATES / "next_action.jinja"
    temperature = 0.7
    tokens = 64
    names_one = True
    goal: str
    completed: tuple[str, ...] = field(compare=False)
    actions: tuple[str, ...]
    observation: tuple[Statement, ...] = field(repr=False, compare=False)
    steps: tuple[int, ...] = ()
    wanted: str = ""
    done: tuple[str, ...] = ()
    to_do: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()
    seen: Places = ()
    passed: Places = ()
    unknown: tuple[tuple[str, ...], ...] = ()
    rules: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    lately: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        return "what to do" + (f" after: {', '.join(self.completed)}" if self.completed else " at first")

    @property
    def similar_to(self) -> str:
        return self.goal

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.actions))

    @property
    def most_tokens(self) -> int:
        """Enough for the longest action, at two characters a token."""
        return min(self.tokens, 8 + max(map(len, self.actions), default=0) // 2)

    def _phrases(self, answer: str) -> tuple[str, ...]:
        return next_phrases(answer)

    def given(self) -> dict[str, Any]:
        known, denied = (_ByPredicate(s for s in self.observation if s.holds is holds) for holds in (True, False))
        steps = (f" [{n}]" for n in self.steps) if self.steps else repeat("")
        told = [f"{action}{taking}" for action, taking in zip(self.actions, steps, strict=False)]
        each = max(1, -(-len(told) // LINES))
        lines = tuple("; ".join(told[i : i + each]) for i in range(0, len(told), each))
        return {**super().given(), "actions": lines, "known": known, "denied": denied}


@dataclass(frozen=True)
class Translation(Question):
    """What does an instruction mean, formally? (Section 2.2, "Goal", and Listing 3.) An answer is a formal goal such
    as "(INSIDE, apple, fridge, 2)-(ON, plate, kitchen table, 1)".

    ``relations``: the predicates that a goal may use; ``things`` and ``places`` in English. ``fitting``: for each
    relation, those of the places that it can have; empty where that is not known.
    """

    template = TEMPLATES / "translation.jinja"
    temperature = 0.7
    tokens = 256
    instruction: str
    relations: tuple[str, ...]
    things: tuple[str, ...]
    places: tuple[str, ...]
    fitting: tuple[tuple[str, ...], ...] = ()

    @property
    def about(self) -> str:
        return f'what "{self.instruction}" means'


@dataclass(frozen=True)
class PredicateForm:
    """A predicate as a prompt tells it: ``text``, as it is declared; ``english``, with the parameters for names;
    ``denied``, the same where it does not hold; ``changes``: whether some action changes it."""

    text: str
    english: str
    denied: str
    changes: bool


@dataclass(frozen=True)
class WriteGoal(Translation):
    """What does an instruction mean, in PDDL? An answer is one formula, written as ``instructions.goal_notation`` says.

    ``kinds``: for each declared type, (kind, its objects) in the user's spelling. ``known``: for each predicate the
    arguments that it is known to hold of. ``attempts``: (answer, what is wrong with it) so far. ``held``: for each
    relation the objects that it can be said of, in the user's spelling; empty where that is not known.
    """

    template = TEMPLATES / "write_goal.jinja"
    temperature = 0.2  # as for guides: one right answer is wanted, not many different ones
    tokens = 300
    domain: str = ""
    predicates: tuple[PredicateForm, ...] = ()
    kinds: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...] = field(default=(), repr=False)
    known: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)
    attempts: tuple[tuple[str, str], ...] = ()
    held: tuple[tuple[str, ...], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class ChooseAction(Question):
    """Which of these actions helps most? ("Large Language Models as Common-Sense Heuristics", section 3.2.) An answer
    is an index-action pair such as "12. [GRAB]<salmon>".

    ``description``: the task in English. ``guide``: the lines of a solution estimate, none for no guide. ``taken``: the
    actions so far. ``actions``: (index, action), the index being that of the whole list of applicable actions, of which
    these may be a part. ``repeated``: the previous answer to this question, which was of no use; None if it is asked
    for the first time. ``think``: whether it may be reasoned before the answer. ``rules``: in words, the schemas of
    these actions. ``state``: the facts that are relevant to the goal; ``fixed``: what never changes and is; the paper
    tells neither.
    """

    template = TEMPLATES / "choose_action.jinja"
    temperature = 0.2  # section 4.1
    tokens = 64
    description: str
    guide: tuple[str, ...]
    taken: tuple[str, ...]
    actions: tuple[tuple[int, str], ...]
    repeated: str | None = None
    think: bool = False
    rules: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()

    def again(self, answer: str) -> ChooseAction:
        """The same question, after an answer that was of no use."""
        return dataclasses.replace(self, repeated=answer)

    @property
    def about(self) -> str:
        return f'which of {len(self.actions)} actions is best for "{self.description}"'

    @property
    def options(self) -> tuple[str, ...]:
        """The pairs; none where it may be reasoned first, since that is free text."""
        return () if self.think else tuple(f"{index}. {action}" for index, action in self.actions)

    def _phrases(self, answer: str) -> tuple[str, ...]:
        """The candidates for the pair in an answer."""
        indices = meant(pair_in(answer), self.actions)
        return tuple(f"{index}. {action}" for index, action in self.actions if index in indices)

    @property
    def most_tokens(self) -> int:
        return THINKING_TOKENS if self.think else self.tokens


@dataclass(frozen=True)
class WriteGuide(Question):
    """How is this task solved, roughly? (Section 3.2, "Guides".) An answer is a list of steps, one a line: in English
    at the ``level`` high, in the language of the actions, of which ``forms`` are the forms, at the level low.

    ``knowledge``: what may be told of the environment (section 4.1): names of objects, each with its properties.
    ``rules``: the preconditions and effects of actions in English; ``fixed``: what never changes and they need;
    ``state``: the facts now that are relevant to the goal; the paper tells none of them.
    """

    template = TEMPLATES / "write_guide.jinja"
    temperature = 0.2  # section 4.1
    tokens = 512
    description: str
    level: str
    forms: tuple[str, ...] = ()
    knowledge: tuple[tuple[str, tuple[str, ...]], ...] = ()
    rules: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    state: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        return f'for a guide to "{self.description}"'


@dataclass(frozen=True)
class MendGuide(WriteGuide):
    """How does a guide continue whose next step cannot be carried out? An answer is a list of steps, from here on.

    ``guide``: the rest of it, that step first; ``why`` it cannot be carried out; ``taken``: the actions so far.
    """

    template = TEMPLATES / "mend_guide.jinja"
    guide: tuple[str, ...] = field(kw_only=True)
    taken: tuple[str, ...] = field(kw_only=True)
    why: tuple[str, ...] = field(kw_only=True)

    @property
    def about(self) -> str:
        return f'for a better guide to "{self.description}"'


class _ByPredicate(dict[str, list[Statement]]):
    """Statements by their predicate; none for one of which nothing is said."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            self.setdefault(statement.predicate, []).append(statement)

    def __missing__(self, predicate: str) -> list[Statement]:
        return []
