"""The settings of methods: ranges, words, names."""

from __future__ import annotations

import pytest

from commonsense_planning.config import GuideLevel
from commonsense_planning.errors import UsageError
from commonsense_planning.methods.classical import GBFS
from commonsense_planning.methods.hill_climb import HillClimbOptions
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import METHODS, RENAMED, method_named
from commonsense_planning.methods.tree_search import PaperOptions, UctOptions
from commonsense_planning.search.pomdp.mcts import Choose, Mcts
from commonsense_planning.search.pomdp.uct import Uct
from commonsense_planning.task import read_task
from tests.scripted import HOUSEHOLD


def test_files_and_command_lines_say_words_for_members_of_enums() -> None:
    options = HillClimbOptions.of({"guide": "low", "beam": 2})
    assert options == HillClimbOptions(guide=GuideLevel.LOW, beam=2)
    assert options.guide is GuideLevel.LOW
    with pytest.raises(UsageError, match="guide must be one of none, low, high, not middle"):
        HillClimbOptions.of({"guide": "middle"})
    with pytest.raises(UsageError, match="there is no setting bream"):
        HillClimbOptions.of({"bream": 2})


def test_a_family_shares_settings_and_each_has_its_own_defaults() -> None:
    shared = {setting.name for setting in UctOptions.settings()}
    assert shared < {setting.name for setting in PaperOptions.settings()}
    assert {"mixing", "prior_samples"} & shared == set()
    assert (UctOptions().choose, Uct.usual_exploration) == (Choose.VALUE, 1.414)
    assert (PaperOptions().choose, Mcts.usual_exploration) == (Choose.VALUE, 2.4)


def test_a_switch_that_is_on_has_the_option_that_turns_it_off() -> None:
    flags = {setting.name: setting.flag for setting in UctOptions.settings()}
    assert (flags["reuse"], flags["max_steps"]) == ("--no-reuse", "--max-steps")
    flags = {setting.name: setting.flag for setting in PaperOptions.settings()}
    assert (flags["reuse"], flags["mixing"]) == ("--reuse", "--lambda")


def test_options_of_another_method_are_refused() -> None:
    task = read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")
    with pytest.raises(UsageError, match="uct takes UctOptions, not HillClimbOptions"):
        Request(task, METHODS["uct"], HillClimbOptions())
    assert Request(task, GBFS).options == GBFS.Options()


@pytest.mark.parametrize("old", sorted(RENAMED))
def test_an_old_name_leads_to_the_new_spelling(old: str) -> None:
    _, name, *options = RENAMED[old].split()
    flags = {setting.flag for setting in method_named(name).Options.settings()}
    assert flags.issuperset(word for word in options if word.startswith("--"))
    with pytest.raises(UsageError, match=f"the method {old} is now {RENAMED[old]}"):
        method_named(old)


def test_changed_settings_are_written_as_on_a_command_line() -> None:
    assert PaperOptions().changed == ""
    options = PaperOptions.of({"policy": "uniform", "observable": True, "mixing": 0.3})
    flags = {f"--{flag}" for flag in options.changed.removeprefix("--").split(" --")}
    assert flags == {"--lambda 0.3", "--observable", "--policy uniform"}
