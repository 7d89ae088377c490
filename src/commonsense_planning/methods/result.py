"""The validated result of a run, and the table of its keys. Every output that shows a result is a view of ``KEYS``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto
from typing import TYPE_CHECKING, Any

from commonsense_planning.errors import EXIT_MISSING, EXIT_SOLVED, Status
from commonsense_planning.methods.method import Event, Request, Solution
from commonsense_planning.methods.provenance import provenance
from commonsense_planning.validation.validate import validate
from commonsense_planning.validation.verdict import Validation, Verdict, what_valid_means

if TYPE_CHECKING:
    from commonsense_planning.llm.model import Usage

_JUDGED = {Verdict.VALID: Status.SOLVED, Verdict.INVALID: Status.INVALID, Verdict.UNAVAILABLE: Status.UNVALIDATED}
_EMPTY: tuple[object, ...] = (None, "", ())


class ResultView(Flag):
    """The outputs that show a result."""

    JSON = auto()  # the object of ``cplan solve --json``, with all keys
    TRACE = auto()  # the event ``validated``
    TOOL = auto()  # the answer of the tool ``solve`` of ``cplan mcp``
    ENGINE = auto()  # the metrics of unified-planning's engines
    AGENT = auto()  # the answer of an agent of ``cplan serve`` and of ``cplan mcp``
    END = auto()  # the event ``end``


@dataclass(frozen=True)
class Result:
    """A solution and its validation. ``status`` is solved only if a validator accepts the plan and none rejects it;
    ``validation`` has no reports unless the method claims to have solved the task. ``prompts``: the version of the
    templates, empty if none were filled in. ``needs_model``: a run without a usable answer of its model has failed."""

    request: Request
    solution: Solution
    validation: Validation
    status: Status
    prompts: str = ""
    needs_model: bool = False

    @property
    def exit_code(self) -> int:
        """The exit code of the status, unless an answer of the model was required and there was none."""
        usage, code = self.solution.usage, self.status.exit_code
        return code if usage is None or code > EXIT_MISSING else max(code, unheard_code(usage, self.needs_model))

    @property
    def unheard(self) -> str:
        """Why no answer of the model could be used; empty if one could, or none was needed."""
        return "" if self.solution.usage is None else self.solution.usage.unheard_words

    @property
    def headline(self) -> str:
        """How the run ended, why, and whether the model was heard, in one line."""
        return f"{self.status}{f': {self.solution.reason}' * bool(self.solution.reason)}" + (
            f"; {self.unheard}" if self.unheard else ""
        )

    @property
    def plan(self) -> list[str] | None:
        """The actions of the plan; None if there is no plan."""
        plan = self.solution.plan
        return None if plan is None else plan.lines

    @property
    def reward(self) -> float | None:
        """The reward earned; None if the task has no rewards or there is no plan."""
        plan = self.solution.plan
        return None if plan is None else self.request.task.problem.reward(plan, self.status is Status.SOLVED)

    def view(self, view: ResultView = ResultView.JSON) -> dict[str, Any]:
        """Name → JSON value, of the keys of a view."""
        found = [(key, key.value_in(self)) for key in KEYS.values() if view in key.views]
        return {key.name: value for key, value in found if not (key.optional and value in _EMPTY)}


def unjudged(request: Request, solution: Solution) -> Result:
    """The result with the method's own status, which no validator has confirmed."""
    return Result(request, solution, Validation(()), solution.status)


def end_event(request: Request, solution: Solution, notes: list[str]) -> Event:
    """The event ``end`` of a trace: how the method ended, before any validation."""
    return {"event": "end", **unjudged(request, solution).view(ResultView.END), "notes": notes}


def judge(request: Request, solution: Solution, everyone: bool = False) -> Result:
    """Asks the validators about a solution that claims to solve the task; ``everyone``: as for ``validate``."""
    if solution.status != Status.SOLVED or solution.plan is None:
        return unjudged(request, solution)
    validation = validate(request.task.problem, solution.plan, everyone=everyone)
    return Result(request, solution, validation, _JUDGED[validation.verdict])


def unheard_code(usage: Usage, needs_model: bool) -> int:
    """The exit code of a run with respect to its model: EXIT_MISSING if there was no answer at all, or none any more,
    and, if the model is required, if no answer could be used."""
    missing = usage.lost or (usage.was_heard is False and (needs_model or not usage.was_reached))
    return EXIT_MISSING if missing else EXIT_SOLVED


@dataclass(frozen=True)
class Key:
    """A key of a result. ``kind``: the type of its values; ``says``: its meaning; ``read`` takes it from a result, by
    default from the solution's field of the same name; ``also``: the views that show it besides ``--json``. An
    ``optional`` key is left out if it is empty."""

    name: str
    kind: Any
    says: str
    read: Callable[[Result], Any] | None = None
    also: ResultView = ResultView(0)
    optional: bool = False

    @property
    def views(self) -> ResultView:
        """All views that show it."""
        return ResultView.JSON | self.also

    def value_in(self, result: Result) -> Any:
        """Its value in a result."""
        return getattr(result.solution, self.name) if self.read is None else self.read(result)


def _if_any(part: str, read: Callable[[Any], Any]) -> Callable[[Result], Any]:
    """Reads a part of the solution; None if the solution has no such part."""

    def value(result: Result) -> Any:
        found = getattr(result.solution, part)
        return None if found is None else read(found)

    return value


def _world(result: Result) -> list[str] | None:
    return None if result.request.task.drawn is None else [*result.request.task.drawn]


def _valid_means(result: Result) -> str | None:
    return what_valid_means(result.request.task.problem).get("valid_means")


def _warnings(result: Result) -> list[dict[str, Any]] | None:
    return result.request.task.problem.warnings_as_json().get("warnings")


def _made_with(result: Result) -> dict[str, Any]:
    return {**provenance(result.request), "prompts": result.prompts}


_TRACE, _END, _TOOL = ResultView.TRACE, ResultView.END, ResultView.TOOL
_ENGINE, _AGENT = ResultView.ENGINE, ResultView.AGENT
_TABLE = (
    Key("status", Status, "how the run ended", lambda r: str(r.status), _TRACE | _END | _TOOL | _AGENT),
    Key("reason", str, "why it ended so; may be empty", also=_END | _TOOL | _AGENT),
    Key(
        "explanation",
        list[list[str]],
        "of each cause, the lines from the goal to it",
        also=_TRACE | _TOOL | _AGENT,
        optional=True,
    ),
    Key("domain", str, "the domain's name", lambda r: r.request.task.problem.domain_name),
    Key("problem", str, "the problem's name", lambda r: r.request.task.problem.problem_name),
    Key("method", str, "the method's name", lambda r: r.request.method.name, _TOOL),
    Key("version", str, "the version of the planner that the method runs; empty if it is cplan's own"),
    Key("given", str, "what that planner read, if that is not the task as it is written", optional=True),
    Key("model", str, "the model that answered; empty if none was asked", also=_ENGINE),
    Key("model_note", str, "the kind of that model"),
    Key("seed", int, "the seed of all random draws", lambda r: r.request.seed),
    Key("world", list[str], "the hidden facts, if the true world was drawn", _world, _TOOL, optional=True),
    Key("plan", list[str] | None, "the actions; null if there is no plan", lambda r: r.plan, _TOOL),
    Key("steps", int | None, "the number of actions; null if there is no plan", _if_any("plan", len), _END | _TOOL),
    Key("cost", float | None, "the plan's cost, if it was computed", _if_any("plan", lambda p: p.cost), _TOOL),
    Key("reward", float, "the reward earned, if the task has rewards", lambda r: r.reward, optional=True),
    Key("seconds", float, "the wall-clock time", lambda r: round(r.solution.seconds, 3), _ENGINE),
    Key("improvements", list[tuple[float, float]], "seconds and cost of each plan of `--anytime`", optional=True),
    Key("lower_bound", float, "no plan costs less, if that is proven", lambda r: r.solution.bound, _ENGINE, True),
    Key(
        "expected_steps",
        dict[str, Any],
        "at the first search under a belief: those of its policy, and the least of any policy, proven",
        _if_any("expectation", lambda e: e.as_json),
        optional=True,
    ),
    Key("validators", dict[str, Verdict], "the verdict of each validator", lambda r: r.validation.verdicts, _TRACE),
    Key("valid_means", str, "the meaning of valid if outcomes are random", _valid_means, _TRACE | _TOOL, True),
    Key("disagreement", bool, "whether the validators contradict each other", lambda r: r.validation.disagreement),
    Key("warnings", list[dict[str, Any]], "what was wrong in the files, and how it was read", _warnings, optional=True),
    Key(
        "usage",
        dict[str, Any] | None,
        "questions, calls and tokens; null without a model",
        _if_any("usage", lambda u: u.as_json()),
        _ENGINE,
    ),
    Key("heard", bool | None, "whether an answer was usable", _if_any("usage", lambda u: u.was_heard), _TOOL),
    Key("unheard", str, "why no answer of the model was usable", lambda r: r.unheard, _TOOL, optional=True),
    Key("usd", float | None, "US dollars spent in this run; null if the price is not known", also=_ENGINE),
    Key("unmatched", int, "the number of phrases in answers that match nothing"),
    Key("operators", int, "the number of ground operators", also=_ENGINE),
    Key("facts", int, "the number of ground facts", also=_ENGINE),
    Key("expanded", int | None, "the number of expanded states; null if it is not known", also=_ENGINE),
    Key("made_with", dict[str, Any], "everything that the result depends on besides the task", _made_with),
)
KEYS = {key.name: key for key in _TABLE}
"""The keys of a result: name → key, in their order."""


def result_fields(view: ResultView) -> dict[str, Any]:
    """The fields of a pydantic model with the keys of a view: name → type and ``Field``. Those of an agent may be null
    while it continues."""
    from pydantic import Field  # slow to import

    return {
        key.name: (
            key.kind | None if view is ResultView.AGENT else key.kind,
            Field(None if key.optional else ..., description=f"{key.says[0].upper()}{key.says[1:]}."),
        )
        for key in KEYS.values()
        if view in key.views
    }


def result_schema(view: ResultView = ResultView.JSON) -> dict[str, Any]:
    """The JSON schema of a view. With several problems, an object of ``--json`` also has the key ``file``. The object
    of a run that an error ends has only a ``status``, which may be null, and a ``reason``."""
    from pydantic import ConfigDict, Field, TypeAdapter, create_model  # slow to import

    def model(name: str, **fields: Any) -> Any:
        return create_model(name, __config__=ConfigDict(extra="forbid", protected_namespaces=()), **fields)

    fields = result_fields(view)
    if view is not ResultView.JSON:
        return TypeAdapter(model("Result", **fields)).json_schema()
    file = {"file": (str, Field("", description="the problem's file, if there are several"))}
    failed = model("Failure", status=(Status | None, ...), reason=(str, ...), **file)
    return TypeAdapter(model("Result", **fields, **file) | failed).json_schema()
