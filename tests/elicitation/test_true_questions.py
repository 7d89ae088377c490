"""That each sentence of the question what to do next is true: of random tasks, read back word by word and held against
what the task means; of homes, held against what the agent has seen."""

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.config import Actions
from commonsense_planning.elicitation.next_question import NextQuestions, Situation
from commonsense_planning.wording.questions import NextAction, Places
from tests.data import REPOSITORY
from tests.oracle.drawing import draw
from tests.oracle.meaning import Meaning, State
from tests.scripted import World

DRAWN = 60  # tasks of domains of their own
STEPS = 4
WALKS, LONG_WALK = 3, 15
HOMES = ("household/problems/two-apples", "household/problems/any-mug", "alfworld/problems/heat-mug")
Bound = Mapping[str, str]  # "<t 2>" → an object


class Reader:
    """Reads what is said in a task without a lexicon, and says whether it holds in a state."""

    def __init__(self, meaning: Meaning, state: State) -> None:
        self.meaning, self.state = meaning, meaning.full(state)

    def holds(self, text: str, bound: Bound) -> bool:
        """A condition: parts that all hold, with commas or "and" between them, or of which one does."""
        if quantified := re.fullmatch(r"for (every|some) (<[^:]*>): (.*)", text):
            which, variables, body = quantified.groups()
            names = variables.split(" and ")
            ways = product(*map(self.members, names))
            each = (self.holds(body, {**bound, **dict(zip(names, way, strict=True))}) for way in ways)
            return all(each) if which == "every" else any(each)
        for link, judge in ((", ", all), (" and ", all), (" or ", any)):
            if len(parts := _split(text, link)) > 1:
                return judge([self.holds(part, bound) for part in parts])
        if text.startswith("("):
            return self.holds(text[1:-1], bound)
        if text in ("nothing", "what never holds"):
            return text == "nothing"
        for name, thing in bound.items():
            text = text.replace(name, thing)
        if same := re.fullmatch(r"(\w+) is (not )?(\w+)", text):
            return (same[1] == same[3]) != bool(same[2])
        return (tuple(text.removeprefix("not ").split()) in self.state) != text.startswith("not ")

    def members(self, variable: str) -> list[str]:
        """The objects that "<t>" or "<t 2>" may be."""
        return self.meaning.members(variable.strip("<>").split()[0])

    def goal(self, text: str) -> bool:
        """A goal, with the ways to reach it."""
        always, either, ways = text.partition("either ")
        shared = always.removesuffix(", and ")
        return (not shared or self.holds(shared, {})) and (
            not either or any(self.holds(way, {}) for way in ways.split(", or else "))
        )

    def contradictions(self, rule: str, offered: str) -> Iterator[str]:
        """What a rule says that an action needs which can be done all the same."""
        ways, form = [], ""
        for part in rule.split("; or "):
            head, colon, needs = part.partition(": ")
            if colon and re.fullmatch(r"\w+( <[^<>]*>)*", head) and not head.startswith(("for every", "for some")):
                form = head
            else:
                needs = part
            slots = re.findall(r"<[^<>]*>", form)
            if found := re.fullmatch(re.sub(r"<[^<>]*>", r"(\\w+)", form), offered):
                bound = dict(zip(slots, found.groups(), strict=True))
                if all(thing in self.members(slot) for slot, thing in bound.items()):
                    ways.append(self.holds(needs, bound))
        if ways and not any(ways):
            yield f"{rule!r}, and {offered!r} is offered"


def _split(text: str, link: str) -> list[str]:
    """The parts between the links outside of brackets; what is said for every or for some thing is not cut."""
    parts, depth, at = [""], 0, 0
    while at < len(text):
        if depth == 0 and text.startswith(link, at):
            parts.append("")
            at += len(link)
            continue
        depth += (text[at] == "(") - (text[at] == ")")
        parts[-1] += text[at]
        at += 1
    return parts


def question(world: World, done: list[int], actions: Actions) -> NextAction:
    here = Situation(world.belief.truth, world.belief.known, world.possible(), tuple(done))
    return NextQuestions(world.task, world.compiled, world.say, "", actions).choice(here, 2).question


def act(world: World, rng: random.Random) -> int:
    """One of the possible actions, which is carried out."""
    chosen = rng.choice(world.possible().tolist())
    world.belief.update(chosen, world.environment.step(chosen))
    return chosen


def each_of(text: str) -> list[str]:
    """ "r a, b" as "r a" and "r b"."""
    first, *others = text.split(", ")
    head = first.rpartition(" ")[0]
    return [first, *(f"{head} {name}" for name in others)]


def falsehoods(asked: NextAction, reader: Reader, worded: set[str], reached: bool, unknown: set[str]) -> Iterator[str]:
    """What a question of a random task says that is not so; ``worded``: what can be done."""
    said = [atom for text in (*asked.facts, *asked.fixed) for atom in each_of(text)]
    yield from (f"now: {text}" for text in said if not reader.holds(text, {}))
    yield from (f"done: {text}" for text in asked.done if not reader.holds(text, {}))
    yield from (
        f"to do: {text}"
        for text in asked.to_do
        if text not in unknown and "either" not in text and reader.holds(text, {})
    )
    yield from (f"offered: {text}" for text in asked.actions if text not in worded)
    yield from (said for rule in asked.rules for text in worded for said in reader.contradictions(rule, text))
    if asked.goal and reader.goal(asked.goal) != reached:
        yield f"goal: {asked.goal}, reached: {reached}"


@pytest.mark.parametrize("seed", range(DRAWN))
def test_each_sentence_of_a_random_task_is_true(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    task = draw(rng, derived=True, constraints=False, odd=False)
    (tmp_path / "problems").mkdir()
    task.write(tmp_path / "domain.pddl", tmp_path / "problems" / "p.pddl")
    slots = {a.name: " ".join(f"{{{name.strip('?')}}}" for name in a.parameters) for a in task.actions}
    alike = rng.random() < 0.7  # several actions are worded the same
    words = {name: f"{'do' if alike else name} {said}".strip() for name, said in slots.items()}
    told = "\n".join(f'{name} = "{text}"' for name, text in words.items())
    (tmp_path / "lexicon.toml").write_text(f"[actions]\n{told}\n")
    sensors = tmp_path / "sensors.pddl"
    hidden = rng.choice([name for name, scope in task.predicates.items() if scope]) if not task.rules else ""
    if hidden:  # and seen where q is true
        atom = " ".join((hidden, *task.predicates[hidden]))
        sensors.write_text(f"(define (sensors s) (:domain d) (:hidden ({atom})) (:sense ({atom}) :when (q)))")
    world = World(tmp_path / "problems" / "p.pddl", sensors=sensors if hidden else None)
    meaning, state = Meaning(task), task.init
    done: list[int] = []
    for _ in range(STEPS):
        moves = meaning.moves(state)
        if not len(world.possible()):
            break
        worded = {" ".join(("do" if alike else name, *things)) for (name, *things), _, _ in moves}
        reached = meaning.holds(task.goal, {}, meaning.full(state))
        facts = np.flatnonzero(~world.belief.known).tolist()
        unknown = {world.say.fact(f, value) for f in facts for value in (True, False)}
        for actions in Actions:
            asked = question(world, done, actions)
            found = [*falsehoods(asked, Reader(meaning, state), worded, reached, unknown)]
            assert not found, repr((asked.facts, asked.fixed))
        after = {" ".join(move): facts for move, _, facts in moves}
        done.append(act(world, rng))
        state = after[str(world.task.step(done[-1])).strip("()")]


@pytest.mark.parametrize("seed", range(WALKS))
@pytest.mark.parametrize("home", HOMES)
def test_each_place_is_listed_once_and_in_the_right_list(home: str, seed: int) -> None:
    rng, world = random.Random(seed), World(REPOSITORY / "pddl" / f"{home}.pddl")
    say, done = world.say, list[int]()
    for _ in range(LONG_WALK):
        asked = question(world, done, Actions.RELEVANT)
        truth, known = world.belief.truth, world.belief.known
        told = {thing for missing in asked.missing for thing in _names(missing.things)}
        for group in range(len(world.belief.groups)):
            members = world.belief.groups.row(group)
            (thing,) = say.subject(members)
            if say.label(thing) not in told:
                continue
            assert not (known & truth)[members].any(), "it was found"
            mine = next(m for m in asked.missing if say.label(thing) in _names(m.things))
            left, seen, passed = (set(_places(places)) for places in (mine.places, asked.seen, asked.passed))
            assert not left & (seen | passed) and not seen & passed
            for fact in members.tolist():
                place = next(say.label(a) for a in world.task.facts[fact][1] if a != thing)
                if known[fact]:
                    assert (place in seen | passed) == (place not in _left(asked)), place
                else:
                    assert place in left, place
        done.append(act(world, rng))


def _names(listed: Iterable[str]) -> Iterator[str]:
    """ "apple 1, 2" as "apple 1" and "apple 2", without what is in brackets."""
    for entry in listed:
        stem, numbers = re.fullmatch(r"(.*?)((?:,? \d+)*)", re.sub(r" \(.*", "", entry)).groups()  # type: ignore[union-attr]
        yield from (f"{stem} {number}" for number in re.findall(r"\d+", numbers))
        if not numbers:
            yield stem


def _places(places: Places) -> Iterator[str]:
    for _, listed in places:
        yield from _names(listed)


def _left(asked: NextAction) -> set[str]:
    return {place for missing in asked.missing for place in _places(missing.places)}
