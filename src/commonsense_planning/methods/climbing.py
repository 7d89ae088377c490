"""How the methods of "Large Language Models as Common-Sense Heuristics" put the parts together."""

from __future__ import annotations

import numpy as np

from commonsense_planning.config import GuideLevel
from commonsense_planning.errors import BudgetError
from commonsense_planning.matching.matching import matcher_named
from commonsense_planning.methods.registry import Request, Solution
from commonsense_planning.methods.searching import plan_of
from commonsense_planning.methods.solving import Clock, Notes, goal_in_words, start_event
from commonsense_planning.search.choosing import Chooser
from commonsense_planning.search.guide_plan import follow_guide
from commonsense_planning.search.hill_climbing import HillClimbing
from commonsense_planning.search.known_world import Ended, KnownWorld
from commonsense_planning.search.result import Status
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.guide import write_guide

NO_DESCRIPTION = "the problem has no description: the model is told the goal in its place"


def climb(request: Request) -> Solution:
    """Hill climbing with the model's choices, or the model's low-level guide as a plan; in the true world."""
    clock, notes = Clock(request.seconds), Notes()
    task, compiled = request.task.all_seen
    language = ActionLanguage(task, request.task.lexicon, request.task.language)
    rng = np.random.default_rng(request.seed)
    matcher = matcher_named(request.models.config.matcher)
    model = request.models.open(language.scene(), request.task.prompts, matcher, rng)
    request.models.stop_at(clock.end)
    notes.sources = (model.take_notes,)
    description = request.description or request.instruction or request.task.problem.description
    if not description:
        description = goal_in_words(task, language.english)
        notes.add(NO_DESCRIPTION)
    level = GuideLevel.LOW if request.method.kind == "guide" else request.climb.guide
    world = KnownWorld(task, compiled)
    counts = {"operators": task.operator_count, "facts": task.fact_count, "hidden": 0}
    request.emit(start_event(request, model, **counts, description=description, notes=notes.take()))
    steps = request.config.max_steps
    try:
        clock.check()
        guide: tuple[str, ...] = ()
        if level is not GuideLevel.NONE:
            guide = write_guide(description, level, request.climb, language, model)
            if not guide:
                notes.add("the model wrote no guide")
            request.emit({"event": "guide", "level": str(level), "lines": list(guide), "notes": notes.take()})
        if request.method.kind == "guide":
            ended = follow_guide(world, guide, language, steps, request.emit)
        else:
            chooser = Chooser(model, language, request.climb, description, guide)
            search = HillClimbing(world, chooser, request.climb, steps, request.emit, notes.take, clock.check)
            ended = search.run()
    except BudgetError as error:  # before the first step
        ended = Ended(Status.BUDGET, (), str(error))
    end = {"event": "end", "status": str(ended.status), "steps": len(ended.operators), "reason": ended.reason}
    request.emit({**end, "notes": notes.take()})
    return Solution(
        ended.status,
        plan_of(task, ended.operators),
        0.0,
        ended.reason,
        model.name,
        model.note,
        model.usage,
        request.models.usd,
        0,
        task.operator_count,
        task.fact_count,
    )
