"""ALFWorld's games (Shridhar et al. 2021) as Gymnasium environments, with TextWorld's text and without its engine.

A game's PDDL is stepped as any other. Two deviations of the original engine (Fast Downward's translator and TextWorld's
grammar) from the PDDL are kept: a type that is spelt ``location,`` in the domain has no objects, so a thing is examined
only in the hand; and an action without any change does not exist. ``Words`` has the sentences of the games' grammar,
which are the same in all games.
"""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
from gymnasium.spaces import Text

from commonsense_lab.interfaces.gym_vector import TaskVectorEnv
from commonsense_planning.errors import UsageError
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.interfaces.gym import Info, TaskEnv
from commonsense_planning.kernels.kernel import Bytes
from commonsense_planning.pddl.check import check_domain
from commonsense_planning.pddl.nodes import Group, words
from commonsense_planning.pddl.plan import Step
from commonsense_planning.pddl.reader import problem_of
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.support.reading import json_value, read_bytes, reading
from commonsense_planning.task import Task
from commonsense_planning.wording.lexicon import Lexicon

LONGEST = 10_000  # characters of an observation or a command

_AIM = re.compile(r"Your task is to: [^\"]*")
_HELP = re.compile(r'action help .*?feedback :: "\n(.*?)";', re.DOTALL)
_NO_TYPE = "- location,", "- agent"  # no agent is a place, so no object fits

NOTHING = "Nothing happens."


class GameAction(NamedTuple):
    """The names of an action's parameters, its command, and the sentence about it."""

    parameters: str
    command: str
    said: str


ACTIONS = {
    "look": GameAction("a l", "look", "{look}"),
    "inventory": GameAction("a", "inventory", "{carried}"),
    "help": GameAction("a", "help", "{help}"),
    "examinereceptacle": GameAction("a r", "examine {r}", "{seen}"),
    "examineobject": GameAction("a o", "examine {o}", "{found}"),
    "gotolocation": GameAction("a from l r", "go to {r}", "You arrive at {r}. {seen}"),
    "openobject": GameAction("a l r", "open {r}", "You open the {r}. {seen}"),
    "closeobject": GameAction("a l r", "close {r}", "You close the {r}."),
    "pickupobject": GameAction("a l o r", "take {o} from {r}", "You pick up the {o} from the {r}."),
    "putobject": GameAction("a l o r ot rt", "move {o} to {r}", "You move the {o} to the {r}."),
    "cleanobject": GameAction("a l r o", "clean {o} with {r}", "You clean the {o} using the {r}."),
    "heatobject": GameAction("a l r o", "heat {o} with {r}", "You heat the {o} using the {r}."),
    "coolobject": GameAction("a l r o", "cool {o} with {r}", "You cool the {o} using the {r}."),
    "toggleobject": GameAction("a l o r", "use {o}", "You turn on the {o}."),
    "sliceobject": GameAction("a l o r", "slice {o} with {r}", "You sliced the {o} with the {r}."),
}
Atom = tuple[str, ...]


class GameTask(NamedTuple):
    """A game's task as TextWorld plays it, the sentence with its aim, the text of the command ``help``, and the initial
    facts, in lower case."""

    task: Task
    aim: str
    help: str
    init: frozenset[Atom]


def read_game(game: str | Path) -> GameTask:
    """Reads the game in a file. Raises InputError."""
    path = Path(game)
    with reading(path, "a game of ALFWorld's"):
        read = json_value(read_bytes(path, "a game of ALFWorld's"))
        domain = read["pddl_domain"].replace(*_NO_TYPE)
        aim, helping = (pattern.findall(read["grammar"])[0] for pattern in (_AIM, _HELP))
        problem = parse(read["pddl_problem"], path)
    task = Task(problem_of(check_domain(parse(domain, path)), problem), None, Lexicon())
    init = next(part for part in problem.root.items if isinstance(part, Group) and part.head == ":init")
    return GameTask(task, aim, helping, frozenset(tuple(words(atom)) for atom in init.items[1:]))


def names_of(things: Iterable[str]) -> dict[str, str]:
    """Returns ALFWorld's names of things: kinds with numbers, from the end of the alphabet."""
    kinds: Counter[str] = Counter()
    names = {}
    for thing in sorted(things, reverse=True):
        kind = thing.partition("_bar_")[0] + ("basin" if "basin" in thing else "")
        kinds[kind] += 1
        names[thing] = f"{kind} {kinds[kind]}"
    return names


class Words:
    """A command for each operator of a game, and sentences about its states. A state is the truth of ``ground.facts``,
    int8 (facts,). Raises KeyError, ValueError for actions that ALFWorld does not have."""

    def __init__(self, game: GameTask, ground: GroundTask) -> None:
        self._game, self._init = game, game.init
        self._facts = {_atom(ground.fact_step(fact)): fact for fact in range(ground.fact_count)}
        self._names = names_of({thing for _, *things in game.init for thing in things})
        self._things = sorted(atom[1] for atom in game.init if atom[0] == "objecttype")
        self._places = sorted(atom[1:] for atom in game.init if atom[0] == "receptacleatlocation")
        (self._start,) = (atom[2] for atom in game.init if atom[0] == "atlocation")
        self._taken: set[Atom] = set()  # (thing, place): TextWorld lists such things next to the place
        self._state: Bytes
        self._steps = [_atom(ground.step(operator)) for operator in range(ground.operator_count)]
        self.operators: dict[str, list[int]] = defaultdict(list)
        for operator, (action, *things) in enumerate(self._steps):
            if action != "gotolocation" or things[1] != things[2]:
                self.operators[self._filled(operator, ACTIONS[action].command)].append(operator)
        self.commands = {operator: command for command, found in self.operators.items() for operator in found}

    def first(self, state: Bytes) -> str:
        """Returns the text at the beginning of a game."""
        self._state, self._taken = state, set()
        look = self._look({"l": self._start}, first=True)
        return f"-= Welcome to TextWorld, ALFRED! =-\n\n{look}\n\n{self._game.aim}"

    def said(self, operator: int, state: Bytes) -> str:
        """Returns the text after the operator has led to the state."""
        self._state = state
        action, *things = self._steps[operator]
        if action == "pickupobject":
            self._taken.add((things[2], things[3]))
        elif action == "putobject":
            self._taken.discard((things[2], things[3]))
        return self._filled(operator, ACTIONS[action].said)

    def _filled(self, operator: int, sentence: str) -> str:
        action, *things = self._steps[operator]
        of = dict(zip(ACTIONS[action].parameters.split(), things, strict=True))
        parts = {"look": self._look, "carried": self._carried, "seen": self._seen, "found": self._found}
        said = {part: say(of) for part, say in parts.items() if f"{{{part}}}" in sentence}
        names = {name: self._names[thing] for name, thing in of.items()}
        return sentence.format(**names, **said, help=self._game.help)

    def _so(self, *atom: str) -> bool:
        fact = self._facts.get(atom)
        return atom in self._init if fact is None else bool(self._state[fact])

    def _look(self, of: dict[str, str], first: bool = False) -> str:
        near = [place for place, location in self._places if location == of["l"]]
        if near:
            beside = [
                thing
                for thing in self._things
                for place in near
                if (thing, place) in self._taken and self._so("objectatlocation", thing, of["l"])
            ]
            facing = _listed(self._names[place] for place in near)
            return f"You are facing the {facing}. Next to it, you see {self._some(beside)}."
        seen = self._some(place for place, _ in self._places if first)
        return f"You are in the middle of a room. Looking quickly around you, you see {seen}."

    def _carried(self, of: dict[str, str]) -> str:
        held = [thing for thing in self._things if self._so("holds", of["a"], thing)]
        return f"You are carrying: {self._some(held)}." if held else "You are not carrying anything."

    def _seen(self, of: dict[str, str]) -> str:
        place = of["r"]
        name, opened = self._names[place], self._so("opened", place)
        if self._so("openable", place) and not opened:
            return f"The {name} is closed."
        inside = self._some(thing for thing in self._things if self._so("inreceptacle", thing, place))
        return f"The {name} is open. In it, you see {inside}." if opened else f"On the {name}, you see {inside}."

    def _found(self, of: dict[str, str]) -> str:
        thing = of["o"]
        name = self._names[thing]
        if self._so("isreceptacleobject", thing):
            inside = (other for other in self._things if self._so("inreceptacleobject", other, thing))
            return f"This is a normal {name}. In it, you see {self._some(inside)}."
        states = ("ishot", "hot"), ("iscool", "cool"), ("isclean", "clean")
        state = " and ".join(word for predicate, word in states if self._so(predicate, thing))
        state = f"{state} sliced".strip() if self._so("issliced", thing) else {"cool": "cold"}.get(state, state)
        return f"This is a {state} {name}." if state else f"There's nothing special about {name}."

    def _some(self, things: Iterable[str]) -> str:
        return _listed(f"a {self._names[thing]}" for thing in things)


def _atom(step: Step) -> Atom:
    return step.action.lower(), *map(str.lower, step.arguments)


def _listed(things: Iterable[str]) -> str:
    *others, last = list(things) or ["nothing"]
    return f"{', '.join(others)}, and {last}" if others else last


class AlfworldEnv(gymnasium.Env[str, str]):
    """A game as text, see docs/gymnasium.md: actions are commands, observations the game's text, the reward is 1 for a
    win, less ``step_cost``. ``info["admissible_commands"]``: commands with an effect, unless ``action_mask`` is off.
    Raises InputError for a file that is no game of ALFWorld's."""

    def __init__(
        self, game: str | Path, action_mask: bool = True, step_cost: float = 0.0, render_mode: str | None = None
    ) -> None:
        read = read_game(game)
        self.world = TaskEnv(read.task, hidden="shown", action_mask=False, step_cost=step_cost)
        with reading(Path(game), "a game of ALFWorld's"):
            self.words = Words(read, self.world.ground)
        self.observation_space = self.action_space = Text(LONGEST, charset=string.printable)
        self.render_mode, self._masked = render_mode, action_mask

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        """Begins the game. Raises as ``TaskEnv.reset``."""
        super().reset(seed=seed)
        observation, _ = self.world.reset(seed=seed, options=options)
        return self.words.first(observation[0]), self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Executes a command, or nothing. Raises ResetNeeded outside of an episode."""
        possible = set(self.world.applicable().tolist())
        operator = next((o for o in self.words.operators.get(action.strip(), ()) if o in possible), None)
        none = next(o for o in count() if o not in possible)
        observation, reward, terminated, truncated, _ = self.world.step(none if operator is None else operator)
        said = NOTHING if operator is None else self.words.said(operator, observation[0])
        return said, reward, terminated, truncated, self._info()

    def _info(self) -> Info:
        if not self._masked:
            return {}
        commands = {self.words.commands.get(operator, "") for operator in self.world.applicable().tolist()}
        return {"admissible_commands": sorted(commands - {""})}


def alfworld_env(game: str | Path, text: bool = True, **kwargs: Any) -> AlfworldEnv | TaskEnv:
    """Returns a game as text or, without ``text``, as a ``TaskEnv``."""
    return AlfworldEnv(game, **kwargs) if text else TaskEnv(read_game(game).task, hidden="shown", **kwargs)


def alfworld_vector_env(num_envs: int, game: str | Path, text: bool = False, **kwargs: Any) -> TaskVectorEnv:
    """Returns copies of a game, stepped together. Raises UsageError for ``text``."""
    if text:
        raise UsageError("copies that are stepped together have no text: give vectorization_mode='sync'")
    return TaskVectorEnv(num_envs, read_game(game).task, hidden="shown", **kwargs)
