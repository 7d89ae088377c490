"""Problems built with unified-planning's own API: some fixed ones, random ones, and the worlds of contingent ones."""

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import unified_planning.shortcuts as up
from unified_planning.engines import UPSequentialSimulator
from unified_planning.environment import Environment
from unified_planning.model import ContingentProblem, SensingAction
from unified_planning.plans import ActionInstance, SequentialPlan


def environment() -> Any:
    """An environment of one's own, which lets names stand for several things, as PDDL does."""
    made = Environment()
    made.credits_stream = None
    made.error_used_name = False
    return made


def counting() -> Any:
    """A problem with a number, which is not translated."""
    problem = up.Problem("counting")
    count = up.Fluent("count", up.IntType())
    problem.add_fluent(count, default_initial_value=0)
    more = up.InstantaneousAction("more")
    more.add_increase_effect(count, 1)
    problem.add_action(more)
    problem.add_goal(up.GE(count, 3))
    return problem


def delivery() -> Any:
    """A parcel to be carried from the hall to the attic: four ways, whose lengths are given, and a ladder's toll."""
    problem = up.Problem("delivery")
    room, parcel = up.UserType("room"), up.UserType("parcel")
    at = up.Fluent("at", up.BoolType(), place=room)
    lies = up.Fluent("lies", up.BoolType(), what=parcel, place=room)
    held = up.Fluent("held", up.BoolType(), what=parcel)
    length = up.Fluent("length", up.RealType(), start=room, end=room)
    for fluent, default in ((at, False), (lies, False), (held, False), (length, 9)):
        problem.add_fluent(fluent, default_initial_value=default)
    hall, stairs, attic = (up.Object(name, room) for name in ("hall", "stairs", "attic"))
    box = up.Object("box", parcel)
    problem.add_objects([hall, stairs, attic, box])
    go = up.InstantaneousAction("go", start=room, end=room)
    go.add_precondition(at(go.start))
    go.add_precondition(up.Not(up.Equals(go.start, go.end)))
    go.add_effect(at(go.start), False)
    go.add_effect(at(go.end), True)
    take = up.InstantaneousAction("take", what=parcel, place=room)
    take.add_precondition(up.And(at(take.place), lies(take.what, take.place)))
    take.add_effect(lies(take.what, take.place), False)
    take.add_effect(held(take.what), True)
    put = up.InstantaneousAction("put", what=parcel, place=room)
    put.add_precondition(up.And(at(put.place), held(put.what)))
    put.add_effect(held(put.what), False)
    put.add_effect(lies(put.what, put.place), True)
    problem.add_actions([go, take, put])
    problem.set_initial_value(at(hall), True)
    problem.set_initial_value(lies(box, hall), True)
    problem.set_initial_value(length(hall, stairs), up.Real(Fraction(1, 3)))
    problem.set_initial_value(length(stairs, attic), up.Real(Fraction(1, 2)))
    problem.add_goal(lies(box, attic))
    problem.add_quality_metric(
        up.MinimizeActionCosts({go: up.Plus(length(go.start, go.end), 1), take: up.Int(2)}, default=up.Int(0))
    )
    return problem


def hidden_key(places: Sequence[str] = ("box1", "box2", "box3")) -> Any:
    """A contingent problem: a key in one of several places, each of which must be opened and looked into."""
    problem = ContingentProblem("hidden key", initial_defaults={up.BoolType(): up.FALSE()})
    place, thing = up.UserType("place"), up.UserType("thing")
    inside = up.Fluent("inside", up.BoolType(), what=thing, where=place)
    opened, held = up.Fluent("opened", where=place), up.Fluent("held", what=thing)
    problem.add_fluents([inside, opened, held])
    key = up.Object("key", thing)
    problem.add_objects([key, *(up.Object(name, place) for name in places)])
    open_it = up.InstantaneousAction("open", where=place)
    open_it.add_precondition(up.Not(opened(open_it.where)))
    open_it.add_effect(opened(open_it.where), True)
    look = SensingAction("look-into", what=thing, where=place)
    look.add_precondition(opened(look.where))
    look.add_observed_fluent(inside(look.what, look.where))
    take = up.InstantaneousAction("take", what=thing, where=place)
    take.add_precondition(up.And(opened(take.where), inside(take.what, take.where)))
    take.add_effect(inside(take.what, take.where), False)
    take.add_effect(held(take.what), True)
    problem.add_actions([open_it, look, take])
    problem.add_oneof_initial_constraint([inside(key, item) for item in problem.objects(place)])
    problem.add_goal(held(key))
    return problem


def broken_lamps() -> Any:
    """A contingent problem: of two lamps at least one is broken. A lamp can be tried, and a broken one mended; mending
    one that is not broken breaks it."""
    problem = ContingentProblem("broken lamps", initial_defaults={up.BoolType(): up.FALSE()})
    lamp = up.UserType("lamp")
    broken, tried = up.Fluent("broken", it=lamp), up.Fluent("tried", it=lamp)
    problem.add_fluents([broken, tried])
    lamps = [up.Object(name, lamp) for name in ("left", "right")]
    problem.add_objects(lamps)
    attempt = SensingAction("try", it=lamp)
    attempt.add_effect(tried(attempt.it), True)
    attempt.add_observed_fluent(broken(attempt.it))
    mend = up.InstantaneousAction("mend", it=lamp)
    mend.add_precondition(tried(mend.it))
    mend.add_effect(broken(mend.it), False, broken(mend.it))
    mend.add_effect(broken(mend.it), True, up.Not(broken(mend.it)))
    problem.add_actions([attempt, mend])
    for each in lamps:
        problem.add_unknown_initial_constraint(broken(each))
        problem.add_goal(up.And(tried(each), up.Not(broken(each))))
    problem.add_or_initial_constraint([broken(each) for each in lamps])
    return problem


class World:
    """One of the worlds of a contingent problem: what is hidden and not among the ``true`` is false. Simulated by
    unified-planning itself."""

    def __init__(self, problem: Any, true: Sequence[Any]) -> None:
        self._problem = problem.clone()
        for literal in problem.hidden_fluents:
            fact = literal.arg(0) if literal.is_not() else literal
            self._problem.set_initial_value(fact, fact in true)
        self._simulator = UPSequentialSimulator(self._problem, error_on_failed_checks=False)
        self._state = self._simulator.get_initial_state()
        self.done: list[str] = []

    def apply(self, instance: Any) -> dict[Any, Any]:
        """Carry an action out; what it lets one observe."""
        values = dict(zip(instance.action.parameters, instance.actual_parameters, strict=True))
        action = self._problem.action(instance.action.name)
        after = self._simulator.apply(self._state, action, instance.actual_parameters)
        assert after is not None, f"{instance} cannot be carried out"
        self._state = after
        self.done.append(str(instance))
        seen = [fact.substitute(values) for fact in getattr(instance.action, "observed_fluents", ())]
        return {fact: after.get_value(fact) for fact in seen}

    @property
    def is_goal_reached(self) -> bool:
        """Whether the goal holds."""
        return bool(self._simulator.is_goal(self._state))


def endless() -> Any:
    """Forty switches, and two lamps of which one goes out when the other is lit: all must be on. There is no plan,
    and what there is to look through takes for ever."""
    problem = up.Problem("endless")
    switch = up.UserType("switch")
    problem.add_objects([up.Object(f"switch{number}", switch) for number in range(40)])
    on, left, right = up.Fluent("on", x=switch), up.Fluent("left"), up.Fluent("right")
    for fluent in (on, left, right):
        problem.add_fluent(fluent, default_initial_value=False)
    flip = up.InstantaneousAction("flip", x=switch)
    flip.add_effect(on(flip.x), up.Not(on(flip.x)))
    problem.add_action(flip)
    for one, other in ((left, right), (right, left)):
        light = up.InstantaneousAction(f"light-{one.name}")
        light.add_effect(one, True)
        light.add_effect(other, False)
        problem.add_action(light)
    problem.add_goal(up.And(left, right, *(on(switch) for switch in problem.all_objects)))
    return problem


class RandomProblems:
    """Problems of three actions over all features that are translated, and random plans for them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def problem(self) -> Any:
        """The next one."""
        problem = up.Problem("random")
        self.thing = up.UserType("thing")
        self.tool = up.UserType("tool", self.thing)
        self.p = up.Fluent("p", up.BoolType(), x=self.thing)
        self.r = up.Fluent("r", up.BoolType(), x=self.thing, y=self.tool)
        self.s = up.Fluent("s", up.BoolType(), x=self.tool, flag=up.BoolType())
        self.on = up.Fluent("on", self.thing, x=self.tool)
        objects = [up.Object("a", self.thing), up.Object("b", self.tool), up.Object("c", self.tool)]
        problem.add_objects(objects)
        for fluent in (self.p, self.r, self.s):
            problem.add_fluent(fluent, default_initial_value=self.random.random() < 0.4)
        problem.add_fluent(self.on, default_initial_value=objects[0])
        for number in range(3):
            problem.add_action(self._action(number))
        tools = [up.ObjectExp(item) for item in objects[1:]]
        for _ in range(3):
            problem.set_initial_value(self._atom(tools, [up.TRUE(), up.FALSE()]), self.random.random() < 0.5)
        problem.add_goal(self._condition(tools, [up.TRUE()], 1))
        if self.random.random() < 0.3:
            problem.add_trajectory_constraint(up.Always(up.Or(self._atom(tools, [up.TRUE()]), self.p(objects[0]))))
        return problem

    def plan(self, problem: Any) -> Any:
        """Up to four actions, applicable or not."""
        return SequentialPlan([self._instance(problem) for _ in range(self.random.randint(0, 4))])

    def _instance(self, problem: Any) -> Any:
        action = self.random.choice(problem.actions)
        arguments = []
        for parameter in action.parameters:
            if parameter.type.is_bool_type():
                arguments.append(up.Bool(self.random.random() < 0.5))
            else:
                arguments.append(up.ObjectExp(self.random.choice(list(problem.objects(parameter.type)))))
        return ActionInstance(action, tuple(arguments))

    def _action(self, number: int) -> Any:
        action = up.InstantaneousAction(f"act{number}", x=self.tool, y=self.tool, flag=up.BoolType())
        terms, flags = [up.ParameterExp(action.x), up.ParameterExp(action.y)], [up.ParameterExp(action.flag), up.TRUE()]
        action.add_precondition(self._condition(terms, flags))
        for _ in range(self.random.randint(1, 3)):
            self._add_effect(action, terms, flags)
        return action

    def _add_effect(self, action: Any, terms: list[Any], flags: list[Any]) -> None:
        condition = self._condition(terms, flags, 1) if self.random.random() < 0.4 else up.TRUE()
        match self.random.randrange(6):
            case 0:
                z = up.Variable("x", self.tool)  # called as the parameter is
                target = self._atom([*terms, up.VariableExp(z)], flags)
                if not any(set(_variables(part)) for part in (target,)):
                    target = self.p(z)
                action.add_effect(target, self.random.random() < 0.5, condition, forall=[z])
            case 1:
                action.add_effect(self._atom(terms, flags), self._condition(terms, flags, 2), condition)
            case 2:
                action.add_effect(self.on(self.random.choice(terms)), self.random.choice(terms))
            case _:
                action.add_effect(self._atom(terms, flags), self.random.random() < 0.6, condition)

    def _atom(self, terms: list[Any], flags: list[Any]) -> Any:
        one, two = self.random.choice(terms), self.random.choice(terms)
        return self.random.choice([self.p(one), self.r(one, two), self.s(one, self.random.choice(flags))])

    def _condition(self, terms: list[Any], flags: list[Any], depth: int = 0) -> Any:
        def inner(*more: Any) -> Any:
            return self._condition([*terms, *more], flags, depth + 1)

        z = up.Variable("z" if self.random.random() < 0.5 else "x", self.tool)
        match self.random.randrange(12 if depth < 2 else 4):
            case 1:
                return up.Equals(self.random.choice(terms), self.random.choice(terms))
            case 2:
                return up.Equals(self.on(self.random.choice(terms)), self.random.choice(terms))
            case 3:
                return self.random.choice(flags)
            case 4 | 5:
                return up.Or(inner(), inner())
            case 6:
                return up.Not(inner())
            case 7:
                return up.Implies(inner(), inner())
            case 8:
                return up.Iff(inner(), inner())
            case 9:
                return up.Exists(inner(up.VariableExp(z)), z)
            case 10:
                return up.Forall(inner(up.VariableExp(z)), z)
        return self._atom(terms, flags)


def _variables(expression: Any) -> list[Any]:
    if expression.is_variable_exp():
        return [expression.variable()]
    return [variable for part in expression.args for variable in _variables(part)]
