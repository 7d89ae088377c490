"""Problems with other initial facts and goals."""

from __future__ import annotations

from pathlib import Path

from commonsense_lab.plans.rewritten import with_start
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.validation.replay import initial_state, replay
from commonsense_planning.validation.verdict import Verdict
from tests.data import REPOSITORY

PACK = REPOSITORY / "pddl" / "flights"
SHORT = PACK / "problems" / "short-oslo-athens.pddl"


def test_it_is_the_problem_that_a_file_would_give(tmp_path: Path) -> None:
    old = read_problem(PACK / "domain.pddl", SHORT)
    before = initial_state(old)
    new = with_start(old, "back", [("at", "athens"), ("visited", "athens")], ("at", "oslo"))
    written = tmp_path / "back.pddl"
    text = SHORT.read_text().replace("(at oslo) (visited oslo)", "(at athens) (visited athens)")
    written.write_text(text.replace("(:goal (at athens))", "(:goal (at oslo))"))
    read = read_problem(PACK / "domain.pddl", written)
    assert initial_state(new) == initial_state(read)
    assert (new.problem_name, new.description) == ("back", "")
    plan = parse_plan("(fly athens london) (fly london oslo)".replace(") (", ")\n("), Path("plan"))
    assert replay(new, plan).verdict is Verdict.VALID
    assert replay(new, parse_plan("(fly oslo london)", Path("plan"))).verdict is Verdict.INVALID
    assert initial_state(old) == before  # which nothing has changed
