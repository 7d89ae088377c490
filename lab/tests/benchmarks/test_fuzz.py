"""The readers against spoilt files, for a few seconds; what longer runs have found; and that the campaign notices."""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from commonsense_planning.errors import InputError
from lab.benchmarks.reliability.fuzz.campaign import Campaign
from lab.benchmarks.reliability.fuzz.mutation import Tokens
from lab.benchmarks.reliability.fuzz.target import FOUND, Run, Target, complaint
from lab.benchmarks.reliability.fuzz.targets import TARGETS

SLOW = {"pddl-ground", "sensors-ground", "agent", "rows", "settings"}  # they want compiled kernels, scipy, all commands
HERE = [name for name in TARGETS if name not in SLOW]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Run, Path]]:
    """Gives what runs an input of a target, and its folder; each opened once."""
    known: dict[str, tuple[Run, Path]] = {}

    def get(name: str) -> tuple[Run, Path]:
        if name not in known:
            folder = tmp_path_factory.mktemp(name)
            known[name] = TARGETS[name].open(folder), folder
        return known[name]

    return get


@pytest.mark.parametrize("name", HERE)
@settings(max_examples=8)
@given(rng=st.randoms(use_true_random=False))
def test_a_spoilt_file_is_read_or_refused(name: str, rng: Random, opened: Callable[[str], tuple[Run, Path]]) -> None:
    target = TARGETS[name]
    run, folder = opened(name)
    data = target.input(rng)
    note(repr(data))
    try:
        run(data)
    except target.allowed as error:
        assert not complaint(target, error, folder)


@pytest.mark.parametrize("file", sorted(FOUND.iterdir()), ids=lambda file: file.name)
def test_what_was_found_is_read_or_refused_now(file: Path, tmp_path: Path) -> None:
    target = TARGETS[file.name.partition("--")[0]]
    campaign = Campaign([target], 0, tmp_path, lambda text: None)
    said = campaign.repeat(target, file.read_bytes())
    assert not campaign.counts[target.name].lost, said


def _target(run: Run) -> Target:
    return Target("made-up", 1, lambda: ["a (b c) d"], Tokens(r"\w+|.", ("x",)), lambda folder: run)


def _never_ends(data: bytes) -> None:
    while True:
        pass


def _takes_memory(data: bytes) -> None:
    kept = [bytearray(2**20)]
    while True:
        kept.append(bytearray(len(kept[-1]) * 2))


def _breaks(data: bytes) -> None:
    raise KeyError("no error of ours")


def _says_no_place(data: bytes) -> None:
    raise InputError("something is wrong somewhere")


def _leaves(data: bytes) -> None:
    raise SystemExit(0)


def _dies(data: bytes) -> None:
    faulthandler.disable()  # pytest's would write all frames into the tests' output
    os.abort()


@pytest.mark.parametrize(
    ("run", "said", "limit"),
    [
        (_never_ends, "more than 0.1 s", 0.1),
        (_takes_memory, "MemoryError", 10),
        (_breaks, "KeyError", 10),
        (_says_no_place, "an error that does not say in which file", 10),
        (_leaves, "SystemExit", 10),
        (_dies, "signal 6", 10),
    ],
)
def test_what_is_lost_is_kept_with_the_command_that_repeats_it(
    run: Run, said: str, limit: float, tmp_path: Path
) -> None:
    told = tmp_path / "told"  # from the other process
    campaign = Campaign([_target(run)], 0, tmp_path / "out", told.write_text, limit)
    campaign.run(1, 60)
    (kept,) = (tmp_path / "out").iterdir()
    counts = campaign.counts["made-up"]
    assert (counts.tried, counts.read, counts.refused, counts.lost) == (1, 0, 0, 1)
    assert said in told.read_text()
    assert told.read_text().endswith(f"--targets made-up --input {kept}")


def test_equal_seeds_give_equal_inputs_and_others_do_not(tmp_path: Path) -> None:
    def inputs(seed: int) -> list[bytes]:
        file = tmp_path / "inputs"
        file.write_bytes(b"")

        def note(data: bytes) -> None:
            with file.open("ab") as notes:
                notes.write(data + b"\n--\n")

        campaign = Campaign([_target(note)], seed, tmp_path, lambda text: None)
        campaign.run(50, 60)
        assert campaign.counts["made-up"].read == 50
        return file.read_bytes().split(b"\n--\n")

    assert inputs(0) == inputs(0) != inputs(1)


def test_time_ends_it(tmp_path: Path) -> None:
    campaign = Campaign([_target(lambda data: None)], 0, tmp_path, lambda text: None)
    campaign.run(10**9, 0.2)
    assert campaign.counts["made-up"].tried < 10**9
