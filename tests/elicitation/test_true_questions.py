"""That each sentence of the question what to do next is true: of random tasks, read back word by word and held against
what the task means; of homes, held against what the agent has seen."""

import ast
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
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
from tests.oracle.task import Task as DrawnTask
from tests.oracle.task import Tree
from tests.scripted import World

DRAWN = 40  # tasks of domains of their own; lab/benchmarks/true_questions.py has more
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
    chosen: int = rng.choice(world.possible().tolist())
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
    for ways in asked.unknown:
        atoms = each_of(ways[0].removeprefix("whether "))
        yield from (f"unknown: {text}" for text in atoms if len(ways) == 1 and text not in unknown)
    yield from (f"offered: {text}" for text in asked.actions if text not in worded)
    yield from (said for rule in asked.rules for text in worded for said in reader.contradictions(rule, text))
    if asked.goal and reader.goal(asked.goal) != reached:
        yield f"goal: {asked.goal}, reached: {reached}"


def not_brought_about(asked: NextAction, meaning: Meaning, after: Mapping[str, list[State]]) -> Iterator[str]:
    """The effects without a condition that an action is said to have and has not; ``after``: the words for an action →
    the states that an action of these words leads to."""
    for line in asked.effects:
        form, _, effects = line.partition(": ")
        slots = re.findall(r"<[^<>]*>", form)
        for text, states in after.items():
            readers = [Reader(meaning, state) for state in states]
            found = re.fullmatch(re.sub(r"<[^<>]*>", r"(\\w+)", form), text)
            bound = dict(zip(slots, found.groups(), strict=True)) if found else {}
            fits = all(thing in readers[0].members(slot) for slot, thing in bound.items())
            if not found or not fits or len({*bound.values()}) < len(bound):  # what is added and deleted is added
                continue
            for effect in effects.split("; "):
                plain = not re.search(r" if |, for every |\(where |^shows ", effect)
                if plain and not any(reader.holds(effect, bound) for reader in readers):
                    yield f"{line!r}, not of {text!r}"


def left_out(
    asked: NextAction, task: DrawnTask, offered: Iterable[tuple[str, ...]], unknown: set[str]
) -> Iterator[str]:
    """What an action that is offered, by its name and things, needs of facts that never change and the question does
    not tell; and what the goal wants of them or of known facts."""
    told = {atom for text in (*asked.fixed, *asked.facts, *asked.done, *asked.to_do) for atom in each_of(text)}
    fixed = {*task.predicates} - {str(atom[0]) for action in task.actions for atom in _atoms(action.effects)}
    fixed -= {rule.name for rule in task.rules}
    actions = {action.name: action for action in task.actions}
    for name, *things in offered:
        bound = dict(zip(actions[name].parameters, things, strict=True))
        condition = actions[name].condition or ("and",)
        for part in condition[1:] if condition[0] == "and" else (condition,):
            atom = tuple(bound.get(str(word), str(word)) for word in part)
            if part[0] in fixed and " ".join(atom) not in told and atom in task.init:
                yield f"{' '.join((name, *things))} needs {' '.join(atom)}"


def _atoms(tree: Tree) -> Iterator[Tree]:
    """Everything in a tree that may be an atom."""
    if isinstance(tree, tuple):
        if tree and isinstance(tree[0], str):
            yield tree
        for part in tree:
            yield from _atoms(part)


def without_owners(asked: NextAction) -> NextAction:
    """The question without what things belong to: "p a" for "p a (b)"."""
    parts = ("goal", "wanted", "actions", "done", "to_do", "fixed", "facts", "unknown")
    told = {part: re.sub(r" \((\w)\)", "", repr(getattr(asked, part))) for part in parts}
    return replace(asked, **{part: ast.literal_eval(text) for part, text in told.items()})


def with_a_map(task: DrawnTask, rng: random.Random) -> DrawnTask:
    """The task with a relation that never changes, which each action with a parameter needs of its first and last."""
    pairs = {("k", a, b) for a in (*task.constants, *task.objects) for b in (*task.constants, *task.objects)}
    held = frozenset(pair for pair in sorted(pairs) if rng.random() < 0.8)
    actions = tuple(
        replace(action, condition=("and", ("k", first, last), *([action.condition] if action.condition else [])))
        for action in task.actions
        for first, *_, last in [(*action.parameters, *action.parameters) or ("", "")]
        if first
    )
    others = tuple(action for action in task.actions if not action.parameters)
    predicates = {**task.predicates, "k": {"?x": "object", "?y": "object"}}
    return replace(task, predicates=predicates, init=task.init | held, actions=(*actions, *others))


def faults(seed: int, folder: Path) -> Iterator[tuple[NextAction, list[str]]]:
    """Each question on a walk through a random task, whose files are written to the folder, and what is wrong with
    it: what it says and is not so, and, if nothing was cut, what it leaves out."""
    rng = random.Random(seed)
    task = with_a_map(draw(rng, derived=True, constraints=False, odd=False), rng)
    (folder / "problems").mkdir()
    task.write(folder / "domain.pddl", folder / "problems" / "p.pddl")
    slots = {a.name: " ".join(f"{{{name.strip('?')}}}" for name in a.parameters) for a in task.actions}
    alike = rng.random() < 0.5  # several actions are worded the same
    words = {name: f"{'do' if alike else name} {said}".strip() for name, said in slots.items()}
    told = "\n".join(f'{name} = "{text}"' for name, text in words.items())
    (folder / "lexicon.toml").write_text(f"[actions]\n{told}\n")
    sensors = folder / "sensors.pddl"
    named = [name for name, scope in task.predicates.items() if scope and name != "k"]
    hidden = "" if task.rules else rng.choice(named)
    if hidden:  # and seen where q is true
        atom = " ".join((hidden, *task.predicates[hidden]))
        sensors.write_text(f"(define (sensors s) (:domain d) (:hidden ({atom})) (:sense ({atom}) :when (q)))")
    world = World(folder / "problems" / "p.pddl", sensors=sensors if hidden else None)
    meaning, state = Meaning(task), task.init
    done: list[int] = []
    for _ in range(STEPS):
        moves = meaning.moves(state)
        if not len(world.possible()):
            break
        leading: dict[str, list[State]] = {}
        for (name, *things), _, after in moves:
            leading.setdefault(" ".join(("do" if alike else name, *things)), []).append(after)
        reached = meaning.holds(task.goal, {}, meaning.full(state))
        facts = np.flatnonzero(~world.belief.known).tolist()
        unknown = {world.say.fact(f, value) for f in facts for value in (True, False)}
        for actions in Actions:
            asked = without_owners(question(world, done, actions))
            wrong = [*falsehoods(asked, Reader(meaning, state), {*leading}, reached, unknown)]
            if not alike:
                wrong += not_brought_about(asked, meaning, leading)
            if not alike and not any(" more" in text for text in asked.fixed):
                wrong += left_out(asked, task, [tuple(text.split()) for text in asked.actions], unknown)
            yield asked, wrong
        states = {" ".join(move): found for move, _, found in moves}
        done.append(act(world, rng))
        state = states[str(world.task.step(done[-1])).strip("()")]


@pytest.mark.parametrize("seed", range(DRAWN))
def test_each_sentence_of_a_random_task_is_true_and_none_is_missing(seed: int, tmp_path: Path) -> None:
    for asked, wrong in faults(seed, tmp_path):
        assert not wrong, repr(asked)


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
