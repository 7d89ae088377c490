"""Where a training stands, in one file that is replaced at once: killed at any moment, it goes on from there."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from commonsense_planning.errors import InputError


def write_checkpoint(
    path: Path, identity: Mapping[str, Any], parts: Mapping[str, Any], place: Mapping[str, Any]
) -> None:
    """Keep the state of ``parts`` (model, optimizer), of torch's generators, and the ``place``."""
    written = path.with_name(f".{path.name}.writing")
    generators = {"cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all()}
    states = {name: part.state_dict() for name, part in parts.items()}
    torch.save({"identity": dict(identity), "place": dict(place), "generators": generators, **states}, written)
    with written.open("rb") as file:
        os.fsync(file.fileno())
    written.replace(path)


def read_checkpoint(path: Path, identity: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Give ``parts`` and torch's generators their state back, and the place; an empty place if there is no file.

    Raises InputError if the file is broken or of a training with another ``identity``.
    """
    if not path.exists():
        return {}
    try:
        kept = torch.load(path, map_location="cpu", weights_only=True)
        before = kept["identity"]
        different = [name for name in identity if before.get(name) != identity[name]]
        if not different:
            for name, part in parts.items():
                part.load_state_dict(kept[name])
            torch.set_rng_state(kept["generators"]["cpu"])
            if len(kept["generators"]["cuda"]) == torch.cuda.device_count():
                torch.cuda.set_rng_state_all(kept["generators"]["cuda"])
            place: dict[str, Any] = kept["place"]
    except (OSError, RuntimeError, EOFError, KeyError, ValueError, AttributeError, pickle.UnpicklingError) as error:
        raise InputError(f"{path}: broken; remove it to train from the start, or name another folder") from error
    if different:
        name = different[0]
        raise InputError(
            f"{path}: another training was begun there, with {name} {before.get(name)}, not {identity[name]}; "
            "give the same options to go on with it, or name another folder"
        )
    return place
