"""What a language model is asked: small typed values. A model answers in free text; ``matching`` reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Placement:
    """Where might a thing be? (LLM-MCTS paper, section 2.2 and Listing 2.) An answer names one of the places.

    ``thing`` in English; ``places`` are relation and place, such as "inside fridge"; each once.
    """

    thing: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class NextAction:
    """What should be done next? (Section 2.3 and Listing 1.) An answer is an action in English, the first of
    a plan.

    ``actions`` are the admissible ones. ``outlook(n)`` gives first actions of plans, each in one of ``n``
    worlds drawn from the belief: the embedded model answers with it, a real language model has no use for it.
    """

    goal: str
    completed: tuple[str, ...]
    actions: tuple[str, ...]
    outlook: Callable[[int], Sequence[str]] = field(compare=False, repr=False)


Question = Placement | NextAction
