"""Goals as a model writes them: PDDL, and four abbreviations of long PDDL. All of them are expanded, so that planners
and validators read plain PDDL.

1. Kinds. A variable may have a kind as its type, ``(?p - plate)``, even if the domain has only objects called plates or
   a fact that defines them. A kind with a single object, such as ``dishwasher``, means that object. ::

       (forall (?p - plate) F)     →  (forall (?p - movable) (imply (instance-of ?p plate) F))

2. Counts: ``(at-least 2 (?a - apple) F)``, ``at-most``, ``exactly``. PDDL has to count with inequalities, or list all
   choices: at least n of k things is ``exists`` over n different ones; at most n lists the k - n for which F fails. ::

       (at-most 1 (?a - apple) F)  →  (or (not F[apple_1]) (not F[apple_2]))       of two apples

3. ``(always F)``, ``(sometime F)``, ``(at-most-once F)``, ``(sometime-before F G)`` and ``(sometime-after F G)`` among
   the parts of the goal are PDDL3's constraints on the states along a plan.

4. ``(then F G …)`` and ``(before F G …)`` are orders: see ``goal_order``.

Generated nodes have the places of their sources, so that every error points to the original text.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from commonsense_planning.grounding.lifted import Lifted
from commonsense_planning.instructions.goal_formula import MOST_BINDINGS, kind_fact, spelled
from commonsense_planning.instructions.goal_order import ORDERS, Exclusive, Needed, in_order, made, variables_of
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.pddl.conditions import conjuncts
from commonsense_planning.pddl.evaluation import Formulas, GroundAtom
from commonsense_planning.pddl.nodes import Group, Node, Symbol, render, words
from commonsense_planning.pddl.sensors import formula_from_text
from commonsense_planning.pddl.source import Source
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.pddl.trajectories import OPERATORS
from commonsense_planning.pddl.vocabulary import Typed, Vocabulary
from commonsense_planning.support.english import counted, near
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.naming import Match, ObjectNames, relation_named
from commonsense_planning.wording.verbalise import Wording

CONSTRAINTS = tuple(word for word, operator in OPERATORS.items() if len(operator.words) == 1)
CONNECTIVES = ("and", "or", "not", "imply", "exists", "forall", "=", *ORDERS, *CONSTRAINTS)
COUNTS = ("at-least", "at-most", "exactly")
MOST_WRITTEN = 20_000  # choices times objects when a count is expanded
MOST_LOOKS = 300_000  # atoms when all quantifiers of a goal are expanded


@dataclass(frozen=True)
class GoalText:
    """A goal as understood: ``said``, the formula with objects' own names, still with kinds and counts; ``goal`` and
    ``constraints``, the same as plain PDDL; ``matched``: how names were understood."""

    said: Node
    goal: Node
    constraints: tuple[Node, ...]
    matched: tuple[Match, ...]


class GoalNotation:
    """The notation for the goals of one problem. ``known``: the facts that are initially known, with normalised
    names."""

    def __init__(self, lifted: Lifted, lexicon: Lexicon, known: Iterable[GroundAtom] = ()) -> None:
        self.lifted = lifted
        self.wording = Wording(lifted.problem, lexicon)
        self.vocabulary: Vocabulary = lifted.problem.normaliser.vocabulary
        self.numbers = {spelled(o, lifted): o for o in range(len(lifted.objects))}
        self.labels = labels_of(lifted)
        self.kinds = kinds_of(lifted)
        self.exclusive = Exclusive(lifted)
        self.known = frozenset(known)
        self._all = [o.symbol.text for o in self.vocabulary.objects.values()]
        self._named: dict[tuple[str, ...], ObjectNames] = {}

    def names(self, types: Sequence[Symbol]) -> ObjectNames:
        """The names of the objects with any of these types, except for labels of kinds."""
        key = tuple(sorted(kind.key for kind in types))
        if key not in self._named:
            objects = self.vocabulary.objects
            fits = [
                name
                for name in self._all
                if self.numbers[name] not in self.labels and self.vocabulary.fits(objects[name.lower()], types)
            ]
            own = {kind: [n for n in fits if self.numbers[n] in members] for kind, members in self.kinds.items()}
            self._named[key] = ObjectNames(fits, self.wording, own)
        return self._named[key]

    def read(self, source: Source, matcher: Matcher) -> GoalText:
        """The goal in a formula. Raises PddlError, at its place, for what cannot be expanded; the checker finds other
        errors."""
        reading = _Reading(self, source, matcher)
        said = reading.resolved(source.root)
        reading.bounded(said, 1)
        goal: list[Node] = []
        constraints: list[Node] = []
        for part in conjuncts(said):
            if isinstance(part, Group) and part.head in ORDERS:
                wanted, ordered = in_order(part, source, self.exclusive, reading.needs, reading.known)
                goal += wanted
                constraints += ordered
            else:
                (goal if reading.constraint(part) is None else constraints).append(reading.constraint(part) or part)
        always = [part.items[1] for part in constraints if isinstance(part, Group) and part.head == "always"]
        if clash := self.exclusive.clash(literal for part in (*goal, *always) for literal in reading.needs(part)):
            raise source.error(source.root, clash, "what can be so at once; an order is said with 'then'")
        whole = [reading.expanded(part) for part in goal]
        return GoalText(
            said,
            whole[0] if len(whole) == 1 else made(source.root, "and", *whole),
            tuple(made(part, *map(reading.expanded, part.items)) for part in constraints if isinstance(part, Group)),
            tuple(reading.matched),
        )


def labels_of(lifted: Lifted) -> frozenset[int]:
    """The objects that only name kinds, such as ``apple`` in (instance-of apple_1 apple): they are the second argument
    of a static fact, and of a type that neither actions nor fluents mention."""
    tarski = lifted.problem.tarski
    sorts = {str(v.sort.name) for action in tarski.actions.values() for v in action.parameters}
    for number, name in enumerate(lifted.predicates):
        if number in lifted.fluent:
            sorts |= {str(sort.name) for sort in tarski.language.get_predicate(name).sort}
    known = {str(c.symbol) for sort in sorts for c in tarski.language.get(sort).domain()}
    second = {terms[1] for predicate, terms in lifted.init if predicate not in lifted.fluent and len(terms) == 2}
    return frozenset(o for o in second if lifted.objects[o] not in known)


def kinds_of(lifted: Lifted) -> dict[str, set[int]]:
    """The words for kinds of objects, each with its objects: labels, static predicates with one parameter, such as
    ``(package ?x)``, and types."""
    kinds: dict[str, set[int]] = {}
    labels = labels_of(lifted)
    for predicate, terms in sorted(lifted.init):
        if predicate in lifted.fluent:
            continue
        if len(terms) == 2 and terms[1] in labels:
            kinds.setdefault(spelled(terms[1], lifted), set()).add(terms[0])
        if len(terms) == 1:
            kinds.setdefault(lifted.problem.spell(lifted.predicates[predicate]), set()).add(terms[0])
    vocabulary = lifted.problem.normaliser.vocabulary
    numbers = {spelled(o, lifted): o for o in range(len(lifted.objects))}
    for item in vocabulary.objects.values():
        for kind in {kind for own in item.types for kind in vocabulary.ancestors(own.key)}:
            kinds.setdefault(vocabulary.types[kind].text, set()).add(numbers[item.symbol.text])
    return kinds


@dataclass(frozen=True)
class _Kind:
    """What a variable of a kind ranges over: the declared type, the condition with ``{}`` for the variable (empty if
    the type is enough), and the objects, in the user's spelling."""

    type: Symbol
    condition: str
    objects: tuple[str, ...]


class _Reading:
    """The reading of one formula."""

    def __init__(self, notation: GoalNotation, source: Source, matcher: Matcher) -> None:
        self.notation, self.source, self.matcher = notation, source, matcher
        self.words = notation.vocabulary
        self.matched: dict[Match, None] = {}
        self._predicates = tuple(signature.symbol.text for signature in self.words.predicates.values())

    # -- names ---------------------------------------------------------------------------------------------

    def resolved(self, node: Node) -> Node:
        """The formula with the objects' own names, and with declared names of kinds."""
        if not isinstance(node, Group) or not node.items:
            return node
        head, operands = node.head, node.items[1:]
        if head in ("exists", "forall", *COUNTS):
            number = () if head in ("exists", "forall") else operands[:1]
            rest = operands[len(number) :]
            if len(rest) != 2 or not isinstance(rest[0], Group):
                return node  # the checker, or the expansion, reports the error
            listed = tuple(self._kind_name(i, rest[0].items) for i in range(len(rest[0].items)))
            return replace(node, items=(node.items[0], *number, replace(rest[0], items=listed), self.resolved(rest[1])))
        named = None if head in (*CONNECTIVES, *self.words.predicates) else relation_named(head, self._predicates)
        if named is not None:
            head, node = named.lower(), replace(node, items=(Symbol(named, node.line, node.column), *operands))
        signature = self.words.predicates.get(head)
        if signature is not None and len(operands) == len(signature.parameters):
            terms = (self._term(t, p) for t, p in zip(operands, signature.parameters, strict=True))
            return replace(node, items=(node.items[0], *terms))
        if head == "=":
            return replace(node, items=(node.items[0], *(self._term(t, Typed(Symbol("?x"))) for t in operands)))
        return replace(node, items=(node.items[0], *(self.resolved(part) for part in operands)))

    def _kind_name(self, index: int, items: tuple[Node, ...]) -> Node:
        """The item of a variable list; if it is a word for a kind, the kind as listed."""
        item, before = items[index], items[index - 1] if index else None
        if not isinstance(item, Symbol) or before != Symbol("-") or item.key in self.words.types:
            return item
        found = self.notation.names((Symbol("object"),)).match(_plain(item), self.matcher)
        if found is None:
            known = map(_word, self.notation.names((Symbol("object"),)).listed)
            raise self.source.error(
                item, f"there is no kind '{item.text}'", "a type or a kind of objects", near(item.text, known)
            )
        self.matched[replace(found, said=item.text)] = None
        return replace(item, text=_word(found.name))

    def _kind(self, symbol: Symbol) -> _Kind:
        """The meaning of a declared type or a resolved kind."""
        words, notation = self.words, self.notation
        if symbol.key in words.types:
            members = [o for o in words.objects.values() if words.fits(o, (symbol,))]
            return _Kind(symbol, "", tuple(o.symbol.text for o in members))
        found = notation.names((Symbol("object"),)).match(_plain(symbol), self.matcher)
        objects = found.objects if found else ()
        types = [kind.key for name in objects for kind in words.objects[name.lower()].types]
        common = words.types[words.common_ancestor(types)] if types else Symbol("object")
        common = replace(common, line=symbol.line, column=symbol.column)
        fact = kind_fact(Typed(Symbol("?x"), (common,)), [notation.numbers[name] for name in objects], notation.lifted)
        every = {o.symbol.text for o in words.objects.values() if words.fits(o, (common,))}
        if every == set(objects):
            condition = ""
        elif fact is not None:
            condition = fact
        else:
            same = [f"(= {{}} {name})" for name in objects]
            condition = same[0] if len(same) == 1 else f"(or {' '.join(same)})"
        return _Kind(common, condition, objects)

    def _term(self, term: Node, parameter: Typed) -> Node:
        if not isinstance(term, Symbol) or term.text.startswith("?"):
            return term
        known = self.words.objects.get(term.key)
        if known is not None and self.words.fits(known, parameter.types):
            return term
        names = self.notation.names(parameter.types)
        phrase = _plain(term)
        found = names.exactly(phrase) or names.exactly(f"top of the {phrase}")
        if found is None and known is None:
            found = self.notation.names((Symbol("object"),)).exactly(phrase)
            found = found if found and len(found.objects) == 1 else names.match(phrase, self.matcher)
        if found is None:
            return term  # the checker reports the error, with a similar name
        if len(found.objects) > 1:
            kind = _word(found.name)
            raise self.source.error(
                term,
                f"'{term.text}' is a kind of {counted(len(found.objects), 'object')}",
                f"one of them, or a variable of that kind, as in (exists (?x - {kind}) …) or (forall (?x - {kind}) …)",
                f"'{found.objects[0]}'",
            )
        self.matched[replace(found, said=term.text)] = None
        return replace(term, text=found.objects[0])

    # -- expansion -----------------------------------------------------------------------------------------

    def constraint(self, node: Node) -> Group | None:
        """The part of a goal if it is a constraint, else None; ``forall`` moves inside of ``always``."""
        if not isinstance(node, Group):
            return None
        if node.head in CONSTRAINTS:
            wanted, given = OPERATORS[node.head].operands, len(node.items) - 1
            if given != wanted:
                number = counted(given, "operand")
                raise self.source.error(node, f"'{node.head}' has {number}", counted(wanted, "condition"))
            return node
        if node.head == "forall" and len(node.items) == 3:
            inner = self.constraint(node.items[2])
            if inner is not None and inner.head == "always":
                return replace(inner, items=(inner.items[0], replace(node, items=(*node.items[:2], inner.items[1]))))
        return None

    def needs(self, node: Node) -> Iterator[Needed]:
        """Some of the ground literals that hold wherever the formula does."""
        if not isinstance(node, Group) or not node.items:
            return
        head, operands = node.head, node.items[1:]
        if head == "and":
            for part in operands:
                yield from self.needs(part)
        elif head == "forall" and len(variables_of(operands[0])) == 1 and len(operands) == 2:
            ((variable, symbol),) = variables_of(operands[0])
            for name in self._kind(symbol).objects if symbol else ():
                yield from self.needs(substituted(operands[1], variable.key, replace(variable, text=name)))
        elif head == "not":
            yield from ((not true, atom) for true, atom in self.needs(operands[0]) if is_atom(operands[0]))
        elif is_atom(node):
            atom = tuple(item.key for item in node.items if isinstance(item, Symbol))
            if not any(term.startswith("?") for term in atom):
                yield True, atom

    def known(self, node: Node) -> bool:
        """Whether the formula is known to hold initially."""
        problem = self.notation.lifted.problem
        formula = formula_from_text(render(self.expanded(node)), problem)
        return Formulas(problem).holds(formula, self.notation.known, {})

    def expanded(self, node: Node) -> Node:
        """The formula as plain PDDL."""
        if not isinstance(node, Group) or not node.items:
            return node
        head, operands = node.head, node.items[1:]
        if head in (*CONSTRAINTS, *ORDERS):
            raise self.source.error(node, f"'{head}' inside another condition", f"'{head}' in the topmost 'and'")
        if head in COUNTS:
            return self._count(node)
        if head not in ("exists", "forall") or len(operands) != 2:
            return replace(node, items=(node.items[0], *(self.expanded(part) for part in operands)))
        conditions: list[Node] = []
        flat: list[Node] = []
        for variable, symbol in variables_of(operands[0]):
            if symbol is None:
                return replace(node, items=(*node.items[:2], self.expanded(operands[1])))
            kind = self._kind(symbol)
            flat += [variable, replace(symbol, text="-"), kind.type]
            if kind.condition:
                conditions.append(_placed(kind.condition.replace("{}", variable.text), symbol))
        body = self.expanded(operands[1])
        if conditions and head == "exists":
            body = made(body, "and", *conditions, *_parts(body))
        elif conditions:
            body = made(body, "imply", conditions[0] if len(conditions) == 1 else made(body, "and", *conditions), body)
        listed = replace(operands[0], items=tuple(flat)) if isinstance(operands[0], Group) else operands[0]
        return replace(node, items=(node.items[0], listed, body))

    def _count(self, node: Group) -> Node:
        form = f"'({node.head} 2 (?x - kind) condition)'"
        if len(node.items) != 4:
            raise self.source.error(node, f"'{node.head}' has {counted(len(node.items) - 1, 'operand')}", form)
        number, listed, body = node.items[1:]
        found = variables_of(listed)
        if not isinstance(number, Symbol) or not number.text.isascii() or not number.text.isdigit():
            raise self.source.error(number, "no count", f"a whole number as in {form}")
        if len(found) != 1 or found[0][1] is None or not found[0][0].text.startswith("?"):
            raise self.source.error(listed, f"'{node.head}' counts one variable of a kind", form)
        variable, symbol = found[0]
        assert symbol is not None
        objects, wanted = self._kind(symbol).objects, int(number.text[:6])
        if node.head != "at-most" and wanted > len(objects):
            problem = f"it asks for {wanted}, but there are {len(objects)} of the kind {symbol.text}"
            raise self.source.error(number, problem, "no more")
        least, most = wanted if node.head != "at-most" else 0, wanted if node.head != "at-least" else len(objects)
        some = made(node, "exists", listed, body)
        if least == 0 and most >= len(objects):
            return made(node, "and")
        if most == 0:
            return made(node, "not", self.expanded(some))
        if least == len(objects):
            return self.expanded(made(node, "forall", listed, body))
        if most == len(objects) and math.perm(len(objects), wanted) <= MOST_BINDINGS:
            return self.expanded(some) if least == 1 else self._different(variable, symbol, wanted, body)
        choices = math.comb(len(objects), wanted)
        if choices * len(objects) > MOST_WRITTEN:
            raise self.source.error(
                node,
                f"there are {choices} ways to choose {wanted} of {len(objects)}",
                "fewer of them: a smaller kind or a smaller number",
            )
        inner = self.expanded(body)
        each = {o: substituted(inner, variable.key, replace(variable, text=o)) for o in objects}
        ways = []
        for chosen in itertools.combinations(objects, wanted):
            yes = [each[o] for o in chosen if least]
            no = [made(node, "not", each[o]) for o in objects if o not in chosen and most < len(objects)]
            ways.append(made(node, "and", *yes, *no) if len(yes) + len(no) > 1 else (yes + no)[0])
        return made(node, "or", *ways)

    def _different(self, variable: Symbol, symbol: Symbol, count: int, body: Node) -> Node:
        """At least ``count``: ``exists`` over different ones."""
        used = set(words(self.source.root))
        stem = variable.text
        while any(f"{stem}{i}".lower() in used for i in range(1, count + 1)):
            stem += "-"
        variables = [replace(variable, text=f"{stem}{i}") for i in range(1, count + 1)]
        unlike = [made(variable, "not", made(variable, "=", a, b)) for a, b in itertools.combinations(variables, 2)]
        bodies = [substituted(body, variable.key, v) for v in variables]
        listed = Group((*variables, replace(symbol, text="-"), symbol), variable.line, variable.column)
        return self.expanded(made(symbol, "exists", listed, made(symbol, "and", *unlike, *bodies)))

    def bounded(self, node: Node, times: int) -> int:
        """The number of atoms when quantifiers are expanded. Raises PddlError for too many."""
        if not isinstance(node, Group):
            return 0
        if node.head in ("exists", "forall", *COUNTS) and len(node.items) > 2:
            for _, symbol in variables_of(node.items[-2]):
                number = len(self._kind(symbol).objects if symbol else self.words.objects)
                times *= number * (_choices(number, node.items[1]) if node.head in COUNTS else 1)
            looks = self.bounded(node.items[-1], times)
        elif node.head in CONNECTIVES:
            looks = sum(self.bounded(part, times) for part in node.items[1:])
        else:
            looks = times
        if looks > MOST_LOOKS:
            raise self.source.error(
                node, f"it speaks of more than {MOST_LOOKS} combinations of objects", "fewer variables at once"
            )
        return looks


def substituted(node: Node, variable: str, term: Symbol) -> Node:
    """The formula with a term in place of a free variable, given by its key."""
    if isinstance(node, Symbol):
        return replace(node, text=term.text) if node.key == variable else node
    if node.head in ("exists", "forall", *COUNTS):
        if any(v.key == variable for part in node.items[1:-1] for v, _ in variables_of(part)):
            return node
        return replace(node, items=(*node.items[:-1], substituted(node.items[-1], variable, term)))
    return replace(node, items=tuple(substituted(part, variable, term) for part in node.items))


def _choices(number: int, wanted: Node) -> int:
    """How often a counted condition may be repeated for each of ``number`` things."""
    text = wanted.text if isinstance(wanted, Symbol) else ""
    return math.comb(number, int(text[:6])) or 1 if text.isascii() and text.isdigit() else 1


def _parts(node: Node) -> tuple[Node, ...]:
    return node.items[1:] if isinstance(node, Group) and node.head == "and" else (node,)


def _placed(text: str, at: Node) -> Node:
    """PDDL at the place of ``at``."""

    def put(node: Node) -> Node:
        if isinstance(node, Symbol):
            return replace(node, line=at.line, column=at.column)
        return Group(tuple(map(put, node.items)), at.line, at.column, at.line, at.column)

    return put(parse(text, define=False).root)


def is_atom(node: Node) -> bool:
    """Whether it is a fact about objects or variables."""
    return isinstance(node, Group) and bool(node.head) and node.head not in (*CONNECTIVES, *COUNTS)


def _plain(symbol: Symbol) -> str:
    """A name as a phrase for matching: ``kitchen-cabinet`` as "kitchen cabinet"."""
    return " ".join(symbol.text.replace("_", " ").replace("-", " ").split()) or symbol.text


def _word(name: str) -> str:
    """A phrase as one word of PDDL."""
    return "-".join(name.replace("_", " ").split())
