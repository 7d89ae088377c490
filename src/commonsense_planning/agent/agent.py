"""An agent for a world outside cplan: a robot, or another program, carries out its actions and reports the results.

Of the problem's world, the agent knows only the facts that are not hidden. If something goes wrong in the real world
(an action fails, a thing is moved, an undeclared thing turns up), the agent logs it and plans again.
"""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from commonsense_planning import __version__
from commonsense_planning.agent import agent_file
from commonsense_planning.agent.agent_file import Turn
from commonsense_planning.agent.deadline import Deadline
from commonsense_planning.agent.observation_report import ObservationReport, renamed_in, words
from commonsense_planning.agent.reported import Past, ReportedEpisode
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import BudgetError, InputError, Status, UsageError
from commonsense_planning.llm.adapters import MODELS
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.acting_options import ActingOptions
from commonsense_planning.methods.episode import Actor
from commonsense_planning.methods.episode_context import ActingMethod
from commonsense_planning.methods.given_up import given_up
from commonsense_planning.methods.method import Event, Method, Observability, Request, Solution, world_given
from commonsense_planning.methods.observer import Observer
from commonsense_planning.methods.registry import method_named
from commonsense_planning.methods.result import ResultView, unjudged
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.support.english import counted
from commonsense_planning.support.json_lines import entries
from commonsense_planning.support.processes import temporary_folder
from commonsense_planning.support.reading import Text, reading
from commonsense_planning.task import Task, read_task, with_objects

ERROR = 0.05  # probability that an action fails though nothing says that it may
SURE = 0.01  # below this probability, an action's failures in a row are no longer put down to chance
TRIES = 3  # failures of an action in a row after which plans avoid it

logger = logging.getLogger(__package__)


@dataclass(frozen=True)
class Action:
    """The next action: ``str()`` is its PDDL, ``says`` its English; ``why`` as in the trace."""

    name: str
    arguments: tuple[str, ...]
    says: str
    why: Mapping[str, Any]

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.arguments))})"


class Agent:
    """Decides what to do next in a world that it knows only through reports.

    ``domain``, ``problem``, ``sensors``: files, see ``read_task``; or a ``Task`` instead of ``domain``. ``method``
    decides; it must act step by step in a partly observable world. ``model``: the model that answers common-sense
    questions, by name, with settings, or already open, in which case the caller closes it. ``options`` of the method:
    an instance of its ``Options``, or name → value. ``limits`` on the model's cost. ``emit`` gets the events of the
    trace as they happen, with one more kind, ``surprise``; it and ``step`` have the agent's ``name`` as ``agent``, and
    the ``time``, and ``step`` the ``seconds`` of its decision. ``tries``: plans avoid an action after so many failures
    in a row; if nothing else is left, it is tried as often again; more often if the task's probabilities make so many
    failures likely. ``error``: the probability that an action fails though its preconditions hold, in addition to the
    task's probabilities. ``observer`` watches, and adds to the events. The constructor grounds the task, so that
    ``act`` need not.

    Raises InputError for wrong files, UsageError for a method that does not act like that.
    """

    def __init__(
        self,
        domain: Path | str | Text | Task,
        problem: Path | str | Text | None = None,
        sensors: Path | str | Text | None = None,
        method: Method | str = "llm-mcts",
        model: ModelSession | ModelConfig | str = "embedded",
        *,
        options: Any = None,
        seed: int = 0,
        instruction: str = "",
        limits: BudgetConfig | None = None,
        emit: Callable[[Event], None] = lambda event: None,
        tries: int = TRIES,
        error: float = ERROR,
        observer: Observer | None = None,
        name: str = "",
    ) -> None:
        _check(seed, tries, error)
        task = _task(domain, problem, sensors)
        chosen = method_named(method) if isinstance(method, str) else method
        if isinstance(options, Mapping):
            options = chosen.Options.of(options)
        if not isinstance(chosen, ActingMethod) or world_given(chosen, options) is not Observability.SEEN_IN_PART:
            raise UsageError(f"{chosen.name} does not act step by step in a partly observable world, as llm-mcts does")
        reason = None if task.no_world else chosen.why_not(task)  # the world is real: the task need not give one
        if reason is not None:
            raise UsageError(f"{chosen.name} cannot solve this task: {reason}")
        self._answers: Path | None = None  # what the model has answered, for ``save``
        self._open = ExitStack()
        self._turn = threading.Lock()
        models = model if isinstance(model, ModelSession) else self._opened(model, limits)
        self.name = name
        self.differs = False
        self.status: Status | None = None
        self.reason = ""
        self._seconds = 0.0  # of the last decision
        self._listener = emit
        looks_on = observer or Observer()
        self._request = Request(
            task, chosen, options, models, seed, instruction=instruction, emit=self._emit, observer=looks_on
        )
        self._method: ActingMethod = chosen
        self._clock = Deadline()
        self._past: Past = []
        self._turns: list[Turn] = []
        self._why: dict[str, Any] = {}
        self._done: list[str] = []
        self._failures: Counter[str] = Counter()
        self._tries, self._error = tries, error
        self._without: set[str] = set()
        self._lifted: set[str] = set()  # actions that were avoided, are tried again, and have not succeeded yet
        self._objects: dict[str, str] = {}  # objects declared since, and facts about them
        self._facts: list[str] = []
        self._renamed: dict[str, str] = {}  # declared, of a kind with unknown members → what it turned out to be
        self._silent = False
        self._acting = self._episode(self._request, self._past)
        self._actor: Actor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the model, unless it was given open."""
        self._open.close()

    def save(self, path: Path | str) -> None:
        """Writes everything needed to continue in another process to a file of readable JSON, atomically. Raises
        InputError if that fails, UsageError while another thread uses the agent."""
        with self._alone():
            agent_file.write(Path(path), self.saved)

    @property
    def saved(self) -> dict[str, Any]:
        """What ``save`` writes, as JSON values: ``load`` takes its text, too."""
        request, task = self._request, self._request.task
        files = {
            "domain": str(task.problem.domain_file.resolve()) if task.problem.folders[0] else None,
            "problem": str(task.problem.problem_file.resolve()) if task.problem.folders[1] else None,
            "sensors": str(task.sensors_file.resolve()) if task.sensors_file else None,
        }
        config = request.models.config
        return {
            "format": agent_file.FORMAT,
            "cplan": __version__,
            "task": {**files, "fingerprint": agent_file.fingerprint(task)},
            "method": request.method.name,
            "options": agent_file.as_json(request.options),
            "model": agent_file.as_json(config if self._answers is None else replace(config, record=None)),
            "seed": request.seed,
            "instruction": request.instruction,
            "tries": self._tries,
            "error": self._error,
            "turns": [turn.as_json() for turn in self._turns],
            "generator": self._acting.rng.bit_generator.state,
            "answers": [] if self._answers is None else list(entries(self._answers)),
            **({"name": self.name} if self.name else {}),
        }

    @classmethod
    def load(
        cls,
        path: Path | str | Text,
        task: Task | None = None,
        model: ModelSession | ModelConfig | str | None = None,
        *,
        limits: BudgetConfig | None = None,
        emit: Callable[[Event], None] = lambda event: None,
        seconds: float | None = None,
    ) -> Self:
        """Loads a saved agent: it continues as it would have, and ``action`` is its last action. It repeats all its
        decisions, which takes as long as before; the model is not asked again what it has answered.

        ``task``: replaces the files that were read then. ``model`` and ``limits`` as when it was made, since the file
        does not choose the model; None for plain ``embedded``. ``emit`` gets the events from now on. ``seconds``: limit
        of each repeated decision. ``differs`` tells whether a decision is now another one than it was. Raises
        InputError for a wrong file, and if the task has changed; UsageError if a model must be named; BudgetError if a
        decision takes longer; and the errors of making an agent.
        """
        path = path if isinstance(path, Text) else Path(path)
        saved = agent_file.read(path)
        if model is None and saved.model:
            was = json.dumps(saved.model, ensure_ascii=False)
            raise UsageError(f"{path}: name the model in Agent.load(…, model=…); it was {was}")
        with reading(path, agent_file.WHAT, also=(UsageError,)):
            method = method_named(saved.method)
            options = method.Options.of(saved.options)
            _check(saved.seed, saved.tries, saved.error)
        if task is None:
            if saved.task.domain is None or saved.task.problem is None:
                raise UsageError(f"{path}: the task was not read from files: give it in Agent.load(…, task=…)")
            task = _task(saved.task.domain, saved.task.problem, saved.task.sensors)
        if agent_file.fingerprint(task) != saved.task.fingerprint:
            raise InputError(f"{path}: the task has changed since the agent was saved")
        more: dict[str, Any] = {"seed": saved.seed, "instruction": saved.instruction, "limits": limits, "emit": emit}
        more |= {"tries": saved.tries, "error": saved.error, "name": saved.name}
        agent = cls(task, method=method, model=model or "embedded", options=options, **more)
        if agent._answers is not None:
            answers = "".join(f"{json.dumps(answer)}\n" for answer in saved.answers)
            agent._answers.write_text(answers, encoding="utf-8")
        agent._think_again(saved.turns, seconds)
        if agent._acting.rng.bit_generator.state != saved.generator:
            logger.warning("%s: random draws differ from those of then: the agent may continue differently", path)
        return agent

    def _think_again(self, turns: Sequence[Turn], seconds: float | None) -> None:
        """Repeats these turns without events."""
        self._silent = True
        for number, turn in enumerate(turns, start=1):
            self._clock.begin(seconds, turn.late)
            self._act(turn.seen)
            if self._clock.overdue:
                raise BudgetError(f"decision {number} cannot be repeated within {seconds} s")
            if self._turns[-1].said != turn.said:
                self.differs = True
                logger.warning("its action is now %s, and was %s", self._turns[-1].said, turn.said)
                self._turns[-1] = turn
        self._silent = False

    def _opened(self, model: ModelConfig | str, limits: BudgetConfig | None) -> ModelSession:
        """The model, which is closed with the agent; its answers are kept, unless they are in files."""
        if isinstance(model, str):
            model = ModelConfig(model, parallel=MODELS.find(model)[0].parallel)
        keeps = model.recorded or model.replay or model.cache or not MODELS.find(model.name)[0].reads_prompts
        if not keeps:
            self._answers = Path(self._open.enter_context(temporary_folder())) / "answers.jsonl"
            model = replace(model, record=self._answers)
        return self._open.enter_context(ModelSession(model, limits))

    @property
    def seed(self) -> int:
        """The seed of all random draws."""
        return self._request.seed

    @property
    def task(self) -> Task:
        """The task, including objects that were declared later."""
        return self._acting.request.task

    @property
    def history(self) -> tuple[Turn, ...]:
        """All reports and actions so far."""
        return tuple(self._turns)

    @property
    def action(self) -> str | None:
        """The last action, whose outcome has not been reported; None if there is none."""
        return self._turns[-1].said if self._turns else None

    @property
    def ending(self) -> dict[str, Any]:
        """How it ended: name → JSON value, of the keys of ``ResultView.AGENT``. ``status`` is None while it
        continues."""
        found = unjudged(self._request, self._solution()).view(ResultView.AGENT)
        return found if self.status else {**found, "status": None}

    def _solution(self) -> Solution:
        status = self.status or Status.UNSOLVED
        if self._actor is None:  # no model is open yet
            return Solution(status, None, self.reason)
        return self._acting.run.solution(status, self._acting.task.plan(self._actor.done), self.reason)

    @property
    def belief(self) -> dict[str, float]:
        """The probability of each hidden fact that is not certainly false: fact → (0, 1]."""
        belief, task = self._acting.belief, self._acting.task
        chances = belief.probabilities()
        hidden = np.flatnonzero(belief.task.sensors.hidden & (chances > 0)).tolist()
        return {str(task.fact_step(fact)): round(float(chances[fact]), 6) for fact in hidden}

    def act(self, seen: ObservationReport | None = None, deadline: float | None = None) -> Action | None:
        """Decides the next action, given what was ``seen`` after the last one, or initially (None: nothing).

        Returns None if there is nothing to do: ``status`` tells whether the goal is reached (SOLVED), the agent gives
        up (UNSOLVED), or has no action yet and should be asked again (BUDGET); ``reason`` explains why. After new
        observations the caller may continue anyway, and an agent that has given up, if asked again, tries everything
        that failed again. ``deadline``: seconds after which the best action so far is taken; status is BUDGET if there
        is none yet. Raises InputError for an observation with unknown names, and then nothing has changed; MissingError
        for a model that cannot be used; UsageError while another thread uses the agent.
        """
        with self._alone():
            self._clock.begin(deadline)
            return self._act(seen or ObservationReport(complete=False))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Reserves the agent for the calling thread."""
        if not self._turn.acquire(blocking=False):
            raise UsageError("another thread uses this agent: wait for it, or make one agent per thread")
        try:
            yield
        finally:
            self._turn.release()

    def hurry(self) -> None:
        """Makes the current decision, in another thread, end with the best action so far."""
        self._clock.hurry()

    def _act(self, seen: ObservationReport) -> Action | None:
        self._take_in(seen.action or self.action, seen)
        begun = time.monotonic()
        action = self._decide(seen)
        self._seconds = round(time.monotonic() - begun, 3)
        said = None if action is None else str(action)
        self._turns[-1] = replace(self._turns[-1], said=said, late=tuple(self._clock.late))
        if not self._silent:
            told = f"next: {said}" if said else f"{self.status}: {self.reason}" if self.reason else self.status
            logger.info("%s (%.3f s)", told, self._seconds)
        return action

    def _emit(self, event: Event) -> None:
        if not self._silent:
            event = self._request.observer.completed(event)
            self._listener({**event, **self._when, "seconds": self._seconds} if event["event"] == "step" else event)

    @property
    def _when(self) -> Event:
        return {"agent": self.name, "time": datetime.now(UTC).isoformat(timespec="milliseconds")}

    # -- what is seen ----------------------------------------------------------------------------------------

    def _take_in(self, did: str | None, seen: ObservationReport) -> None:
        """Takes in a report. Raises InputError before anything has changed."""
        acting, actor = self._acting, self._actor
        if seen.complete is None and did is None and self._past:
            seen = replace(seen, complete=False)  # a piece of news, not a look around
        new, past = acting.reader.names.undeclared(seen), self._past
        if new:
            met = acting.stand_ins(new, seen)
            renamed, past = {**self._renamed, **met}, [(did, before.renamed(met)) for did, before in past]
            more = {name: kind for name, kind in new.items() if name not in renamed.values()}
            objects, facts = {**self._objects, **more}, [*self._facts, *_about(more, seen.true)]
            task = with_objects(self._request.task, objects, facts, renamed)
            changeable = tuple(renamed_in(fact, met) for fact in acting.request.task.changeable)
            request = replace(self._request, task=replace(task, changeable=changeable))
            names, acting = acting.reader.names, self._episode(request, past)
        unforeseen = acting.reader.names.unforeseen(seen)
        if unforeseen:
            task = acting.request.task
            task = replace(task, changeable=(*task.changeable, *unforeseen), like=None)
            acting = self._episode(replace(acting.request, task=task), past)
        advised = actor is None or (did is not None and did == self.action)
        reading = acting.read(did, seen, acting.belief, advised)
        if new:
            self._objects, self._facts, self._renamed, self._past = objects, facts, renamed, past
            undeclared = {name: kind for name, kind in more.items() if not names.is_unknown(kind)}
            actor = self._begin_anew(acting, [f"{name} - {kind} was not declared" for name, kind in undeclared.items()])
        elif unforeseen:
            actor = self._begin_anew(acting, [])
        elif self.status is Status.UNSOLVED and self._without:
            self._lifted.clear()  # asked again: everything is tried again
            self._lift()
            acting, actor = self._acting, self._actor
        self._tell(reading.surprises)

        def update(operator: int | None, observation: Observation) -> None:
            if operator is None or actor is None:
                acting.belief.update(operator, observation)
            else:
                actor.observe(operator, self._why if advised else {"told": True}, observation)

        surprises = acting.take_in(reading, acting.belief, update)
        self._past.append((did, seen))
        self._turns.append(Turn(seen, did))
        self._tell(surprises)
        if did is not None and reading.operator is not None:
            self._count(did, reading.failed, reading.observation.slip)

    def _count(self, did: str, failed: bool, slip: float) -> None:
        """Counts successes and failures; plans avoid an action that fails repeatedly, more often than a probability of
        ``slip`` explains."""
        if not failed:
            self._done.append(did)
            del self._failures[did]
            self._lifted.discard(did)
            return
        self._failures[did] += 1
        most = max(self._tries, math.ceil(math.log(SURE) / math.log(slip)) if slip > self._error else 0)
        if self._failures[did] % most == 0:
            self._without.add(did)
            acting = self._episode(self._acting.request, self._past)
            self._begin_anew(acting, [f"{did} failed {self._failures[did]} times in a row: plans now avoid it"])

    def _lift(self) -> bool:
        """Gives failed actions another chance after everything else was tried; False if each has had it."""
        again = self._without - self._lifted
        if again:
            self._lifted |= again
            self._without -= again
            acting = self._episode(self._acting.request, self._past)
            self._begin_anew(acting, [f"nothing else is left: {', '.join(sorted(again))} is tried again"])
        return bool(again)

    def _episode(self, request: Request, past: Past) -> ReportedEpisode:
        return ReportedEpisode(request, self._clock, past, self._error, self._without)

    def _begin_anew(self, acting: ReportedEpisode, why: list[str]) -> Actor | None:
        """Continues with another task and everything seen so far; the belief and the plans are made again."""
        self._tell(why)
        self._clock.begin_anew()
        self._acting = acting
        if self._actor is not None:
            self._actor = self._made(acting, self._actor.tried)
            acting.belief.take_notes()  # reported before
        return self._actor

    def _made(self, acting: ReportedEpisode, tried: int = 0) -> Actor:
        run = acting.run
        agent = acting.request.observer.watch(self._method.agent(acting), acting.say, acting.belief, acting.relevance)
        run.notes.sources = (acting.belief.take_notes, run.model.take_notes)
        belief, say, emit = acting.belief, acting.say, self._request.emit
        done = [acting.reader.names.operator(done, belief) for done in self._done]
        return Actor(agent, belief, say, emit, run.notes.take, acting.update_prior, done, tried)

    def _tell(self, surprises: Iterable[str]) -> None:
        what = list(surprises)
        if what and not self._silent:
            for surprise in what:
                logger.warning("%s", surprise)
            step = self._actor.tried if self._actor is not None else 0
            self._listener({"event": "surprise", "step": step, "what": what, **self._when})

    # -- what to do --------------------------------------------------------------------------------------------

    def _decide(self, seen: ObservationReport) -> Action | None:
        self.status, self.reason = None, ""
        action: Action | None = None
        try:
            if self._actor is None:
                self._actor = self._made(self._acting)
                self._acting.start([fact for fact in self._turns[0].seen.true if fact in self.belief])
            over = self._over(self._actor, seen)
            if over is None:
                decision = self._actor.decide(lambda simulations: self._clock.check())
                if decision.operator is None and self._lift():
                    decision = self._actor.decide(lambda simulations: self._clock.check())
                if decision.operator is None:
                    over = Status.UNSOLVED, self._why_given_up(str(decision.why["reason"]))
                else:
                    self._why, acting = decision.why, self._acting
                    step = acting.task.step(int(acting.task.outcomes.first[decision.operator]))
                    action = Action(step.action, step.arguments, acting.say.action(decision.operator), decision.why)
        except BudgetError as error:
            over = Status.BUDGET, str(error)
        if over is not None:
            self.status, self.reason = over
            if self._actor is not None:
                self._acting.run.end(self.status, self._acting.task.plan(self._actor.done), self.reason)
        return action

    def _why_given_up(self, reason: str) -> str:
        acting = self._acting
        reason = "; ".join(filter(None, (reason, given_up(acting.task, acting.belief, acting.relevance))))
        failed = ", ".join(f"{did} failed {self._failures[did]} times in a row" for did in sorted(self._without))
        return f"{failed}, and without it {reason}" if failed else reason

    def _over(self, actor: Actor, seen: ObservationReport) -> tuple[Status, str] | None:
        """How the episode ended, as far as is known; None while it continues."""
        acting, options = self._acting, self._request.options
        violated = acting.violated
        if violated is not None:
            return Status.UNSOLVED, f"a failure condition holds: {violated} is violated"
        reached = acting.belief.knows_goal
        if reached if seen.goal_reached is None else seen.goal_reached:
            return Status.SOLVED, ""
        if reached:
            return Status.UNSOLVED, "every condition of the goal is known to hold: which one does not?"
        most = options.max_steps if isinstance(options, ActingOptions) else None
        if most is not None and actor.tried >= most:
            return Status.UNSOLVED, f"the limit of {counted(most, 'step')} (--max-steps) is reached"
        return None


def _check(seed: int, tries: int, error: float) -> None:
    """Raises UsageError for a number that is out of its range."""
    for name, value, least in (("seed", seed, 0), ("tries", tries, 1)):
        if value < least:
            raise UsageError(f"{name} must be at least {least}, not {value}")
    if not 0 <= error < 1:
        raise UsageError(f"error must be a probability, at least 0 and below 1, not {error}")


def _task(
    domain: Path | str | Text | Task, problem: Path | str | Text | None, sensors: Path | str | Text | None
) -> Task:
    if isinstance(domain, Task):
        if problem is not None or sensors is not None:
            raise UsageError("a Task has its problem and its sensors already")
        return domain
    return read_task(domain, problem, sensors)


def _about(names: Iterable[str], facts: Iterable[str]) -> list[str]:
    """The facts that name one of the objects."""
    wanted = {name.lower() for name in names}
    return [fact for fact in facts if wanted & set(words(fact))]
