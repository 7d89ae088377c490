"""Plans as VirtualHome's scripts."""

import re

import pytest

from commonsense_lab.studies.virtualhome.script import ACTIONS, to_script
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text
from lab.tests.studies.virtualhome.homes import problem_text, problem_with
from lab.tests.studies.virtualhome.plans import DOMAIN, plan_of

GOLDEN = {
    "walk-to-room kitchen_1": "[WALK] <kitchen> (1)",
    "walk-to-fixture fridge_10": "[WALK] <fridge> (10)",
    "walk-to-movable salmon_30": "[WALK] <salmon> (30)",
    "grab salmon_30": "[GRAB] <salmon> (30)",
    "placeon salmon_30 kitchentable_11": "[PUTBACK] <salmon> (30) <kitchentable> (11)",
    "putin salmon_30 fridge_10": "[PUTIN] <salmon> (30) <fridge> (10)",
    "drop salmon_30": "[DROP] <salmon> (30)",
    "open fridge_10": "[OPEN] <fridge> (10)",
    "close fridge_10": "[CLOSE] <fridge> (10)",
    "switchon tv_48": "[SWITCHON] <tv> (48)",
    "switchoff tv_48": "[SWITCHOFF] <tv> (48)",
    "plugin tv_48": "[PLUGIN] <tv> (48)",
    "plugout tv_48": "[PLUGOUT] <tv> (48)",
    "pour toothpaste_46 toothbrush_47": "[POUR] <toothpaste> (46) <toothbrush> (47)",
    "wash plate_33": "[WASH] <plate> (33)",
    "wipe kitchentable_11": "[WIPE] <kitchentable> (11)",
    "use toothbrush_47": "# (use toothbrush_47): VirtualHome has no such action",
    "eat apple_31": "[EAT] <apple> (31)",
    "drink mug_41": "[DRINK] <mug> (41)",
    "watch tv_48": "[TURNTO] <tv> (48)\n[WATCH] <tv> (48)",
    "sit sofa_15": "[SIT] <sofa> (15)",
    "standup": "[STANDUP]",
}


def test_every_action_has_its_line() -> None:
    script = to_script(problem_with(), plan_of(*GOLDEN))
    assert script.render() == "".join(f"{text}\n" for text in GOLDEN.values())
    assert [(number, step.action) for number, step in script.left_out] == [(17, "use")]


def test_the_table_has_all_actions_of_the_domain() -> None:
    assert set(re.findall(r"\(:action (\S+)", DOMAIN.read_text(encoding="utf-8"))) == ACTIONS.keys()
    assert {step.split()[0] for step in GOLDEN} == set(ACTIONS)


def test_a_line_knows_its_step() -> None:
    script = to_script(problem_with(), plan_of("use salmon_30", "watch tv_48", "GRAB Salmon_30"))
    lines = [(line.text.split()[0], line.step) for line in script.lines]
    assert lines == [("[TURNTO]", 2), ("[WATCH]", 2), ("[GRAB]", 3)]
    assert script.render().startswith("# (use salmon_30)")


@pytest.mark.parametrize(("step", "told"), [
    ("fly salmon_30", r"step 2 \(fly salmon_30\): the virtualhome domain has no action fly"),
    ("grab unicorn_1", r"step 2 \(grab unicorn_1\): the problem has no object unicorn_1"),
])  # fmt: skip
def test_steps_that_are_not_of_the_domain_are_named(step: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        to_script(problem_with(), plan_of("walk-to-fixture fridge_10", step))


def test_a_name_without_an_id_is_refused() -> None:
    problem = read_problem(DOMAIN, Text(problem_text().replace("salmon_30", "dinner")))
    with pytest.raises(InputError, match="dinner names no node of VirtualHome: expected its class and id"):
        to_script(problem, plan_of("grab dinner"))


def test_other_domains_have_no_scripts() -> None:
    household = DOMAIN.parents[1] / "household"
    problem = read_problem(household / "domain.pddl", household / "problems" / "small-apple.pddl")
    with pytest.raises(InputError, match="the domain is household"):
        to_script(problem, plan_of())
