"""Plain sentences to goals in PDDL without a language model: "all plates into the dishwasher, but leave the mug on the
desk; the toothbrush must not end up in the kitchen".

A sentence is cut into clauses, and each clause must be of one of these forms as a whole: things and where they shall be
(with "all", "no", "any", "at most two"), what must not be so, what must never be so, what is to be left, what is to be
empty, open or closed, where the agent shall go. What is of no such form is refused with the reason: a goal that leaves
out what was asked for would be worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from commonsense_planning.llm.plain_phrases import AMOUNTS, IS, MODAL, Phrases, Wish, number_of
from commonsense_planning.llm.plain_sentences import (
    AND,
    LATER,
    POLITE,
    NotUnderstood,
    noun_in,
    nouns_of,
    things_and_places,
    without,
)
from commonsense_planning.wording.naming import known_name
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
_BEING = r"(?:be put|be placed|be left|be|end up|land|lie|stand|stay|remain|get|come|go)"
_NEVER = re.compile(r"^(?:never|do not ever|don't ever|do not|don't)\s+(.+)$")
_PUT = re.compile(r"^(?:put|place|move|bring|take|carry|store|set|drop)\s+(.+)$")
_LEAVE_NOT = re.compile(r"^(?:leave|let)\s+(.+)$")
_LEAVE = re.compile(r"^(?:leave|keep)\s+(.+?)(?:\s+(alone|where (?:it|they) (?:is|are)|there))?$")
_MUST_NOT = re.compile(rf"^(.+?)\s+{MODAL}\s+(?:(never)(?:\s+ever)?|not(\s+ever)?)\s+{_BEING}\s+(.+)$")
_THERE = re.compile(rf"^there\s+{MODAL}\s+(?:(never)|(not)\s+)?\s*be\s+(.+)$")
_CLEAR = re.compile(r"^(?:clear|empty)(?:\s+(?:out|off|up))?\s+(.+)$")
_EMPTY = re.compile(rf"^(.+?)\s+(?:{MODAL}\s+be|is|are)\s+(?:empty|clear|cleared)$")
_STATE = re.compile(rf"^(.+?)\s+(?:{MODAL}\s+(?:(never|not)\s+)?(?:be|stay|remain)|is|are)\s+(?:left\s+)?(.+)$")
_GO = re.compile(
    r"^(?:go|travel|fly|walk|get|drive|come|head)(?:\s+back)?\s+to\s+(.+?)(?:\s+(?:via|through|by way of)\s+(.+))?$"
)
_BE = re.compile(r"^(?:end|finish|be|stop)(?:\s+up)?\s+(?:in|at)\s+(.+)$")
_VISIT = re.compile(r"^(?:visit|see|stop (?:in|at)|(?:go|pass|fly|travel) (?:through|via))\s+(.+)$")
_AVOID = re.compile(
    r"^(?:avoid|without|not)\b\s*(?:(?:passing|going|flying|travelling|changing|stopping)\s+)?"
    r"(?:(?:through|via|in|at|to|over)\s+)?(.+)$"
)
_OR_AT = re.compile(r"\s+or\s+(in|into|inside|on|onto|at)\s+")  # "in the fridge or on the table"


def plain_goal(question: WriteGoal) -> str:
    """The goal of plain sentences as PDDL, or a text that says why there is none and what is understood."""
    sentence = " ".join(question.instruction.split()).strip(" \"'.!?")
    if sentence.startswith("("):  # a goal already
        return sentence
    try:
        return _Reading(question).goal(sentence.lower())
    except NotUnderstood as refusal:
        return f"I do not understand {refusal}. {FORMS}."


class _Reading(Phrases):
    """One instruction, read."""

    def goal(self, sentence: str) -> str:
        parts: list[str] = []
        for clause in _clauses(sentence):
            parts += self.clause(without(LATER, without(POLITE, clause)))
        parts += [self.at_least(*key, count) for key, count in self.counts.items()]
        if not parts:
            raise NotUnderstood("an empty sentence")
        return parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"

    # -- clauses -------------------------------------------------------------------------------------------

    def clause(self, text: str) -> list[str]:
        """What a clause says, but for simple counts, which are put by until the end."""
        text = _SURELY.sub("", text).replace(" somewhere ", " ")
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
                if more := dict(AMOUNTS)["more"].match(phrase):
                    wish = Wish("at-most", number_of(more[1]), self.kind(more[2]))
                else:
                    plain = re.sub(r"^(?:any(?: of)?|either of)\s+", "", phrase)
                    wish = self.amount(plain)
                    if wish.amount != "at-least" and not plain.startswith("the "):
                        raise NotUnderstood(f"'{phrase}' where something must not be")
                    if wish.count != 1:
                        raise NotUnderstood(f"'{phrase}' where something must not be; say 'more than'")
                    wish = Wish("no", 0, wish.kind)
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

    def where_it_is(self, wish: Wish, preposition: str, place: str) -> str:
        """That "the one on the desk" stays there: that very one, where it is known; else some one."""
        noun = known_name(noun_in(place), self.question.places)
        relation = self.relation(preposition, noun)
        there = self.members(self.kind_of_place(noun))
        facts = dict(self.question.known).get(relation, ())
        known = [fact for fact in facts if fact.split()[1] in there and fact.split()[0] in self.members(wish.kind)]
        return f"({relation} {known[0]})" if len(known) == 1 else self.said(wish, preposition, place)

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
            every = Wish("all", 0, wish.kind, wish.apart)
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


def _clauses(sentence: str) -> Iterator[str]:
    for clause in filter(None, map(str.strip, _CLAUSES.split(sentence))):
        parts = re.split(r",?\s+and\s+", clause)
        yield from parts if all(map(IS.search, parts)) else (clause,)


def _all_of(parts: Iterator[str]) -> str:
    listed = list(parts)
    return listed[0] if len(listed) == 1 else f"(and {' '.join(listed)})"


def _either(text: str) -> list[str]:
    return re.split(r"\s*(?:,|\bor\b|\band\b|\bnor\b)\s*", text)
