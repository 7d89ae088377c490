"""The interface of a method, its request, and its solution.

A method is one object with all information about itself. ``methods.registry`` holds those that ship; a package adds to
them through the entry point group ``commonsense_planning.methods`` (``examples/own_method``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

from commonsense_planning import config
from commonsense_planning.errors import Status, UsageError
from commonsense_planning.methods.observer import Observer
from commonsense_planning.support.registry import object_at

if TYPE_CHECKING:
    from commonsense_planning.llm.model import Usage
    from commonsense_planning.llm.models import ModelSession
    from commonsense_planning.pddl.plan import Plan
    from commonsense_planning.pomdp.observation_model import Floats
    from commonsense_planning.search.pomdp.lower_bound import Expectation
    from commonsense_planning.task import Task


def _models() -> ModelSession:
    from commonsense_planning.llm.models import ModelSession  # imports much, and the names of methods must come fast

    return ModelSession()


REGISTRY = "commonsense_planning.methods.registry:method_named"
"""The registry of methods by name, which imports this module; it is loaded when a name is given."""

Event = dict[str, Any]
"""An event of a trace: plain data that goes into a line of JSON."""


class Observability(StrEnum):
    """The part of the world that a method is given."""

    KNOWN = "known"  # the true world, hidden facts included
    SEEN_IN_PART = "seen in part"  # what the sensors show
    WAYS_UNTOLD = "ways untold"  # the places, but not the ways between them


@runtime_checkable
class Method(Protocol):
    """A way to solve tasks."""

    @property
    def name(self) -> str:
        """The name for ``--method``."""

    @property
    def summary(self) -> str:
        """A one-line summary; it begins with a small letter and ends without a full stop."""

    @property
    def world(self) -> Observability:
        """The part of the world that it is given."""

    @property
    def Options(self) -> type[config.Options]:
        """Its settings; they become options of the command line."""

    def why_not(self, task: Task) -> str | None:
        """Why it cannot solve a task; None if nothing speaks against it. Raises MissingError if it lacks something that
        no task provides, and InputError for a task that no method can solve."""

    def solve(self, request: Request) -> Solution:
        """Solves the task of a request that nothing speaks against.

        Raises UsageError for settings that do not fit the task, InputError if it cannot be grounded, MissingError for
        something that is not installed.
        """

    def estimate(self, request: Request) -> Estimate | None:
        """Estimates the questions to a model behind an endpoint, before anything is spent; None if it asks none. Raises
        UsageError if there is no estimate."""


class TrueWorldMethod:
    """The base of methods that need a task with a true world, know that world and ask no model, if the subclass does
    not say otherwise."""

    world = Observability.KNOWN

    def why_not(self, task: Task) -> str | None:
        """Why the task gives no world; None if it gives one."""
        return task.no_world

    def estimate(self, request: Request) -> Estimate | None:
        """None: no model is asked."""
        return None


OptionsT = TypeVar("OptionsT", bound=config.Options)


class _MethodOrName:
    """The method of a request, which may be given by name; the request looks it up."""

    def __get__(self, request: Request | None, owner: type) -> Method:
        if request is None:
            raise AttributeError("a request has no method by default")
        return cast(Method, vars(request)["method"])

    def __set__(self, request: Request, method: Method | str) -> None:
        vars(request)["method"] = method


class _OptionsOrValues:
    """The options of a request, which may be given as name → value, and by default are None; the request makes them."""

    def __get__(self, request: Request | None, owner: type) -> config.Options:
        return cast(config.Options, None if request is None else vars(request)["options"])

    def __set__(self, request: Request, options: config.Options | Mapping[str, Any] | None) -> None:
        vars(request)["options"] = options


@dataclass(frozen=True)
class Request:
    """A task, the method that solves it, and its settings.

    ``method``: one of ``METHODS``, or its name. ``options``: an instance of the method's ``Options``, or name → value,
    None for its defaults; a method reads them with ``options_as``. ``models`` provides the model that answers. ``seed``
    of all random draws. ``seconds``: limit in wall-clock time, None for no limit. ``instruction``: the goal in the
    user's words, for the model. ``emit`` gets the events of the trace; ``report`` the progress within a decision or a
    search: what is counted, the count, and the total (None: not known). ``prior``: float64 (members,) for each
    exactly-one group, not negative: the agent's initial belief in place of its prior; no model is asked for one then.
    ``observer`` watches the run.

    Raises UsageError for options of another method, an unknown method, a ``task`` that is not a Task, a seed below 0,
    and ``seconds`` that are not a number.
    """

    task: Task
    method: _MethodOrName = _MethodOrName()  # noqa: RUF009
    options: _OptionsOrValues = _OptionsOrValues()  # noqa: RUF009
    models: ModelSession = field(default_factory=_models)
    seed: int = 0
    seconds: float | None = None
    instruction: str = ""
    emit: Callable[[Event], None] = lambda event: None
    report: Callable[[str, int, int | None], None] = lambda what, count, total: None
    prior: Sequence[Floats] | None = None
    observer: Observer = field(default_factory=Observer)

    def __post_init__(self) -> None:
        if not hasattr(self.task, "problem"):
            raise UsageError(f"task must be a Task, as read_task returns it, not {self.task!r:.60}")
        method: object = self.method
        if isinstance(method, str):
            vars(self)["method"] = object_at(REGISTRY)(method)
        elif not isinstance(method, Method):
            raise UsageError(f"method must be a method or its name, not {method!r:.60}")
        given: object = self.options
        if given is None or isinstance(given, Mapping):
            vars(self)["options"] = self.method.Options.of(given or {})
        elif not isinstance(given, self.method.Options):
            wrong, right = type(given).__name__, self.method.Options.__name__
            raise UsageError(f"{self.method.name} takes {right}, not {wrong}")
        if self.seed < 0:
            raise UsageError(f"seed must be at least 0, not {self.seed}")
        if self.seconds is not None and math.isnan(self.seconds):
            raise UsageError("seconds must be a number or None")

    def options_as(self, kind: type[OptionsT]) -> OptionsT:
        """The options, which are of a kind that the method declares as its ``Options``, or of a base of it.

        Raises TypeError for another kind, which is an error of the method's.
        """
        if not isinstance(self.options, kind):
            raise TypeError(f"{self.method.name} has {type(self.options).__name__}, not {kind.__name__}")
        return self.options

    @property
    def world(self) -> Observability:
        """The part of the world that the method is given with these options."""
        return world_given(self.method, self.options)


def world_given(method: Method, options: config.Options | None) -> Observability:
    """The part of the world that a method is given; with its option ``observable`` the whole world."""
    return Observability.KNOWN if getattr(options, "observable", False) else method.world


@dataclass(frozen=True)
class Solution:
    """The result of a method, not yet validated.

    ``plan``: the plan found or carried out, None if there is none. ``reported``: each of its steps, and no others, was
    an event when it was carried out. ``executability``: the share of the actions of a whole plan written by a model
    that could be carried out, None if no whole plan was written. ``model`` is empty if none was used; ``model_note``
    tells its kind; ``unmatched`` counts the phrases in its answers that match nothing; ``usage`` counts its questions,
    and ``usd`` is their cost in this run, None if the price is not known. ``bound``: no plan costs less, None if
    nothing is proven; ``expectation``: the expected steps at the first search under a belief. ``improvements``: seconds
    of search and cost of each plan that was cheaper than those before it, the last one ``plan``, if cheaper plans were
    searched for. ``version`` of another program, and what it was ``given`` to read. ``registry.solve`` fills in
    ``seconds`` of wall-clock time, and, without a plan, the ``explanation``: for each cause, the lines from the goal to
    it.
    """

    status: Status
    plan: Plan | None
    reason: str = ""
    reported: bool = False
    executability: float | None = None
    model: str = ""
    model_note: str = ""
    usage: Usage | None = None
    usd: float | None = None
    unmatched: int = 0
    operators: int = 0
    facts: int = 0
    expanded: int | None = None
    bound: float | None = None
    expectation: Expectation | None = None
    improvements: tuple[tuple[float, float], ...] = ()
    version: str = ""
    given: str = ""
    explanation: tuple[tuple[str, ...], ...] = ()
    seconds: float = 0.0

    @property
    def interrupted(self) -> bool:
        """Whether an interrupt ended it, in which case the caller should stop, too. The best plan so far may solve the
        task."""
        return self.status is Status.INTERRUPTED or self.reason.startswith(Status.INTERRUPTED)


@dataclass(frozen=True)
class Estimate:
    """An estimate of cost: ``calls``, tokens and US dollars (None if the price is not known), each from a short run to
    an upper bound, without retries; ``placements`` is the number of placement questions, which all runs ask."""

    placements: int
    calls: tuple[int, int]
    prompt_tokens: tuple[int, int]
    completion_tokens: tuple[int, int]
    usd: tuple[float, float] | None
