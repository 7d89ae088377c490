"""Reads noun phrases ("all but one of the apples", "each nightstand", "the fridge or the oven"), and makes their
formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from commonsense_lab.studies.alfworld.plain_words import counted_noun, noun_in
from commonsense_lab.studies.homes.household import joined
from commonsense_planning.embedded.plain_sentences import NUMBERS, NotUnderstood, relation_before
from commonsense_planning.wording.naming import ARTICLES, known_name, relation_named
from commonsense_planning.wording.questions import WriteGoal

MODAL = r"(?:must|should|may|shall|can|ought to|has to|have to|is to|are to)"
IS = re.compile(rf"\b(?:{MODAL}|be)\b")
MOST_WORDS = 30  # of a name
AMOUNTS = (
    ("at-least", re.compile(r"^(?:at least|no fewer than|no less than)\s+(\S+)\s+(.+)$")),
    ("at-most", re.compile(r"^(?:at most|no more than|not more than|up to)\s+(\S+)\s+(.+)$")),
    ("exactly", re.compile(r"^(?:exactly|just|only|precisely)\s+(\S+)\s+(.+)$")),
    ("more", re.compile(r"^more than\s+(\S+)\s+(.+)$")),
    ("but", re.compile(r"^all\s+(?:but|except)\s+(\S+)(?:\s+of)?\s+(.+)$")),
)
_ALL = re.compile(r"^(?:all|every|each|both)(?:\s+of)?(?:\s+(?:the|my|your|our))?\s+(.+)$")
_EXCEPT = re.compile(r"^(.+?)\s+(?:except|but)(?:\s+for)?\s+(.+)$")
_NO = re.compile(r"^(?:no|none of(?:\s+(?:the|my))?)\s+(.+)$")
EACH = re.compile(r"^(?:each|every|all|both)(?:\s+of)?(?:\s+(?:the|my))?\s+(.+)$")
_SOME_OF = re.compile(r"^(?:any(?: one)?|one)\s+(?:of\s+)?(?:the\s+|my\s+)?|^the same\s+")
_OR = re.compile(r"\s+or(?:-(\w+))?\s+")
_THING = re.compile(r"^(nothing|anything|something|everything)$")
_ONE = re.compile(r"^(?:the\s+)?(?:one|ones)$")
_SOURCE = re.compile(r"^(.+?)\s+(?:(?:that|which)\s+(?:is|are)\s+)?(?:from|out of|off)\s+(.+)$")
_PREDICATE = re.compile(r"\(([^\s()]+)((?:\s+\?\S+ - (?:\S+|\([^()]*\)))*)\)")
_PARAMETER = re.compile(r"\?\S+ - (\([^()]*\)|\S+)")

Said = Callable[[str], str]  # of a term, a formula


@dataclass(frozen=True)
class Wish:
    """``amount`` ("at-least", "at-most", "exactly", "all", "no", "all-but") and ``count`` of a ``kind``, without
    ``apart``."""

    amount: str
    count: int
    kind: str
    apart: str = ""


class Phrases:
    """The names and relations of a question, and phrases with them."""

    def __init__(self, question: WriteGoal) -> None:
        self.question = question
        self.sizes: dict[str, int] = {}
        self.objects = {o for _, kinds in question.kinds for _, objects in kinds for o in objects}
        for kind, kinds in question.kinds:
            for name, objects in kinds:
                self.sizes.setdefault(name.replace("-", " "), len(objects))
            self.sizes[kind] = sum(len(objects) for _, objects in kinds)
        known = dict(question.known)
        self.types: dict[str, list[str]] = {}
        self.prepositions: dict[str, str] = {}  # relation → the word for it in English
        self.marks: set[str] = set()  # permanent properties of objects, such as "fragile"
        for form in question.predicates:
            found = _PREDICATE.fullmatch(form.text)
            if found:
                self.types[found[1]] = _PARAMETER.findall(found[2])
                if len(self.types[found[1]]) == 1 and not form.changes:
                    self.marks.add(found[1].lower())
                    self.sizes.setdefault(found[1].lower(), len(known.get(found[1], ())))
                if where := re.search(r"\b(\w+) (?:the |an? )?\?\S+$", form.english):
                    self.prepositions[found[1]] = where[1]
        self.names = [*self.sizes, *self.objects]
        self.fixed = {form.text[1:].split()[0].rstrip(")") for form in question.predicates if not form.changes}
        self.counts: dict[tuple[str, str, str], int] = {}  # relation, kind, place → at least so many
        self.last = ""  # what "the one" is
        self.spoken: list[list[Wish]] = [[]]  # what each clause names
        self.variables = 0

    # -- noun phrases --------------------------------------------------------------------------------------

    def amount(self, phrase: str) -> Wish:
        """Reads how many of what, and notes it for the clause."""
        mentioned = len(self.spoken[-1])
        wish = self._amount(phrase)
        self.spoken[-1][mentioned:] = [wish] if wish.kind else []
        return wish

    def _amount(self, phrase: str) -> Wish:
        """Reads "all plates", "at most two of the apples", "the one", "a book"."""
        phrase = phrase.strip()
        if _ONE.match(phrase):
            if not self.last:
                raise NotUnderstood(f"what '{phrase}' is")
            return Wish("at-least", 1, self.last)
        if thing := _THING.match(phrase):
            amount = {"nothing": "no", "everything": "all"}.get(thing[1], "at-least")
            if amount == "all":
                raise NotUnderstood("what 'everything' is; say of which kind")
            return Wish(amount, 1, "")
        if source := _SOURCE.match(phrase):
            return self.taken(self.amount(source[1]), source[2])
        for amount, form in AMOUNTS:
            if found := form.match(phrase):
                count, kind = number_of(found[1]), self.kind(re.sub(r"^of\s+", "", found[2]))
                if amount == "but":
                    return Wish("exactly", self.size(kind) - count, kind)
                if amount == "more":
                    return Wish("at-least", count + 1, kind)
                return Wish(amount, count, kind)
        if found := _ALL.match(phrase):
            apart = ""
            if exception := _EXCEPT.match(found[1]):
                found, apart = re.match(r"(.+)", exception[1]) or found, self.kind(noun_in(exception[2]))
            kind = self.kind(found[1])
            if phrase.startswith("both") and self.size(kind) != 2:
                raise NotUnderstood(f"'{phrase}': there are {self.size(kind)}")
            return Wish("all", 0, kind, apart)
        if found := _NO.match(phrase):
            return Wish("no", 0, self.kind(found[1]))
        definite = phrase.split()[0] in ("the", "my", "your", "our") if phrase else False
        count, noun = counted_noun(re.sub(r"^any(?: one)? of (?:the|my)\s+", "any ", phrase))
        kind = self.kind(noun)
        plural = noun not in self.names and kind.replace("-", " ") != noun and kind.replace("-", " ") in self.sizes
        if plural and count == 1 and self.size(kind) > 1 and not re.match(r"(?:any|some|one|a|an|another|1)\b", phrase):
            if not definite:
                raise NotUnderstood(f"how many '{noun}' are meant")
            return Wish("all", 0, kind)
        return Wish("at-least", count, kind)

    def kind(self, noun: str) -> str:
        """Returns the kind or object that a noun names, as one word, or the noun; the next clause may call it "the
        one"."""
        first, _, rest = noun.partition(" ")
        if first in self.marks and known_name(rest, self.names) in self.types_of_things:  # "fragile parcels"
            noun = first
        name = self.named(noun)
        self.last = name if name in self.objects else name.replace(" ", "-")
        return self.last

    def place(self, noun: str) -> str:
        """Returns the place that a noun names."""
        return self.named(_SOME_OF.sub("", noun.strip()), self.question.places)

    def named(self, noun: str, names: Sequence[str] = ()) -> str:
        """Finds a noun among the names, or else among all names, as a whole, and notes it for the clause; a noun
        without any name in it is returned unchanged."""
        noun = noun.strip()
        name = next((n for of in (names, self.names) if (n := known_name(noun, of)) in of), "")
        if not name:
            name = noun = noun_in(noun)
            words = noun.split()
            if IS.search(noun) or len(words) > MOST_WORDS:
                raise NotUnderstood(f"'{noun}' as a name")
            spans = [(i, j) for i in range(len(words)) for j in range(i + 1, len(words) + 1) if j - i < len(words)]
            inner = [(i, j) for i, j in spans if known_name(" ".join(words[i:j]), self.names) in self.names]
            if inner and not any(i and j == len(words) and (0, i) in inner for i, j in inner):  # "package obj11"
                raise NotUnderstood(f"'{noun}' as a name")
        self.spoken[-1].append(Wish("at-least", 1, name if name in self.objects else name.replace(" ", "-")))
        return name

    def taken(self, wish: Wish, source: str) -> Wish:
        """Finds a thing by its present place: the very one, if there are several."""
        there = self.members(self.kind_of_place(self.place(source)))
        facts = [f.split() for r, of in self.question.known if r in self.question.relations for f in of]
        mine = [fact for fact in facts if fact[0] in self.members(wish.kind)]
        here = [fact[0] for fact in mine if fact[1] in there]
        alone = self.size(wish.kind) == 1
        if wish.amount != "at-least" or wish.count != 1 or (mine and not here if alone else len(here) != 1):
            raise NotUnderstood(f"which '{wish.kind}' at '{source}' is meant")
        return wish if alone else Wish("at-least", 1, here[0])

    def size(self, kind: str) -> int:
        return 1 if kind in self.objects else self.sizes.get(kind.replace("-", " "), self.sizes.get(kind, 1))

    def term(self, noun: str) -> str:
        kind = self.kind(noun)
        if self.size(kind) > 1:
            raise NotUnderstood(f"which '{noun}' is meant")
        return kind

    def members(self, kind: str) -> list[str]:
        """Returns the objects of a kind, or the one of that name."""
        named = (pair for _, kinds in self.question.kinds for pair in kinds)
        return [o for name, objects in named for o in objects if kind in (name, o)]

    def variable(self) -> str:
        self.variables += 1
        return f"?x{self.variables}"

    # -- formulas ------------------------------------------------------------------------------------------

    def simple(self, wish: Wish, preposition: str, place: str) -> tuple[str, str, str] | None:
        """Returns relation, kind and place of a plain count at one place; equal ones are added up."""
        if wish.amount != "at-least" or not wish.kind or EACH.match(place) or _OR.search(place):
            return None
        noun = self.place(place)
        if self.is_region(noun):
            return None
        return self.relation(preposition, noun, wish.kind), wish.kind, noun

    def relation(self, preposition: str, noun: str, kind: str = "") -> str:
        """Returns the relation between a kind and a place; if there is only one, any preposition will do."""
        pairs = zip(self.question.relations, self.question.fitting, strict=True)
        able = [relation for relation, places in pairs if noun in places]
        fit = self._said_of(kind, able)
        if preposition in ("at", "to") and len(fit) == 1:
            return fit[0]
        found = self._relation(preposition, noun, able)
        if not self._said_of(kind, [found]):
            raise NotUnderstood(f"'{preposition} {noun}' of '{kind.replace('-', ' ')}'")
        return found

    def _said_of(self, kind: str, relations: Sequence[str]) -> list[str]:
        """Returns the relations in which things of a kind can be; all if that is unknown."""
        held = dict(zip(self.question.relations, self.question.held, strict=False))
        of_type = (pairs for of, pairs in self.question.kinds if of == kind)
        named = self.members(kind) or [o for pairs in of_type for _, objects in pairs for o in objects]
        return [r for r in relations if not named or r not in held or set(named) & set(held[r])]

    def _relation(self, preposition: str, noun: str, able: Sequence[str]) -> str:
        if len(able) == 1 == len(self.question.relations) and preposition in ("in", "into", "inside", "at", "to"):
            return able[0]
        said = [r for r in able if relation_named(preposition, [self.prepositions.get(r, "")])]
        if len(said) == 1:
            return said[0]
        return relation_before(preposition, noun, self.question)

    def at_least(self, relation: str, kind: str, place: str, count: int) -> str:
        """Says that at least ``count`` are at one and the same place."""
        return self.some(place, lambda term: self.amounted(Wish("at-least", count, kind), relation, term))

    def said(self, wish: Wish, preposition: str, place: str) -> str:
        """Says the wish at a place, which may be one of several ("or", "any"), every one ("each"), or a room."""
        if found := EACH.match(place):
            noun = self.place(found[1])
            relation = self.relation(preposition, noun, wish.kind)
            return self.some(noun, lambda term: self.amounted(wish, relation, term), "forall")
        alternatives = []
        first, *others = _OR.split(place)
        for before, part in ((None, first), *zip(others[::2], others[1::2], strict=True)):
            noun = self.place(part)
            word = before or preposition
            alternatives.append((noun, "" if self.is_region(noun) else self.relation(word, noun, wish.kind)))

        def at(term: str) -> str:
            ways = []
            for noun, relation in alternatives:
                if not relation:
                    ways += self.in_region(term, noun)
                else:
                    ways.append(self.some(noun, partial("({} {} {})".format, relation, term)))
            return joined("or", ways)

        if not wish.kind:  # something, nothing
            first = next((r for _, r in alternatives if r), self.question.relations[0])
            wish = Wish(wish.amount, wish.count, self.types[first][0])
        return self.amounted_of(wish, at)

    def amounted(self, wish: Wish, relation: str, place: str) -> str:
        if not wish.kind:
            wish = Wish(wish.amount, wish.count, self.types[relation][0])
        return self.amounted_of(wish, lambda term: f"({relation} {term} {place})")

    def amounted_of(self, wish: Wish, said: Said) -> str:
        """Says something of the wish's number of things."""
        if self.size(wish.kind) == 1 and not wish.apart and wish.kind not in self.types_of_things:
            if wish.count > 1:  # the reader says how many there are
                return f"(at-least {wish.count} (?x - {wish.kind}) {said('?x')})"
            one = said(wish.kind)
            return f"(not {one})" if wish.amount == "no" or (wish.amount, wish.count) == ("at-most", 0) else one
        variable = self.variable()
        body = said(variable)
        if wish.amount == "all":
            body = f"(imply (not (= {variable} {wish.apart})) {body})" if wish.apart else body
            return f"(forall ({variable} - {wish.kind}) {body})"
        if wish.amount == "no":
            return f"(not (exists ({variable} - {wish.kind}) {body}))"
        if wish.amount == "at-least" and wish.count == 1:
            return f"(exists ({variable} - {wish.kind}) {body})"
        return f"({wish.amount} {wish.count} ({variable} - {wish.kind}) {body})"

    @property
    def types_of_things(self) -> set[str]:
        return {kind for kind, _ in self.question.kinds}

    def some(self, place: str, said: Said, quantifier: str = "exists") -> str:
        kind = self.kind_of_place(place)
        if self.size(kind) == 1:
            return said(kind)
        variable = self.variable()
        return f"({quantifier} ({variable} - {kind}) {said(variable)})"

    def kind_of_place(self, noun: str) -> str:
        """Does as ``kind`` for a noun that is no new topic."""
        name = known_name(noun, self.names)
        return name if name in self.objects else name.replace(" ", "-")

    def is_region(self, noun: str) -> bool:
        """Tells whether it holds fixed places, as a room does, and nothing else."""
        return noun not in self.question.places and bool(self.standing(noun))

    def standing(self, region: str) -> list[str]:
        """Returns the predicates that say which places are in a region."""
        members = self.members(self.kind_of_place(region))
        found = []
        for predicate, facts in self.question.known:
            if predicate in self.fixed and members and any(fact.split()[1:] == members[:1] for fact in facts):
                found.append(predicate)
        return found

    def in_region(self, thing: str, region: str) -> list[str]:
        """Returns the ways in which a thing can be in a region: at one of its places."""
        ways = []
        for relation in self.question.relations:
            variable = self.variable()
            stands = f"({self.standing(region)[0]} {variable} {self.kind_of_place(region)})"
            kind = self.types[relation][1]
            ways.append(f"(exists ({variable} - {kind}) (and {stands} ({relation} {thing} {variable})))")
        return ways


def number_of(word: str) -> int:
    if word in NUMBERS:
        return NUMBERS[word]
    if word in ARTICLES:
        return 1
    if not word.isdecimal():
        raise NotUnderstood(f"how many '{word}' is")
    return int(word[:6])
