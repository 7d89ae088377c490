"""Our own validator: it carries a plan out on the lifted task, step by step, without grounding anything.

It shares no code with the search or with the other validators. The conditions of an action and of its effects are
evaluated in the state before it; then its deletes are applied, then its adds, so an atom that it both deletes and adds
holds afterwards, as in PDDL. Derived facts are derived again in each state (``pddl.derivation``). Constraints are
checked in every state, including the first and the last, by the meaning of their operators, not by their monitors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tarski.fstrips import AddEffect, DelEffect, UniversalEffect

from commonsense_planning import __version__
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.derivation import Derivation
from commonsense_planning.pddl.evaluation import Binding, Formulas, GroundAtom, Unmet, atoms, is_instance
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.trajectories import Constraint
from commonsense_planning.support.english import counted, did_you_mean
from commonsense_planning.validation.verdict import OURS, Report, Verdict

REPLAYED = {OURS: __version__}
"""The validator and its version, for rows whose plans it alone judges."""


@dataclass(frozen=True)
class ReplayOutcome:
    """The result of replaying a plan: the report, the state (normalised names) in which the plan ended or got stuck,
    and the cost of the steps carried out, in the task's own measure."""

    report: Report
    state: frozenset[GroundAtom]
    cost: float


def replay(problem: Problem, plan: Plan) -> Report:
    """The report on whether ``plan`` can be carried out, violates no constraint, and ends in a goal state."""
    return run(problem, plan).report


def malformed(problem: Problem, plan: Plan) -> Report | None:
    """The report on the first step that is not an action of the task: an unknown name, or a wrong number or type of
    arguments. None if every step is one."""
    for number, step in enumerate(plan, start=1):
        try:
            if problem.declared is None:
                _bound(problem, step)
            elif wrong := problem.declared.wrong(step):
                raise _WrongStepError(wrong)
        except _WrongStepError as error:
            return _wrong_step(number, step, error)
    return None


def findings(problem: Problem, plan: Plan, most: int) -> tuple[Report, ...]:
    """The findings about ``plan``, at most ``most``: each step that cannot be carried out after those found before it
    are left out, and finally the unmet part of the goal. Empty if it is valid."""
    left, found = [*enumerate(plan, start=1)], list[Report]()
    while len(found) < most:
        report = replay(problem, Plan(tuple(step for _, step in left)))
        if report.verdict is Verdict.VALID:
            break
        if report.step is None:
            return (*found, replace(report, advice="") if found else report)
        number, _ = left.pop(report.step - 1)
        found.append(
            replace(report, step=number, advice="" if found else report.advice)
        )  # it counts the steps that are left
    return tuple(found)


def run(problem: Problem, plan: Plan) -> ReplayOutcome:
    """Carries ``plan`` out as far as it goes; of a task that has needs, not at all."""
    if problem.needs:
        reason = f"it does not judge {', '.join(one.need for one in problem.needs)}"
        return ReplayOutcome(Report(OURS, Verdict.UNAVAILABLE, reason=reason), frozenset(), 0.0)
    replayer = Replayer(problem)
    if problem.contingent.atoms:
        reason = "the initial state is not fully known (oneof, or, unknown); judge it in a world (--world)"
        report = Report(OURS, Verdict.UNAVAILABLE, reason=reason)
        return ReplayOutcome(report, frozenset(replayer.state), 0.0)
    try:
        report = replayer.carry_out(plan)
    except InputError as error:
        report = Report(OURS, Verdict.UNAVAILABLE, reason=str(error))
    return ReplayOutcome(report, frozenset(replayer.state), replayer.cost)


def initial_state(problem: Problem) -> frozenset[GroundAtom]:
    """The atoms that hold initially."""
    return frozenset(
        (signature[0], *(argument.expr.symbol for argument in point))
        for signature, extension in problem.tarski.init.predicate_extensions.items()
        for point in extension
    )


class _WrongStepError(Exception):
    """A step that is no action of the task: an unknown name, a wrong number or type of arguments."""


def _bound(problem: Problem, step: Step) -> tuple[Any, Binding]:
    """The action that ``step`` names in any case, and its parameters' values. Raises _WrongStepError."""
    actions, objects = problem.names
    action = problem.tarski.actions.get(actions.get(step.action.lower(), ""))
    if action is None:
        raise _WrongStepError(f"no action is called {step.action}{did_you_mean(step.action, actions)}")
    parameters = list(action.parameters)
    if len(parameters) != len(step.arguments):
        wanted = counted(len(parameters), "argument")
        raise _WrongStepError(f"{step.action} takes {wanted}, not {len(step.arguments)}")
    binding = {}
    for parameter, argument in zip(parameters, step.arguments, strict=True):
        name = objects.get(argument.lower())
        if name is None:
            raise _WrongStepError(f"no object is called {argument}{did_you_mean(argument, objects)}")
        if not parameter.sort.contains(name):
            kind = problem.spell(parameter.sort.name)
            raise _WrongStepError(f"{argument} is no {kind}, which {parameter.symbol} of {step.action} must be")
        binding[parameter.symbol] = name
    return action, binding


def _wrong_step(number: int, step: Step, error: _WrongStepError) -> Report:
    return Report(OURS, Verdict.INVALID, number, str(step), str(error))


class _Watched:
    """An instance of a constraint: the truth values of its conditions in all states so far."""

    def __init__(self, constraint: Constraint, binding: Binding) -> None:
        self.constraint = constraint
        self.binding = binding
        self.truths: list[list[bool]] = [[] for _ in constraint.conditions]

    def look(self, formulas: Formulas, state: Set[GroundAtom]) -> None:
        """Adds a state."""
        for condition, truths in zip(self.constraint.conditions, self.truths, strict=True):
            truths.append(formulas.holds(condition, state, self.binding))

    @property
    def violated(self) -> bool:
        """Whether the states so far, as a whole plan, would violate it."""
        return not self.constraint.operator.holds(*self.truths)


class Replayer:
    """The world while a plan is being carried out: ``state``, and the ``cost`` so far."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.formulas = Formulas(problem)
        self._derivation = Derivation(problem)
        self.state = self._derivation.closed(initial_state(problem))
        self._units = Fraction(0)
        self._watched = [
            _Watched(constraint, binding)
            for constraint in problem.constraints
            for binding in self.formulas.bindings(constraint.variables)
        ]
        self._changed_by: dict[GroundAtom, int] = {}  # the last step (from 1) that changed an atom

    def carry_out(self, plan: Plan) -> Report:
        """Applies the steps in order, up to the first that cannot be applied or that violates a constraint."""
        violated = self._violated()
        if violated is not None:
            reason = f"{self._constraint(violated)} is violated in the initial state"
            return Report(OURS, Verdict.INVALID, reason=reason, advice="no plan can repair that")
        for number, step in enumerate(plan, start=1):
            try:
                action, binding = _bound(self.problem, step)
            except _WrongStepError as error:
                return _wrong_step(number, step, error)
            unmet = list(self.formulas.unmet(action.precondition, self.state, binding))
            if unmet:
                reason = "unmet: " + " and ".join(part.text for part in unmet)
                return Report(OURS, Verdict.INVALID, number, str(step), reason, self._advice(plan, unmet))
            self._apply(number, action, binding)
            violated = self._violated()
            if violated is not None:
                reason = f"{self._constraint(violated)} is violated after this step"
                return Report(OURS, Verdict.INVALID, number, str(step), reason, self._blame(number, violated))
        unmet = list(self.formulas.unmet(self.problem.tarski.goal, self.state, {}))
        if unmet:
            reason = "goal not satisfied: " + " and ".join(part.text for part in unmet)
            return Report(OURS, Verdict.INVALID, reason=reason, advice=self._advice(plan, unmet))
        open_one = next((watched for watched in self._watched if watched.violated), None)
        if open_one is not None:
            reason = f"{self._constraint(open_one)} is violated by the plan as a whole"
            return Report(OURS, Verdict.INVALID, reason=reason)
        return Report(OURS, Verdict.VALID)

    def step(self, step: Step) -> None:
        """Carries out one step without checking that it is applicable. Raises InputError for one that is not an action
        of the task."""
        try:
            action, binding = _bound(self.problem, step)
        except _WrongStepError as error:
            raise InputError(f"{step}: {error}") from error
        self._apply(0, action, binding)

    def _apply(self, number: int, action: Any, binding: Binding) -> None:
        added: set[GroundAtom] = set()
        deleted: set[GroundAtom] = set()
        for effect, inner in self._active(action.effects, binding):
            atoms = added if isinstance(effect, AddEffect) else deleted
            atoms.add(self.formulas.ground(effect.atom, inner))
        before = self.state
        self.state = self._derivation.closed(before - deleted | added)
        for atom in before ^ self.state:
            self._changed_by[atom] = number
        self._units += self._cost(action, binding)

    def _active(self, effects: Iterable[Any], binding: Binding) -> Iterator[tuple[Any, Binding]]:
        """The add and delete effects that take place, each with the binding of its variables."""
        for effect in effects:
            if not self.formulas.holds(effect.condition, self.state, binding):
                continue
            if isinstance(effect, UniversalEffect):
                for own in self.formulas.bindings(effect.variables):
                    yield from self._active(effect.effects, {**binding, **own})
            elif isinstance(effect, AddEffect | DelEffect):
                yield effect, binding
            else:
                raise InputError(f"an effect that replay does not know: {effect}")

    def _violated(self) -> _Watched | None:
        """The first constraint that is now violated permanently; adds the current state to all constraints."""
        for watched in self._watched:
            watched.look(self.formulas, self.state)
        return next((w for w in self._watched if w.constraint.operator.lasting and w.violated), None)

    def _constraint(self, watched: _Watched) -> str:
        return f"the constraint {self.formulas.render_constraint(watched.constraint, watched.binding)}"

    def _blame(self, number: int, watched: _Watched) -> str:
        """The changes that step ``number`` made to atoms in the constraint, which held before."""
        about = [atom for condition in watched.constraint.conditions for atom in atoms(condition)]
        changed = sorted(atom for atom, step in self._changed_by.items() if step == number)
        changes = (
            f"{self.formulas.spell_atom(atom)} {'true' if atom in self.state else 'false'}"
            for atom in changed
            if any(is_instance(atom, mentioned) for mentioned in about)
        )
        return f"step {number} made {', '.join(changes)}"

    @property
    def cost(self) -> float:
        """The cost of the steps carried out, rounded once."""
        return float(self._units)

    def _cost(self, action: Any, binding: Binding) -> Fraction:
        if not self.problem.total_cost:
            return Fraction(1)
        return Fraction(0 if action.cost is None else str(self.formulas.value(action.cost.addend, binding)))

    def _advice(self, plan: Plan, unmet: list[Unmet]) -> str:
        """Which step made a missing atom false, if one did."""
        causes = []
        for atom in (part.atom for part in unmet if part.atom):
            text = self.formulas.spell_atom(atom)
            if atom in self._changed_by:
                number = self._changed_by[atom]
                causes.append(f"{text} was made false by step {number} {plan.steps[number - 1]}")
            else:
                causes.append(f"{text} is false at first and no step before makes it true")
        return "; ".join(causes)
