"""A task without constraints that has the same plans, as PDDL for planners that support no constraints.

Every state along a plan is one in which an action is carried out, or the last one. So

- a condition that must *always* hold is added to the precondition of every action and to the goal; one that must hold
  *at the end*, to the goal;
- an operator with memory is monitored (``pddl.trajectories``) by conditional effects of every action, which refer to
  the state in which the action is carried out. The last state is checked by an action ``finish``, which costs nothing
  and is removed from the plan. A violation is permanent: it becomes a fact, after which no action is applicable.

Nothing is grounded and nothing is regressed through effects: the text grows by one block per action, and conditions may
be of any kind. The alternative, unified-planning's ``TrajectoryConstraintsRemover``, grounds the task first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from commonsense_planning.pddl.check import check_domain
from commonsense_planning.pddl.evaluation import Formulas
from commonsense_planning.pddl.nodes import Group, Node, Symbol, bracketed, by_head, fresh, render, words
from commonsense_planning.pddl.outcomes import substituted
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import problem_of
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.pddl.trajectories import Constraint, MonitorPart, P, Q


@dataclass(frozen=True)
class Unconstrained:
    """``texts``: a domain file and a problem file in normal form. ``finish``: the action that ends every plan, if there
    is one."""

    problem: Problem
    texts: tuple[str, str]
    finish: str | None = None

    def read(self) -> Problem:
        """The texts as a problem."""
        domain, task = map(parse, self.texts)
        return problem_of(check_domain(domain), task)

    def back(self, plan: Plan) -> Plan:
        """A plan for the texts as one for the task, in the user's spelling."""
        kept = tuple(step for step in plan if step.action.lower() != self.finish)
        cost = plan.cost
        if cost is not None and not self.problem.total_cost:
            cost -= len(plan) - len(kept)  # every action costs 1 there
        return self.problem.spelt(Plan(kept, cost))


def without_constraints(problem: Problem) -> Unconstrained:
    """The task without its constraints, in normal form."""
    assert problem.normal_text is not None
    domain, task = (parse(text).root for text in problem.normal_text)
    taken = {*words(domain), *words(task)}
    watched = [
        _Monitored(problem, constraint, node, taken)
        for constraint, node in zip(problem.constraints, _constraints(task), strict=True)
    ]
    always = [condition for one in watched for condition in one.always()]
    goal = [*always, *(condition for one in watched for condition in one.wanted())]
    remembering = [one for one in watched if one.bits]
    if not remembering:
        return Unconstrained(problem, (render(_domain(domain, always)), render(_problem(task, goal))))
    finish, finished, violated = (fresh(name, taken) for name in ("finish", "finished", "violated"))
    states = [bracketed(finished), bracketed(violated)]
    going_on = [*always, *map(_not, states)]
    effects = [effect for one in remembering for effect in one.effects(bracketed(violated))]
    last = bracketed(
        *(":action", finish, ":parameters", Group(()), ":precondition", bracketed("and", *going_on)),
        *(":effect", bracketed("and", bracketed(finished), *effects)),
    )
    shapes = [*states, *(shape for one in remembering for shape in one.shapes())]
    init = [atom for one in remembering for atom in one.true_at_first()]
    domain = Group((*_domain(domain, going_on, effects, shapes).items, last))
    task = _problem(task, [*goal, bracketed(finished), _not(bracketed(violated))], init)
    return Unconstrained(problem, (render(domain), render(task)), finish)


class _Monitored:
    """A constraint, with its ``node`` in the normal form, and the names of its bits, whose arguments are its
    variables."""

    def __init__(self, problem: Problem, constraint: Constraint, node: Group, taken: set[str]) -> None:
        self.operator, self.monitor = constraint.operator, constraint.operator.monitor
        self.variables = node.items[1] if constraint.variables else Group(())
        inner = node.items[2] if constraint.variables else node
        assert isinstance(inner, Group)
        conditions = inner.items[len(self.operator.words) :]
        self.conditions = dict(zip((P, Q)[: len(conditions)], conditions, strict=True))
        self.names = [variable.symbol for variable in constraint.variables]
        bindings = Formulas(problem).bindings(constraint.variables)
        self.bindings = [{variable: Symbol(name) for variable, name in binding.items()} for binding in bindings]
        bits = [bit for bit in self.monitor.memory if bit not in self.monitor.behind]
        self.bits = {bit: fresh(f"{self.operator.words[0]}-{bit}", taken) for bit in bits}

    def always(self) -> Iterator[Node]:
        """The condition that must hold in every state, if it needs no memory."""
        if self.monitor.forbidden and not self.bits:
            (part,) = self.monitor.forbidden
            said = self._said(part._replace(positive=not part.positive))
            yield bracketed("forall", self.variables, said) if self.names else said

    def wanted(self) -> Iterator[Node]:
        """The conditions on the last state, instantiated, since planners make axioms of a ``forall`` in the goal."""
        for binding in self.bindings:
            for part in self.monitor.wanted:
                yield substituted(self._said(part), binding)

    def effects(self, violated: Group) -> Iterator[Node]:
        """The updates of the bits, and of the violation, from the state in which they are evaluated."""
        for update in self.monitor.updates:
            if update.bit in self.bits:
                yield self._when(update.when, self._said(MonitorPart(update.bit, update.value)))
        if self.monitor.forbidden:
            yield self._when(self.monitor.forbidden, violated)

    def shapes(self) -> Iterator[Group]:
        """The declarations of the bits."""
        for name in self.bits.values():
            yield Group((Symbol(name), *_items(self.variables)))

    def true_at_first(self) -> Iterator[Node]:
        """The bits that are true before the initial state."""
        for bit in self.bits:
            if self.monitor.memory[bit]:
                yield from (substituted(self._said(MonitorPart(bit)), binding) for binding in self.bindings)

    def _said(self, part: MonitorPart) -> Node:
        name = self.monitor.behind.get(part.name, part.name)
        said = bracketed(self.bits[name], *self.names) if name in self.bits else self.conditions[name]
        return said if part.positive else _not(said)

    def _when(self, parts: Iterable[MonitorPart], effect: Node) -> Node:
        said = bracketed("when", bracketed("and", *map(self._said, parts)), effect)
        return bracketed("forall", self.variables, said) if self.names else said


def _domain(domain: Group, wanted: list[Node], effects: Iterable[Node] = (), shapes: Iterable[Node] = ()) -> Group:
    """The domain with additional preconditions and effects of every action, and additional predicates."""

    def section(item: Node) -> Node:
        if not isinstance(item, Group):
            return item
        if item.head == ":requirements":
            return Group(tuple(word for word in item.items if word != Symbol(":constraints")))
        if item.head == ":predicates":
            return Group((*item.items, *shapes))
        if item.head != ":action":
            return item
        items = list(item.items)
        at = items.index(Symbol(":precondition")) + 1
        items[at] = bracketed("and", items[at], *wanted)
        at = items.index(Symbol(":effect")) + 1
        items[at] = Group((*_items(items[at]), *effects))
        return Group(tuple(items))

    return Group(tuple(map(section, domain.items)))


def _problem(task: Group, wanted: Iterable[Node], init: Iterable[Node] = ()) -> Group:
    """The problem without constraints, with additions to its goal and its initial state."""

    def section(item: Node) -> Node:
        if isinstance(item, Group) and item.head == ":goal":
            return bracketed(":goal", bracketed("and", item.items[1], *wanted))
        if isinstance(item, Group) and item.head == ":init":
            return Group((*item.items, *init))
        return item

    kept = (item for item in task.items if not (isinstance(item, Group) and item.head == ":constraints"))
    return Group(tuple(map(section, kept)))


def _constraints(task: Group) -> list[Group]:
    """The constraints of a problem in normal form."""
    sections = by_head(task).get(":constraints", ())
    return [item for section in sections for item in _items(section.items[1])[1:] if isinstance(item, Group)]


def _items(node: Node) -> tuple[Node, ...]:
    assert isinstance(node, Group)
    return node.items


def _not(node: Node) -> Node:
    return bracketed("not", node)
