"""Plans that are a little wrong, or right in another way."""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import State, compile_task, make_state
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.lazy import alternating_search

WALK = 6
"""Steps of a walk that serves as the plan of a task that has none."""
EVALUATIONS = 20_000
"""Of the search for a plan."""
SHARES = {
    **{"drop": 0.15, "double": 0.08, "swap": 0.15, "cut": 0.04, "another case": 0.1, "put in": 0.2, "put in any": 0.05},
    **{"an argument that fits": 0.1, "any argument": 0.04, "no object": 0.02, "too many": 0.02, "too few": 0.02},
    **{"another action": 0.02, "no action": 0.01},
}
"""How often each change is made."""


class MutatedPlans:
    """Of one ground task: its plan, or a walk where none is found, with one to three changes."""

    def __init__(self, task: GroundTask, rng: np.random.Generator) -> None:
        self._task, self._rng, problem, compiled = task, rng, task.problem, compile_task(task)
        self._generator, self._start = TransitionModel(compiled), make_state(compiled, task.init)
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

    def draw(self) -> Plan:
        """Returns the next one."""
        steps = list(self.original.steps)
        for _ in range(int(self._rng.integers(1, 4))):
            change = self._rng.choice([*SHARES], p=[*SHARES.values()])
            if change.startswith("put in"):
                self._put_in(steps, int(self._rng.integers(len(steps) + 1)), anything=change.endswith("any"))
            elif steps:
                self._change(change, steps, int(self._rng.integers(len(steps))))
        return Plan(tuple(steps))

    def _walk(self) -> list[int]:
        operators, state = list[int](), self._start
        while len(operators) < WALK and len(ways := self._generator.applicable(state)):
            operators.append(int(self._rng.choice(ways)))
            state = self._generator.successor(state, operators[-1])
        return operators

    def _state(self, steps: list[Step]) -> State | None:
        """Returns the state after the steps; None if they cannot be carried out."""
        state = self._start
        for step in steps:
            operator = self._operators.get(str(step))
            if operator is None or operator not in self._generator.applicable(state):
                return None
            state = self._generator.successor(state, operator)
        return state

    def _put_in(self, steps: list[Step], at: int, anything: bool) -> None:
        """What can be done at this place, and the way back where that can be done as well; or anything."""
        if anything:
            name = self._rng.choice([*self._actions])
            if all(self._objects[kind] for kind in self._actions[name]):
                steps.insert(at, Step(name, tuple(self._pick(kind) for kind in self._actions[name])))
            return
        state = self._state(steps[:at])
        if state is not None and len(ways := self._generator.applicable(state)):
            there = int(self._rng.choice(ways))
            after = self._generator.successor(state, there)
            back = [o for o, again in self._generator.successors(after) if np.array_equal(again, state)]
            steps[at:at] = [self._task.step(o) for o in (there, *back[:1])]

    def _pick(self, kind: str) -> str:
        return str(self._rng.choice(self._objects[kind] or ["unheard-of"]))

    def _change(self, change: str, steps: list[Step], at: int) -> None:
        """Changes a step in place, or those about it."""
        step, kinds, other = steps[at], self._actions.get(steps[at].action, []), int(self._rng.integers(len(steps)))
        match change:
            case "drop":
                del steps[at]
            case "double":
                steps.insert(at, step)
            case "swap":
                steps[at], steps[other] = steps[other], steps[at]
            case "cut":
                del steps[at:]
            case "another case":  # names mean the same in capitals
                steps[at] = Step(step.action.upper(), tuple(argument.title() for argument in step.arguments))
            case "too many":
                steps[at] = Step(step.action, (*step.arguments, self._pick("object")))
            case "too few":
                steps[at] = Step(step.action, step.arguments[:-1])
            case "another action":
                steps[at] = Step(str(self._rng.choice([*self._actions])), step.arguments)
            case "no action":
                steps[at] = Step("levitate", step.arguments)
            case _ if step.arguments and len(kinds) == len(step.arguments):
                place = int(self._rng.integers(len(kinds)))
                kind = kinds[place] if change == "an argument that fits" else "object"
                new = "unheard-of" if change == "no object" else self._pick(kind)
                steps[at] = Step(step.action, (*step.arguments[:place], new, *step.arguments[place + 1 :]))
