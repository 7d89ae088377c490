"""What a language model is asked: small typed values. A model answers in free text; ``answers`` and ``matching`` read
it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


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


@dataclass(frozen=True)
class Placement:
    """Where might a thing be? (LLM-MCTS paper, section 2.2 and Listing 2.) An answer names one or more of the places.

    ``thing`` in English; ``places`` are relation and place, such as "inside fridge"; each once.
    """

    thing: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class NextAction:
    """What should be done next? (Section 2.3 and Listing 1.) An answer is a list of actions, of which the first counts.

    ``actions`` are the admissible ones. ``observe()`` tells what is known at this point. ``outlook(n)`` gives first
    actions of plans, each in one of ``n`` worlds drawn from the belief: the embedded model answers with it, a real
    language model has no use for it.
    """

    goal: str
    completed: tuple[str, ...]
    actions: tuple[str, ...]
    observe: Callable[[], Sequence[Statement]] = field(compare=False, repr=False)
    outlook: Callable[[int], Sequence[str]] = field(compare=False, repr=False)


@dataclass(frozen=True)
class Translation:
    """What does an instruction mean, formally? (Section 2.2, "Goal", and Listing 3.) An answer is a formal goal such
    as "(INSIDE, apple, fridge, 2)-(ON, plate, kitchen table, 1)".

    ``relations``: the predicates that a goal may use; ``things`` and ``places`` in English. ``fitting``: for each
    relation, those of the places that it can have; empty where that is not known.
    """

    instruction: str
    relations: tuple[str, ...]
    things: tuple[str, ...]
    places: tuple[str, ...]
    fitting: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class ChooseAction:
    """Which of these actions helps most? ("Large Language Models as Common-Sense Heuristics", section 3.2.) An answer
    is an index-action pair such as "12. [GRAB]<salmon>".

    ``description``: the task in English. ``guide``: the lines of a solution estimate, none for no guide. ``taken``: the
    actions so far. ``actions``: (index, action), the index being that of the whole list of applicable actions, of which
    these may be a part. ``repeated``: the previous answer to this question, which was of no use; None if it is asked
    for the first time. ``think``: whether it may be reasoned before the answer. ``rules``: in words, the schemas of
    these actions.
    """

    description: str
    guide: tuple[str, ...]
    taken: tuple[str, ...]
    actions: tuple[tuple[int, str], ...]
    repeated: str | None = None
    think: bool = False
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class WriteGuide:
    """How is this task solved, roughly? (Section 3.2, "Guides".) An answer is a list of steps, one a line: in English
    at the ``level`` high, in the language of the actions, of which ``forms`` are the forms, at the level low.

    ``knowledge``: what may be told of the environment (section 4.1): names of objects, each with its properties.
    """

    description: str
    level: str
    forms: tuple[str, ...] = ()
    knowledge: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class WriteProgram:
    """Which program of actions does a task? (ProgPrompt, Singh et al. 2023, section 3.) An answer is a function that
    looks like Python.

    ``description``: the task in words. ``actions``: names and the types of their parameters, such as
    "putin <movable> <receptacle>". ``objects``: what the objects are called, each once.
    """

    description: str
    actions: tuple[str, ...]
    objects: tuple[str, ...]


@dataclass(frozen=True)
class Neighbours:
    """Where does a way lead directly from here? (LLM-MCTS paper, section 4.1: the model of travelling.) An answer is a
    list of places, of which at most ``most`` are read.

    ``place`` in English; ``kind``: what such places are, "city"; ``link``: the sentence that says that a way leads from
    there to X, such as "there is a direct flight from Oslo to X". ``places``: all there are.
    """

    place: str
    kind: str
    link: str
    most: int
    places: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class WriteRoute:
    """How does one get from one place to another? (Section 4.1: the policy of travelling.) An answer is a list of
    places, from the first to the last.

    ``kind`` and ``places`` as for ``Neighbours``; ``link`` says that a way leads from X to Y.
    """

    source: str
    destination: str
    kind: str
    link: str
    places: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class Product:
    """What is the product of two numbers? (Section 1.) Both are at least 0."""

    first: int
    second: int


Question = (
    Placement
    | NextAction
    | Translation
    | ChooseAction
    | WriteGuide
    | WriteProgram
    | Neighbours
    | WriteRoute
    | Product
)
