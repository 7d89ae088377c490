"""Which model is worth its money: the same tasks of some skills with several models. Its rows are of models, so that
runs with other models into the same folder make one report."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from commonsense_lab.report.study import Study
from commonsense_lab.runner.runner import own_models, spent
from commonsense_lab.studies.models.rows import ModelLabels, ModelOutcome, ModelRow
from commonsense_lab.studies.models.skills import SKILLS, Place, Skill
from commonsense_lab.studies.models.tables import model_sections
from commonsense_planning import __version__
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import InputError, check_known
from commonsense_planning.methods.provenance import model_in_words
from commonsense_planning.validation.replay import REPLAYED

SUITE = "models"

STUDY = Study(lambda line: line.row(ModelRow), model_sections)
_NAMED = {skill.name: skill for skill in SKILLS}


@dataclass(frozen=True)
class ModelsSetup:
    """What all episodes of a run share; ``command`` gives the run again."""

    limits: BudgetConfig = BudgetConfig()
    place: Place = Place()
    command: str = ""

    @property
    def text(self) -> str:
        """All that the results depend on but the model, in words."""
        return "our homes" if self.place.scenes is None else f"VirtualHome's graphs in {self.place.scenes.name}"


@dataclass(frozen=True)
class ModelEpisode:
    """Task number ``index`` of a skill with a model. The seed draws the task and is the agent's."""

    model: ModelConfig
    skill: str
    index: int
    seed: int
    setup: ModelsSetup

    @property
    def labels(self) -> ModelLabels:
        setup, skill = self.setup, _NAMED[self.skill]
        task = skill.task_name(setup.place, self.index, self.seed)
        words = model_in_words(self.model)
        return ModelLabels(
            key=f"{SUITE}: {skill.name}, {task}, {words}, {setup.text}, seed {self.seed}",
            suite=SUITE,
            skill=skill.name,
            task=task,
            seed=self.seed,
            model=words.removeprefix("model "),
            setup=setup.text,
            command=setup.command,
            version=__version__,
            validators=REPLAYED,
        )

    def run(self) -> ModelOutcome:
        """Have the model do the task. Raises BudgetError where a budget ended it that is for all episodes."""
        skill: Skill = _NAMED[self.skill]
        with own_models(self.model, self.setup.limits, self.labels.key, self.seed) as models:
            started = time.perf_counter()
            tried = skill.attempt(self.setup.place, self.index, self.seed, models)
            seconds = time.perf_counter() - started
            usage, cost = models.usage, models.cost if models.adapter.costs else 0.0
        return ModelOutcome(
            **vars(tried),
            seconds=round(seconds, 3),
            waiting=round(usage.waiting, 3),
            thinking_tokens=usage.thinking_tokens,
            model_note=models.note,
            **spent(usage, cost),
        )


def model_episodes(
    setup: ModelsSetup, models: Sequence[ModelConfig], tasks: int, seed: int, skills: Collection[str]
) -> list[ModelEpisode]:
    """``tasks`` of each skill with each model, all models' first tasks first. Raises UsageError for skills that there
    are not, InputError if there is no domain."""
    check_known("skill", skills, _NAMED)
    for folder in (setup.place.household, setup.place.virtualhome):
        if not (folder / "domain.pddl").is_file():
            raise InputError(f"{folder}/domain.pddl: there is no such file; --packs names the folder of both domains")
    return [
        ModelEpisode(model, skill.name, index, seed, setup)
        for index in range(tasks)
        for skill in SKILLS
        if not skills or skill.name in skills
        for model in models
    ]
