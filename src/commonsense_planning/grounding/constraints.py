"""Grounds constraints (``pddl.trajectories``): conditions forbidden in every state, conditions on the last one, and
bits of memory. The bits are facts that no file names, the last ones of the task; they are not hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.grounding.ground_task import NO_MONITORS, Bits, GroundTask, Monitors, goal_of, lists_of
from commonsense_planning.grounding.instantiate import Conjunction, Instantiator, unwanted, wanted
from commonsense_planning.grounding.lifted import TRUE, LiftedConstraint
from commonsense_planning.pddl.trajectories import MonitorPart, Update


def constrained(task: GroundTask, instantiator: Instantiator) -> GroundTask:
    """The task with its constraints; its facts are those of ``instantiator``. Raises InputError for too many disjuncts
    of a condition."""
    return _Constrainer(task, instantiator).constrained()


def unconstrained(task: GroundTask) -> GroundTask:
    """The task without the additions of ``constrained``, except for those to the goal."""
    count = task.fact_count - len(task.monitors.initial)
    return replace(task, facts=task.facts[:count], init=task.init[:count], monitors=NO_MONITORS)


def looked_at(monitors: Monitors, state: Bits, unseen: Bits | None = None) -> Bits:
    """``state``, bool (facts,), after the monitors' updates, in their order. Updates that depend on ``unseen`` facts,
    bool (facts,), are left out."""
    state = state.copy()
    for u in range(len(monitors.bit)):
        pos, neg = monitors.pos.row(u), monitors.neg.row(u)
        if unseen is not None and (unseen[pos].any() or unseen[neg].any()):
            continue
        if state[pos].all() and not state[neg].any():
            state[monitors.bit[u]] = monitors.value[u]
    return state


def remembering(task: GroundTask, hidden: Bits) -> GroundTask:
    """The task of an agent that does not see the ``hidden`` facts, bool (facts,): the initial state sets no bits that
    depend on them.

    Raises InputError if an unobserved update can make a plan invalid: its bit would be hidden too, and depend on the
    past.
    """
    monitors = task.monitors
    for u in np.flatnonzero(monitors.harms).tolist():
        about = np.concatenate([monitors.pos.row(u), monitors.neg.row(u)])
        unseen = about[hidden[about]]
        if len(unseen):
            raise InputError(
                f"{task.fact_step(int(unseen[0]))} is hidden, and {task.constraint_text(int(monitors.constraint[u]))} "
                "has to remember when it was so: such a constraint must be about what the agent sees"
            )
    before = np.concatenate([task.init[: task.fact_count - len(monitors.initial)], monitors.initial])
    return replace(task, init=looked_at(monitors, before, hidden)) if len(monitors.bit) else task


class _Constrainer:
    def __init__(self, task: GroundTask, instantiator: Instantiator) -> None:
        self.task, self.instantiator = task, instantiator
        self.facts: list[tuple[str, tuple[int, ...]]] = []
        self.initial: list[bool] = []
        self.updates: list[tuple[Conjunction, int, Update, int]] = []
        self.failures: list[tuple[Conjunction, int]] = []
        self.wanted: list[tuple[Conjunction, ...]] = []

    def constrained(self) -> GroundTask:
        lifted, task = self.instantiator.lifted, self.task
        for number, constraint in enumerate(lifted.constraints):
            for binding in self.instantiator.bindings(constraint.variables, {}, TRUE):
                self.add(number, constraint, binding)
        goal = self.instantiator.dnf(lifted.goal, {})
        monitors = Monitors(
            pos=lists_of([wanted(when) for when, _, _, _ in self.updates]),
            neg=lists_of([unwanted(when) for when, _, _, _ in self.updates]),
            bit=np.array([bit for _, bit, _, _ in self.updates], np.int32),
            value=np.array([update.value for _, _, update, _ in self.updates], np.bool_),
            harms=np.array([update.harms for _, _, update, _ in self.updates], np.bool_),
            constraint=np.array([number for _, _, _, number in self.updates], np.int32),
            initial=np.array(self.initial, np.bool_),
        )
        return replace(
            task,
            facts=(*task.facts, *self.facts),
            init=looked_at(monitors, np.concatenate([task.init, monitors.initial])),
            goal=goal_of(self.instantiator.conjoin([goal, *self.wanted])),
            failure=goal_of([failure for failure, _ in self.failures]),
            violates=tuple(number for _, number in self.failures),
            monitors=monitors,
        )

    def add(self, number: int, constraint: LiftedConstraint, binding: dict[int, int]) -> None:
        """Adds one ground instance of a constraint, unless nothing can violate it."""
        operator = constraint.operator
        monitor = operator.monitor
        first = self.task.fact_count + len(self.facts)
        bits = {bit: first + i for i, bit in enumerate(monitor.memory)}

        def meant(part: MonitorPart) -> tuple[Conjunction, ...]:
            if part.name in bits:
                return (frozenset((2 * bits[part.name] + (not part.positive),)),)
            return self.instantiator.dnf(constraint.conditions[part], binding)

        def together(parts: Sequence[MonitorPart]) -> tuple[Conjunction, ...]:
            return self.instantiator.conjoin(map(meant, parts))

        updates = [(when, bits[u.bit], u, number) for u in monitor.updates for when in together(u.when)]
        harmful = any(update.harms for update in monitor.updates)
        if harmful and not any(update.harms for _, _, update, _ in updates):
            return
        forbidden = together(monitor.forbidden) if monitor.forbidden else ()
        if monitor.forbidden and not forbidden:
            return
        self.updates += updates
        self.failures += [(when, number) for when in forbidden]
        self.wanted += map(meant, monitor.wanted)
        arguments = tuple(binding[v] for v, _ in constraint.variables)
        self.facts += [(f"{operator.words[0]}:{number}:{bit}", arguments) for bit in bits]
        self.initial += monitor.memory.values()
