"""Reads the order of what a plain sentence asks for: "first …, then …", "before you …, …", "… afterwards".

A sentence becomes steps, each with its turn. A word of order outside these forms is refused, not ignored."""

from __future__ import annotations

import re
from collections.abc import Collection

from commonsense_lab.studies.alfworld.plain_words import POLITE
from commonsense_planning.embedded.plain_sentences import NotUnderstood

_THEN = re.compile(
    r"[\s,;.]*\b(?:(?:and|but)\s+)?(?:then|after that|after this|afterwards|thereafter|next(?!\s+to\b)|finally|lastly"
    r"|at last)\b(?!$)[\s,]*(?:and\s+)?"
)
_FIRST = re.compile(r"^first(?:ly| of all)?\b[\s,]*|[\s,]+first$")
_LAST = re.compile(r"^(.+?),?\s+and\s+((?:(?!\band\b).)+?)\s+(?:afterwards|after that|last|later)$")
_TURNS = (  # the form, whether it says that nothing of the second was so before, and the turns of its parts
    (re.compile(r"^before\s+([^,;.]+),\s*([^;.]+)$"), True, (1, 0)),
    (re.compile(r"^(?:after|once|as soon as)\s+([^,;.]+),\s*([^;.]+)$"), False, (0, 1)),
    (re.compile(r"^([^;.]+?),?\s+before\s+([^;.]+)$"), True, (0, 1)),
    (re.compile(r"^([^;.]+?),?\s+only\s+after\s+([^;.]+)$"), True, (1, 0)),
    (re.compile(r"^([^;.]+?),?\s+after\s+([^;.]+)$"), False, (1, 0)),
)
_LISTED = re.compile(r"^(visit|see)\s+([^;.]+?)\s+in (?:this|that) order\b")
_ORDER = re.compile(
    r"\b(?:first|before|after|afterwards|until|till|once|then|while|when|whenever|later|last|finally|again|order|turn"
    r"|meanwhile|during|beginning|starting|earlier|unless|if|next(?! to\b))\b"
)
_SPEAKER = re.compile(r"^(?:you|we|i|one|the robot)\s+(?:have\s+|has\s+)?")
_GERUND = re.compile(r"^(?:having\s+)?(\w+)ing\b")
_TAKEN = re.compile(
    r"\b(?:take|grab|get|pick up|fetch|remove)\s+((?:(?!\b(?:and|then)\b)[^,;.])+?)\s*(?:,|,?\s+and\b|,?\s+then\b)"
    r"(?:\s+then)?\s+(?:put|place|bring|move|set|carry|deliver)\s+(?:it|them)\b(?:\s+back\b)?"
)


def ordered_steps(sentence: str, verbs: Collection[str]) -> tuple[str, list[tuple[int, str]]]:
    """ "then" or "before", the word of the notation for the order, and the steps, as they are said, each with its turn;
    a single one where there is no order. ``verbs``: what one may be told to do."""
    while (polite := POLITE.match(sentence)) and not polite[0].startswith("first"):
        sentence = sentence[polite.end() :]
    sentence = _TAKEN.sub(r"put \1", _LISTED.sub(_one_by_one, sentence))
    last = _LAST.match(sentence)
    first, *others = last.groups() if last else _THEN.split(sentence)
    for form, strictly, turns in _TURNS:
        if (found := form.match(sentence)) and not others:
            if any(_ORDER.search(part) or re.search(r"\b(?:but|never|not|don't)\b", part) for part in found.groups()):
                raise NotUnderstood(f"what comes first in '{sentence}'")
            steps = [(turn, imperative(part, verbs)) for turn, part in zip(turns, found.groups(), strict=True)]
            return "before" if strictly else "then", steps
    plain = _FIRST.sub("", first)
    if plain != first and not others:
        raise NotUnderstood(f"what comes after 'first' in '{sentence}'")
    return "then", list(enumerate([plain, *others]))


def in_disorder(text: str, names: Collection[str]) -> str:
    """Returns a word of order in the rest of a sentence, outside names; empty if there is none."""
    found = _ORDER.search(text)
    named = found and any(found[0] in re.split(r"[\W_]+", name) for name in names)
    return found[0] if found and not named else ""


def imperative(text: str, verbs: Collection[str]) -> str:
    """ "you put …", "putting …" and "having put …" as "put …"."""
    text = _SPEAKER.sub("", text)
    if found := _GERUND.match(text):
        stem = found[1]
        for verb in (stem, f"{stem}e", stem[:-1]):
            if verb in verbs:
                return f"{verb}{text[found.end() :]}"
    return text


def _one_by_one(found: re.Match[str]) -> str:
    return ", then ".join(f"{found[1]} {place}" for place in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", found[2]))
