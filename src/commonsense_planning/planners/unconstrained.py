"""A task without constraints that has the same plans, as PDDL for planners that know none.

Every state that a plan passes through is one in which an action is carried out, or the last one. So

- what must *always* hold joins the precondition of every action, and the goal; what must hold *at the end* the goal;
- an operator that has to remember something is watched (``pddl.trajectories``) by conditional effects that every action
  gets: they look at the state that the action is carried out in. The last state is checked by an action ``finish``,
  which costs nothing and is removed from the plan. A violation is permanent: it becomes a fact, after which no action
  is applicable.

Nothing is ground and nothing is regressed through effects: the text grows by one block an action, and conditions may be
of any kind. unified-planning's ``TrajectoryConstraintsRemover``, the other way, grounds the task first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from commonsense_planning.pddl.check import check_domain
from commonsense_planning.pddl.evaluation import Binding, Formulas
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import problem_of
from commonsense_planning.pddl.syntax import Group, Node, Symbol, bracketed, fresh, parse, render, words
from commonsense_planning.pddl.trajectories import Constraint, MonitorPart, P, Q


@dataclass(frozen=True)
class Unconstrained:
    """``texts``: of a domain file and a problem file in normal form. ``finish``: the action that ends every plan, where
    there is one."""

    problem: Problem
    texts: tuple[str, str]
    finish: str | None = None

    def read(self) -> Problem:
        """The texts as a problem."""
        domain, task = map(parse, self.texts)
        return problem_of(check_domain(domain), task)

    def back(self, plan: Plan) -> Plan:
        """A plan of the texts as one of the task, in the user's spelling."""
        spell = self.problem.spell
        kept = [step for step in plan if step.action.lower() != self.finish]
        steps = (Step(spell(step.action), tuple(map(spell, step.arguments))) for step in kept)
        cost = plan.cost
        if cost is not None and not self.problem.total_cost:
            cost -= len(plan) - len(kept)  # every action costs 1 there
        return replace(plan, steps=tuple(steps), cost=cost)


def without_constraints(problem: Problem) -> Unconstrained:
    """The task without its constraints; one that has none is as it was, in normal form."""
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
    """A constraint, with ``node`` as in the normal form, and the names of its bits, which have its variables
    for arguments."""

    def __init__(self, problem: Problem, constraint: Constraint, node: Group, taken: set[str]) -> None:
        self.operator, self.monitor = constraint.operator, constraint.operator.monitor
        self.variables = node.items[1] if constraint.variables else Group(())
        inner = node.items[2] if constraint.variables else node
        assert isinstance(inner, Group)
        conditions = inner.items[len(self.operator.words) :]
        self.conditions = dict(zip((P, Q)[: len(conditions)], conditions, strict=True))
        self.names = [variable.symbol for variable in constraint.variables]
        self.bindings = list(Formulas(problem).bindings(constraint.variables))
        bits = [bit for bit in self.monitor.memory if bit not in self.monitor.behind]
        self.bits = {bit: fresh(f"{self.operator.words[0]}-{bit}", taken) for bit in bits}

    def always(self) -> Iterator[Node]:
        """What must hold in every state, where nothing has to be remembered for it."""
        if self.monitor.forbidden and not self.bits:
            (part,) = self.monitor.forbidden
            said = self._said(part._replace(positive=not part.positive))
            yield bracketed("forall", self.variables, said) if self.names else said

    def wanted(self) -> Iterator[Node]:
        """What must hold in the last state: written out, since planners make axioms of a ``forall`` in the goal."""
        for binding in self.bindings:
            for part in self.monitor.wanted:
                yield _bound(self._said(part), binding)

    def effects(self, violated: Group) -> Iterator[Node]:
        """What becomes of the bits, and whether it is violated, from what holds in the state that is looked at."""
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
        """The bits that are true before anything is looked at."""
        for bit in self.bits:
            if self.monitor.memory[bit]:
                yield from (_bound(self._said(MonitorPart(bit)), binding) for binding in self.bindings)

    def _said(self, part: MonitorPart) -> Node:
        name = self.monitor.behind.get(part.name, part.name)
        said = bracketed(self.bits[name], *self.names) if name in self.bits else self.conditions[name]
        return said if part.positive else _not(said)

    def _when(self, parts: Iterable[MonitorPart], effect: Node) -> Node:
        said = bracketed("when", bracketed("and", *map(self._said, parts)), effect)
        return bracketed("forall", self.variables, said) if self.names else said


def _domain(domain: Group, wanted: list[Node], effects: Iterable[Node] = (), shapes: Iterable[Node] = ()) -> Group:
    """The domain with more preconditions and effects of every action, and more predicates."""

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
    """The problem without constraints, with more in its goal and its initial state."""

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
    sections = [item for item in task.items if isinstance(item, Group) and item.head == ":constraints"]
    return [item for section in sections for item in _items(_items(section)[1])[1:] if isinstance(item, Group)]


def _bound(node: Node, binding: Binding) -> Node:
    """A condition in normal form with objects in the places of variables."""
    if isinstance(node, Group):
        return Group(tuple(_bound(item, binding) for item in node.items))
    return Symbol(binding.get(node.text, node.text))


def _items(node: Node) -> tuple[Node, ...]:
    assert isinstance(node, Group)
    return node.items


def _not(node: Node) -> Node:
    return bracketed("not", node)
