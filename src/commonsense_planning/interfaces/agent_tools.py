"""The tools that the planner offers to an agent, each a function of texts; and the child process that runs one.

No path in a request is ever opened: it contains texts, and a message names one as ``cplan check`` names a file:
``domain.pddl:3:5``. A request holds the ``tool``, its
``arguments`` by name, the ``model`` that answers and its ``budget``, the ``seconds`` that it may take, and the
``folder``. The answer holds a short ``text`` and the same as ``data``; or the ``error``. An agent that acts is kept in
a file of the folder between calls, and its texts in a folder below: an error in ``begin`` leaves the last one
unchanged.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, TypeAdapter

from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.elicitation.initial_belief import HiddenThing, initial_belief
from commonsense_planning.errors import CplanError, UsageError
from commonsense_planning.grounding.grounding import ground as ground_problem
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.explain import explain as explain_task
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, recommended
from commonsense_planning.methods.registry import solve as solve_request
from commonsense_planning.methods.result import ResultView, judge
from commonsense_planning.pddl.check import check_domain
from commonsense_planning.pddl.check_sensors import check_sensors
from commonsense_planning.pddl.packs import packs, packs_folder
from commonsense_planning.pddl.plan import Plan, parse_plan
from commonsense_planning.pddl.syntax import read_source
from commonsense_planning.support.english import counted
from commonsense_planning.support.limits import within_memory, within_seconds
from commonsense_planning.support.processes import Limit
from commonsense_planning.support.reading import Text
from commonsense_planning.support.workers import serve
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import findings
from commonsense_planning.validation.validate import validate as validate_plan
from commonsense_planning.validation.verdict import Validation, Verdict, what_valid_means

MODEL, BUDGET = TypeAdapter(ModelConfig), TypeAdapter(BudgetConfig)
AGENT = Path("agent.json")
DECIDING = 0.9  # share of a call's time for deciding; the rest is for writing the agent
MOST_STEPS = 300  # of a plan, in an answer
MOST_FINDINGS = 20  # about a plan, in an answer
MOST_THINGS = 20  # of a belief, in an answer
DOMAIN, PROBLEM, SENSORS, PLAN = (Path(name) for name in ("domain.pddl", "problem.pddl", "sensors.pddl", "plan.txt"))

Domain = Annotated[str, Field(description="Text of the PDDL domain; or a task by name: household:demo.")]
Problem = Annotated[str, Field(description="Text of the PDDL problem.")]
Sensors = Annotated[str, Field(description="Text: what is hidden, and when it is seen; empty: nothing is hidden.")]
Seed = Annotated[int, Field(ge=0, le=2**31, description="Seed of random choices.")]
Method = Annotated[
    Literal["", "gbfs", "astar", "fast-downward", "llm-mcts", "llm-replan"],
    Field(
        description="gbfs: fast; astar: an optimal plan; fast-downward; llm-mcts, llm-replan: act with common "
        "sense if sensors hide something; empty: chosen by the task."
    ),
]
Facts = tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """An answer in two forms: as text for a model, and as JSON values."""

    text: str
    data: dict[str, Any]


@dataclass(frozen=True)
class ModelRun:
    """The language model, and the time limit."""

    models: ModelSession
    limit: Limit


# the docstring of a tool is its description for agents


def check(asking: ModelRun, domain: Domain, problem: Problem = "", sensors: Sensors = "") -> Answer:
    """Check PDDL for errors. Reports where the first error is, and what was expected there."""
    if not problem and not _of_a_pack(domain):
        read = check_domain(read_source(Text(domain, str(DOMAIN))))
        warnings = [str(warning) for warning in read.source.warnings]
        text = "\n".join([f"{DOMAIN}: fine: {counted(len(read.actions), 'action')}", *warnings])
        return Answer(text, {"ok": True, "actions": len(read.actions), "warnings": warnings})
    task = _task(domain, problem, sensors)
    data: dict[str, Any]
    if task.needs:
        warnings = [str(warning) for warning in task.problem.warnings]
        data = {"ok": True, "needs": list(task.needs), "warnings": warnings}
        return Answer("\n".join([f"fine: {task.problem.beyond}; solve asks them", *warnings]), data)
    features = sorted(str(feature) for feature in task.problem.features)
    seen_wrongly = check_sensors(task.sensors, task.problem) if task.sensors else ()
    warnings = [str(warning) for warning in (*task.problem.warnings, *seen_wrongly)]
    data = {
        "ok": True,
        "actions": len(task.problem.action_names),
        "objects": len(task.problem.tarski.language.constants()),
        "features": features,
        "warnings": warnings,
    }
    uses = f"; uses {', '.join(features)}" if features else ""
    seen = "; something is hidden" if task.sensors is not None else ""
    sizes = f"{counted(data['actions'], 'action')}, {counted(data['objects'], 'object')}"
    found = f"fine: {sizes}{uses}{seen}"
    return Answer("\n".join([found, *warnings]), data)


def ground(asking: ModelRun, domain: Domain, problem: Problem = "", sensors: Sensors = "") -> Answer:
    """Count the reachable operators and facts of a planning task: its size."""
    task = _task(domain, problem, sensors)
    if task.sensors is None and not task.contingent.atoms:
        grounded, hidden = ground_problem(task.problem), 0
    else:
        grounded, seen = ground_pomdp(task.problem, task.sensors, task.contingent)
        hidden = int(seen.hidden.sum())
    data = {"operators": grounded.operator_count, "facts": grounded.fact_count, "hidden": hidden}
    return Answer(", ".join(f"{value} {key}" for key, value in data.items()), data)


def solve(
    asking: ModelRun, domain: Domain, problem: Problem = "", sensors: Sensors = "", method: Method = "", seed: Seed = 0
) -> Answer:
    """Find a plan and have it validated."""
    task = _task(domain, problem, sensors, seed=seed)
    chosen = method_named(method or recommended(task)[0])
    request = Request(task, chosen, models=asking.models, seed=seed, seconds=asking.limit.left)
    result = judge(request, solve_request(request))
    steps, data = result.plan or [], result.view(ResultView.TOOL)
    told = steps[:MOST_STEPS] + [f"… {len(steps) - MOST_STEPS} more steps"] * (len(steps) > MOST_STEPS)
    said = f"; {_reports(result.validation, task)}" if result.validation.reports else ""
    heading = f"{result.headline}; {counted(len(steps), 'step')} by {chosen.name}{said}"
    return Answer(
        "\n".join([heading, *_drawn(task, seed), *told]), {**data, "plan": result.plan and steps[:MOST_STEPS]}
    )


def explain(asking: ModelRun, domain: Domain, problem: Problem = "") -> Answer:
    """Explain why a task has no plan, and which changes of the texts make one possible; each was tried."""
    found = explain_task(_task(domain, problem), DECIDING * asking.limit.left)
    chains = [line for lines in found.chains for line in lines]
    helps = [f"- {'; '.join(s.texts)}: a plan of {counted(s.steps, 'step')}" for s in found.suggestions]
    return Answer("\n".join([f"{found.status}: {found.reason}", *chains, *helps]), found.as_json())


def validate(
    asking: ModelRun,
    domain: Domain,
    plan: Annotated[str, Field(description="One (action object …) per line.")],
    problem: Problem = "",
    seed: Seed = 0,
) -> Answer:
    """Validate a plan. Reports which steps fail and why, as if the others were right."""
    task = _task(domain, problem, seed=seed)
    steps: Plan = parse_plan(plan, PLAN)
    validation = validate_plan(task.problem, steps)
    reports = [
        {"validator": r.validator, "verdict": str(r.verdict), "step": r.step, "reason": r.reason}
        for r in validation.reports
    ]
    wrong = () if validation.verdict is Verdict.VALID or task.needs else findings(task.problem, steps, MOST_FINDINGS)
    text = f"{validation.verdict.worded(task.problem)}: {counted(len(steps), 'step')}; {_reports(validation, task)}"
    data = {"verdict": str(validation.verdict), "steps": len(steps), "reports": reports, **_world(task)}
    data |= what_valid_means(task.problem)
    located = [{"step": r.step, "action": r.action, "reason": r.reason, "advice": r.advice} for r in wrong]
    told = (text, *_drawn(task, seed), *(f"- {r.finding}" for r in wrong))
    return Answer("\n".join(told), {**data, "findings": located})


def belief(
    asking: ModelRun,
    domain: Domain,
    problem: Problem = "",
    sensors: Sensors = "",
    only: Annotated[str, Field(description="Only things whose name contains this.")] = "",
    top: Annotated[int, Field(ge=1, le=20, description="Places listed per thing.")] = 3,
) -> Answer:
    """Give the probabilities of the places of hidden things, by common sense."""
    task = _task(domain, problem, sensors)
    if task.no_world is not None:
        raise UsageError(task.no_world)
    models = asking.models
    samples, most = models.adapter.prior_samples, models.config.most_there()
    seen = initial_belief(task.problem, task.sensors, task.contingent, task.lexicon, models.open_by_seed, samples, most)
    wanted = [t for t in seen.things if any(only.lower() in name.lower() for name in (t.name, *t.objects))]
    if only and not wanted:
        raise UsageError(f"no hidden thing is called {only}; there are {', '.join(t.name for t in seen.things)}")
    things = [_placed(thing, top) for thing in wanted[:MOST_THINGS]]
    lines = [
        f"{' '.join(thing['objects']) or thing['name']}: "
        + ", ".join(f"{place['fact']} {place['p']:.2f}" for place in thing["places"])
        for thing in things
    ]
    if len(wanted) > MOST_THINGS:
        lines.append(f"… {len(wanted) - MOST_THINGS} more things; 'only' filters by name")
    return Answer("\n".join(lines or ["nothing is hidden"]), {"things": things, "hidden": len(wanted)})


def begin(
    asking: ModelRun,
    domain: Domain,
    problem: Problem = "",
    sensors: Sensors = "",
    method: Literal["llm-mcts", "llm-replan"] = "llm-mcts",
    seed: Seed = 0,
    error: Annotated[float, Field(ge=0, lt=1, description="Probability that an action fails for no reason.")] = 0.05,
) -> Answer:
    """Make the agent that act uses, replacing the last one. It ignores the hidden facts in the problem."""
    from commonsense_planning.agent.agent import Agent  # with the kernels, which the other tools need not load

    folder, models = Path.cwd(), asking.models
    fresh = Path(tempfile.mkdtemp(dir=folder))
    os.chdir(fresh)  # where its texts stay
    with Agent(
        _task(domain, problem, sensors, in_files=True),
        method=method,
        model=models.config,
        seed=seed,
        limits=models.limits,
        error=error,
    ) as agent:
        agent.save(folder / AGENT)
    for last in folder.iterdir():
        if last.is_dir() and last != fresh:
            shutil.rmtree(last)
    return Answer("ready: call act with the initial observation", {"method": method, "seed": seed})


def act(
    asking: ModelRun,
    true: Annotated[Facts, Field(description="Facts seen to be true, such as (on apple_1 table).")] = (),
    false: Annotated[Facts, Field(description="Facts seen to be false.")] = (),
    applied: Annotated[bool | None, Field(description="Was the last action carried out?")] = None,
    complete: Annotated[
        bool | None, Field(description="false: incomplete; else facts that could be seen and are not named are false.")
    ] = None,
    objects: Annotated[dict[str, str] | None, Field(description="New objects: name → type.")] = None,
    action: Annotated[str | None, Field(description="The action done, if not the agent's.")] = None,
) -> Answer:
    """Report what was seen, initially or after the last action; get the next action, or how it ended."""
    from commonsense_planning.agent.agent import Agent
    from commonsense_planning.agent.observation_report import ObservationReport

    if not AGENT.exists():
        raise UsageError("there is no agent: call begin first")
    seen = ObservationReport(true, false, complete=complete, applied=applied, objects=objects or {}, action=action)
    surprises: list[str] = []
    models = asking.models
    with Agent.load(
        AGENT,
        model=models.config,
        limits=models.limits,
        emit=lambda event: surprises.extend(event["what"] if event["event"] == "surprise" else ()),
    ) as agent:
        step = agent.act(seen, DECIDING * asking.limit.left)
        agent.save(AGENT)
    said = f"{agent.status}{agent.reason and f': {agent.reason}'}" if step is None else f"{step}: {step.says}"
    data = {"action": agent.action, **agent.ending, "surprises": surprises, "turns": len(agent.history)}
    return Answer("\n".join([said, *(f"surprise: {what}" for what in surprises)]), data)


TOOLS: dict[str, Callable[..., Answer]] = {
    tool.__name__: tool for tool in (check, ground, solve, explain, validate, belief, begin, act)
}
ACTING = ("begin", "act")
"""The tools that use the agent kept between calls; the others change nothing."""


def _task(domain: str, problem: str, sensors: str = "", in_files: bool = False, seed: int = 0) -> Task:
    """The task of the texts, or of a pack that ships with cplan, by its name (``household:demo``). ``in_files``: it is
    read from files of the current folder, so that it can be read again. ``seed`` draws the world of a contingent
    problem. Raises InputError."""
    pack = _of_a_pack(domain)
    read: list[Path | Text | None] = []
    for path, text in ((DOMAIN, "" if pack else domain), (PROBLEM, problem), (SENSORS, sensors)):
        if text and in_files:
            path.write_text(text, encoding="utf-8")
        read.append(None if not text else path if in_files else Text(text, str(path)))
    first, second, third = read
    return read_task(domain if pack else first or DOMAIN, second, third, seed=seed)


def _of_a_pack(domain: str) -> bool:
    return domain.partition(":")[0] in packs()


def _drawn(task: Task, seed: int) -> list[str]:
    """A line about the world in which a plan was judged, if it was drawn."""
    return [] if task.drawn is None else [task.world_in_words(seed)]


def _world(task: Task) -> dict[str, Any]:
    return {} if task.drawn is None else {"world": list(task.drawn)}


def _reports(validation: Validation, task: Task) -> str:
    said = []
    for report in validation.reports:
        step = f", step {report.step} {report.action}" if report.step is not None else ""
        verdict = report.verdict.worded(task.problem)
        said.append(f"{report.validator}: {verdict}{step}{f': {report.reason}' if report.reason else ''}")
    return "; ".join(said)


def _placed(thing: HiddenThing, top: int) -> dict[str, Any]:
    likeliest: Sequence[int] = np.argsort(-thing.believed, kind="stable")[:top].tolist()
    places = [
        {"fact": thing.facts[i], "place": thing.places[i], "p": round(float(thing.believed[i]), 4)} for i in likeliest
    ]
    return {"name": thing.name, "objects": list(thing.objects), "places": places}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answer a request; runs in the child process."""
    limit = Limit(request["seconds"])
    try:
        os.chdir(request["folder"])
        with (
            within_seconds(limit.left),
            within_memory(),
            ModelSession(MODEL.validate_python(request["model"]), BUDGET.validate_python(request["budget"])) as models,
        ):
            given = TOOLS[request["tool"]](ModelRun(models, limit), **request["arguments"])
    except CplanError as error:
        return {"error": error.line.replace(f"{packs_folder()}/", "")}
    return {"text": given.text, "data": given.data}


if __name__ == "__main__":
    serve(answer)
