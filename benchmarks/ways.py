"""What the ways to have a model weigh places are worth, and what they cost.

    python -m benchmarks.ways [MODEL] [THINGS] [WAY …]

Asks MODEL (local) where each of the first THINGS (84, all) of VirtualHome's ``placements.json`` may be, once in each
WAY (score, labels, list, schema, samples): the share of the weights on the places that the file calls plausible, and
the log loss of those places together; that loss with the one temperature that fits the other half of the things best;
calls, tokens and seconds a thing. MODEL may be ``embedded``, which is asked in one way. OPENAI_BASE_URL and
OPENAI_API_KEY are read as ever.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import AskBy, ModelConfig
from commonsense_planning.llm.adapters import MODELS
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.wording.questions import Placement, Scene
from commonsense_planning.wording.verbalise import Lexicon, words_of

REPOSITORY = Path(__file__).parents[1]
TRUTH = REPOSITORY.parent / "shared" / "data" / "virtualhome" / "placements.json"
LEXICON = Lexicon.read(REPOSITORY / "pddl" / "household" / "lexicon.toml")
TEMPERATURES = (0.5, 0.7, 1.0, 1.4, 2.0, 3.0)
FLOOR = 1e-3  # of a share, as in a belief

Rows = npt.NDArray[np.float64]  # (things, places)


def tempered(shares: Rows, temperature: float) -> Rows:
    """The shares to the power of 1/temperature, normalised; none less than FLOOR before."""
    powers: Rows = np.maximum(shares, FLOOR) ** (1 / temperature)
    return powers / powers.sum(axis=1, keepdims=True)


def loss(shares: Rows, plausible: npt.NDArray[np.bool_]) -> float:
    """The mean of -ln of the share that the plausible places have together."""
    return float(-np.log((shares * plausible).sum(axis=1)).mean())


def fitted(shares: Rows, plausible: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The loss of each half with the temperature that is best for the other; and the mean of the two temperatures."""
    halves = [np.arange(start, len(shares), 2) for start in (0, 1)]
    best = [min(TEMPERATURES, key=lambda t: loss(tempered(shares[h], t), plausible[h])) for h in halves]
    losses = [loss(tempered(shares[h], t), plausible[h]) for h, t in zip(halves, best[::-1], strict=True)]
    return float(np.mean(losses)), float(np.mean(best))


def main(model: str, count: int, ways: Sequence[AskBy]) -> None:
    """Print the table."""
    truth = json.loads(TRUTH.read_text(encoding="utf-8"))
    candidates = sorted({(relation, place) for spots in truth.values() for relation, place in spots})
    places = tuple(f"{relation.lower()} {words_of(place, LEXICON.classes)}" for relation, place in candidates)
    things = list(truth)[:count]
    plausible = np.array([[list(candidate) in truth[thing] for candidate in candidates] for thing in things])
    questions = [Placement(words_of(thing, LEXICON.classes), places) for thing in things]
    samples = MODELS.find(model)[0].prior_samples
    print(f"{model}, {len(things)} things, {len(places)} places; uniform: {plausible.mean():.2f} on plausible places")
    print("| way | on plausible places | log loss | fitted, at T | calls | tokens | seconds a thing | |")
    print("|---|---|---|---|---|---|---|---|")
    for way in ways:
        with Models(ModelConfig(model, ask_by=way, call_seconds=600)) as models:
            asked = models.open(Scene(), None, LexicalMatcher(), np.random.default_rng(0))
            started = time.perf_counter()
            shares = np.array([weights.shares for weights in asked.weigh(questions, samples)])
            seconds = (time.perf_counter() - started) / len(things)
            usage = models.usage
        empty = shares.sum(axis=1) == 0
        shares[empty] = 1 / len(places)
        found = tempered(shares, 1.0)
        after, temperature = fitted(shares, plausible)
        each = f"{usage.calls / len(things):.1f} | {usage.tokens / len(things):,.0f} | {seconds:.1f}"
        note = f"{empty.sum()} without an answer" if empty.any() else ""
        mass = float((shares * plausible).sum(axis=1).mean())
        print(
            f"| {way} | {mass:.2f} | {loss(found, plausible):.2f} | {after:.2f}, {temperature:.2g} | {each} | {note} |",
            flush=True,
        )


if __name__ == "__main__":
    chosen = [AskBy(name) for name in sys.argv[3:]] or [way for way in AskBy if way is not AskBy.AUTO]
    name = sys.argv[1] if len(sys.argv) > 1 else "local"
    main(name, int(sys.argv[2]) if len(sys.argv) > 2 else 84, chosen if name != "embedded" else [AskBy.AUTO])
