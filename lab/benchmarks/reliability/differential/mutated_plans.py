"""Plans that are a little wrong, or right in another way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import State, compile_task, make_state
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.lazy import alternating_search

WALK = 6
"""Steps of a walk that stands in for the plan of a task that has none."""
EVALUATIONS = 20_000
"""Of the search for a plan."""

Mutation = Callable[[list[Step], int], None]
"""Changes the steps in place, about the given place."""


class MutatedPlans:
    """Of one ground task: its plan, or a walk where none is found, with one to three changes."""

    def __init__(self, task: GroundTask, rng: np.random.Generator) -> None:
        self._task, self._rng = task, rng
        compiled = compile_task(task)
        self._generator = TransitionModel(compiled)
        self._start = make_state(compiled, task.init)
        problem = task.problem
        self._actions = {
            problem.spell(name): [parameter.sort.name for parameter in action.parameters]
            for name, action in problem.tarski.actions.items()
        }
        self._objects = {
            kind: [problem.spell(str(constant.symbol)) for constant in problem.tarski.language.get_sort(kind).domain()]
            for kind in {"object"}.union(*self._actions.values())
        }
        self._operators = {str(task.step(o)): o for o in range(task.operator_count)}
        found = alternating_search(compiled, self._start, Limits(evaluations=EVALUATIONS)).operators
        self.original = task.plan(self._walk() if found is None else found)
        self._mutations: dict[Mutation, float] = {
            self._drop: 0.15,
            self._double: 0.08,
            self._swap: 0.15,
            self._cut: 0.04,
            self._other_case: 0.1,
            self._put_in: 0.2,
            self._put_in_any: 0.05,
            self._other_argument: 0.1,
            self._any_argument: 0.04,
            self._no_object: 0.02,
            self._too_many: 0.02,
            self._too_few: 0.02,
            self._other_action: 0.02,
            self._no_action: 0.01,
        }

    def draw(self) -> Plan:
        """The next one."""
        steps = list(self.original.steps)
        for _ in range(int(self._rng.integers(1, 4))):
            mutation = list(self._mutations)[self._rng.choice(len(self._mutations), p=list(self._mutations.values()))]
            if steps or mutation in (self._put_in, self._put_in_any):
                mutation(steps, int(self._rng.integers(len(steps) + (mutation == self._put_in))) if steps else 0)
        return Plan(tuple(steps))

    def _walk(self) -> list[int]:
        operators, state = list[int](), self._start
        while len(operators) < WALK and len(ways := self._generator.applicable(state)):
            operators.append(int(self._rng.choice(ways)))
            state = self._generator.successor(state, operators[-1])
        return operators

    def _state(self, steps: list[Step]) -> State | None:
        """The state after the steps; None if they cannot be carried out."""
        state = self._start
        for step in steps:
            operator = self._operators.get(str(step))
            if operator is None or operator not in self._generator.applicable(state):
                return None
            state = self._generator.successor(state, operator)
        return state

    def _pick(self, names: list[str]) -> str:
        return names[int(self._rng.integers(len(names)))]

    def _drop(self, steps: list[Step], at: int) -> None:
        del steps[at]

    def _double(self, steps: list[Step], at: int) -> None:
        steps.insert(at, steps[at])

    def _swap(self, steps: list[Step], at: int) -> None:
        other = int(self._rng.integers(len(steps)))
        steps[at], steps[other] = steps[other], steps[at]

    def _cut(self, steps: list[Step], at: int) -> None:
        del steps[at:]

    def _other_case(self, steps: list[Step], at: int) -> None:
        """Names mean the same in capitals."""
        steps[at] = Step(steps[at].action.upper(), tuple(argument.title() for argument in steps[at].arguments))

    def _put_in(self, steps: list[Step], at: int) -> None:
        """What can be done at this place; where the way back can be done as well, that too."""
        state = self._state(steps[:at])
        if state is None or not len(ways := self._generator.applicable(state)):
            return
        there = int(self._rng.choice(ways))
        after = self._generator.successor(state, there)
        back = (o for o, again in self._generator.successors(after) if np.array_equal(again, state))
        steps[at:at] = [self._task.step(o) for o in (there, *list(back)[:1])]

    def _put_in_any(self, steps: list[Step], at: int) -> None:
        name = self._pick([*self._actions])
        if all(self._objects[kind] for kind in self._actions[name]):
            steps.insert(at, Step(name, tuple(self._pick(self._objects[kind]) for kind in self._actions[name])))

    def _with(self, steps: list[Step], at: int, names: Callable[[str], list[str]]) -> None:
        """Put another object in one place of a step, of those that ``names`` has for the type that is wanted there."""
        step = steps[at]
        kinds = self._actions.get(step.action, [])
        if step.arguments and len(kinds) == len(step.arguments):
            place = int(self._rng.integers(len(kinds)))
            new = self._pick(names(kinds[place]))
            steps[at] = Step(step.action, (*step.arguments[:place], new, *step.arguments[place + 1 :]))

    def _other_argument(self, steps: list[Step], at: int) -> None:
        self._with(steps, at, self._objects.__getitem__)

    def _any_argument(self, steps: list[Step], at: int) -> None:
        self._with(steps, at, lambda kind: self._objects["object"])

    def _no_object(self, steps: list[Step], at: int) -> None:
        self._with(steps, at, lambda kind: ["nobody-has-heard-of-it"])

    def _too_many(self, steps: list[Step], at: int) -> None:
        if objects := self._objects["object"]:
            steps[at] = Step(steps[at].action, (*steps[at].arguments, self._pick(objects)))

    def _too_few(self, steps: list[Step], at: int) -> None:
        steps[at] = Step(steps[at].action, steps[at].arguments[:-1])

    def _other_action(self, steps: list[Step], at: int) -> None:
        steps[at] = Step(self._pick([*self._actions]), steps[at].arguments)

    def _no_action(self, steps: list[Step], at: int) -> None:
        steps[at] = Step("levitate", steps[at].arguments)
