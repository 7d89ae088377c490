"""The page on which a user chooses a model: success, calls, tokens, money, seconds and calibration, for each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from commonsense_lab.report.document import NOTHING, Bar, Bars, Commands, Grid, Section
from commonsense_lab.studies.models.rows import Guess, ModelRow
from commonsense_lab.studies.models.skills import SKILLS, Skill
from commonsense_planning.support.statistics import difference, mean, paired, rate

MANY = 100  # tasks that a price is told for


def model_sections(setup: str, rows: Sequence[ModelRow], name: str) -> Iterator[Section]:
    """All models beside each other, then skill by skill."""
    models = sorted({row.model for row in rows}, key=lambda model: (_usd(_of(rows, model)) or 0.0, model))
    skills = [skill for skill in SKILLS if any(row.skill == skill.name for row in rows)]
    commands = Commands(tuple(("", command) for command in sorted({row.command for row in rows})))
    yield Section(
        "Which model is worth its money",
        (_legend(setup, skills), _overview(rows, models, skills), _chart(rows, models, skills, name), commands),
    )
    for skill in skills:
        mine = [row for row in rows if row.skill == skill.name]
        yield Section(skill.head.capitalize(), (f"A task: {skill.what}.", _costs(mine, models)), 3)
    if any(row.guesses for row in rows):
        yield Section("Calibration", (CALIBRATION, _calibration(rows, models)), 3)
    if len(models) > 1:
        yield Section("On the same tasks", (PAIRED, _differences(rows, models, skills)), 3)


CALIBRATION = (
    "Log loss: -ln of the probability that a model gave the true place, in nats, mean over the things with its 95 % "
    "interval; gained: less than the uniform belief has on the same things. Says: how probable it holds its likeliest "
    "place; right: how often that was the true one. A model that says more than is right is too sure of itself."
)
PAIRED = (
    "Tasks that only the one or only the other model did well, and the difference of their rates with its 95 % "
    "interval (Agresti and Min 2005). An interval that holds 0 is no difference that these tasks could show."
)


def _legend(setup: str, skills: Sequence[Skill]) -> str:
    return (
        f"Homes: {setup}. All models got the same {', '.join(skill.head for skill in skills)} tasks. Cells: tasks done "
        "well of all, below that the 95 % Wilson interval; of belief, first guesses of things. Calls, tokens, US $, "
        "seconds: mean of a task, all skills alike. Seconds are those of the machine and the endpoint where this was "
        f"run. {NOTHING}: not known, such as the money of a model without a price."
    )


def _of(rows: Sequence[ModelRow], model: str, skill: str = "") -> list[ModelRow]:
    return [row for row in rows if row.model == model and skill in ("", row.skill)]


def _overview(rows: Sequence[ModelRow], models: Sequence[str], skills: Sequence[Skill]) -> Grid:
    head = ("model", *(skill.head for skill in skills), "calls", "tokens", f"US $ for {MANY} tasks", "seconds")
    lines = []
    for model in models:
        mine = _of(rows, model)
        usd = _usd(mine)
        lines.append(
            (
                model,
                *(_done(_of(rows, model, skill.name)) for skill in skills),
                f"{mean([row.calls for row in mine]).value:,.1f}",
                f"{mean([row.tokens for row in mine]).value:,.0f}",
                NOTHING if usd is None else f"{MANY * usd:.2f}",
                f"{mean([row.seconds for row in mine]).value:.1f}",
            )
        )
    return Grid(head, tuple(lines))


def _trials(rows: Sequence[ModelRow]) -> list[bool]:
    """What there is to count: the first guesses where there are some, else tasks."""
    guesses = [guess.right for row in rows for guess in row.guesses]
    return guesses or [row.success for row in rows]


def _done(rows: Sequence[ModelRow]) -> str:
    if not rows:
        return NOTHING
    trials = _trials(rows)
    found = rate(sum(trials), len(trials))
    return f"{found.successes} of {found.trials}\n{100 * found.low:.0f} to {100 * found.high:.0f} %"


def _usd(rows: Sequence[ModelRow]) -> float | None:
    """US dollars of a task; None if one is not known."""
    known = [row.usd for row in rows if row.usd is not None]
    return mean(known).value if len(known) == len(rows) else None


def _chart(rows: Sequence[ModelRow], models: Sequence[str], skills: Sequence[Skill], name: str) -> Bars:
    bars = tuple(tuple(_bar(_of(rows, model, skill.name)) for skill in skills) for model in models)
    series = tuple((model, number) for number, model in enumerate(models))
    groups = tuple(skill.head for skill in skills)
    return Bars(f"{name}-success", "Tasks done well, in %", groups, series, (("", bars),))


def _bar(rows: Sequence[ModelRow]) -> Bar:
    if not rows:
        return Bar(None, 0.0, 0.0, None)
    trials = _trials(rows)
    found = rate(sum(trials), len(trials))
    return Bar(100 * found.value, 100 * found.low, 100 * found.high, None)


COSTS = (
    *("model", "tasks", "done well", "95 %", "steps", "questions", "unanswered", "calls", "tokens", "thoughts"),
    *("US $", "seconds", "of these waiting", "a call"),
)


def _costs(rows: Sequence[ModelRow], models: Sequence[str]) -> Grid:
    return Grid(COSTS, tuple((model, *_cost(found)) for model in models if (found := _of(rows, model))))


def _cost(rows: Sequence[ModelRow]) -> Iterator[str]:
    done = rate(sum(row.success for row in rows), len(rows))
    steps = [row.steps for row in rows if row.success and row.steps is not None]
    calls, waiting = sum(row.calls for row in rows), sum(row.waiting for row in rows)
    usd = _usd(rows)
    yield str(len(rows))
    yield str(done.successes)
    yield f"{100 * done.low:.0f} to {100 * done.high:.0f}"
    yield f"{median(steps):g}" if steps else NOTHING
    yield f"{mean([row.questions for row in rows]).value:.1f}"
    yield f"{mean([row.failures for row in rows]).value:.1f}"
    yield f"{calls / len(rows):,.1f}"
    yield f"{mean([row.tokens for row in rows]).value:,.0f}"
    yield f"{mean([row.thinking_tokens for row in rows]).value:,.0f}"
    yield NOTHING if usd is None else f"{usd:.4f}"
    yield f"{mean([row.seconds for row in rows]).value:.1f}"
    yield f"{waiting / len(rows):.1f}"
    yield f"{waiting / calls:.2f}" if calls else NOTHING


def _calibration(rows: Sequence[ModelRow], models: Sequence[str]) -> Grid:
    head = ("model", "things", "log loss", "uniform", "gained", "says", "right", "95 %")
    lines = []
    for model in models:
        guesses = [guess for row in _of(rows, model) for guess in row.guesses]
        if guesses:
            lines.append((model, *_calibrated(guesses)))
    return Grid(head, tuple(lines))


def _calibrated(guesses: Sequence[Guess]) -> Iterator[str]:
    right = rate(sum(guess.right for guess in guesses), len(guesses))
    yield str(len(guesses))
    yield _interval([guess.log_loss for guess in guesses])
    yield f"{mean([guess.uniform for guess in guesses]).value:.2f}"
    yield _interval([guess.uniform - guess.log_loss for guess in guesses])
    yield f"{100 * mean([guess.top for guess in guesses]).value:.0f} %"
    yield f"{100 * right.value:.0f} %"
    yield f"{100 * right.low:.0f} to {100 * right.high:.0f}"


def _interval(values: Sequence[float]) -> str:
    """A mean with Student's interval."""
    if len(values) < 2:
        return f"{values[0]:.2f}"
    found = difference(values)
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _differences(rows: Sequence[ModelRow], models: Sequence[str], skills: Sequence[Skill]) -> Grid:
    lines = []
    for skill in skills:
        done = {model: {(r.task, r.seed): r.success for r in _of(rows, model, skill.name)} for model in models}
        for number, one in enumerate(models):
            for other in models[number + 1 :]:
                pairs = [(done[one][task], done[other][task]) for task in done[one] if task in done[other]]
                if pairs:
                    found = paired(pairs)
                    told = f"{found.value:+.2f} [{found.low:+.2f}, {found.high:+.2f}]"
                    lines.append((skill.head, one, other, str(found.trials), str(found.first), str(found.second), told))
    return Grid(("skill", "one", "other", "tasks", "only one", "only other", "one more than other"), tuple(lines))
