"""Draws small tasks with everything in them that a classical planner knows. Nothing here knows cplan."""

import math
import random
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from tests.oracle.meaning import Meaning, kept
from tests.oracle.task import Action, Atom, Formula, Rule, Scope, Task, Tree, typed

TYPES = {"t": "object", "u": "t", "v": "t", "w": "object"}
ABOVE = {"object": {"object"}, "t": {"t", "object"}, "u": {"u", "t", "object"}, "v": {"v", "t", "object"}} | {
    "w": {"w", "object"}
}
MOST_ATOMS = 12  # of predicates that actions may change
STEPS = 4  # more of the walk that the goal is taken from
TRIES = 4
OPERATORS = {"always": 1, "at": 1, "sometime": 1, "at-most-once": 1, "sometime-after": 2, "sometime-before": 2}

Signatures = dict[str, Scope]


LARGE = ("0", "1", "65535", "65536", "16777215", "16777217", "2147483648", "1000000000000")


def draw(
    rng: random.Random, derived: bool = True, constraints: bool = True, odd: bool = True, large: bool = False
) -> Task:
    """A task of two to four things, most often with a plan. About half have ``derived`` predicates, ``constraints``,
    and what is ``odd``, which not all programs know: ``either``, effects in effects, no
    ``:precondition``, capitals. ``large``: costs near the limits of numbers, and fractions."""
    return _Drawing(rng, odd, large).task(derived and rng.random() < 0.5, constraints and rng.random() < 0.6)


def random_files(rng: random.Random, folder: Path, odd: bool = True) -> tuple[Path, Path]:
    """A task without derived predicates and constraints, as the files of a domain and of a problem in the folder."""
    return draw(rng, False, False, odd).write(folder / "domain.pddl", folder / "problem.pddl")


def damaged(rng: random.Random, task: Task) -> Task:
    """The task without one of its actions and half of its initial facts: often without a plan."""
    lost = rng.choice(task.actions)
    init = rng.sample(sorted(task.init), len(task.init) // 2)
    return replace(task, init=frozenset(init), actions=tuple(action for action in task.actions if action is not lost))


class _Drawing:
    def __init__(self, rng: random.Random, odd: bool, large: bool = False) -> None:
        self.random, self.odd, self.either, self.large = rng, odd, odd and rng.random() < 0.5, large
        kinds = ["t", "u", "u", "v", "w"]
        self.constants: Scope = {"c": rng.choice(kinds)} if rng.random() < 0.5 else {}
        self.objects: Scope = {name: rng.choice(kinds) for name in "abd"[: rng.choice([2, 3, 3, 3])]}
        self.basic: Signatures = {"q": {}}
        things, atoms = [*self.constants.values(), *self.objects.values()], 1
        for name in "prsxy":
            scope = {"?" + i: rng.choice(["object", "t", "t", self.kind()]) for i in "ij"[: rng.choice([1, 1, 1, 2])]}
            atoms += math.prod(sum(self.fits(own, kind) for own in things) for kind in scope.values())
            if atoms <= MOST_ATOMS or name in "pr":
                self.basic[name] = scope

    # -- types and terms ----------------------------------------------------------------------------------------------

    def kind(self) -> Tree:
        """Of a variable."""
        if self.either and self.random.random() < 0.3:
            return ("either", *sorted(self.random.sample(["u", "v", "w"], 2)))
        return self.random.choice(["t", "t", "u", "v", "w", "object"])

    def scope(self, names: str, mark: str = "?") -> Scope:
        return {mark + name: self.kind() for name in names}

    def fits(self, kind: Tree, wanted: Tree) -> bool:
        """Whether all of one type are of another one."""
        given = {kind} if isinstance(kind, str) else {*kind[1:]}
        allowed = {wanted} if isinstance(wanted, str) else {*wanted[1:]}
        return all(ABOVE[str(one)] & allowed for one in given)

    def atom(self, scope: Scope, signatures: Signatures) -> Atom:
        """An atom whose terms are of the types that are wanted; seldom one without terms, unless there is no other."""
        terms, fitting = {**self.constants, **scope}, {}
        for name, kinds in signatures.items():
            found = [[t for t, own in terms.items() if self.fits(own, kind)] for kind in kinds.values()]
            if all(found) and (found or self.random.random() < 0.3):
                fitting[name] = found
        name = self.random.choice([*fitting]) if fitting else "q"
        return (name, *map(self.random.choice, fitting.get(name, ())))

    # -- formulas -----------------------------------------------------------------------------------------------------

    def literal(self, scope: Scope, plain: Signatures, negated: Signatures) -> Formula:
        if self.random.random() < 0.4:
            return ("not", self.atom(scope, negated))
        return self.atom(scope, plain)

    def formula(self, scope: Scope, plain: Signatures, negated: Signatures | None = None, depth: int = 2) -> Formula:
        """A condition; what is ``negated`` in it is of the second kind of predicates, by default the same."""
        negated = plain if negated is None else negated
        draw = self.random.random()
        if depth == 0 or draw < 0.35:
            return self.literal(scope, plain, negated)

        def inside(positive: bool = True, more: Scope | None = None) -> Formula:
            kinds = (plain, negated) if positive else (negated, plain)
            return self.formula({**scope, **(more or {})}, *kinds, depth - 1)

        if draw < 0.47:
            return ("and", *(inside() for _ in range(self.random.randint(0, 3))))
        if draw < 0.6:
            return ("or", *(inside() for _ in range(self.random.randint(1, 3))))
        if draw < 0.68:
            return ("not", inside(False))
        if draw < 0.76:
            return ("imply", inside(False), inside())
        if draw < 0.84 and (terms := [*scope, *self.constants]):
            same = ("=", *(self.random.choice(terms) for _ in range(2)))
            return ("not", same) if self.random.random() < 0.5 else same
        more = self.scope("zw"[depth - 1] if self.random.random() < 0.8 else "yw")
        return (self.random.choice(["forall", "exists"]), typed(more), inside(True, more))

    def effect(self, scope: Scope, plain: Signatures, depth: int) -> Formula:
        draw = self.random.random()
        if depth == 0 or draw < 0.6:
            return self.literal(scope, self.basic, self.basic)
        if draw < 0.75:
            return ("when", self.formula(scope, plain, depth=1), self.effect(scope, plain, depth - 1))
        if draw < 0.9:
            more = self.scope("e")
            return ("forall", typed(more), self.effect({**scope, **more}, plain, depth - 1))
        return ("and", *(self.effect(scope, plain, depth - 1) for _ in range(self.random.randint(1, 2))))

    # -- the task -----------------------------------------------------------------------------------------------------

    def task(self, derived: bool, constraints: bool) -> Task:
        rng = self.random
        heads = {name: self.scope("i"[: rng.randint(0, 1)]) for name in ("d", "g", "h")[: rng.randint(1, 3) * derived]}
        rules = [rule for level, name in enumerate(heads) for rule in self.rules(name, heads, level)]
        plain = {**self.basic, **heads}
        things = {**self.constants, **self.objects}
        prices = {name: Decimal(self.cost()) for name in things} if self.large or rng.random() < 0.5 else None
        init = frozenset(self.atom(self.objects, self.basic) for _ in range(rng.randint(1, 6)))
        capitals = self.odd and rng.random() < 0.1
        task = Task(
            TYPES, self.constants, self.objects, plain, tuple(rules), (), init, prices, ("and",), capitals=capitals
        )
        passed = [init]
        for number in range(rng.randint(3, 5)):
            for _ in range(TRIES):  # for an action that leads on
                action = self.action(f"m{number}", plain, prices is not None)
                if self.walk(Meaning(replace(task, actions=(action,))), passed, 1):
                    break
            task = replace(task, actions=(*task.actions, action))
        meaning = Meaning(task)
        self.walk(meaning, passed, rng.randint(0, STEPS))
        states = [meaning.full(facts) for facts in passed]
        lasting = [self.constraint({}, plain, meaning, states) for _ in range(rng.randint(0, 1) * constraints)]
        others = [self.constraint(self.objects, plain, meaning, states) for _ in range(rng.randint(1, 3) * constraints)]
        goal = self.goal(plain, meaning, states)
        return replace(task, goal=goal, lasting=tuple(lasting), constraints=tuple(others))

    def cost(self) -> str:
        if not self.large:
            return str(self.random.randrange(4))
        thousandths = f"{self.random.randrange(20_000)}.{self.random.randrange(1000):03}"
        return self.random.choice([*LARGE, "0.001", thousandths])

    def walk(self, meaning: Meaning, passed: list[frozenset[Atom]], steps: int) -> bool:
        """Go on to states that were not passed; whether there was one."""
        before = len(passed)
        for _ in range(steps):
            if ways := [after for _, _, after in meaning.moves(passed[-1]) if after not in passed]:
                passed.append(self.random.choice(ways))
        return len(passed) > before

    def rules(self, name: str, heads: Signatures, level: int) -> list[Rule]:
        """One or two rules, over what was derived before, and over itself where that is not negated."""
        before = {**self.basic, **{head: heads[head] for head in [*heads][:level]}}
        scope = heads[name]
        return [
            Rule(name, scope, self.formula(scope, {**before, name: scope}, before), level)
            for _ in range(self.random.randint(1, 2))
        ]

    def action(self, name: str, plain: Signatures, costs: bool) -> Action:
        rng = self.random
        scope = self.scope("xy"[: rng.choice([0, 1, 1, 2, 2])])
        parts = [self.literal(scope, plain, plain) for _ in range(rng.randint(0, 2))]
        parts += [self.formula(scope, plain)] * (rng.random() < 0.6)
        effects = [self.effect(scope, plain, 1 + self.odd) for _ in range(rng.randint(1, 3))]
        if costs and rng.random() < 0.8:
            terms = [*scope, *self.constants]
            priced = ("price", rng.choice(terms)) if terms and rng.random() < 0.5 else self.cost()
            effects.append(("increase", ("total-cost",), priced))
        one = len(parts) == 1 and rng.random() < 0.5
        condition: Formula | None = parts[0] if one else ("and", *parts)
        if not parts and self.odd and rng.random() < 0.5:
            condition = None
        return Action(name, scope, condition, tuple(effects))

    def goal(self, plain: Signatures, meaning: Meaning, states: list[frozenset[Atom]]) -> Formula:
        """What the last of the states has, and most of the others have not."""
        last, atoms = states[-1], {self.atom(self.objects, plain) for _ in range(self.random.randint(0, 2))}
        for state in states[:-1]:
            if self.random.random() < 0.8 and not atoms & (last ^ state):
                atoms.add(self.random.choice(sorted(last ^ state)))
        parts: list[Formula] = [atom if atom in last else ("not", atom) for atom in sorted(atoms)]
        for _ in range(self.random.randint(0, 4)):
            formula = self.formula(self.objects, plain)
            if self.random.random() < 0.1 or meaning.holds(formula, {}, last):
                parts.append(formula)
        return parts[0] if len(parts) == 1 else ("and", *parts)

    def constraint(self, scope: Scope, plain: Signatures, meaning: Meaning, states: list[frozenset[Atom]]) -> Formula:
        """Most often one that is kept in all the states, for all things or for some."""
        rng = self.random
        for _ in range(6):
            more = self.scope("k") if rng.random() < 0.3 else {}
            kind = rng.choice([*OPERATORS])
            parts = [self.formula({**scope, **more}, plain, depth=1) for _ in range(OPERATORS[kind])]
            told: Formula = (kind, *(["end"] * (kind == "at")), *parts)
            every = meaning.bindings(typed(more), {})
            if rng.random() < 0.1 or all(
                kept(kind, *([meaning.holds(part, names, state) for state in states] for part in parts))
                for names in every
            ):
                break
        return ("forall", typed(more), told) if more else told
