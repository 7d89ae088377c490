"""Goals in plain English, so that a user sees how an instruction was understood: "every plate is inside the
dishwasher".

A quantifier over a single atom is part of its sentence ("no apple is on the desk"), if that is unambiguous. Any other
introduces a capital letter: "for every plate P: P is inside …".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from commonsense_planning.grounding.lifted import Lifted
from commonsense_planning.instructions.goal_formula import spelled
from commonsense_planning.instructions.goal_notation import CONSTRAINTS, COUNTS, is_atom, labels_of
from commonsense_planning.instructions.goal_order import ORDERS, variables_of
from commonsense_planning.pddl.conditions import conjuncts
from commonsense_planning.pddl.nodes import Group, Node, Symbol, render
from commonsense_planning.wording.lexicon import Lexicon, split_name
from commonsense_planning.wording.naming import PLURALS
from commonsense_planning.wording.verbalise import Wording

_OF_THE_PLURAL = re.compile(r"^((?:the|some|no) (?:(?! is\b)[\w -])*[^\Wsui]s) is\b")  # but not "the glass", "the bus"
Names = Mapping[str, str]  # a variable's key → its name in the sentence
_ONE = {("exists", True): "some", ("forall", True): "every", ("exists", False): "no"}


class GoalEnglish:
    """Renders the goals of one problem in English."""

    def __init__(self, lifted: Lifted, lexicon: Lexicon) -> None:
        self._wording = Wording(lifted.problem, lexicon)
        static = (name for i, name in enumerate(lifted.predicates) if i not in lifted.fluent)
        self._static = {lifted.problem.spell(name).lower() for name in static}
        self._labels = {spelled(o, lifted).lower() for o in labels_of(lifted)}
        objects = [spelled(o, lifted) for o in range(len(lifted.objects))]
        said = [self._wording.words(name) for name in objects if name.lower() not in self._labels]
        self._unique = {words for words in said if said.count(words) == 1}

    def goal(self, node: Node) -> tuple[str, ...]:
        """The parts of a goal, one sentence each; constraints begin with "always" and the like."""
        parts = [self._constraint(part) or self.sentence(part, {}) for part in conjuncts(node)]
        return tuple(dict.fromkeys(parts))

    def counted(self, predicate: str, count: int, things: Collection[str], places: Collection[str]) -> str:
        """That ``count`` of the things are in a relation to one of the places; objects are in the user's spelling."""
        thing, place = (self._some(objects) for objects in (things, places))
        if count > 1:
            thing = f"each of {count} {plural(self._words(min(things)))}"
            place = place.replace("some ", "the same ", 1)
        return _agreeing(self._wording.said_of(predicate, [thing, place]))

    def _some(self, objects: Collection[str]) -> str:
        words = sorted({self._words(name) for name in objects})
        return self._phrase(Symbol(min(objects)), {}) if len(objects) == 1 else f"some {' or '.join(words)}"

    def _constraint(self, part: Node) -> str:
        if not isinstance(part, Group):
            return ""
        if part.head in ORDERS:
            steps = [" and ".join(self._operand(c, {}) for c in conjuncts(step)) for step in part.items[1:]]
            return f"first {f', {part.head} '.join(steps)}"
        if part.head in CONSTRAINTS:
            said = [self._operand(condition, {}) for condition in part.items[1:]]
            return f"{part.head.replace('-', ' ')}{' ' * (len(said) > 1)}{': '.join(said[:-1])}: {said[-1]}"
        if part.head == "forall" and len(part.items) == 3:
            inner = part.items[2]
            if isinstance(inner, Group) and inner.head == "always":
                return f"always: {self.sentence(Group((*part.items[:2], *inner.items[1:])), {})}"
        return ""

    def sentence(self, node: Node, names: Names, positive: bool = True) -> str:
        """A checked condition, or its negation, in English."""
        if isinstance(node, Symbol):
            return self._phrase(node, names)
        head, operands = node.head, node.items[1:]
        if head == "not":
            return self.sentence(operands[0], names, not positive)
        if head in ("exists", "forall"):
            return self._quantified(node, names, positive)
        if head in ("and", "or") and not operands:
            return "anything" if (head == "and") == positive else "the impossible"
        if not positive and head in ("and", "or", "imply", *COUNTS):
            return f"it is not so that {self.sentence(node, names)}"
        if head in ("and", "or"):
            return f" {head} ".join(self._operand(part, names) for part in operands)
        if head == "imply":
            return f"if {self._operand(operands[0], names)}, then {self._operand(operands[1], names)}"
        if head in COUNTS:
            number, listed, body = operands
            ((noun, letter), *_), inner = self._letters(listed, names)
            kind = noun if render(number) == "1" else plural(noun)
            return f"for {head.replace('-', ' ')} {render(number)} {kind} {letter}: {self._operand(body, inner)}"
        if head == "=":
            left, right = (self._phrase(term, names) for term in operands)
            return f"{left} is {'' if positive else 'not '}{right}"
        return _agreeing(self._wording.said_of(head, [self._phrase(term, names) for term in operands], positive))

    def _quantified(self, node: Group, names: Names, positive: bool) -> str:
        head, listed, body = node.head, node.items[1], node.items[2]
        who, inner_names = self._letters(listed, names)
        if len(who) == 1:
            variable, (kind, letter) = variables_of(listed)[0][0], who[0]
            noun, body = self._told_apart(variable, kind, head, body)
            who = [(noun, letter)]
            inner, flipped = _stripped(body)
            # "every … is not" is "no … is"; "not some … is" is "no … is"
            quantifier = "exists" if head == "forall" and flipped and positive else head
            sign = positive if quantifier == head else False
            odd = flipped and quantifier == head
            word = _ONE.get((quantifier, sign))
            if word and not odd and is_atom(inner) and _occurs(inner, variable) == 1:
                return self.sentence(inner, {**names, variable.key: f"{word} {noun}"})
        called = " and ".join(map(" ".join, who))
        said = self._operand(body, inner_names)
        if head == "exists":
            return f"there is {'a' if positive else 'no'} {called} such that {said}"
        text = f"for every {called}: {said}"
        return text if positive else f"it is not so that {text}"

    def _told_apart(self, variable: Symbol, noun: str, head: str, body: Node) -> tuple[str, Node]:
        """The noun of a quantified variable, and the rest of the body, if that begins with the fact that defines a
        kind."""
        connective = "and" if head == "exists" else "imply"
        parts = body.items[1:] if isinstance(body, Group) and body.head == connective else ()
        first = parts[0] if len(parts) >= 2 else None
        if not isinstance(first, Group) or first.head not in self._static or first.items[1:2] != (variable,):
            return noun, body
        rest = parts[1] if len(parts) == 2 else Group((Symbol("and"), *parts[1:]))
        others = [term for term in first.items[2:] if isinstance(term, Symbol)]
        if not others:
            return self._words(first.head), rest
        if len(others) == 1 and others[0].key in self._labels:
            return self._words(others[0].text), rest
        return noun, body

    def _letters(self, listed: Node, names: Names) -> tuple[list[tuple[str, str]], Names]:
        """The noun and the letter of each variable, and the names with the letters."""
        inner, found = dict(names), []
        for variable, kind in variables_of(listed):
            noun = self._kind(kind)
            first = noun[:1].upper() or "X"
            letters = (first, *(f"{noun[:1].upper()}{number}" for number in range(2, len(inner) + 3)))
            inner[variable.key] = next(letter for letter in letters if letter not in inner.values())
            found.append((noun, inner[variable.key]))
        return found, inner

    def _operand(self, node: Node, names: Names) -> str:
        text = self.sentence(node, names)
        return f"({text})" if isinstance(node, Group) and node.head in ("and", "or", "imply", *COUNTS) else text

    def _kind(self, kind: Symbol | None) -> str:
        return "object" if kind is None else self._words(kind.text)

    def _words(self, name: str) -> str:
        return self._wording.lexicon.noun(name)

    def _phrase(self, term: Node, names: Names) -> str:
        if not isinstance(term, Symbol):
            return ""
        if term.text.startswith("?"):
            return names.get(term.key, term.text)
        words = self._wording.words(term.text)
        if words not in self._unique:
            return term.text
        return words if words[-1:].isdigit() or words == split_name(term.text) else f"the {words}"


def plural(noun: str) -> str:
    """The plural of a noun, by its ending."""
    if noun.endswith("s"):
        return noun
    for ending, singular in reversed(PLURALS):
        if singular and noun.endswith(singular) and noun[-2:-1] not in "aeou":
            return noun.removesuffix(singular) + ending
    return noun + ("es" if noun.endswith(("x", "ch", "sh")) else "s")


def _agreeing(sentence: str) -> str:
    """The sentence with a plural verb if its subject is plural: "the bananas are inside the fridge"."""
    return _OF_THE_PLURAL.sub(r"\1 are", sentence)


def _stripped(body: Node) -> tuple[Node, bool]:
    """The condition without its negations, and whether their number is odd."""
    flipped = False
    while isinstance(body, Group) and body.head == "not" and len(body.items) == 2:
        body, flipped = body.items[1], not flipped
    return body, flipped


def _occurs(atom: Node, variable: Symbol) -> int:
    terms = atom.items[1:] if isinstance(atom, Group) else ()
    return sum(item.key == variable.key for item in terms if isinstance(item, Symbol))
