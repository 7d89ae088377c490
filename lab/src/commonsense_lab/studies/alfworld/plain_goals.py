"""Translates plain sentences to goals in PDDL without a language model: "all plates into the dishwasher, but leave the
mug on the desk; the toothbrush must not end up in the kitchen".

A sentence is cut into clauses, and each clause must have one of these forms as a whole: things and their places (with
"all", "no", "any", "at most two"), what must not be true, what must never be true, what must stay, what must be empty,
open or closed, where the agent must go. Any other clause is refused with the reason: a goal without part of what was
asked would be worse than none. The embedded model answers with it where this is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice

import numpy as np

from commonsense_lab.studies.alfworld.plain_order import imperative, in_disorder, ordered_steps
from commonsense_lab.studies.alfworld.plain_phrases import AMOUNTS, IS, MODAL, Phrases, Wish, number_of
from commonsense_lab.studies.alfworld.plain_words import AND, LATER, POLITE, nouns_of, things_and_places, without
from commonsense_lab.studies.homes.household import joined
from commonsense_planning.embedded.answers import answer
from commonsense_planning.embedded.plain_sentences import MORE, NotUnderstood, called, examples, understood
from commonsense_planning.wording.naming import known_name
from commonsense_planning.wording.questions import WriteGoal

_STARTS = (
    "never|do not|don't|leave|keep|make sure|ensure|nothing|clear|empty|open|close|shut|no|there|visit|go|come|avoid|"
    "at most|put|place|bring|move|return|get|take|grab|pick up|fetch|carry|drive|deliver|load|finish|end|stop|be"
)
_VERBS = frozenset(
    {"put", "place", "bring", "move", "take", "grab", "get", "carry", "fetch", "leave", "go", "visit", "fly"}
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
    r"^(?:go|travel|fly|walk|get|drive|come|head|return)(?:\s+back)?(?:\s+from\s+(.+?))?\s+to\s+(.+?)"
    r"(?:\s+(?:via|through|by way of)\s+(.+))?$"
)
_BE = re.compile(r"^(?:end|finish|be|stop)(?:\s+up)?\s+(?:in|at)\s+(.+)$")
_VISIT = re.compile(r"^(?:visit|see|stop (?:in|at)|(?:go|pass|fly|travel) (?:through|via))\s+(.+)$")
_AVOID = re.compile(
    r"^(?:avoid|without|not)\b\s*(?:(?:passing|going|flying|travelling|changing|stopping)\s+)?"
    r"(?:(?:through|via|in|at|to|over)\s+)?(.+)$"
)
_HOLD = re.compile(r"^(?:(?:bring|get|fetch|hand)\s+me|grab|pick up|hold|take|fetch)\s+(.+)$")
_HOLDING = re.compile(r"the [\w ]+ (?:is holding|is carrying|holds|carries) \D*\?\S+")
_LOCATED = re.compile(r"\b(?:that|which) (?:is|are|lies?|stands?) (?:on|in|inside|at)\b")
_OUT = re.compile(r"^(?:take|remove|get|move|bring|put)\s+(.+?)\s+(?:out of|from|off)\s+(.+)$")
_PRONOUN = re.compile(r"(?<!where )\b(it|them|they)\b|(?<=\S )(there)\b")
_BEFORE_PLACE = re.compile(r"\b(?:in|into|inside|on|onto|at|to|of|from|off)\s+$")
_OR_AT = re.compile(r"\s+or\s+(in|into|inside|on|onto|at)\s+")  # "in the fridge or on the table"


@answer.register
def _(question: WriteGoal, n: int, rng: np.random.Generator) -> list[str]:
    return [plain_goal(question)] * n


def plain_goal(question: WriteGoal) -> str:
    """Returns the goal of plain sentences as PDDL, or a text that says why there is none and what is understood."""
    sentence = " ".join(question.instruction.split()).strip(" \"'.!?")
    if sentence.startswith("("):  # a goal already
        return sentence
    try:
        return _GrammarReading(question).goal(sentence.lower())
    except NotUnderstood as refusal:
        return f"I do not understand {refusal}. {understood(_GrammarReading(question).examples())}. {MORE}"


class _GrammarReading(Phrases):
    """Reads one instruction."""

    def __init__(self, question: WriteGoal) -> None:
        super().__init__(question)
        self.adjectives: dict[str, tuple[str, bool]] = {}  # "closed" → the predicate, and whether it holds then
        for form in question.predicates:
            predicate = form.text[1:].split()[0].rstrip(")")
            if form.changes and len(self.types.get(predicate, ())) == 1:
                for positive, sentence in ((True, form.english), (False, form.denied)):
                    if said := re.fullmatch(r"\?\S+ is ([\w ]+)|the \?\S+ is ([\w ]+)", sentence):
                        self.adjectives[said[1] or said[2]] = predicate, positive
        self.before = ""  # the clause before
        self.states = {word: a for a in self.adjectives for word in (a.removesuffix("ed"), a.removesuffix("d"), a)}
        starts = "|".join((_STARTS, *map(re.escape, self.states)))
        self.between = re.compile(
            rf"\s*(?:;|\.(?=\s))\s*|(?<!\ball)\s*,?\s*\bbut\b(?!\s+(?:one|two|three|\d))\s+(?!not\b)"
            rf"|\s*,\s*(?:and\s+)*(?=(?:{starts})\b)|\s+and\s+(?=(?:{starts})\b)|\s*,?\s+(?=without\b)"
            r"|\s*,\s*and\s+(?=[^,;]*\b(?:must|should|shall)\b)"
        )

    def examples(self) -> list[str]:
        """Returns sentences for the question's domain."""
        found = examples(self.question, self.prepositions)
        if self.agent and not self.question.relations:
            listed = [name for of, kinds in self.question.kinds for name, _ in kinds if of == self.types[self.agent][0]]
            found = [f"go to {name}" for name in listed[:2]]
        if len(found) > 1:
            found.append(f"first {found[0]}, then {found[1]}")
        found += [f"never {sentence}" for sentence in found[-2::-1] if sentence.startswith("put")][:1]
        for adjective, (predicate, _) in self.adjectives.items():
            fit = (name for of, kinds in self.question.kinds if [of] == self.types[predicate] for name, _ in kinds)
            found += [f"{called(name)} should be {adjective}" for name in islice(fit, 1)]
        return found[:6]

    def goal(self, sentence: str) -> str:
        steps: list[tuple[int, list[str]]] = []
        several: set[str] = set()
        order, said_steps = ordered_steps(sentence, _VERBS | self.states.keys())
        for turn, step in said_steps:
            said = len(self.spoken)
            parts = [part for clause in self.clauses(step) for part in self.read(clause)]
            steps.append((turn, [*parts, *(self.at_least(*key, count) for key, count in self.counts.items())]))
            self.counts.clear()
            wishes = [wish for clause in self.spoken[said:] for wish in clause if wish.amount == "at-least"]
            kinds = {wish.kind for wish in wishes if self.size(wish.kind) > 1}
            if again := sorted(several & kinds):
                raise NotUnderstood(f"whether '{again[0]}' is the same each time")
            several |= kinds
        steps.sort(key=lambda step: step[0])
        if not all(parts for _, parts in steps):
            raise NotUnderstood("an empty sentence")
        always = [part for part in steps[-1][1] if part.startswith("(always ")]
        done = [[part for part in parts if part not in always] for _, parts in steps]
        if any(part.startswith("(always ") for parts in done for part in parts) or (len(done) > 1 and not done[-1]):
            raise NotUnderstood("what must hold from when on")
        ordered = f"({order} {' '.join(joined('and', parts) for parts in done)})"
        return joined("and", [ordered, *always] if len(done) > 1 else steps[0][1])

    def clauses(self, step: str) -> Iterator[str]:
        for clause in filter(None, map(str.strip, self.between.split(step))):
            parts = re.split(r",?\s+and\s+", clause)
            yield from parts if all(map(IS.search, parts)) else (clause,)

    def read(self, clause: str) -> list[str]:
        """Reads a clause, whose words may refer to those before it."""
        text = _LOCATED.sub("from", without(LATER, without(POLITE, clause)))
        if re.match(r"(?:in|into|inside|on|onto|at|to)\b", text) and self.spoken[1:]:  # "then in the fridge"
            text = f"{'go' if _GO.match(self.before) or _VISIT.match(self.before) else 'put it'} {text}"
        elif not self.has_place(text) and known_name(text, self.names) in self.names and self.has_place(self.before):
            (_, preposition, place), *others = things_and_places(self.before, self.question.relations)
            if others:
                raise NotUnderstood(f"where '{text}' shall be")
            text = f"{text} {preposition} {place}"
        if word := in_disorder(text, self.names):
            raise NotUnderstood(f"'{word}' in '{text}'")
        text = _PRONOUN.sub(partial(self.meant, text.partition(" ")[0]), text)
        self.before = text
        self.spoken.append([])
        return self.clause(text)

    def meant(self, verb: str, found: re.Match[str]) -> str:
        """Resolves "it", "them" or "there": the only thing of an earlier clause that fits."""
        at_place = bool(found[2]) or bool(_BEFORE_PLACE.search(found.string[: found.start()]))
        for wishes in reversed(self.spoken):
            fits = list(dict.fromkeys(w for w in wishes if self.may_be(w, verb, at_place)))
            if found[1] in ("them", "they") and fits and all(w.amount == "all" or self.size(w.kind) == 1 for w in fits):
                every = (f"{'all' if self.size(w.kind) > 1 else 'the'} {w.kind.replace('-', ' ')}" for w in fits)
                return " and ".join(every)
            if len(fits) == 1 and self.size(fits[0].kind) == 1 and found[1] not in ("them", "they"):
                return f"{'at ' if found[2] else ''}the {fits[0].kind.replace('-', ' ')}"
            if fits:
                break
        raise NotUnderstood(f"what '{found[0]}' is in '{found.string}'")

    def may_be(self, wish: Wish, verb: str, at_place: bool) -> bool:
        """Tells whether one can ask to do that to it."""
        words = wish.kind.replace("-", " ")
        if at_place:
            return known_name(words, self.question.places) in self.question.places or self.is_region(words)
        if verb in self.states:
            (kind,) = self.types[self.adjectives[self.states[verb]][0]]
            listed = (objects for of, kinds in self.question.kinds if of == kind for _, objects in kinds)
            return set(self.members(wish.kind)) <= {o for objects in listed for o in objects}
        return known_name(words, self.question.things) in self.question.things

    # -- clauses -------------------------------------------------------------------------------------------

    def clause(self, text: str) -> list[str]:
        """Reads a clause, except for simple counts, which wait until the end."""
        text = _SURELY.sub("", text).replace(" somewhere ", " ")
        for form, read in (
            (_NEVER, self.never),
            (_THERE, self.there),
            (_MUST_NOT, self.must_not),
            (_LEAVE, self.leave),
            (_GO, self.go),
            (_BE, self.go),
            (_VISIT, lambda found: self.visited(found[1])),
            (_AVOID, self.avoid),
        ):
            if found := form.match(text):
                return read(found)
        cleared = _EMPTY.match(text) or (_CLEAR.match(text) if not self.has_place(text) else None)
        if cleared:
            return [self.empty(noun) for noun in AND.split(cleared[1])]
        if self.has_place(text):
            return list(self.positive(text))
        if out := _OUT.match(text):
            return self.out(*out.groups())
        if held := _HOLD.match(text):
            return self.held(held[1])
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
                if (simple := self.simple(wish, preposition, place)) is None:
                    yield self.said(wish, preposition, place)
                else:
                    before, several = self.counts.get(simple, 0), self.size(wish.kind) > 1
                    self.counts[simple] = before + wish.count if several else max(before, wish.count)

    def never(self, found: re.Match[str]) -> list[str]:
        """ "never put …", "do not leave …", "never open …", "do not fly to …"."""
        text = _OR_AT.sub(r" or-\1 ", found[1])
        if left := _LEAVE_NOT.match(text):
            return [self.denied(left[1])]
        if put := _PUT.match(text):
            return [f"(always {self.denied(put[1])})"]
        if (gone := _GO.match(text) or _VISIT.match(text)) and self.agent:
            where = gone[2] if gone.re is _GO else gone[1]
            return [f"(always (not ({self.agent} {self.term(city)})))" for city in _either(where)]
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
        """Denies "a plate on the table", "more than two plates on the table"."""
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
        return joined("and", parts)

    def leave(self, found: re.Match[str]) -> list[str]:
        """Reads what must stay where it is."""
        if found[2]:
            return [f"(always {self.place_of(noun)})" for noun in AND.split(found[1])]
        if not self.has_place(found[1]):
            listed, _, adjective = found[1].rpartition(" ")
            return [f"(always {said})" for said in self.state(f"{listed} is {adjective}")]
        parts = []
        for things, preposition, place in things_and_places(found[1], self.question.relations):
            for phrase in AND.split(things.strip()):
                wish = self.amount(phrase)
                if wish.amount != "at-least":
                    raise NotUnderstood(f"which things '{phrase}' are that shall stay; name them")
                stays = self.where_it_is(wish, preposition, place)
                parts.append(stays if self.is_elsewhere(wish, stays) else f"(always {stays})")
        return parts

    def where_it_is(self, wish: Wish, preposition: str, place: str) -> str:
        """Says that "the one on the desk" stays there: that very one if it is known, else any."""
        noun = self.place(place)
        relation = self.relation(preposition, noun, wish.kind)
        there = self.members(self.kind_of_place(noun))
        facts = dict(self.question.known).get(relation, ())
        known = [fact for fact in facts if fact.split()[1] in there and fact.split()[0] in self.members(wish.kind)]
        return f"({relation} {known[0]})" if len(known) == 1 else self.said(wish, preposition, place)

    def is_elsewhere(self, wish: Wish, there: str) -> bool:
        """Tells whether a thing is known to be at another place: then it must come there, and stay."""
        known = {fact: f"({r} {fact})" for r, of in self.question.known if r in self.question.relations for fact in of}
        mine = [said for fact, said in known.items() if fact.split()[0] in self.members(wish.kind)]
        place = self.members(there.rstrip(")").split()[-1])
        return bool(mine) and not any(said.rstrip(")").split()[-1] in place for said in mine)

    def place_of(self, noun: str) -> str:
        """Says that a thing is where it is known to be."""
        name = self.kind(noun)
        members = self.members(name)
        thing = members[0] if len(members) == 1 else name
        for relation, facts in self.question.known:
            for fact in facts:
                if relation in self.question.relations and fact.split()[0].lower() == thing.lower():
                    return f"({relation} {fact})"
        raise NotUnderstood(f"where '{noun}' is to be left: where it is, is not known yet")

    def empty(self, noun: str) -> str:
        """Says that nothing is on or in a place."""
        place = self.place(noun)
        relations = zip(self.question.relations, self.question.fitting, strict=True)
        able = [relation for relation, places in relations if place in places]
        if not able:
            raise NotUnderstood(f"how '{noun}' can be empty")
        return self.some(place, lambda term: joined("and", [self.nothing(r, term) for r in able]), "forall")

    def nothing(self, relation: str, place: str) -> str:
        variable = self.variable()
        return f"(forall ({variable} - {self.types[relation][0]}) (not ({relation} {variable} {place})))"

    def out(self, things: str, source: str) -> list[str]:
        """ "take … out of …", and nothing of where to."""
        if things == "everything":
            return [self.empty(source)]
        place = self.place(source)
        pairs = zip(self.question.relations, self.question.fitting, strict=True)
        able = [relation for relation, places in pairs if place in places]
        wishes = [self.taken(self.amount(phrase), source) for phrase in AND.split(things)]
        if not able or any(self.size(wish.kind) > 1 for wish in wishes) or self.size(self.kind_of_place(place)) > 1:
            raise NotUnderstood(f"what shall be taken from '{source}'")
        return [f"(not ({relation} {wish.kind} {self.kind_of_place(place)}))" for wish in wishes for relation in able]

    def held(self, things: str) -> list[str]:
        """ "bring me …", "pick up …": it is in the agent's hand."""
        for form in self.question.predicates:
            if form.changes and _HOLDING.fullmatch(form.english):
                said = partial("({} {})".format, form.text[1:].split()[0])
                return [self.amounted_of(self.amount(phrase), said) for phrase in AND.split(things)]
        raise NotUnderstood(f"where '{things}' shall be")

    def state(self, text: str) -> list[str]:
        """ "close the fridge", "the fridge must be closed"."""
        negative = False
        if found := _STATE.match(text):
            listed, denied, word = found.groups()
            negative = denied is not None
        else:
            word, _, listed = text.partition(" ")
        adjective = self.states.get(word)
        if not adjective or not listed:
            raise NotUnderstood(f"where things shall be, or what, in '{text}'")
        predicate, positive = self.adjectives[adjective]
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
        """The predicate for the agent's place; empty if there is none."""
        for form in self.question.predicates:
            if form.changes and re.fullmatch(r"the [\w ]+ is (?:in|at|inside) (?:the )?\?\S+", form.english):
                return form.text[1:].split()[0]
        return ""

    def go(self, found: re.Match[str]) -> list[str]:
        """ "fly to Athens via Rome"."""
        if not self.agent:
            raise NotUnderstood(f"who is to go in '{found[0]}'")
        start, end, way = found.groups() if found.re is _GO else (None, found[1], None)
        if start and self.term(start) not in dict(self.question.known).get(self.agent, ()):
            raise NotUnderstood(f"how to start at '{start}'")
        parts = [f"({self.agent} {self.term(end)})"]
        if way:
            parts += self.visited(way)
        return parts

    def visited(self, places: str) -> list[str]:
        keys = [form.text[1:].split()[0] for form in self.question.predicates if form.changes]
        been = [key for key in keys if key.lower().startswith("visit")]
        if not been:
            raise NotUnderstood(f"'{places}': nothing says where one has been")
        wishes = map(self.amount, AND.split(places))
        return [self.amounted_of(wish, partial("({} {})".format, been[0])) for wish in wishes]

    def avoid(self, found: re.Match[str]) -> list[str]:
        doing = imperative(found[0].removeprefix("without").strip(), self.states)
        if doing.partition(" ")[0] in self.states:
            return [f"(always (not {said}))" for said in self.state(doing)]
        if not self.agent:
            raise NotUnderstood(f"'{found[0]}'")
        return [f"(always (not ({self.agent} {self.term(place)})))" for place in _either(found[1])]


def _either(text: str) -> list[str]:
    return re.split(r"\s*(?:,|\bor\b|\band\b|\bnor\b)\s*", text)
