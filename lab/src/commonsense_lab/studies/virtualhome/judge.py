"""VirtualHome as the judge of plans of the virtualhome domain: can it carry them out, and does the goal hold then?

It does not read our domain file. It gets the scene's graph, with the properties and states that the problem declares
(an importer adds what a recording lacks, a task opens the fridge), and the room to start in. Where things are and what
is close to what comes from the graph.

Those atoms of the goal that VirtualHome records are compared with its last graph (:data:`RECORDED`). The rest stays
open: it has no heated, filled, used, eaten, drunk and watched, its closeness is not ``near``, and the room of what is
carried lags one walk behind. Constraints are ignored: those of our tasks are about eaten, heated and the like.

VirtualHome refuses some things that our domain allows, see the head of ``pddl/virtualhome/domain.pddl``, and does not
know the places that an importer guessed: ``benchmarks/virtualhome_agreement.py`` counted how often, at
commit ec344c00."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from tarski.syntax import Connective, Quantifier
from tarski.syntax.formulas import Atom, CompoundFormula, QuantifiedFormula

from commonsense_lab.studies.homes.scene_graph import SceneGraph, SceneNode, load_graph
from commonsense_lab.studies.homes.scene_places import word
from commonsense_lab.studies.virtualhome.home import PREDICATES
from commonsense_lab.studies.virtualhome.script import Script, ScriptRun, execute, node_of, to_script
from commonsense_planning.errors import BudgetError, InputError
from commonsense_planning.pddl.evaluation import Formulas, GroundAtom
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.workers import WorkerError
from commonsense_planning.validation.replay import initial_state
from commonsense_planning.validation.verdict import Opinion, Report, Validator, Verdict

NAME = "VirtualHome"
SHOWN = 3  # atoms that a reason names


@dataclass(frozen=True)
class LastGraph:
    """The graph in which a script ended, and the id of the character."""

    ended: ScriptRun
    character: int

    def has(self, node: int, state: str) -> bool:
        """Tells whether the node is in that state."""
        return state in self.ended.states.get(node, ())

    def related(self, source: int, relation: str, target: int) -> bool:
        """Tells whether there is that edge."""
        return (source, relation, target) in self.ended.edges


RECORDED: Mapping[str, Callable[..., bool | None]] = {
    "on": lambda last, x, y: last.related(x, "ON", y),
    "inside": lambda last, x, y: last.related(x, "INSIDE", y),
    "poured": lambda last, x, y: last.related(x, "INSIDE", y) or None,  # is lost where one walks on with x in hand
    "held": lambda last, x: any(last.related(last.character, hand, x) for hand in ("HOLDS_RH", "HOLDS_LH")),
    "character-in": lambda last, room: last.related(last.character, "INSIDE", room),
    "sitting": lambda last: last.has(last.character, "SITTING"),
    "sitting-on": lambda last, x: last.has(last.character, "SITTING") and last.related(last.character, "ON", x),
    "opened": lambda last, x: last.has(x, "OPEN"),
    "switched-on": lambda last, x: last.has(x, "ON"),
    "plugged-in": lambda last, x: last.has(x, "PLUGGED_IN"),
    "clean": lambda last, x: last.has(x, "CLEAN"),
    "washed": lambda last, x: last.has(x, "CLEAN"),  # washing with or without water
}
"""Predicate → whether it holds of the nodes with these ids in the last graph; None where that graph cannot tell."""


@dataclass(frozen=True)
class Judgement:
    """The ``report``; the ``script`` that was carried out, None where the plan has none; and the goal's atoms in PDDL
    that VirtualHome keeps a record of, each with whether it holds in the end, and those that it does not know."""

    report: Report
    script: Script | None = None
    compared: Mapping[str, bool] = field(default_factory=dict)
    not_compared: tuple[str, ...] = ()


def judge(problem: Problem, plan: Plan, scene: SceneGraph, timeout: float | None = None) -> Judgement:
    """Has VirtualHome judge ``plan`` in ``scene``, the graph that ``problem`` was imported from.

    Valid: every step can be carried out, and what can be compared does not make the goal false. Unavailable if nothing
    of the goal can be compared, or VirtualHome crashes or takes longer than ``timeout`` seconds. Raises
    ``MissingError`` if VirtualHome is not installed and ``InputError`` if the problem is not one of the scene."""
    graph, character = graph_at_first(problem, scene)
    try:
        script = to_script(problem, plan)
    except InputError as error:
        return Judgement(Report(NAME, Verdict.INVALID, reason=str(error)))
    try:
        ended = execute(graph, [[line.text for line in script.lines]], timeout)[0]
    except (WorkerError, BudgetError) as error:
        return Judgement(Report(NAME, Verdict.UNAVAILABLE, reason=str(error)), script)
    if ended.reason:
        line = script.lines[ended.done]
        reason = f"{line.text} in line {ended.done + 1} of the script: {ended.reason}"
        action = str(plan.steps[line.step - 1])
        return Judgement(Report(NAME, Verdict.INVALID, line.step, action, reason), script)
    return _look_at_goal(problem, script, LastGraph(ended, character))


def graph_at_first(problem: Problem, scene: SceneGraph) -> tuple[dict[str, Any], int]:
    """Returns the scene as JSON for VirtualHome, with the properties, states and start room that ``problem`` declares,
    and the id of its character. Raises ``InputError`` if the problem names nodes that the scene lacks, or the scene has
    no character."""
    names = Formulas(problem).objects(problem.tarski.language.get_sort("object"))
    nodes = dict(scene.nodes)
    ids = {}
    for name in names:
        kind, ids[name] = node_of(spelled := problem.spell(name))
        node = scene.nodes.get(ids[name])
        if node is None or word(node.class_name) != kind:
            raise InputError(f"{spelled} is no node of the scene: the problem was not imported from this graph")
    stated: dict[int, set[str]] = {i: set() for i in ids.values()}
    for predicate, *arguments in initial_state(problem):
        if len(arguments) == 1:
            stated[ids[arguments[0]]].add(problem.spell(predicate).lower())
    for i, predicates in stated.items():
        nodes[i] = _node_at_first(nodes[i], predicates)
    # the executor's choice where there are several
    character = min((node.id for node in nodes.values() if node.class_name == "character"), default=None)
    if character is None:
        raise InputError("the scene has no character: no node of class 'character'")
    edges = [edge.as_json() for edge in scene.edges]
    for room in (i for i, predicates in stated.items() if "character-in" in predicates):
        edges = _moved(edges, character, room)
    return {"nodes": [node.as_json() for node in nodes.values()], "edges": edges}, character


def _node_at_first(node: SceneNode, stated: set[str]) -> SceneNode:
    """Adds the properties and states that follow from the predicates that hold of the node."""
    properties = node.properties | {word for word, predicate in PREDICATES.items() if predicate in stated}
    states = set(node.states)
    for prop, predicate, state, opposite in (
        ("CAN_OPEN", "opened", "OPEN", "CLOSED"),
        ("HAS_SWITCH", "switched-on", "ON", "OFF"),
        ("HAS_PLUG", "plugged-in", "PLUGGED_IN", "PLUGGED_OUT"),
    ):
        if predicate in stated or prop in properties:
            states -= {state, opposite}
            states.add(state if predicate in stated else opposite)
    return replace(node, properties=properties, states=frozenset(states))


def _moved(edges: list[dict[str, Any]], character: int, room: int) -> list[dict[str, Any]]:
    """Returns the edges with the character in ``room``; if it was not there before, it is near nothing."""
    there = {"from_id": character, "relation_type": "INSIDE", "to_id": room}
    if there in edges:
        return edges
    left = {"INSIDE", "CLOSE", "FACING"}
    kept = [e for e in edges if e["relation_type"] not in left or character not in (e["from_id"], e["to_id"])]
    return [*kept, there]


def _look_at_goal(problem: Problem, script: Script, last: LastGraph) -> Judgement:
    goal = _Goal(problem, last)
    holds = goal.holds(problem.tarski.goal, {})
    spell = goal.formulas.spell_atom
    compared = {spell(atom): value for atom, value in goal.atoms.items() if value is not None}
    not_compared = tuple(spell(atom) for atom, value in goal.atoms.items() if value is None)
    if holds is False:
        false = [atom for atom, value in compared.items() if not value]
        more = f" and {len(false) - SHOWN} more" if len(false) > SHOWN else ""
        lacking = f"{', '.join(false[:SHOWN])}{more}"
        verdict, reason = Verdict.INVALID, f"the goal does not hold in the last graph, for lack of {lacking}"
    elif not compared:
        verdict, reason = Verdict.UNAVAILABLE, f"VirtualHome keeps no record of {_predicates(not_compared)}"
    else:
        verdict, reason = Verdict.VALID, f"compared: {_predicates(compared)}"
        if not_compared:
            reason += f"; not compared: {_predicates(not_compared)}"
    return Judgement(Report(NAME, verdict, reason=reason), script, compared, not_compared)


class _Goal:
    """Evaluates formulas over the last graph in Kleene's logic: None is "not known". ``atoms``: those evaluated so far,
    with their values."""

    def __init__(self, problem: Problem, last: LastGraph) -> None:
        self.formulas = Formulas(problem)
        self.atoms: dict[GroundAtom, bool | None] = {}
        self._problem = problem
        self._last = last

    def holds(self, formula: Any, binding: Mapping[str, str]) -> bool | None:
        match formula:
            case Atom() if not formula.predicate.builtin:
                atom = self.formulas.ground(formula, binding)
                predicate, *arguments = map(self._problem.spell, atom)
                if recorded := RECORDED.get(predicate.lower()):
                    self.atoms[atom] = recorded(self._last, *(node_of(name)[1] for name in arguments))
                return self.atoms.setdefault(atom, None)
            case CompoundFormula(connective=Connective.Not):
                value = self.holds(formula.subformulas[0], binding)
                return None if value is None else not value
            case CompoundFormula(connective=connective):
                values = {self.holds(part, binding) for part in formula.subformulas}
                return _conjunction(values) if connective is Connective.And else _disjunction(values)
            case QuantifiedFormula(quantifier=quantifier):
                symbols = [variable.symbol for variable in formula.variables]
                domains = [self.formulas.objects(variable.sort) for variable in formula.variables]
                bindings = ({**binding, **dict(zip(symbols, names, strict=True))} for names in product(*domains))
                values = {self.holds(formula.formula, inner) for inner in bindings}
                return _conjunction(values) if quantifier is Quantifier.Forall else _disjunction(values)
        return self.formulas.holds(formula, frozenset(), binding)


def _conjunction(values: set[bool | None]) -> bool | None:
    return False if False in values else None if None in values else True


def _disjunction(values: set[bool | None]) -> bool | None:
    return True if True in values else None if None in values else False


def _predicates(atoms: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(atom.strip("()").split()[0] for atom in atoms))


class _VirtualHome:
    """The validator of ``cplan validate --with virtualhome``."""

    def validate(self, problem: Problem, plan: Plan, graph: Path, timeout: float | None) -> Opinion:
        scene = load_graph(graph)
        try:
            judgement = judge(problem, plan, scene, timeout)
        except InputError as error:
            raise InputError(f"{graph}: {error}") from error
        script = judgement.script
        details = {
            "script": None if script is None else [line.text for line in script.lines],
            "left_out": [] if script is None else [str(step) for _, step in script.left_out],
            "compared": judgement.compared,
            "not_compared": list(judgement.not_compared),
        }
        return Opinion(judgement.report, details)


VALIDATOR: Validator = _VirtualHome()
