"""The content of a trace besides the steps, for ``cplan view`` to draw: knowledge, belief and expense; where that
is wanted (``cplan solve --trace-search``), also the tree of each decision and what was asked, which may be long.

Nothing here depends on the clock, and nothing is drawn, so a run is the same with a recorder and without one, and equal
seeds give equal traces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

import numpy as np

from commonsense_planning.errors import InputError, Status
from commonsense_planning.llm.model import LanguageModel, ModelWrapper, Usage
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.llm.weights import Weights
from commonsense_planning.methods.method import Event, Method, Observability, Request, Solution
from commonsense_planning.methods.observer import Observer
from commonsense_planning.methods.result import end_event
from commonsense_planning.pddl.evaluation import GroundAtom
from commonsense_planning.pddl.plan import Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.search.pomdp.agents import Decision, EpisodeAgent
from commonsense_planning.search.pomdp.tree_snapshot import outline
from commonsense_planning.task import Task
from commonsense_planning.validation.replay import Replayer, initial_state
from commonsense_planning.wording.questions import Question
from commonsense_planning.wording.verbalise import Verbaliser, Wording

LEAST = 5e-5  # least probability that is listed separately; smaller ones are summed
MOST_PLACES = 100  # of a thing, the likeliest first
MOST_THINGS = 200  # whose belief is recorded: those that became relevant first
MOST_ANSWERS = 20  # of a question, those that weigh most
MOST_CHARACTERS = 2000  # of an answer

Changes = tuple[list[str], list[str]]
"""Facts that are known to be true now, and those that are no longer, in the user's spelling."""


class Recorder(Observer):
    """Adds to the events of one run of a ``method`` on a ``task``; ``models`` says what its answers cost. ``search``:
    whether trees and questions are recorded, too."""

    def __init__(self, task: Task, method: Method, models: ModelSession, search: bool = False) -> None:
        self._task = task
        self._method = method
        self._models = models
        self._search = search
        self._problem = task.problem  # the newest: an agent may meet undeclared things
        self._called: dict[str, str] = {}
        self._asked: list[Event] = []
        self._usage: Usage | None = None
        self._tree: Event | None = None
        self._mind: BeliefSnapshot | None = None
        self._world: TrueWorld | None = None
        self._begun = False

    def listen(self, model: LanguageModel) -> LanguageModel:
        self._usage = model.usage
        return TracedModel(model, self._asked.append) if self._search else model

    def watch(self, agent: EpisodeAgent, say: Verbaliser, belief: Belief, relevance: Relevance) -> EpisodeAgent:
        self._problem = say.problem
        self._mind = BeliefSnapshot(say, belief, relevance, self._mind)
        if not self._search:
            return agent

        def words(operators: tuple[int, ...]) -> Event:
            last = operators[-1]
            length = {"steps": len(operators)} if len(operators) > 1 else {}
            return {"action": str(say.task.step(last)), "says": say.action(last), **length}

        def see(decision: Decision) -> None:
            if decision.snapshot is not None:
                self._tree = outline(decision.snapshot, words, lambda f: str(say.task.fact_step(f)))
            if self._tree is not None and decision.expectation is not None:
                self._tree["expected"] = decision.expectation.as_json

        return TracedAgent(agent, see)

    def completed(self, event: Event) -> Event:
        self._begun = True
        match event["event"]:
            case "start":
                return {**event, **self._started(), **self._since()}
            case "step":
                return {**event, **self._changed(event), **self._since()}
            case "validated":
                return event
        return {**event, **self._since()}

    def plan(self, request: Request, solution: Solution) -> Iterator[Event]:
        """The events of a plan that was found as a whole, as if it was carried out, or the start and the end of a run
        without a plan; none if events were recorded already."""
        if self._begun:
            return
        problem, plan = self._task.problem, solution.plan
        known = self._method.world is Observability.KNOWN and solution.status is Status.UNSOLVABLE
        bare = bool(problem.needs) or (plan is None and not known)
        times = plan.times if plan is not None else ()
        start: Event = {"event": "start", "domain": problem.domain_name, "problem": problem.problem_name}
        start |= {"method": self._method.name, "notes": []}
        yield start if bare else self.completed(start)
        for number, step in enumerate(plan or (), start=1):
            says = "" if problem.needs else self._says(step)  # nor are its states known
            event: Event = {"event": "step", "step": number, "action": str(step), "says": says}
            event |= {"why": {}, "seen": [], "notes": []}
            timed = dict(zip(("starts", "lasts"), times[number - 1], strict=True)) if times else {}
            yield {**event, **timed} if problem.needs else self.completed(event)
        yield end_event(request, solution, [])

    def _says(self, step: Step) -> str:
        problem = self._task.problem
        schema = next(name for name in problem.tarski.actions if problem.spell(name).lower() == step.action.lower())
        wording = self._wording()
        return wording.imperative(schema, [wording.words(name) for name in step.arguments])

    def _wording(self) -> Wording:
        return Wording(self._problem, self._task.lexicon)

    def _met(self) -> dict[str, str]:
        """How the objects are called that were not there before."""
        problem = self._problem
        objects = problem.tarski.language.get_sort("object").domain()  # a set
        names = sorted({problem.spell(str(o.symbol)) for o in objects} - self._called.keys())
        wording = self._wording() if names else None
        met = {name: wording.words(name) for name in names} if wording else {}
        self._called |= met
        return met

    def _started(self) -> Event:
        """The objects, their names, and the initial knowledge and belief."""
        problem = self._task.problem
        if self._mind is None and self._method.world is Observability.KNOWN:
            self._world = TrueWorld(problem)
        belief = {"belief": self._mind.news()} if self._mind is not None else {}
        drawn = dict(self._task.lexicon.map)
        sentences = {} if drawn else self._wording().templates
        words = {"called": self._met(), "map": drawn, **({"sentences": sentences} if sentences else {})}
        return {**words, "known": self._changes()[0], **belief}

    def _changed(self, event: Event) -> Event:
        """What a step has changed, and the tree that it comes from."""
        if self._world is not None:
            self._world.follow(event["step"], event["action"])
        now, gone = self._changes()
        changed: Event = {"now": now, "no_longer": gone}
        if met := self._met():
            changed["called"] = met
        if self._mind is not None:
            changed["belief"] = self._mind.news()
        tree, self._tree = self._tree, None
        return changed if tree is None else {**changed, "search": tree}

    def _changes(self) -> Changes:
        source = self._mind or self._world
        return ([], []) if source is None else source.changes()

    def _since(self) -> Event:
        """What was asked since the last event, and what all that was asked has cost."""
        if self._usage is None or not self._usage.questions:
            return {}
        usage, cost = self._usage, self._models.cost
        spent = {
            "questions": usage.questions,
            "calls": usage.calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            **({"usd": round(cost, 6)} if cost is not None else {}),
        }
        if not self._search:
            return {"spent": spent}
        asked = list(self._asked)
        self._asked.clear()
        return {"asked": asked, "spent": spent}


class TracedModel(ModelWrapper):
    """A model whose questions and answers also go to ``hear``."""

    def __init__(self, model: LanguageModel, hear: Callable[[Event], None]) -> None:
        super().__init__(model)
        self._hear = hear

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        answers = self.model.ask(questions, n)
        for question, texts in zip(questions, answers, strict=True):
            self._hear({**_question(question), "answers": [text[:MOST_CHARACTERS] for text in texts[:MOST_ANSWERS]]})
        return answers

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        weights = self.model.weigh(questions, n)
        for question, weighed in zip(questions, weights, strict=True):
            said = sorted(weighed.said, key=lambda entry: -entry.times)[:MOST_ANSWERS]
            shares = zip(weighed.options, weighed.shares.tolist(), strict=True)
            best = sorted(((share, o) for o, share in shares if share > 0), key=lambda entry: -entry[0])[:MOST_ANSWERS]
            self._hear(
                {
                    **_question(question),
                    "answers": [[entry.text[:MOST_CHARACTERS], round(float(entry.times), 4)] for entry in said],
                    "weights": [[option, round(share, 4)] for share, option in best],
                }
            )
        return weights


def _question(question: Question) -> Event:
    return {"kind": type(question).__name__, "about": question.about, "options": len(question.options)}


class TracedAgent:
    """An agent whose decisions are seen by ``see``, before anything comes of them."""

    def __init__(self, agent: EpisodeAgent, see: Callable[[Decision], None]) -> None:
        self._agent = agent
        self._see = see

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        decision = self._agent.decide(report)
        self._see(decision)
        return decision

    def observe(self, operator: int, observation: Observation) -> None:
        self._agent.observe(operator, observation)


class BeliefSnapshot:
    """An agent's knowledge and belief; ``before``: the snapshot before it began again with other objects."""

    def __init__(
        self, say: Verbaliser, belief: Belief, relevance: Relevance, before: BeliefSnapshot | None = None
    ) -> None:
        self._say = say
        self._belief = belief
        self._relevance = relevance
        self._hidden = belief.task.sensors.hidden
        task = say.task
        facts = {(predicate, *(task.objects[a] for a in arguments)) for predicate, arguments in task.facts}
        self._static = {_spelled(say.problem, atom) for atom in initial_state(say.problem) - facts}
        declared = {say.problem.spell(name) for name in task.objects}
        self._told = np.zeros(task.fact_count, np.bool_)
        self._begun = False
        self._things: dict[int, Event] = {}  # group, or fact outside of all groups behind them → what was recorded last
        self._before = set() if before is None else before.known()
        self._ids = {} if before is None else before.ids()
        self._first = max(self._ids.values(), default=-1) + 1  # of the ids of things that were not there before
        left = [(of, told) for of, told in self._ids.items() if not declared.issuperset(of.split())]
        self._left = [{"id": told, "of": of, "says": of, "places": [], "true": []} for of, told in left]

    def known(self) -> set[str]:
        """The facts last recorded as true."""
        told = map(self._name, np.flatnonzero(self._told).tolist())
        return {*self._static, *told} if self._begun else self._before

    def ids(self) -> dict[str, int]:
        """The number under which each thing was recorded."""
        return self._ids | {told["of"]: told["id"] for told in self._things.values()}

    def changes(self) -> Changes:
        """Since the last call; in the first, all that is known to be true."""
        known, told = self._belief.truth & self._belief.known, self._told
        now, gone = ({self._name(f) for f in np.flatnonzero(bits).tolist()} for bits in (known & ~told, told & ~known))
        self._told = known
        if not self._begun:
            self._begun, now, before = True, now | self._static, self._before
            now, gone = now - before, before - now
        return sorted(now), sorted(gone)

    def _name(self, fact: int) -> str:
        return str(self._say.task.fact_step(fact))

    def news(self) -> list[Event]:
        """The belief about things that are or were relevant, if it differs from the one recorded last."""
        belief, groups = self._belief, self._belief.groups
        relevant = self._relevance.of(belief.truth, belief.known)
        independent = relevant.facts & self._hidden & ~belief.known
        independent[groups.items] = False
        things = [*np.flatnonzero(relevant.groups).tolist(), *(np.flatnonzero(independent) + len(groups)).tolist()]
        things = list(dict.fromkeys([*self._things, *things]))[:MOST_THINGS]
        chances = belief.probabilities()
        news, self._left = self._left, []
        for thing in things:
            words = self._group(thing, chances) if thing < len(groups) else self._fact(thing - len(groups), chances)
            told = {"id": self._ids.get(words["of"], self._first + thing), **words}
            if self._things.get(thing) != told:
                self._things[thing] = told
                news.append(told)
        return news

    def _group(self, group: int, chances: Any) -> Event:
        say, members = self._say, self._belief.groups.row(group)
        subject = say.subject(members)
        thing = {
            "of": " ".join(say.problem.spell(say.task.objects[o]) for o in subject),
            "says": " ".join(say.name(o) for o in subject),
        }
        return {**thing, **self._places(members.tolist(), chances)}

    def _fact(self, fact: int, chances: Any) -> Event:
        return {"of": self._name(fact), "says": self._say.fact(fact), **self._places([fact], chances)}

    def _places(self, facts: Sequence[int], chances: Any) -> Event:
        ranked = sorted(facts, key=lambda f: -chances[f])
        likely = [f for f in ranked if chances[f] >= LEAST][:MOST_PLACES]
        true = [self._name(f) for f in facts if self._say.task.init[f]]
        return {"places": [[self._name(f), round(float(chances[f]), 4)] for f in likely], "true": true}


class TrueWorld:
    """The true world, as the steps of a trace change it, for methods that know it; nothing from the first step on that
    is not the next one, or no action of the task."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._replayer: Replayer | None = Replayer(problem)
        self._told: Set[GroundAtom] = frozenset()
        self._steps = 0

    def changes(self) -> Changes:
        """Since the last call; in the first, all that is true."""
        state = frozenset[GroundAtom]() if self._replayer is None else frozenset(self._replayer.state)
        told, self._told = self._told, state
        now, gone = (sorted(_spelled(self._problem, atom) for atom in atoms) for atoms in (state - told, told - state))
        return now, gone

    def follow(self, number: int, action: str) -> None:
        """Carries out a step, the ``number``-th."""
        self._steps += 1
        try:
            if self._replayer is not None and number == self._steps:
                name, *arguments = action.strip("()").split()
                self._replayer.step(Step(name, tuple(arguments)))
            else:
                self._replayer = None
        except InputError:
            self._replayer = None


def _spelled(problem: Problem, atom: Sequence[str]) -> str:
    return str(Step(problem.spell(atom[0]), tuple(problem.spell(name) for name in atom[1:])))
