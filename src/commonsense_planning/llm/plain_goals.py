"""Plain sentences to goals in PDDL without a language model: "all plates into the dishwasher, but leave the mug on the
desk; the toothbrush must not end up in the kitchen".

A sentence is cut into clauses, and each clause must be of one of these forms as a whole: things and where they shall be
(with "all", "no", "any", "at most two"), what must not be so, what must never be so, what is to be left, what is to be
empty, open or closed, where the agent shall go. What is of no such form is refused with the reason: a goal that leaves
out what was asked for would be worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from commonsense_planning.llm.plain_sentences import (
    AND,
    LATER,
    NUMBERS,
    POLITE,
    NotUnderstood,
    counted_noun,
    noun_in,
    nouns_of,
    relation_before,
    things_and_places,
    without,
)
from commonsense_planning.wording.naming import ARTICLES, known_name
from commonsense_planning.wording.questions import WriteGoal

FORMS = (
    'It understands sentences such as "put all plates in the dishwasher", "two apples on the table, but leave the one '
    'on the desk", "no mug should be on the bed", "never put milk in the oven", "clear the desk", "close the fridge"'
)
_STARTS = (
    "never|do not|don't|leave|keep|make sure|ensure|nothing|clear|empty|open|close|shut|no|there|visit|go|come|avoid|"
    "at most|put|place|bring|move"
)
_CLAUSES = re.compile(
    rf"\s*(?:;|\.(?=\s))\s*|(?<!\ball)\s*,?\s*\bbut\b(?!\s+(?:one|two|three|\d))\s+(?!not\b)"
    rf"|\s*,\s*(?:(?:and|then)\s+)*(?=(?:{_STARTS})\b)|\s+and\s+(?:then\s+)?(?=(?:{_STARTS})\b)|\s*,?\s+(?=without\b)"
    r"|\s*,\s*and\s+(?=[^,;]*\b(?:must|should|shall)\b)"
)
_SURELY = re.compile(r"^(?:make sure|ensure|see to it)(?:\s+that)?\s+")
_MODAL = r"(?:must|should|may|shall|can|ought to|has to|have to|is to|are to)"
_BEING = r"(?:be put|be placed|be left|be|end up|land|lie|stand|stay|remain|get|come|go)"
_NEVER = re.compile(r"^(?:never|do not ever|don't ever|do not|don't)\s+(.+)$")
_PUT = re.compile(r"^(?:put|place|move|bring|take|carry|store|set|drop)\s+(.+)$")
_LEAVE_NOT = re.compile(r"^(?:leave|let)\s+(.+)$")
_LEAVE = re.compile(r"^(?:leave|keep)\s+(.+?)(?:\s+(alone|where (?:it|they) (?:is|are)|there))?$")
_MUST_NOT = re.compile(rf"^(.+?)\s+{_MODAL}\s+(?:(never)(?:\s+ever)?|not(\s+ever)?)\s+{_BEING}\s+(.+)$")
_THERE = re.compile(rf"^there\s+{_MODAL}\s+(?:(never)|(not)\s+)?\s*be\s+(.+)$")
_CLEAR = re.compile(r"^(?:clear|empty)(?:\s+(?:out|off|up))?\s+(.+)$")
_EMPTY = re.compile(rf"^(.+?)\s+(?:{_MODAL}\s+be|is|are)\s+(?:empty|clear|cleared)$")
_STATE = re.compile(rf"^(.+?)\s+(?:{_MODAL}\s+(?:(never|not)\s+)?(?:be|stay|remain)|is|are)\s+(?:left\s+)?(.+)$")
_GO = re.compile(
    r"^(?:go|travel|fly|walk|get|drive|come|head)(?:\s+back)?\s+to\s+(.+?)(?:\s+(?:via|through|by way of)\s+(.+))?$"
)
_BE = re.compile(r"^(?:end|finish|be|stop)(?:\s+up)?\s+(?:in|at)\s+(.+)$")
_VISIT = re.compile(r"^(?:visit|see|stop (?:in|at)|(?:go|pass|fly|travel) (?:through|via))\s+(.+)$")
_AVOID = re.compile(
    r"^(?:avoid|without|not)\b\s*(?:(?:passing|going|flying|travelling|changing|stopping)\s+)?"
    r"(?:(?:through|via|in|at|to|over)\s+)?(.+)$"
)
_AMOUNTS = (
    ("at-least", re.compile(r"^(?:at least|no fewer than|no less than)\s+(\S+)\s+(.+)$")),
    ("at-most", re.compile(r"^(?:at most|no more than|not more than|up to)\s+(\S+)\s+(.+)$")),
    ("exactly", re.compile(r"^(?:exactly|just|only|precisely)\s+(\S+)\s+(.+)$")),
    ("more", re.compile(r"^more than\s+(\S+)\s+(.+)$")),
    ("but", re.compile(r"^all\s+(?:but|except)\s+(\S+)(?:\s+of)?\s+(.+)$")),
)
_ALL = re.compile(r"^(?:all|every|each|both)(?:\s+of)?(?:\s+(?:the|my|your|our))?\s+(.+)$")
_EXCEPT = re.compile(r"^(.+?)\s+(?:except|but)(?:\s+for)?\s+(.+)$")
_NO = re.compile(r"^(?:no|none of(?:\s+(?:the|my))?)\s+(.+)$")
_EACH = re.compile(r"^(?:each|every|all|both)(?:\s+of)?(?:\s+(?:the|my))?\s+(.+)$")
_SOME_OF = re.compile(r"^(?:any(?: one)?|one)\s+(?:of\s+)?(?:the\s+|my\s+)?|^the same\s+")
_OR = re.compile(r"\s+or(?:-(\w+))?\s+")
_OR_AT = re.compile(r"\s+or\s+(in|into|inside|on|onto|at)\s+")  # "in the fridge or on the table"
_THING = re.compile(r"^(nothing|anything|something|everything)$")
_ONE = re.compile(r"^(?:the\s+)?(?:one|ones)$")
_PREDICATE = re.compile(r"\(([^\s()]+)((?:\s+\?\S+ - (?:\S+|\([^()]*\)))*)\)")
_PARAMETER = re.compile(r"\?\S+ - (\([^()]*\)|\S+)")

Said = Callable[[str], str]  # of a term, a formula


def plain_goal(question: WriteGoal) -> str:
    """The goal of plain sentences as PDDL, or a text that says why there is none and what is understood."""
    sentence = " ".join(question.instruction.split()).strip(" \"'.!?")
    if sentence.startswith("("):  # a goal already
        return sentence
    try:
        return _Reading(question).goal(sentence.lower())
    except NotUnderstood as refusal:
        return f"I do not understand {refusal}. {FORMS}."


@dataclass(frozen=True)
class _Wish:
    """``amount`` ("at-least", "at-most", "exactly", "all", "no", "all-but") and ``count`` of a ``kind``; ``apart``: the
    one that is left out."""

    amount: str
    count: int
    kind: str
    apart: str = ""


class _Reading:
    """One instruction, read."""

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
        self.marks: set[str] = set()  # what is said of objects for good, such as "fragile"
        for form in question.predicates:
            found = _PREDICATE.fullmatch(form.text)
            if found:
                self.types[found[1]] = _PARAMETER.findall(found[2])
                if len(self.types[found[1]]) == 1 and not form.changes:
                    self.marks.add(found[1].lower())
                    self.sizes.setdefault(found[1].lower(), len(known.get(found[1], ())))
        self.names = [*self.sizes, *self.objects]
        self.fixed = {form.text[1:].split()[0].rstrip(")") for form in question.predicates if not form.changes}
        self.counts: dict[tuple[str, str, str], int] = {}  # relation, kind, place → at least so many
        self.last = ""  # what "the one" is
        self.variables = 0

    def goal(self, sentence: str) -> str:
        parts: list[str] = []
        for clause in filter(None, map(str.strip, _CLAUSES.split(sentence))):
            parts += self.clause(without(LATER, without(POLITE, clause)))
        parts += [self.at_least(*key, count) for key, count in self.counts.items()]
        if not parts:
            raise NotUnderstood("an empty sentence")
        return parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"

    # -- clauses -------------------------------------------------------------------------------------------

    def clause(self, text: str) -> list[str]:
        """What a clause says, but for simple counts, which are put by until the end."""
        text = _SURELY.sub("", text)
        for form, read in (
            (_NEVER, self.never),
            (_THERE, self.there),
            (_MUST_NOT, self.must_not),
            (_LEAVE, self.leave),
            (_GO, self.go),
            (_BE, self.go),
            (_VISIT, self.visit),
            (_AVOID, self.avoid),
        ):
            if found := form.match(text):
                return read(found)
        cleared = _EMPTY.match(text) or (_CLEAR.match(text) if not self.has_place(text) else None)
        if cleared:
            return [self.empty(noun) for noun in AND.split(cleared[1])]
        if self.has_place(text):
            return list(self.positive(text))
        return self.state(text)

    def has_place(self, text: str) -> bool:
        try:
            return bool(things_and_places(_OR_AT.sub(r" or-\1 ", text), self.question.relations))
        except NotUnderstood:
            return False

    def positive(self, text: str) -> Iterator[str]:
        text = _OR_AT.sub(r" or-\1 ", text)
        for things, preposition, place in things_and_places(text, self.question.relations):
            listed = re.sub(r"^(?:me|us)\s+|\s+belongs?$", "", nouns_of(things))
            parts = re.split(r"\s+or\s+", listed)
            if len(parts) > 1:
                if len(AND.split(listed)) > 1:
                    raise NotUnderstood(f"both 'and' and 'or' in '{listed}'")
                ways = [self.said(self.amount(part), preposition, place) for part in parts]
                yield f"(or {' '.join(ways)})"
                continue
            for phrase in AND.split(listed):
                wish = self.amount(phrase)
                simple = self.simple(wish, preposition, place)
                if simple is None:
                    yield self.said(wish, preposition, place)
                elif self.size(wish.kind) > 1:
                    self.counts[simple] = self.counts.get(simple, 0) + wish.count
                else:
                    self.counts[simple] = max(self.counts.get(simple, 0), wish.count)

    def never(self, found: re.Match[str]) -> list[str]:
        """ "never put …", "do not leave …", "never open …", "do not fly to …"."""
        text = found[1]
        text = _OR_AT.sub(r" or-\1 ", text)
        if left := _LEAVE_NOT.match(text):
            return [self.denied(left[1])]
        if put := _PUT.match(text):
            return [f"(always {self.denied(put[1])})"]
        if (gone := _GO.match(text) or _VISIT.match(text)) and self.agent:
            return [f"(always (not ({self.agent} {self.term(city)})))" for city in _either(gone[1])]
        return [f"(always (not {said}))" for said in self.state(text)]

    def must_not(self, found: re.Match[str]) -> list[str]:
        """ "… must not end up in …": in the end; "… must never be in …": at no time."""
        who, never, ever, where = found.groups()
        if not self.has_place(f"x {where}"):
            said = [f"(not {part})" for part in self.state(f"{who} must be {where}")]
        else:
            said = [self.denied(f"{who} {where}")]
        return [f"(always {part})" for part in said] if never or ever else said

    def there(self, found: re.Match[str]) -> list[str]:
        never, negated, what = found.groups()
        if never or negated:
            said = self.denied(what)
            return [f"(always {said})" if never else said]
        return list(self.positive(what))

    def denied(self, text: str) -> str:
        """That it is not so: "a plate on the table", "more than two plates on the table"."""
        parts = []
        found = things_and_places(text, self.question.relations)
        if len(found) > 1:
            raise NotUnderstood(f"'{text}' as one thing that must not be")
        for things, preposition, place in found:
            for phrase in AND.split(things.strip()):
                if more := dict(_AMOUNTS)["more"].match(phrase):
                    wish = _Wish("at-most", _number(more[1]), self.kind(more[2]))
                else:
                    plain = re.sub(r"^(?:any(?: of)?|either of)\s+", "", phrase)
                    wish = self.amount(plain)
                    if wish.amount != "at-least" and not plain.startswith("the "):
                        raise NotUnderstood(f"'{phrase}' where something must not be")
                    if wish.count != 1:
                        raise NotUnderstood(f"'{phrase}' where something must not be; say 'more than'")
                    wish = _Wish("no", 0, wish.kind)
                parts.append(self.said(wish, preposition, place))
        return parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"

    def leave(self, found: re.Match[str]) -> list[str]:
        """What is to stay where it is."""
        if found[2]:
            return [f"(always {self.place_of(noun)})" for noun in AND.split(found[1])]
        if not self.has_place(found[1]):
            return [f"(always {said})" for said in self.state(f"{found[1].replace(' open', ' is open')}")]
        parts = []
        for things, preposition, place in things_and_places(found[1], self.question.relations):
            for phrase in AND.split(things.strip()):
                wish = self.amount(phrase)
                if wish.amount != "at-least":
                    raise NotUnderstood(f"which things '{phrase}' are that shall stay; name them")
                parts.append(f"(always {self.where_it_is(wish, preposition, place)})")
        return parts

    def where_it_is(self, wish: _Wish, preposition: str, place: str) -> str:
        """That "the one on the desk" stays there: that very one, where it is known; else some one."""
        noun = known_name(noun_in(place), self.question.places)
        relation = self.relation(preposition, noun)
        there = self.members(self.kind_of_place(noun))
        facts = dict(self.question.known).get(relation, ())
        known = [fact for fact in facts if fact.split()[1] in there and fact.split()[0] in self.members(wish.kind)]
        return f"({relation} {known[0]})" if len(known) == 1 else self.said(wish, preposition, place)

    def members(self, kind: str) -> list[str]:
        """The objects of a kind, or the one of that name."""
        named = (pair for _, kinds in self.question.kinds for pair in kinds)
        return [o for name, objects in named for o in objects if kind in (name, o)]

    def place_of(self, noun: str) -> str:
        """That a thing is where it is known to be."""
        name = self.kind(noun_in(noun))
        members = self.members(name)
        thing = members[0] if len(members) == 1 else name
        for relation, facts in self.question.known:
            for fact in facts:
                if relation in self.question.relations and fact.split()[0].lower() == thing.lower():
                    return f"({relation} {fact})"
        raise NotUnderstood(f"where '{noun}' is to be left: where it is, is not known yet")

    def empty(self, noun: str) -> str:
        """That nothing is on or in a place."""
        place = known_name(noun_in(noun), self.question.places)
        relations = zip(self.question.relations, self.question.fitting, strict=True)
        able = [relation for relation, places in relations if place in places]
        if not able:
            raise NotUnderstood(f"how '{noun}' can be empty")
        return self.every(place, lambda term: _all_of(self.nothing(relation, term) for relation in able))

    def nothing(self, relation: str, place: str) -> str:
        variable = self.variable()
        return f"(forall ({variable} - {self.types[relation][0]}) (not ({relation} {variable} {place})))"

    def state(self, text: str) -> list[str]:
        """ "close the fridge", "the fridge must be closed"."""
        negative = False
        if found := _STATE.match(text):
            listed, denied, word = found.groups()
            negative = denied is not None
        else:
            word, _, listed = text.partition(" ")
        adjectives = {}
        for form in self.question.predicates:
            predicate = form.text[1:].split()[0].rstrip(")")
            if form.changes and len(self.types.get(predicate, ())) == 1:
                for positive, sentence in ((True, form.english), (False, form.denied)):
                    if said := re.fullmatch(r"\?\S+ is ([\w ]+)", sentence):
                        adjectives[said[1]] = predicate, positive
        meant = [value for adjective, value in adjectives.items() if adjective in (word, f"{word}d", f"{word}ed")]
        if not meant or not listed:
            raise NotUnderstood(f"where things shall be, or what, in '{text}'")
        predicate, positive = meant[0]
        parts = []
        for phrase in AND.split(listed):
            wish = self.amount(phrase)
            if wish.amount not in ("at-least", "all", "no"):
                raise NotUnderstood(f"'{phrase}'")
            form_of = "({} {})" if positive != (negative or wish.amount == "no") else "(not ({} {}))"
            every = _Wish("all", 0, wish.kind, wish.apart)
            parts.append(self.amounted_of(every, partial(form_of.format, predicate)))
        return parts

    # -- the agent -----------------------------------------------------------------------------------------

    @property
    def agent(self) -> str:
        """The predicate that says where the agent is; empty if there is none."""
        for form in self.question.predicates:
            if form.changes and re.fullmatch(r"the [\w ]+ is (?:in|at|inside) (?:the )?\?\S+", form.english):
                return form.text[1:].split()[0]
        return ""

    def go(self, found: re.Match[str]) -> list[str]:
        """ "fly to Athens via Rome"."""
        if not self.agent:
            raise NotUnderstood(f"who is to go in '{found[0]}'")
        parts = [f"({self.agent} {self.term(found[1])})"]
        if found.re is _GO and found[2]:
            parts += self.visited(found[2])
        return parts

    def visit(self, found: re.Match[str]) -> list[str]:
        return self.visited(found[1])

    def visited(self, places: str) -> list[str]:
        keys = [form.text[1:].split()[0] for form in self.question.predicates if form.changes]
        been = [key for key in keys if key.lower().startswith("visit")]
        if not been:
            raise NotUnderstood(f"'{places}': nothing says where one has been")
        wishes = map(self.amount, AND.split(places))
        return [self.amounted_of(wish, partial("({} {})".format, been[0])) for wish in wishes]

    def avoid(self, found: re.Match[str]) -> list[str]:
        if not self.agent:
            raise NotUnderstood(f"'{found[0]}'")
        return [f"(always (not ({self.agent} {self.term(place)})))" for place in _either(found[1])]

    # -- noun phrases --------------------------------------------------------------------------------------

    def amount(self, phrase: str) -> _Wish:
        """How many of what: "all plates", "at most two of the apples", "the one", "a book"."""
        phrase = phrase.strip()
        if _ONE.match(phrase):
            if not self.last:
                raise NotUnderstood(f"what '{phrase}' is")
            return _Wish("at-least", 1, self.last)
        if thing := _THING.match(phrase):
            amount = {"nothing": "no", "everything": "all"}.get(thing[1], "at-least")
            if amount == "all":
                raise NotUnderstood("what 'everything' is; say of which kind")
            return _Wish(amount, 1, "")
        for amount, form in _AMOUNTS:
            if found := form.match(phrase):
                count, kind = _number(found[1]), self.kind(re.sub(r"^of\s+", "", found[2]))
                if amount == "but":
                    return _Wish("at-least", self.size(kind) - count, kind)
                if amount == "more":
                    return _Wish("at-least", count + 1, kind)
                return _Wish(amount, count, kind)
        if found := _ALL.match(phrase):
            apart = ""
            if exception := _EXCEPT.match(found[1]):
                found, apart = re.match(r"(.+)", exception[1]) or found, self.kind(noun_in(exception[2]))
            kind = self.kind(found[1])
            if phrase.startswith("both") and self.size(kind) != 2:
                raise NotUnderstood(f"'{phrase}': there are {self.size(kind)}")
            return _Wish("all", 0, kind, apart)
        if found := _NO.match(phrase):
            return _Wish("no", 0, self.kind(found[1]))
        definite = phrase.split()[0] in ("the", "my", "your", "our") if phrase else False
        count, noun = counted_noun(re.sub(r"^any(?: one)? of (?:the|my)\s+", "any ", phrase))
        kind = self.kind(noun)
        plural = noun not in self.names and kind.replace("-", " ") != noun and kind.replace("-", " ") in self.sizes
        if plural and count == 1 and self.size(kind) > 1 and not re.match(r"(?:any|some|one|a|an|another|1)\b", phrase):
            if not definite:
                raise NotUnderstood(f"how many '{noun}' are meant")
            return _Wish("all", 0, kind)
        return _Wish("at-least", count, kind)

    def kind(self, noun: str) -> str:
        """The kind or object that a noun names, as one word; the noun itself if there is none. What a clause named last
        is "the one" in the next."""
        first, _, rest = noun.partition(" ")
        if first in self.marks and known_name(noun_in(rest), self.names) in self.types_of_things:  # "fragile parcels"
            noun = first
        name = known_name(noun_in(noun), self.names)
        self.last = name if name in self.objects else name.replace(" ", "-")
        return self.last

    def size(self, kind: str) -> int:
        return 1 if kind in self.objects else self.sizes.get(kind.replace("-", " "), self.sizes.get(kind, 1))

    def term(self, noun: str) -> str:
        kind = self.kind(noun)
        if self.size(kind) > 1:
            raise NotUnderstood(f"which '{noun}' is meant")
        return kind

    def variable(self) -> str:
        self.variables += 1
        return f"?x{self.variables}"

    # -- formulas ------------------------------------------------------------------------------------------

    def simple(self, wish: _Wish, preposition: str, place: str) -> tuple[str, str, str] | None:
        """Relation, kind and place of a plain count at one place, which others of the same may join."""
        if wish.amount != "at-least" or not wish.kind or _EACH.match(place) or _OR.search(place):
            return None
        noun = known_name(noun_in(_SOME_OF.sub("", place)), self.question.places)
        if self.is_region(noun):
            return None
        return self.relation(preposition, noun), wish.kind, noun

    def relation(self, preposition: str, noun: str) -> str:
        """The relation before a place; where there is but one for it, any word for being there will do."""
        pairs = zip(self.question.relations, self.question.fitting, strict=True)
        able = [relation for relation, places in pairs if noun in places]
        if len(able) == 1 == len(self.question.relations) and preposition in ("in", "into", "inside", "at", "to"):
            return able[0]
        return relation_before(preposition, noun, self.question)

    def at_least(self, relation: str, kind: str, place: str, count: int) -> str:
        """At least so many at one and the same place."""
        return self.some(place, lambda term: self.amounted(_Wish("at-least", count, kind), relation, term))

    def said(self, wish: _Wish, preposition: str, place: str) -> str:
        """The wish at a place, which may be one of several ("or", "any"), every one ("each"), or a room."""
        if found := _EACH.match(place):
            noun = known_name(noun_in(found[1]), self.question.places)
            relation = self.relation(preposition, noun)
            return self.every(noun, lambda term: self.amounted(wish, relation, term))
        alternatives = []
        first, *others = _OR.split(place)
        for before, part in ((None, first), *zip(others[::2], others[1::2], strict=True)):
            noun = known_name(noun_in(_SOME_OF.sub("", part)), self.question.places)
            alternatives.append((noun, "" if self.is_region(noun) else self.relation(before or preposition, noun)))

        def at(term: str) -> str:
            ways = []
            for noun, relation in alternatives:
                if not relation:
                    ways += self.in_region(term, noun)
                else:
                    ways.append(self.some(noun, partial("({} {} {})".format, relation, term)))
            return ways[0] if len(ways) == 1 else f"(or {' '.join(ways)})"

        if not wish.kind:  # something, nothing
            first = next((r for _, r in alternatives if r), self.question.relations[0])
            wish = _Wish(wish.amount, wish.count, self.types[first][0])
        return self.amounted_of(wish, at)

    def amounted(self, wish: _Wish, relation: str, place: str) -> str:
        if not wish.kind:
            wish = _Wish(wish.amount, wish.count, self.types[relation][0])
        return self.amounted_of(wish, lambda term: f"({relation} {term} {place})")

    def amounted_of(self, wish: _Wish, said: Said) -> str:
        """So many things of which something is said."""
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

    def some(self, place: str, said: Said) -> str:
        kind = self.kind_of_place(place)
        if self.size(kind) == 1:
            return said(kind)
        variable = self.variable()
        return f"(exists ({variable} - {kind}) {said(variable)})"

    def every(self, place: str, said: Said) -> str:
        kind = self.kind_of_place(place)
        if self.size(kind) == 1:
            return said(kind)
        variable = self.variable()
        return f"(forall ({variable} - {kind}) {said(variable)})"

    def kind_of_place(self, noun: str) -> str:
        """As ``kind``, of a noun that is no new thing to talk of."""
        name = known_name(noun, self.names)
        return name if name in self.objects else name.replace(" ", "-")

    def is_region(self, noun: str) -> bool:
        """Whether places stand there for good, as in a room, and nothing else can."""
        return noun not in self.question.places and bool(self.standing(noun))

    def standing(self, region: str) -> list[str]:
        """The predicates that say which places are in a region."""
        members = self.members(self.kind_of_place(region))
        found = []
        for predicate, facts in self.question.known:
            if predicate in self.fixed and members and any(fact.split()[1:] == members[:1] for fact in facts):
                found.append(predicate)
        return found

    def in_region(self, thing: str, region: str) -> list[str]:
        """The ways in which a thing can be in a region: at one of the places there."""
        ways = []
        for relation in self.question.relations:
            variable = self.variable()
            stands = f"({self.standing(region)[0]} {variable} {self.kind_of_place(region)})"
            kind = self.types[relation][1]
            ways.append(f"(exists ({variable} - {kind}) (and {stands} ({relation} {thing} {variable})))")
        return ways


def _all_of(parts: Iterator[str]) -> str:
    listed = list(parts)
    return listed[0] if len(listed) == 1 else f"(and {' '.join(listed)})"


def _either(text: str) -> list[str]:
    return re.split(r"\s*(?:,|\bor\b|\band\b|\bnor\b)\s*", text)


def _number(word: str) -> int:
    if word in NUMBERS:
        return NUMBERS[word]
    if word in ARTICLES:
        return 1
    if not word.isdecimal():
        raise NotUnderstood(f"how many '{word}' is")
    return int(word[:6])
