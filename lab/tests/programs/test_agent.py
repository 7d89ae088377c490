"""Programs of actions in a world: names, conditions, recoveries, and steps that cannot be carried out."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from commonsense_lab.programs.agent import ProgramAgent, ProgramReader, program_question
from commonsense_lab.studies.virtualhome.home import render_home
from commonsense_lab.studies.virtualhome.tasks import task_named
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.search.pomdp.agents import Decision
from commonsense_planning.task import read_task
from commonsense_planning.wording.verbalise import Verbaliser
from lab.tests.report.lines import records
from lab.tests.studies.virtualhome.plans import DOMAIN, PACK, shipped_home, what_matters
from tests.chat_server import ChatServer
from tests.cli.endpoint import environment
from tests.cli.running import Ended, cplan
from tests.cli.running import Run as Command
from tests.data import REPOSITORY
from tests.goldens.runs import SMALL_SALMON
from tests.scripted import HOUSEHOLD, ScriptedModel

__all__ = ["cplan", "environment"]


class Run:
    """A world that is wholly known, in which programs are run one after the other."""

    def __init__(self, domain: Path, problem: Path) -> None:
        pack = read_task(domain, problem)
        self.task, compiled = pack.all_seen
        self.environment, self.belief = Environment(compiled, self.task.init), Belief(compiled, [])
        self.belief.update(None, self.environment.look())
        self.say = Verbaliser(self.task, pack.lexicon)
        self.matcher = LexicalMatcher()
        self.notes: list[str] = []
        self.done: list[str] = []
        self.decisions: list[Decision] = []

    def __call__(self, *answers: str) -> list[str]:
        """The steps of an agent whose model gives these answers, up to the end of the program or the goal."""
        self.agent = ProgramAgent(
            ScriptedModel(lambda question: answers),
            program_question(self.task, "do it"),
            ProgramReader(self.task, self.say, self.matcher, self.notes.append),
            self.belief,
            self.notes.append,
        )
        self.done, self.decisions = [], []
        while True:
            decision = self.agent.decide()
            self.decisions.append(decision)
            if decision.operator is None:
                return self.done
            self.done.append(str(self.task.step(decision.operator)))
            observation = self.environment.step(decision.operator)
            self.agent.observe(decision.operator, observation)
            if observation.goal_reached or observation.failed:
                return self.done


@pytest.fixture
def kitchen(tmp_path: Path) -> Run:
    """The part of the apartment that microwaving the salmon needs, with two plates and the fridge."""
    task, file = task_named("microwave-salmon"), tmp_path / "kitchen.pddl"
    home = what_matters(shipped_home(), replace(task, goal=f"{task.goal} - plate - fridge - sofa"))
    file.write_text(render_home(home, task.name, task, ""), encoding="utf-8")
    return Run(DOMAIN, file)


GOOD = """def microwave_salmon():
    walk('salmon')
    grab('salmon')
    walk('microwave')
    assert('microwave' is 'opened')
        else: open('microwave')
    putin('salmon', 'microwave')
    assert('microwave' is 'closed')
        else: close('microwave')
    switchon('microwave')
    eat('salmon')
"""


def test_a_good_program_reaches_the_goal(kitchen: Run) -> None:
    assert kitchen(GOOD) == [
        *("(walk-to-movable salmon_1)", "(grab salmon_1)", "(walk-to-fixture microwave_1)", "(open microwave_1)"),
        *("(putin salmon_1 microwave_1)", "(close microwave_1)", "(switchon microwave_1)"),
    ]
    assert kitchen.decisions[-1].why == {"line": 10, "call": "switchon('microwave')", "executed": 7, "written": 7}
    assert kitchen.notes == []


def test_steps_that_cannot_be_carried_out_are_skipped_and_counted(kitchen: Run) -> None:
    bad = "grab('salmon')\nfly('salmon')\nwalk('xyzzy')\nos.system('true')\nwalk('salmon', 'fridge')\nwalk('fridge')\n"
    assert kitchen(bad) == ["(walk-to-fixture fridge_1)"]
    assert kitchen.decisions[-1].why["reason"] == (
        "the program has ended, but the goal is not reached; executed 1 of 6 actions, executability 0.17"
    )
    assert kitchen.notes == [
        "line 1, grab('salmon'): not possible now",
        "line 2, fly('salmon'): no action is called so",
        "line 3, walk('xyzzy'): nothing is called xyzzy",
        "program:4:3: unexpected '.'; expected '('",
        "line 5, walk('salmon', 'fridge'): not possible now",
    ]
    assert kitchen.matcher.unmatched == 1


@pytest.mark.parametrize(("condition", "before", "after"), [
    ("'close' to 'fridge'", False, True),
    ("'agent' close to 'fridge'", False, True),
    ("near('fridge')", False, True),
    ("'fridge' is 'opened'", False, True),
    ("'fridge' is open", False, True),
    ("is_open('fridge')", False, True),
    ("'fridge' is 'closed'", True, False),
    ("'fridge' is not 'closed'", False, True),
    ("'microwave' is 'switched on'", False, False),
    ("'microwave' is 'switchoff'", True, True),
    ("'microwave' is off", True, True),
    ("'salmon' in 'hands'", False, False),
    ("'salmon' on 'kitchentable'", True, False),
    ("'salmon' is 'on'", False, False),
    ("'salmon' in 'fridge'", False, True),
    ("inside('salmon', 'fridge')", False, True),
    ("'fridge' in 'salmon'", False, False),
    ("'salmon' in 'kitchen'", True, True),
    ("'fridge' in 'kitchen'", True, True),
    ("hand_free()", True, True),
    ("sitting()", False, False),
    ("'close' to 'fridge' and not 'salmon' in 'fridge'", False, False),
    ("'close' to 'fridge' or 'salmon' on 'kitchentable'", True, True),
    ("'fridge' is 'purple'", False, False),
    ("'xyzzy' is 'opened'", False, False),
])  # fmt: skip
def test_conditions(condition: str, before: bool, after: bool, kitchen: Run) -> None:
    asked = f"if {condition}:\n    walk('sofa')\nelse:\n    walk('microwave')"
    yes, no = ["(walk-to-fixture sofa_1)"], ["(walk-to-fixture microwave_1)"]
    assert kitchen(asked) == (yes if before else no)
    kitchen("walk('salmon')\ngrab('salmon')\nwalk('fridge')\nopen('fridge')\nputin('salmon', 'fridge')")
    assert kitchen.agent.executed == 5
    assert kitchen(asked) == (yes if after else no)


def test_unknown_conditions_are_noted_and_count_as_false(kitchen: Run) -> None:
    kitchen("assert('fridge' is 'purple')\nassert('xyzzy' is 'opened')")
    assert kitchen.notes == [
        "no predicate here means 'purple': it counts as false",
        "nothing is called xyzzy: 'opened' counts as false",
    ]


def test_recoveries_are_carried_out_only_where_the_assertion_fails(kitchen: Run) -> None:
    grab = "assert('salmon' in 'hands')\n    else: walk('salmon')\n    else: grab('salmon')\n"
    assert kitchen(grab + grab) == ["(walk-to-movable salmon_1)", "(grab salmon_1)"]
    assert (kitchen.agent.executed, kitchen.agent.written) == (2, 2)


def test_a_name_stays_with_the_object_that_was_used(kitchen: Run) -> None:
    assert kitchen("walk('plate_2')\ngrab('plate')\nwalk('plate_1')\ngrab('plate')") == [
        *("(walk-to-movable plate_2)", "(grab plate_2)", "(walk-to-movable plate_1)", "(grab plate_1)")
    ]
    # both are held now; the one that was put down is what the name means from then on
    done = kitchen("walk('kitchentable')\nplaceon('plate', 'kitchentable')\nif 'plate' in 'hands':\n    walk('sofa')")
    assert done[-1] == "(placeon plate_1 kitchentable_1)"


def test_names_by_class_words_and_similarity(kitchen: Run) -> None:
    assert kitchen("find('Microwave_1')\nwalk_to('the kitchen table')\nwalk('refrigerator')") == [
        *("(walk-to-fixture microwave_1)", "(walk-to-fixture kitchentable_1)", "(walk-to-fixture fridge_1)")
    ]
    assert "'refrigerator' is taken for the fridge" in kitchen.notes


@pytest.mark.parametrize(("answers", "reason"), [
    ([], "the model gave no program"),
    ([""], "the model's program has no actions"),
    (["# I cannot"], "the model's program has no actions: I cannot"),
])  # fmt: skip
def test_no_program(answers: list[str], reason: str, kitchen: Run) -> None:
    assert kitchen(*answers) == []
    assert kitchen.decisions[-1].why["reason"] == reason


def test_programs_work_in_any_domain() -> None:
    pack = PACK.parent / "flights"
    flights = Run(pack / "domain.pddl", pack / "problems" / "short-oslo-athens.pddl")
    task = flights.task
    step = next(task.step(o) for o in range(task.operator_count) if task.init[task.operators.pre.row(o)].all())
    call = f"{step.action.upper().replace('-', '_')}({', '.join(map(repr, step.arguments))})"
    assert flights(call)[0] == str(step)


def test_a_call_may_leave_arguments_out() -> None:
    run = Run(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")
    done = run("walk('kitchen')\nwalk('fridge')\nopen('fridge')\ngrab('apple')\nputin('apple', 'fridge')")
    assert done[:3] == ["(walk-to-room kitchen)", "(walk-to-place fridge kitchen)", "(open-container fridge)"]


LATE = "def f():\n    __import__('os').system('true')\n    walk('salmon')\n    putin('salmon', 'fridge')\n"
WRONG = "def f():\n    walk('salmon')\n    grab('salmon')\n    eat('salmon')\n    walk('fridge')\n"


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    """The salmon, the fridge, and what is between them."""
    return Path(shutil.copy(REPOSITORY / SMALL_SALMON[1], tmp_path / "problem.pddl"))


def solved(cplan: Command, problem: Path, program: str) -> tuple[Ended, list[dict[str, object]], str]:
    """How the run ended, its trace, and what the model was asked."""
    trace = problem.with_name("trace.jsonl")
    with ChatServer(lambda messages: program) as server:
        model = ("--model", "openai:m", "--base-url", server.base_url, "--trace", trace, "--json")
        ended = cplan("solve", DOMAIN, problem, "--method", "llm-program", *model)
        assert [request.body["max_tokens"] for request in server.requests] == [600]
        return ended, records(trace), server.requests[0].prompt


def test_a_program_that_does_not_do_it(cplan: Command, problem: Path) -> None:
    ended, trace, _ = solved(cplan, problem, LATE)
    assert (ended.code, ended.json["status"]) == (1, "unsolved")
    assert "executed 1 of 3 actions, executability 0.33" in ended.err
    notes = [note for event in trace for note in event.get("notes", ())]  # type: ignore[attr-defined]
    assert notes[0].startswith("program:2:5: unexpected '__import__'; expected an action")
    assert notes[1] == "line 4, putin('salmon', 'fridge'): not possible now"


def test_a_program_that_makes_a_failure_condition_true(cplan: Command, problem: Path) -> None:
    ended, trace, _ = solved(cplan, problem, WRONG)
    assert (ended.code, len([event for event in trace if event["event"] == "step"])) == (1, 3)
    assert "a failure condition holds" in ended.err


def test_the_embedded_model_has_no_program_for_an_unknown_task(cplan: Command, problem: Path) -> None:
    problem.write_text(problem.read_text(encoding="utf-8").replace("put salmon in the fridge", "juggle the salmon"))
    ended = cplan("solve", DOMAIN, problem, "--method", "llm-program")
    assert ended.code == 1
    assert "the embedded model has no program for this task" in ended.out


def test_an_estimate(cplan: Command, problem: Path) -> None:
    model = ("--model", "openai:gpt-4o-mini", "--base-url", "http://127.0.0.1:9/v1", "--dry-run", "--json")
    ended = cplan("solve", DOMAIN, problem, "--method", "llm-program", *model)
    assert ended.code == 0
    assert ended.json["calls"] == [1, 1]
    assert ended.json["prompt_tokens"][0] > 300
