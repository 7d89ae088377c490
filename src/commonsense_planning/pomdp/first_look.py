"""What an agent believes of a task when it has looked around once and not yet acted, beside what is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from commonsense_planning.grounding.partial import ground_partial
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.questions import Scene
from commonsense_planning.matching.matching import Matcher
from commonsense_planning.pddl.problem import ContingentInit, Problem
from commonsense_planning.pddl.sensors import Sensors
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.pomdp.prior import model_prior
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.verbalise import Verbaliser


@dataclass(frozen=True)
class HiddenThing:
    """What one exactly-one group is about, and the members that the first look left open.

    ``name``: the thing in English; ``objects``: as the user spells it, empty for a group that is about no object.
    Member i is ``facts[i]``, in English ``places[i]``, and has the probability ``believed[i]``, float64 (members,);
    they sum to one. ``truth`` is the index of the true member.
    """

    name: str
    objects: tuple[str, ...]
    places: tuple[str, ...]
    facts: tuple[str, ...]
    believed: Floats
    truth: int


@dataclass(frozen=True)
class FirstLook:
    """``things``: one per group that is open. Of the other groups, ``known`` were settled by the first look, and
    ``unplaced`` have no true member, or several. ``loose``: hidden facts that are in no group. ``notes``: what went
    wrong when the model was asked."""

    things: tuple[HiddenThing, ...]
    known: int
    unplaced: int
    loose: int
    notes: tuple[str, ...]


def first_look(
    problem: Problem,
    sensors: Sensors | None,
    contingent: ContingentInit,
    lexicon: Lexicon,
    open_model: Callable[[Scene], LanguageModel],
    matcher: Matcher,
    samples: int,
    report: Callable[[str, int], None] = lambda what, count: None,
) -> FirstLook:
    """Ground ``problem``, which is the true world, ask the model for the prior, ``samples`` answers per thing, and
    look around once. ``report`` is told what is being done.

    The belief is the one that an agent starts with: a place that is in sight, and where the thing is not, is ruled out.

    Raises InputError, MissingError, BudgetError, as grounding and the model do.
    """
    report("grounding", 0)
    task, observing = ground_partial(problem, sensors, contingent)
    groups = [observing.groups.row(g) for g in range(len(observing.groups))]
    loose = int(observing.hidden.sum()) - len(np.unique(observing.groups.items))
    if not groups:
        return FirstLook((), 0, 0, loose, ())
    compiled = compile_task(task, observing)
    say = Verbaliser(task, lexicon)
    notes: list[str] = []
    report("asking the model", 0)
    model = open_model(say.scene())
    prior = model_prior(observing, say, model, matcher, samples, notes.append)
    belief = Belief(compiled, prior)
    belief.update(None, Environment(compiled, task.init).look())
    things, known, unplaced = [], 0, 0
    for members, row in zip(groups, belief.distributions(), strict=True):
        true = members[task.init[members]]
        unseen = np.flatnonzero(~belief.known[members])
        if len(true) != 1:
            unplaced += 1
        elif belief.known[true[0]]:
            known += 1
        else:
            subject = say.subject(members)
            left = members[unseen]
            things.append(
                HiddenThing(
                    name=" ".join(say.name(o) for o in subject) or "it",
                    objects=tuple(problem.spell(task.objects[o]) for o in subject),
                    places=tuple(say.place(int(fact), subject) for fact in left),
                    facts=tuple(str(task.fact_step(int(fact))) for fact in left),
                    believed=row[unseen],
                    truth=int(np.flatnonzero(left == true[0])[0]),
                )
            )
    return FirstLook(tuple(things), known, unplaced, loose, (*notes, *model.take_notes()))
