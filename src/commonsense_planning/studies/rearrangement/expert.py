"""The expert of the rearrangement experiment (LLM-MCTS paper, section 3.1 and appendix B).

It knows where everything is and plans with greedy best-first search, where the paper's uses regression planning with
handcrafted heuristics. What it sees on the way is what any agent sees, whose sensors show it only a part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import InputError
from commonsense_planning.grounding.ground_task import Goal, lists_of
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.kernels.compiled import compile_like, compile_task, make_state
from commonsense_planning.llm.questions import Statement
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.sensors import read_sensors
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.prior import uniform_prior
from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.studies.homes.household import initial_atoms
from commonsense_planning.studies.homes.scene_goal import SceneNames
from commonsense_planning.studies.rearrangement.draw import RearrangementTask
from commonsense_planning.wording.formal_goal import GoalTerm, render_formal_goal
from commonsense_planning.wording.lexicon import Lexicon
from commonsense_planning.wording.news import News
from commonsense_planning.wording.verbalise import Verbaliser, words_of


@dataclass(frozen=True)
class Trajectory:
    """What the expert did, in English: ``actions`` are imperatives, ``plan`` the same as PDDL steps.

    ``observations``: before each action, the sentences that are news to the agent; at first, all that it knows.
    ``in_sight``: before each action, what it sees from where it is, and what it holds. ``goal`` is the formal goal.
    """

    instruction: str
    goal: str
    home: str
    task: str
    observations: tuple[tuple[str, ...], ...]
    in_sight: tuple[tuple[str, ...], ...]
    actions: tuple[str, ...]
    plan: tuple[str, ...]


class Expert:
    """Does the tasks of one home, which is grounded once.

    ``first`` is any task of the home, ``pack`` the folder of the household domain; ``grounded`` is ``first`` with all
    that is hidden held for possible. Raises InputError for what is wrong in the files of the pack.
    """

    def __init__(self, pack: Path, first: RearrangementTask) -> None:
        self._lexicon = Lexicon.read(pack / "lexicon.toml")
        with TemporaryDirectory(prefix="cplan-expert-") as folder:
            file = Path(folder) / "problem.pddl"
            file.write_text(first.problem, encoding="utf-8")
            problem = read_problem(pack / "domain.pddl", file)
        self.grounded, seen = ground_pomdp(problem, read_sensors(pack / "sensors.pddl", problem))
        self._all_seen = compile_task(self.grounded)
        self._seen_in_part = compile_task(self.grounded, seen)
        self._say = Verbaliser(self.grounded, self._lexicon)
        self._facts = {str(self.grounded.fact_step(fact)): fact for fact in range(self.grounded.fact_count)}

    def plan(self, task: RearrangementTask) -> tuple[int, ...]:
        """The operators of a plan that does the task. Raises InputError if there is none."""
        compiled = compile_like(self._all_seen, replace(self.grounded, goal=self.goal(task)))
        found = BestFirst(compiled).gbfs(make_state(compiled, self.initial(task))).operators
        if found is None:
            raise InputError(f"{task.name}: no plan does '{task.instruction}'; is the pack's domain another one?")
        return found

    def trajectory(self, task: RearrangementTask) -> Trajectory:
        """How the expert does the task. Raises InputError if it cannot be done."""
        plan = self.plan(task)
        environment = Environment(self._seen_in_part, self.initial(task))
        belief = Belief(self._seen_in_part, uniform_prior(self._seen_in_part.sensors))
        hidden = self._seen_in_part.hidden
        news = News(self._say, hidden)
        belief.update(None, environment.look())
        told, seen = [], []
        for operator in plan:
            told.append(tuple(dict.fromkeys(news.take(belief.truth, belief.known))))
            seen.append(in_sight(self._say.statements(belief.truth, belief.known, hidden)))
            belief.update(operator, environment.step(operator))
        return Trajectory(
            task.instruction,
            self._formal_goal(task),
            task.home,
            task.name,
            tuple(told),
            tuple(seen),
            tuple(self._say.action(operator) for operator in plan),
            tuple(str(self.grounded.step(operator)) for operator in plan),
        )

    def initial(self, task: RearrangementTask) -> npt.NDArray[np.bool_]:
        """The true facts at the start of the task: bool (facts,)."""
        truth = np.zeros(self.grounded.fact_count, np.bool_)
        atoms = [atom for group in initial_atoms(task.apartment) for atom in group]
        truth[[self._facts[atom] for atom in atoms if atom in self._facts]] = True
        return truth

    def goal(self, task: RearrangementTask) -> Goal:
        """The goal of the task: a disjunct for each choice of things and places."""
        names = SceneNames.of(task.apartment, ())
        choices = [
            [
                self._facts[f"({wish.relation} {thing} {place})"]
                for thing in names.things[wish.thing]
                for place in names.places[wish.relation][wish.place]
            ]
            for wish in task.wishes
        ]
        disjuncts = list(product(*choices))
        return Goal(lists_of(disjuncts), lists_of([()] * len(disjuncts)))

    def _formal_goal(self, task: RearrangementTask) -> str:
        classes = self._lexicon.classes
        return render_formal_goal(
            GoalTerm(wish.relation.upper(), words_of(wish.thing, classes), words_of(wish.place, classes))
            for wish in task.wishes
        )


def in_sight(statements: Iterable[Statement]) -> tuple[str, ...]:
    """Of all that an agent knows about a household: the furniture of its room, what is closed, what lies there as far
    as it has seen it, what it stands at, and what it holds. The prompt of the household says the same, in this order.
    """
    known = list(statements)
    here = {s.arguments[0] for s in known if s.predicate == "in-room" and s.holds}
    located = [s for s in known if s.predicate == "located" and s.arguments[1] in here]
    standing = {s.arguments[0] for s in located}
    seen = [
        *located,
        *(s for s in known if s.predicate == "near" and s.holds),
        *(s for s in known if s.predicate == "holding" and s.holds),
        *(s for s in known if s.predicate == "inside" and s.holds and s.arguments[1] in standing),
        *(s for s in known if s.predicate == "on" and s.holds and s.arguments[1] in standing),
        *(s for s in known if s.predicate == "opened" and not s.holds and s.arguments[0] in standing),
    ]
    return tuple(dict.fromkeys(s.text for s in seen))
