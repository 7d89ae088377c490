"""Files → Tarski's problem, the one that Tarski's own parser builds from the normal form; and the syntax below."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tarski.io import FstripsReader
from tarski.syntax.sorts import ancestors

from commonsense_planning import InputError, PddlError, Problem, Text, read_problem
from commonsense_planning.pddl.check import check_domain, check_task
from commonsense_planning.pddl.nodes import Group, Node, Symbol, render
from commonsense_planning.pddl.normalise import Normaliser
from commonsense_planning.pddl.packs import task_files
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.sensors import formula_from_text
from commonsense_planning.pddl.syntax import parse, read_source
from tests.data import APPLE, as_data, ipc_tasks, shared_data

DERIVED = "psr-middle"  # has derived predicates, which Tarski's parser does not know
SMALL_TASKS = [task for task in ipc_tasks() if task[1].stat().st_size < 4000 and task[0].parent.name != DERIVED]


def task_id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def read_texts(domain: str, problem: str) -> Problem:
    return read_problem(Text(domain), Text(problem))


@pytest.mark.data
def test_ipc_sample_is_there() -> None:
    assert len({problem.parent for problem in shared_data("ipc").glob("*/*.pddl")}) >= 18


@pytest.mark.data
@pytest.mark.parametrize(("domain", "problem"), ipc_tasks(), ids=task_id)
def test_ipc_task_reads(domain: Path, problem: Path) -> None:
    task = read_problem(domain, problem)
    assert task.tarski.actions
    assert task.total_cost == ("metric" in problem.read_text().lower())
    names = [constant.symbol for constant in task.tarski.language.constants()]
    text = domain.read_text() + problem.read_text()
    assert all(task.spell(name) in text for name in names)


@pytest.mark.parametrize(("domain", "problem"), [APPLE, *as_data(SMALL_TASKS)], ids=task_id)
def test_same_as_tarskis_own_parser(domain: Path, problem: Path) -> None:
    ours = read_problem(domain, problem).tarski
    normal = Normaliser(check_task(check_domain(read_source(domain)), read_source(problem))).task()
    reader = FstripsReader(raise_on_error=True)
    reader.parse_domain_string(render(normal.domain))
    theirs = reader.parse_instance_string(render(normal.problem))
    assert ours.language.vocabulary() == theirs.language.vocabulary()
    for sort in ours.language.sorts:
        twin = theirs.language.get_sort(sort.name)
        assert ancestors(sort) == ancestors(twin)
        if not sort.builtin and sort.name != "number":
            assert {str(item) for item in sort.domain()} == {str(item) for item in twin.domain()}
    assert str(ours.init) == str(theirs.init)
    assert str(ours.goal) == str(theirs.goal)
    assert list(ours.actions) == list(theirs.actions)
    for name, action in ours.actions.items():
        twin = theirs.actions[name]
        assert str(action) == str(twin)
        assert str(action.precondition) == str(twin.precondition)
        assert str(action.effects) == str(twin.effects)
        assert _cost(action) == _cost(twin)


def _cost(action: object) -> object:
    cost = str(getattr(action, "cost", None))
    return float(cost) if cost.replace(".", "").isdigit() else cost


@pytest.mark.data
def test_spelling() -> None:
    folder = shared_data("ipc") / "tidybot-opt11-strips"
    task = read_problem(folder / "domain.pddl", folder / "p01.pddl")
    assert task.domain_name == "TIDYBOT"
    assert task.spell("cart-type") == "cart"
    assert task.spell("unpark") == "unpark"


def test_contingent() -> None:
    task = read_texts(
        "(define (domain d) (:requirements :contingent) (:predicates (at ?x) (free)))",
        "(define (problem p) (:domain d) (:objects A b) (:init (oneof (at a) (at b)) (unknown (free))) (:goal (free)))",
    )
    assert [[str(a.atom) for (a,) in choices] for choices in task.contingent.oneof] == [["at(a)", "at(b)"]]
    assert [str(atom) for atom in task.contingent.unknown] == ["free()"]
    assert task.features == {Feature.CONTINGENT}
    assert not task.tarski.init.as_atoms()


def test_costs() -> None:
    task = read_texts(
        "(define (domain d) (:predicates (p)) (:functions (total-cost) (far ?x) (unused) - number)"
        " (:action a :parameters (?x) :effect (and (p) (increase (total-cost) (far ?x))))"
        " (:action b :effect (and (p) (increase (total-cost) 2.5))) (:action c :effect (p)))",
        "(define (problem p) (:domain d) (:objects o) (:init (= (far o) 3) (= (unused) 7)) (:goal (p))"
        " (:metric minimize (total-cost)))",
    )
    assert [str(action.cost) for action in task.tarski.actions.values()] == ["far(?x)", "2.5", "0.0"]
    assert str(task.tarski.plan_metric.opt_expression) == "total-cost()"
    assert [function.name for function in task.tarski.language.functions if not function.builtin] == [
        "total-cost",
        "far",
    ]


def test_deep_types_are_quick() -> None:
    chain = " ".join(f"t{depth} - t{depth - 1}" for depth in range(1, 60))
    task = read_texts(
        f"(define (domain d) (:types t0 - object {chain}) (:predicates (p ?x - t0)))",
        "(define (problem p) (:domain d) (:objects a b - t59) (:init (p a)) (:goal (p b)))",
    )
    assert len(list(task.tarski.language.get_sort("t0").domain())) == 2


def test_deep_conditions_read() -> None:
    goal = "(not " * 90 + "(p)" + ")" * 90
    task = read_texts(
        "(define (domain d) (:predicates (p)))", f"(define (problem p) (:domain d) (:init) (:goal {goal}))"
    )
    assert str(task.tarski.goal).count("not") == 90


def test_goal_from_text() -> None:
    task = read_problem(*APPLE)
    formula = formula_from_text("(exists (?X - Movable) (HOLDING ?x))", task)
    assert str(formula) == "exists ?x : (holding(?x))"
    with pytest.raises(PddlError, match=r"<goal>:1:2: undeclared predicate 'hold'"):
        formula_from_text("(hold apple)", task, "<goal>")


def test_nothing_heavy_is_imported_before_a_problem_is_read() -> None:
    code = (
        "import sys, commonsense_planning.pddl.reader, commonsense_planning.pddl.sensors;"
        "print([name for name in ('tarski', 'lark', 'numpy') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_game(tmp_path: Path) -> None:
    """A game of TextWorld's holds both texts."""
    game = tmp_path / "game.tw-pddl"
    domain, problem = (path.read_text() for path in APPLE)
    game.write_text(json.dumps({"pddl_domain": domain, "pddl_problem": problem, "grammar": ""}))
    assert task_files(str(game)) == (game, (game,)) == task_files(game, [game])
    assert read_problem(game, game).normal_text == read_problem(*APPLE).normal_text


@pytest.mark.parametrize(("text", "message"), [
    ("{", "1:2: not a game of TextWorld's: Expecting property name"),
    ("[]", "not a game of TextWorld's: list indices"),
    ("{}", "not a game of TextWorld's: 'pddl_domain' is missing"),
    ('{"pddl_domain": 3}', "not a game of TextWorld's: 'pddl_domain' is no text"),
    ('{"pddl_domain": "(define (domain d)"}', "1:1: this '\\(' is never closed"),
    ('{"pddl_domain": "(define (domain d))"}', "'pddl_problem' is missing"),
])  # fmt: skip
def test_what_is_no_game(text: str, message: str, tmp_path: Path) -> None:
    game = tmp_path / "game.tw-pddl"
    game.write_text(text)
    with pytest.raises(InputError, match=message):
        read_problem(game, game)


ALFWORLD = [
    (72, 22, "'?l' is of type location", "as if declared (checked ?r - object)"),
    (113, 27, "a comma in 'location,'", "as a blank"),
    (404, 36, "'SinkType' is not among the domain's constants", "as the problem's object"),
    (404, 36, "'SinkType' is of type otype", "as if declared (receptacleType ?r - receptacle ?t - object)"),
    (405, 36, "'SinkBasinType' is not among the domain's constants", "as the problem's object"),
    (424, 36, "'MicrowaveType' is not among the domain's constants", "as the problem's object"),
    (443, 36, "'FridgeType' is not among the domain's constants", "as the problem's object"),
    (484, 37, "'KnifeType' is not among the domain's constants", "as the problem's object"),
    (485, 37, "'ButterKnifeType' is not among the domain's constants", "as the problem's object"),
]


@pytest.mark.data
def test_alfworlds_games() -> None:
    games = sorted(shared_data("alfworld").glob("valid_seen/*/*/game.tw-pddl"))
    assert len(games) == 140
    for game in games[::35]:
        read = read_problem(game, game)
        assert [(w.place.line, w.place.column, w.problem, w.taken) for w in read.warnings] == ALFWORLD
        with read.plain_files() as files:
            assert not read_problem(*files, strict=True).warnings


words = st.from_regex(r"(?!-[A-Za-z_])[?:]?[A-Za-z0-9_@+./<>=-]{1,8}", fullmatch=True).map(Symbol)  # no "-type"
groups = st.recursive(
    st.lists(words, max_size=4).map(lambda items: Group(tuple(items))),
    lambda inner: st.lists(words | inner, max_size=4).map(lambda items: Group(tuple(items))),
    max_leaves=20,
)


def places(node: Node) -> list[tuple[str, int, int]]:
    if isinstance(node, Symbol):
        return [(node.text, node.line, node.column)]
    own = [("(", node.line, node.column), *(place for item in node.items for place in places(item))]
    return [*own, (")", node.end_line, node.end_column)]


@settings(max_examples=50)
@given(groups)
def test_round_trip(group: Group) -> None:
    assert parse(render(group), define=False).root == group


@given(groups, st.sampled_from([" ", "\n", "\t", " ; a comment (\n", "\r\n"]))
def test_every_node_knows_its_place_in_the_text(group: Group, space: str) -> None:
    text = render(group).replace(" ", space).replace(")(", f"){space}(")
    source = parse(text, define=False)
    assert source.root == group
    for word, line, column in places(source.root):
        assert source.lines[line - 1][column - 1 :].startswith(word)


@pytest.mark.parametrize(("text", "line", "column"), [
    ("(define\n (:init (a b (c d)\n (:goal (e))))", 2, 9),  # the innermost that was open before ':goal'
    ("(define\n (:action a :effect (and (b) (c)\n (:action d))", 2, 21),
    ("(define (domain d)\n (:requirements :strips\n (:types a b))", 2, 2),
    ("(define (domain d)\n (:types a b)", 1, 1),
])  # fmt: skip
def test_unclosed_bracket(text: str, line: int, column: int) -> None:
    with pytest.raises(PddlError, match=r"this '\(' is never closed") as caught:
        parse(text)
    assert (caught.value.place.line, caught.value.place.column) == (line, column)
