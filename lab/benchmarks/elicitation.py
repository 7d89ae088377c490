"""The quality of weights of places: their loss on the plausible places of VirtualHome's ``placements.json``."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt

from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Placement
from tests.data import REPOSITORY, data_root

TRUTH = data_root() / "virtualhome" / "placements.json"
LEXICON = Lexicon.read(REPOSITORY / "pddl" / "household" / "lexicon.toml")
FLOOR = 1e-3  # of a share, as in a belief

Rows = npt.NDArray[np.float64]  # (things, places)
Bits = npt.NDArray[np.bool_]


def tempered(shares: Rows, temperature: float) -> Rows:
    """Returns the shares to the power of 1/temperature, normalised; none less than FLOOR before."""
    powers: Rows = np.maximum(shares, FLOOR) ** (1 / temperature)
    normalised: Rows = powers / powers.sum(axis=1, keepdims=True)
    return normalised


def loss(shares: Rows, plausible: Bits) -> float:
    """Returns the mean of -ln of the share that the plausible places have together."""
    return float(-np.log((shares * plausible).sum(axis=1)).mean())


def asked_of(count: int) -> tuple[list[Placement], Bits]:
    """Returns a question for each of the first ``count`` things, with all places; and which of these are plausible."""
    truth = json.loads(TRUTH.read_text(encoding="utf-8"))
    candidates = sorted({(relation, place) for spots in truth.values() for relation, place in spots})
    places = tuple(f"{relation.lower()} {LEXICON.noun(place)}" for relation, place in candidates)
    things = list(truth)[:count]
    plausible = np.array([[list(candidate) in truth[thing] for candidate in candidates] for thing in things])
    return [Placement(LEXICON.noun(thing), places) for thing in things], plausible
