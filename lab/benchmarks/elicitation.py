"""What the ways to have a model weigh options are worth, and what they cost.

    python -m lab.benchmarks.elicitation [MODEL] [THINGS] [WAY …]

Asks MODEL (local) where each of the first THINGS (84, all) of VirtualHome's ``placements.json`` may be, once in each
WAY (score, list, schema, samples): the share of the weights on the places that the file calls plausible, and
the log loss of those places together; that loss with the one temperature that fits the other half of the things best,
and with some others; calls, tokens and seconds a thing. MODEL may be ``embedded``, which is asked in one way.
OPENAI_BASE_URL and OPENAI_API_KEY are read as ever.

If THINGS is 0: seconds a question of what to do next, by how many actions there are to choose among, lines such as
"open the sofa": three questions of which the facts differ, after one that starts the server and is not counted.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import AskBy, ModelConfig
from commonsense_planning.llm.adapters import MODELS
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import NextAction, Placement, Question, Scene
from tests.data import REPOSITORY, data_root

TRUTH = data_root() / "virtualhome" / "placements.json"
LEXICON = Lexicon.read(REPOSITORY / "pddl" / "household" / "lexicon.toml")
TEMPERATURES = (0.5, 0.7, 1.0, 1.4, 2.0, 3.0)
FLOOR = 1e-3  # of a share, as in a belief
ACTIONS = (10, 20, 40, 60)
FURNITURE = ("sofa", "desk", "fridge", "bed", "dishwasher", "bookshelf", "table", "nightstand", "sink", "closet")
VERBS = ("walk to", "open", "close", "look into", "take the apple from", "clean")

Rows = npt.NDArray[np.float64]  # (things, places)
Bits = npt.NDArray[np.bool_]


def tempered(shares: Rows, temperature: float) -> Rows:
    """The shares to the power of 1/temperature, normalised; none less than FLOOR before."""
    powers: Rows = np.maximum(shares, FLOOR) ** (1 / temperature)
    normalised: Rows = powers / powers.sum(axis=1, keepdims=True)
    return normalised


def loss(shares: Rows, plausible: Bits) -> float:
    """The mean of -ln of the share that the plausible places have together."""
    return float(-np.log((shares * plausible).sum(axis=1)).mean())


def fitted(shares: Rows, plausible: Bits) -> tuple[float, float]:
    """The loss of each half with the temperature that is best for the other; and the mean of the two temperatures."""
    halves = [np.arange(start, len(shares), 2) for start in (0, 1)]
    best = [min(TEMPERATURES, key=lambda t: loss(tempered(shares[h], t), plausible[h])) for h in halves]
    losses = [loss(tempered(shares[h], t), plausible[h]) for h, t in zip(halves, best[::-1], strict=True)]
    return float(np.mean(losses)), float(np.mean(best))


def weighed(model: str, way: AskBy, questions: Sequence[Question], warm: int = 0) -> tuple[list[Rows], float, Usage]:
    """The shares of each question's options; seconds a question, of all but the ``warm`` first ones; what was used."""
    n = MODELS.find(model)[0].prior_samples
    with Models(ModelConfig(model, ask_by=way)) as models:
        asked = models.open(Scene(), None, LexicalMatcher(), np.random.default_rng(0))
        first = asked.weigh(questions[:warm], n)
        started = time.perf_counter()
        weights = first + asked.weigh(questions[warm:], n)
        seconds = (time.perf_counter() - started) / (len(questions) - warm)
    return [each.shares for each in weights], seconds, models.usage


def asked_of(count: int) -> tuple[list[Placement], Bits]:
    """A question for each of the first ``count`` things, with all places; and which of these are plausible."""
    truth = json.loads(TRUTH.read_text(encoding="utf-8"))
    candidates = sorted({(relation, place) for spots in truth.values() for relation, place in spots})
    places = tuple(f"{relation.lower()} {LEXICON.noun(place)}" for relation, place in candidates)
    things = list(truth)[:count]
    plausible = np.array([[list(candidate) in truth[thing] for candidate in candidates] for thing in things])
    return [Placement(LEXICON.noun(thing), places) for thing in things], plausible


def worth(model: str, count: int, ways: Sequence[AskBy]) -> None:
    """Print the table of what places weigh."""
    things, plausible = asked_of(count)
    places = things[0].places
    print(f"{model}, {len(things)} things, {len(places)} places; uniform: {plausible.mean():.2f} on plausible places")
    others = ", ".join(f"{t:g}" for t in TEMPERATURES)
    print(f"| way | on plausible places | log loss | fitted, at T | at {others} | calls | tokens | seconds a thing | |")
    print("|---|---|---|---|---|---|---|---|---|")
    for way in ways:
        rows, seconds, usage = weighed(model, way, things)
        shares = np.array(rows)
        empty = shares.sum(axis=1) == 0
        shares[empty] = 1 / len(places)
        after, temperature = fitted(shares, plausible)
        each = f"{usage.calls / len(things):.1f} | {usage.tokens / len(things):,.0f} | {seconds:.1f}"
        note = f"{empty.sum()} without an answer" if empty.any() else ""
        mass = float((shares * plausible).sum(axis=1).mean())
        found = loss(tempered(shares, 1.0), plausible)
        others = ", ".join(f"{loss(tempered(shares, t), plausible):.2f}" for t in TEMPERATURES)
        losses = f"{found:.2f} | {after:.2f}, {temperature:.2g} | {others}"
        print(f"| {way} | {mass:.2f} | {losses} | {each} | {note} |", flush=True)


def speed(model: str, ways: Sequence[AskBy]) -> None:
    """Print the table of seconds by options."""
    print(f"| way | {' | '.join(f'{count} actions' for count in ACTIONS)} |")
    print("|---|" + "---|" * len(ACTIONS))
    lines = [f"{verb} the {place}" for place, verb in itertools.product(FURNITURE, VERBS)]
    for way in ways:
        cells = []
        for count in ACTIONS:
            facts = [f"the robot is next to the {place}" for place in FURNITURE[:4]]
            actions = tuple(lines[:count])
            questions = [NextAction("the apple is inside the fridge", (), actions, (), facts=(f,)) for f in facts]
            _, seconds, usage = weighed(model, way, questions, 1)
            cells.append(f"{seconds:.1f} s, {usage.calls / len(questions):.0f} calls")
        print(f"| {way} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    chosen = [AskBy(name) for name in sys.argv[3:]] or [way for way in AskBy if way is not AskBy.AUTO]
    name = sys.argv[1] if len(sys.argv) > 1 else "local"
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 84
    chosen = chosen if name != "embedded" else [AskBy.AUTO]
    worth(name, number, chosen) if number else speed(name, chosen)
