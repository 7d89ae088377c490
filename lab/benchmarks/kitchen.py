"""How long ``llm-mcts`` takes in kitchens after Tru-POMDP's description, with a model that takes its time.

    python -m lab.benchmarks.kitchen FOLDER [SECONDS] [TASKS]

``cplan bench kitchen`` against a server on this machine, which answers SECONDS (0.5) after it was asked, with as many
choices as it is asked for: where things are it says what the embedded model would say, and what comes next it says at
random, so that nothing is won by it. TASKS (10) of each level; the rows and the report go to FOLDER. Its counts are
compared with the requests that reached the server. A word counts as a token.
"""

from __future__ import annotations

import os
import re
import sys
import zlib
from collections.abc import Sequence

import numpy as np

from commonsense_planning.cli.main import main
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.wording.questions import Placement, PlacementAgain
from tests.chat_server import ChatServer, Messages, offered, wanted

CHOICES = 20  # as many different answers as any question asks for

PLACES = re.compile(r"^The (?:possible positions|positions where nobody has looked yet) are: (.*)\.$", re.MULTILINE)
THING = re.compile(r"^Question: what are the possible positions of (.*)\?$", re.MULTILINE)
SEEN = re.compile(r"^- (.*?): (.*)$", re.MULTILINE)
NOTHING = "with nothing there"


def said(messages: Messages) -> Sequence[str]:
    """What the server says: always the same to equal prompts."""
    prompt = messages[-1]["content"]
    rng = np.random.default_rng(zlib.crc32(prompt.encode()))
    if actions := offered(prompt):
        return tuple(rng.choice(actions, CHOICES).tolist())
    listed, thing = PLACES.search(prompt), THING.search(prompt)
    assert listed is not None, prompt
    places = tuple(listed[1].split(", "))
    model = EmbeddedModel(rng)
    if thing is None:
        things = wanted(prompt)
        each = model.ask([Placement(name, places) for name in things], CHOICES)
        return tuple(
            "\n".join(f"{name}: {place}" for name, place in zip(things, said, strict=True))
            for said in zip(*each, strict=True)
        )
    full = {place: tuple(things.split(", ")) for place, things in SEEN.findall(prompt)}
    seen = (*full.items(), *((place, ()) for place in full.pop(NOTHING, ())))
    return model.ask([PlacementAgain(thing[1], places, seen) if seen else Placement(thing[1], places)], CHOICES)[0]


def run(folder: str, seconds: float, tasks: int) -> None:
    """Run the experiment, and say what reached the server."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    with ChatServer(said, seconds) as server:
        options = ("--tasks", str(tasks), "--model", "openai:served", "--base-url", server.base_url)
        main(["bench", "kitchen", *options, "-o", folder])
        choices = sum(int(request.body.get("n") or 1) for request in server.requests)
        print(f"{len(server.requests)} requests reached the server, for {choices} answers")


if __name__ == "__main__":
    run(sys.argv[1], *(kind(word) for kind, word in zip((float, int), sys.argv[2:] or (0.5, 10), strict=False)))
