"""What a lexicon calls by the same words is warned of at its place; what it is meant to is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.errors import PddlError
from commonsense_planning.pddl.packs import packs
from commonsense_planning.task import lexicons_of, read_task
from commonsense_planning.wording.check_lexicon import check_lexicon
from tests.shelves import warehouse

SHELVES = '[classes]\ns1 = "shelf"\n# a comment\ns2 = "shelf"\ns3 = "shelf"\n'
ONE_ANSWER = "the only answer to where a thing is, 'stored s', means (stored ?t s-1), (stored ?t s1), (stored ?t s2)"


@pytest.mark.parametrize(("lexicon", "warnings"), [
    ("", []),
    (SHELVES, ["2:1: warning: s1, s2, s3 are called the same: 'shelf'"]),
    ('numbers = "dropped"\n', [f"1:1: warning: {ONE_ANSWER} and 1 more"]),
    ('[facts]\nstored = "{t} is in {p}"\n[numbers]\nrobot = "dropped"\n', []),
    (
        '[actions]\npick = "pick up {t}"\nmove = "go from {a} to {b}"\n',
        [
            "3:1: warning: 'go from a to b' does not say ?r: move with r1 and with r2 are one answer",
            "2:1: warning: 'pick up t' does not say ?r: pick with r1 and with r2 are one answer",
        ],
    ),
    ('[actions]\npick = "{r} picks up {t}"\nmove = "{r} goes to {b}"\n', []),  # a robot is in one place
    ('[classes]\ndrill = "drill"\nr1 = "arm"\ns1 = "arm"\n', []),  # nothing is a robot or a shelf
])  # fmt: skip
def test_what_an_answer_cannot_tell_apart_is_warned_of(lexicon: str, warnings: list[str], tmp_path: Path) -> None:
    domain, problem = warehouse(tmp_path, lexicon)
    task = read_task(domain, problem)
    found = check_lexicon(lexicons_of(domain, problem), task.lexicon, task.problem, task.sensors)
    assert [str(w).removeprefix(f"{tmp_path}/lexicon.toml:").partition(";")[0] for w in found] == warnings
    if warnings:
        with pytest.raises(PddlError):
            check_lexicon(lexicons_of(domain, problem), task.lexicon, task.problem, task.sensors, strict=True)


@pytest.mark.parametrize("pack", [name for name in packs() if name != "virtualhome"])
def test_the_packs_are_not_warned_of(pack: str) -> None:
    for problem in packs()[pack].problems.values():
        domain = packs()[pack].folder / "domain.pddl"
        task = read_task(domain, problem)
        assert not check_lexicon(lexicons_of(domain, problem), task.lexicon, task.problem, task.sensors)
