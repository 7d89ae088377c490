"""Trajectories in a home of three rooms, as an expert would do them: made up, so that learning them takes seconds."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

NEEDS_TORCH = pytest.mark.skipif(
    not find_spec("torch") or not find_spec("transformers"), reason="the extra train is not installed"
)
THINGS = ("mug", "book", "radio", "plate", "towel")
ROOMS = {"kitchen": ("kitchen table", "stove"), "bedroom": ("desk", "bed"), "living room": ("coffee table", "sofa")}


def trajectory(rng: np.random.Generator) -> dict[str, Any]:
    """A thing is on one piece of furniture and must be put on another."""
    thing = str(rng.choice(THINGS))
    places = [(place, room) for room, standing in ROOMS.items() for place in standing]
    (here, room), (there, other) = (places[i] for i in rng.choice(len(places), 2, replace=False))
    start = str(rng.choice(list(ROOMS)))
    seen = f"a {thing} is on the {here}"
    at_first = [f"a {there} is inside the {other}", f"the robot is in the {start}", f"the robot is not in the {other}x"]
    at_first += [seen] * (start == room)
    steps = [(f"walk to the {room}", [f"the robot is in the {room}", seen])] if start != room else []
    steps.append((f"walk to the {here}", [f"the robot is close to the {here}"]))
    steps.append((f"grab the {thing}", [f"the robot is holding a {thing}"]))
    if room != other:
        steps.append((f"walk to the {other}", [f"the robot is in the {other}"]))
    steps += [(f"walk to the {there}", []), (f"put the {thing} on the {there}", [])]
    observations = [at_first, *(then for _, then in steps[:-1])]
    instruction = f"Put one {thing} on the {there}"
    return {"instruction": instruction, "observations": observations, "actions": [action for action, _ in steps]}


def write_trajectories(path: Path, number: int) -> Path:
    rng = np.random.default_rng(0)
    path.write_text("".join(json.dumps(trajectory(rng)) + "\n" for _ in range(number)))
    return path
