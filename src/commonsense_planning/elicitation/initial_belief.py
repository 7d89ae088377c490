"""The initial belief: what an agent believes about a task after looking around once and before acting, with the
truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from commonsense_planning.config import ALREADY_THERE, ModelConfig
from commonsense_planning.elicitation.prior import (
    already_there,
    first_belief,
    model_prior,
    not_yet,
    open_questions,
    placement_questions,
)
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.pddl.problem import ContingentInit, Problem
from commonsense_planning.pddl.sensors import Sensors
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.task import Task
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.questions import Scene
from commonsense_planning.wording.verbalise import Verbaliser


@dataclass(frozen=True)
class HiddenThing:
    """The subject of one exactly-one group, and the members that the first look left open.

    ``name``: the thing in English; ``objects``: as the user spells it, empty for a group without an object.
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
class InitialBelief:
    """The initial belief about a task's things. ``things``: one per open group. Of the other groups, ``known`` were
    settled by the first look, and ``unplaced`` have no true member, or several. ``independent``: hidden facts in no
    group. ``notes``: what went wrong when the model was asked."""

    things: tuple[HiddenThing, ...]
    known: int
    unplaced: int
    independent: int
    notes: tuple[str, ...]


def initial_belief(
    problem: Problem,
    sensors: Sensors | None,
    contingent: ContingentInit,
    lexicon: Lexicon,
    open_model: Callable[[Scene], LanguageModel],
    samples: int,
    most: float = ALREADY_THERE,
    report: Callable[[str, int], None] = lambda what, count: None,
) -> InitialBelief:
    """Grounds ``problem``, which is the true world, asks the model for the prior, ``samples`` answers per thing, and
    looks around once. ``most``: the share of a thing's weight, at most, on places where the goal wants it. ``report``
    gets the progress.

    The belief is the one that an agent starts with: a place in sight without the thing is ruled out. Raises InputError,
    MissingError and BudgetError like grounding and the model.
    """
    report("grounding", 0)
    task, seen = ground_pomdp(problem, sensors, contingent)
    groups = [seen.groups.row(g) for g in range(len(seen.groups))]
    independent = int(seen.hidden.sum()) - len(np.unique(seen.groups.items))
    if not groups:
        return InitialBelief((), 0, 0, independent, ())
    compiled = compile_task(task, seen)
    say = Verbaliser(task, lexicon)
    notes: list[str] = []
    report("asking the model", 0)
    model = open_model(say.scene())
    prior = model_prior(seen, say, model, samples, notes.append)
    belief = first_belief(compiled, not_yet(seen, prior, already_there(task, seen, say), most))
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
    return InitialBelief(tuple(things), known, unplaced, independent, (*notes, *model.take_notes()))


def unknown_places(task: Task) -> tuple[list[str], bool]:
    """A note on what the embedded model knows about the places of relevant hidden things, and whether it knows none.
    Raises InputError and BudgetError like grounding."""
    grounded, compiled = task.seen_in_part
    say, belief = Verbaliser(grounded, task.lexicon), first_belief(compiled)
    belief.update(None, Environment(compiled, grounded.init).look())
    groups = open_questions(Relevance(grounded, compiled), belief)
    questions = placement_questions(compiled.sensors, say, groups)
    models = ModelSession(ModelConfig())
    model = models.open_by_seed(say.scene(), task.prompts)
    weighed = model.weigh(questions, models.adapter.prior_samples) if questions else []
    return model.take_notes(), bool(weighed) and all(len(set(w.shares.tolist())) == 1 for w in weighed)
