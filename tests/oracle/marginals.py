"""The belief of random tiny worlds, seen in part by noisy sensors, against exact Bayes over all joint worlds
(``tiny_worlds``): each marginal after each update, along walks by chance in cplan's environment; and an agent that is
told what a robot of our own did and saw.

In plain worlds all marginals are equal. Elsewhere, where the belief is approximate by its documentation: what is
certain is true in all joint worlds that are left, and what has no chance in none. Everywhere: the marginals of a
group sum to at most 1, what counts as known is more probable than not, and an agent is done only where each fact of its
goal is more probable than the threshold.
"""

import contextlib
import itertools
import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from commonsense_planning.agent.agent import Action as AgentAction
from commonsense_planning.agent.agent import Agent
from commonsense_planning.agent.observation_report import ObservationReport
from commonsense_planning.errors import CplanError, Status
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.knowledge import THRESHOLD
from commonsense_planning.pomdp.observation_model import Observation, Readings
from commonsense_planning.task import Task, read_task
from tests.oracle.tiny_worlds import DONE, Action, AllWorlds, Literals, TinyWorld, World, draw_world, hold, progressed

STEPS, TURNS = 25, 10
"""Updates of a walk, and turns of an agent."""
CLOSE, ROUNDED = 1e-9, 2e-6
SLIP = 0.05  # probability that a robot's action fails though it could be carried out


def compare(seed: int, folder: Path, tried: Counter[str]) -> None:
    """Draw a world by the seed, whose files go to a folder, and walk through it; in a plain one without ties, lead an
    agent through it, too, or through one where things are moved behind its back. What was ``tried`` is counted. Raises
    AssertionError for a difference, with the steps before it."""
    kind, rng = seed % 4, np.random.default_rng(seed)
    tiny, prior = draw_world(rng, plain=kind > 0, ties=kind == 2)
    task, done = read_task(*tiny.write(folder)), list[str]()
    tried["plain worlds" if tiny.plain else "other worlds"] += 1
    walks = [Walk(task, tiny, prior, rng, tried).steps()]
    if tiny.plain and not tiny.tied:
        walks.append(Lead(task, tiny, rng, tried, moving=kind == 3).turns())
    with _unsurprised():
        try:
            for walk in walks:
                done.clear()
                done.extend(walk)
        except (AssertionError, CplanError) as error:
            raise AssertionError(f"after {', '.join(done)}: {type(error).__name__}: {error}") from error


@contextlib.contextmanager
def _unsurprised() -> Iterator[None]:
    """An agent warns of what surprises it, which is meant here."""
    logger = logging.getLogger("commonsense_planning.agent")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


class Walk:
    """A walk by chance in cplan's environment, in which a belief is updated by what is observed."""

    def __init__(
        self, task: Task, tiny: TinyWorld, prior: list[list[float]], rng: np.random.Generator, tried: Counter[str]
    ) -> None:
        ground, compiled = task.seen_in_part
        self.tiny, self.prior, self.rng, self.tried = tiny, prior, rng, tried
        self.names = [str(ground.fact_step(fact)).strip("()") for fact in range(ground.fact_count)]
        self.operators = {str(ground.step(o)).strip("()"): o for o in range(ground.operator_count)}
        self.groups = [self.named(compiled.sensors.groups.row(g)) for g in range(len(tiny.groups))]  # in cplan's order
        self.belief = Belief(compiled, [self.weights(group, prior) for group in self.groups])
        truth = np.array([name in tiny.first for name in self.names])
        self.environment, self.exact = Environment(compiled, truth, rng=rng), AllWorlds(tiny, prior)

    def named(self, facts: Iterable[int]) -> list[str]:
        """The names of facts, by their numbers."""
        return [self.names[fact] for fact in facts]

    def weights(self, names: list[str], prior: list[list[float]]) -> npt.NDArray[np.float64]:
        """Of these facts of a group."""
        pairs = zip(itertools.chain(*self.tiny.groups), itertools.chain(*prior), strict=True)
        by_name = dict(pairs)
        return np.array([by_name[name] for name in names])

    def steps(self) -> Iterator[str]:
        """Update by update, with another prior for a group now and then; what was done."""
        rng, tiny, truth = self.rng, self.tiny, self.tiny.first
        yield "at first"
        observation = self.environment.look()
        visible = {name: name in truth for name in self.names if name in tiny.visible}
        assert self._values(observation.facts) == visible, "at first it is told what is not hidden"
        self._take_in(None, observation)
        for _ in range(STEPS):
            action = drawn(tiny, truth, rng)
            yield action.name
            observation = self.environment.step(self.operators[action.name])
            assert observation.applied == hold(truth, action.wants), "it was carried out against what it wants, or not"
            if observation.applied:
                truth = progressed(truth, action)
            self.exact.act(action, observation.applied, self._values(observation.facts))
            self._take_in(self.operators[action.name], observation)
            group = int(rng.integers(len(tiny.groups)))
            if tiny.plain and all(self.prior[group]) and rng.random() < 0.1:
                yield f"another prior of {tiny.groups[group][0]}"
                before = self.prior[group]
                self.prior[group] = (rng.random(len(before)) + 0.02).tolist()
                self.exact.revise(group, before, self.prior[group])
                own = next(g for g, names in enumerate(self.groups) if set(names) == set(tiny.groups[group]))
                self.belief.revise(own, self.weights(self.groups[own], self.prior))
                self._check()

    def _values(self, readings: Readings) -> Literals:
        return {self.names[fact]: value for fact, value in readings}

    def _take_in(self, operator: int | None, observation: Observation) -> None:
        self.exact.read(self._values(observation.readings))
        self.belief.update(operator, replace(observation, goal_reached=True))
        self._check()
        doubtful = [fact for fact in self.tiny.goal if not self.belief.certain[self.names.index(fact)]]
        if self.belief.knows_goal and not observation.goal_reached and len(doubtful) == 1:
            self.tried["goals without a reward"] += 1
            self.exact.rule_out(*self.tiny.goal)
            self.belief.update(None, Observation(goal_reached=False))
            self._check()

    def _check(self) -> None:
        """Compare all marginals."""
        belief, exact = self.belief, self.exact
        chances = dict(zip(self.names, belief.probabilities().tolist(), strict=True))
        true, certain = (dict(zip(self.names, bits, strict=True)) for bits in (belief.truth, belief.certain))
        for fact in self.tiny.hidden:
            self.tried["marginals"] += 1
            right, ours = exact.probability(fact), chances[fact]
            if self.tiny.plain:
                assert abs(ours - right) < CLOSE, f"{fact}: {ours}, exactly {right}"
            if certain[fact]:
                assert abs(right - true[fact]) < CLOSE, f"{fact} is certain to be {true[fact]}, exactly {right}"
            elif not ours:
                assert right < CLOSE, f"{fact} is ruled out, exactly {right}"
        for group in self.tiny.groups:
            total = sum(chances[fact] for fact in group)
            assert total < 1 + CLOSE, f"{' + '.join(group)} = {total}"
        known = np.where(belief.truth, belief.probabilities(), 1 - belief.probabilities())[belief.known]
        assert (known > 0.5).all(), "what counts as known is less probable than not"
        half, world, state = belief.task.half, belief.sample(self.rng), belief.state()
        assert ((world[:half] & state[half:]) == state[:half]).all(), "a world is drawn against what is known"


class Lead:
    """An agent gets reports of what a simulated robot did, on its advice or not, and what its sensors showed. Where
    things are ``moving``, somebody else moves them now and then, so that no belief is exact."""

    def __init__(
        self, task: Task, tiny: TinyWorld, rng: np.random.Generator, tried: Counter[str], moving: bool
    ) -> None:
        self.task, self.tiny, self.rng, self.tried, self.moving = task, tiny, rng, tried, moving
        self.exact = AllWorlds(tiny, [[1.0] * len(group) for group in tiny.groups])

    def turns(self) -> Iterator[str]:
        """Turn by turn; what was done."""
        tiny, rng, truth = self.tiny, self.rng, self.tiny.first
        by_name = {action.name: action for action in tiny.actions}
        still = {} if self.moving else {"move_rate": 0.0}
        with Agent(self.task, method="look-nearest", options=still, error=SLIP, tries=1000) as agent:
            yield "told at first"
            said = self._told(agent, truth, ObservationReport(complete=True))
            for _ in range(TURNS):
                advised = said is not None and said.name != "finish" and rng.random() < 0.6
                action = by_name[said.name] if advised and said is not None else drawn(tiny, truth, rng)
                applied = hold(truth, action.wants) and rng.random() >= SLIP
                yield f"told {action.name}{'' if applied else ', which failed'}"
                if applied:
                    truth = progressed(truth, action)
                concludes = applied or (said is not None and said.name == action.name)  # not of others' failures
                if concludes and not self.moving:
                    self.exact.act(action, applied, slip=SLIP)
                if self.moving and rng.random() < 0.2:
                    truth, moved = self._moved(truth)
                    yield moved
                said = self._told(
                    agent, truth, ObservationReport(complete=True, action=f"({action.name})", applied=applied)
                )

    def _moved(self, truth: World) -> tuple[World, str]:
        """The world once somebody has moved what no robot holds, and what was moved."""
        group = self.tiny.groups[self.rng.integers(len(self.tiny.groups))]
        there = truth.intersection(group)
        elsewhere = str(self.rng.choice(group))
        return (truth - there | {elsewhere}, f"somebody made {elsewhere} true") if there else (truth, "nothing moved")

    def _told(self, agent: Agent, truth: World, seen: ObservationReport) -> AgentAction | None:
        """Tell the agent what the sensors show, errors and all, and check it."""
        tiny, rng = self.tiny, self.rng
        right = {fact: rng.random() >= tiny.errors[fact][fact in truth] for fact in sorted(tiny.in_sight(truth))}
        shown = {fact: (fact in truth) == value for fact, value in right.items()}
        true, false = ([f"({fact})" for fact in shown if shown[fact] is value] for value in (True, False))
        said = agent.act(replace(seen, true=true, false=false if self.moving or rng.random() < 0.5 else ()))
        self.tried["turns of an agent"] += 1
        chances = {fact: agent.belief.get(f"({fact})", 0.0) for fact in tiny.hidden}
        for group in tiny.groups:
            total = sum(chances[fact] for fact in group)
            assert total < 1 + ROUNDED, f"an agent believes {' + '.join(group)} = {total}"
        done = agent.status is Status.SOLVED
        self.tried["times done"] += done
        for fact, value in shown.items():
            group = next((group for group in tiny.groups if fact in group), (fact,))
            wrong = set(tiny.goal) & ({fact} if not value else set(group) - {fact})
            doubt = tiny.errors[fact][not value]
            assert not done or doubt or not wrong, f"an agent is done, and {fact} was just shown to be {value}"
        if not self.moving:
            self.exact.read(shown)
            for fact, ours in chances.items():
                self.tried["marginals"] += 1
                exactly = self.exact.probability(fact)
                assert abs(ours - exactly) < ROUNDED, f"an agent believes {fact}: {ours}, exactly {exactly}"
                sure = fact not in tiny.goal or exactly > THRESHOLD - CLOSE
                assert not done or sure, f"an agent is done, and {fact} is not sure"
        return said


def drawn(tiny: TinyWorld, truth: World, rng: np.random.Generator) -> Action:
    """Any action whose visible wants are met, waiting more often than others."""
    met = [
        action
        for action in tiny.actions
        if DONE not in action.makes and hold(truth, {f: v for f, v in action.wants.items() if f in tiny.visible})
    ]
    return met[0] if rng.random() < 0.3 else met[rng.integers(len(met))]
