"""The settings in the ``params`` of an engine: a method of cplan, its options, and what else it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unified_planning.engines import Credits
from unified_planning.exceptions import UPUsageError

from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import InputError, UsageError

if TYPE_CHECKING:
    from commonsense_planning.methods.method import Event, Method, Request
    from commonsense_planning.pddl.problem import Problem
    from commonsense_planning.task import Task


def credits_of(summary: str) -> Credits:
    """The credits of an engine with this ``summary``."""
    told = f"cplan {version('commonsense-planning')}: {summary}."
    return Credits("cplan", "the cplan developers", "", "", "MIT", told, told)


@dataclass(frozen=True)
class Settings:
    """The settings of an engine. ``options``: the method's. ``model``: the one to ask. ``sensors``: a file that defines
    the hidden facts, None for no hidden facts; ``lexicon``: a file with English names."""

    method: Method
    options: Any
    seed: int = 0
    model: ModelConfig = ModelConfig()
    sensors: Path | None = None
    lexicon: Path | None = None

    @staticmethod
    def of(method: str, params: Mapping[str, Any]) -> Settings:
        """The settings of the method of that name: ``seed``, its options, and for one that sees the world in part
        ``model`` (a name or a ``ModelConfig``), ``sensors`` and ``lexicon``. Raises UPUsageError for any other, and for
        invalid values."""
        from commonsense_planning.methods.method import Observability
        from commonsense_planning.methods.registry import METHODS

        found, own, general = METHODS[method], dict(params), {}
        if "seed" in own:
            general["seed"] = own.pop("seed")
        if found.world is Observability.SEEN_IN_PART:
            model = own.pop("model", ModelConfig())
            general["model"] = model if isinstance(model, ModelConfig) else ModelConfig(name=model)
            general |= {name: Path(own.pop(name)) for name in ("sensors", "lexicon") if name in own}
        try:
            return Settings(found, found.Options.of(own), **general)
        except UsageError as error:
            raise UPUsageError(f"cplan-{method}: {error}") from error

    def task(self, problem: Problem) -> Task:
        """The task of a problem with the given files. Raises UPUsageError for errors in them."""
        from commonsense_planning.pddl.sensors import read_sensors
        from commonsense_planning.task import Task
        from commonsense_planning.wording.lexicon import Lexicon

        try:
            sensors = read_sensors(self.sensors, problem) if self.sensors else None
            lexicon = Lexicon.read(self.lexicon) if self.lexicon else Lexicon()
        except InputError as error:
            raise UPUsageError(str(error)) from error
        return Task(problem, sensors, lexicon, problem.contingent)

    def request(
        self, task: Task, seconds: float | None = None, emit: Callable[[Event], None] = lambda event: None
    ) -> Request:
        """The request to the method. Raises UsageError for an unknown model."""
        from commonsense_planning.llm.models import ModelSession
        from commonsense_planning.methods.method import Request

        return Request(task, self.method, self.options, ModelSession(self.model), self.seed, seconds, emit=emit)
