"""cplan: planning in PDDL, guided by a language model's common sense.

    import commonsense_planning as cplan

    task = cplan.read_task("domain.pddl", "problem.pddl")
    solution = cplan.solve(cplan.Request(task, "llm-mcts", seed=1))
    if solution.plan is not None:
        print(cplan.validate(task.problem, solution.plan).verdict)

This module is the public interface: programs and plug-ins use only the names below; tests of plug-ins also use
``commonsense_planning.testing``. ``docs/python-api.md`` shows examples. A name's module is imported when the name is
first used, so that the command line starts quickly.
"""

from __future__ import annotations

import importlib
import logging
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonsense_planning.agent.agent import Action as Action
    from commonsense_planning.agent.agent import Agent as Agent
    from commonsense_planning.agent.agent_file import Turn as Turn
    from commonsense_planning.agent.observation_report import ObservationReport as ObservationReport
    from commonsense_planning.config import BudgetConfig as BudgetConfig
    from commonsense_planning.config import ModelConfig as ModelConfig
    from commonsense_planning.config import Options as Options
    from commonsense_planning.config import option as option
    from commonsense_planning.errors import BudgetError as BudgetError
    from commonsense_planning.errors import CplanError as CplanError
    from commonsense_planning.errors import InputError as InputError
    from commonsense_planning.errors import MissingError as MissingError
    from commonsense_planning.errors import PddlError as PddlError
    from commonsense_planning.errors import Status as Status
    from commonsense_planning.errors import UsageError as UsageError
    from commonsense_planning.grounding.ground_task import GroundTask as GroundTask
    from commonsense_planning.heuristics.delete_relaxation import FF as FF
    from commonsense_planning.heuristics.delete_relaxation import HAdd as HAdd
    from commonsense_planning.heuristics.delete_relaxation import HMax as HMax
    from commonsense_planning.heuristics.heuristic import Blind as Blind
    from commonsense_planning.heuristics.registry import HeuristicKind as HeuristicKind
    from commonsense_planning.interfaces.gym import register_envs as register_envs
    from commonsense_planning.interfaces.up.engines import register_engines as register_engines
    from commonsense_planning.kernels.compiled import Compiled as Compiled
    from commonsense_planning.llm.adapters import Adapter as Adapter
    from commonsense_planning.llm.adapters import ModelContext as ModelContext
    from commonsense_planning.llm.connection import Connection as Connection
    from commonsense_planning.llm.connection import key_from as key_from
    from commonsense_planning.llm.endpoint import ChatEndpoint as ChatEndpoint
    from commonsense_planning.llm.model import ChatRequest as ChatRequest
    from commonsense_planning.llm.model import Completion as Completion
    from commonsense_planning.llm.model import Endpoint as Endpoint
    from commonsense_planning.llm.model import LanguageModel as LanguageModel
    from commonsense_planning.llm.models import ModelSession as ModelSession
    from commonsense_planning.llm.transport import Reply as Reply
    from commonsense_planning.llm.transport import Transport as Transport
    from commonsense_planning.matching.matcher import Matcher as Matcher
    from commonsense_planning.matching.registry import MatcherKind as MatcherKind
    from commonsense_planning.methods.explain import Explanation as Explanation
    from commonsense_planning.methods.explain import explain as explain
    from commonsense_planning.methods.method import Estimate as Estimate
    from commonsense_planning.methods.method import Method as Method
    from commonsense_planning.methods.method import Observability as Observability
    from commonsense_planning.methods.method import Request as Request
    from commonsense_planning.methods.method import Solution as Solution
    from commonsense_planning.methods.registry import METHODS as METHODS
    from commonsense_planning.methods.registry import method_named as method_named
    from commonsense_planning.methods.registry import solve as solve
    from commonsense_planning.methods.result import result_schema as result_schema
    from commonsense_planning.pddl.plan import Plan as Plan
    from commonsense_planning.pddl.plan import Step as Step
    from commonsense_planning.pddl.plan import read_plan as read_plan
    from commonsense_planning.pddl.plan import write_plan as write_plan
    from commonsense_planning.pddl.problem import Problem as Problem
    from commonsense_planning.pddl.reader import read_problem as read_problem
    from commonsense_planning.pomdp.belief import Belief as Belief
    from commonsense_planning.pomdp.environment import Environment as Environment
    from commonsense_planning.pomdp.observation_model import CertainSensing as CertainSensing
    from commonsense_planning.pomdp.observation_model import Observation as Observation
    from commonsense_planning.pomdp.observation_model import ObservationModel as ObservationModel
    from commonsense_planning.pomdp.transition_model import TransitionModel as TransitionModel
    from commonsense_planning.pomdp.transition_system import TransitionSystem as TransitionSystem
    from commonsense_planning.search.classical.best_first import BestFirst as BestFirst
    from commonsense_planning.search.classical.compiled_search import SearchResult as SearchResult
    from commonsense_planning.state import StateView as StateView
    from commonsense_planning.state import make_state as make_state
    from commonsense_planning.support.reading import Text as Text
    from commonsense_planning.task import Task as Task
    from commonsense_planning.task import read_task as read_task
    from commonsense_planning.validation.validate import validate as validate
    from commonsense_planning.validation.verdict import Report as Report
    from commonsense_planning.validation.verdict import Validation as Validation
    from commonsense_planning.validation.verdict import Verdict as Verdict

__version__ = "0.3.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())  # silent unless the program configures logging

# Module → its public names; the imports above repeat them for the type checker, and a test compares the two.
_PUBLIC = {
    "agent.agent": ["Action", "Agent"],
    "agent.agent_file": ["Turn"],
    "agent.observation_report": ["ObservationReport"],
    "config": ["BudgetConfig", "ModelConfig", "Options", "option"],
    "errors": ["BudgetError", "CplanError", "InputError", "MissingError", "PddlError", "Status", "UsageError"],
    "grounding.ground_task": ["GroundTask"],
    "heuristics.delete_relaxation": ["FF", "HAdd", "HMax"],
    "heuristics.heuristic": ["Blind"],
    "heuristics.registry": ["HeuristicKind"],
    "interfaces.gym": ["register_envs"],
    "interfaces.up.engines": ["register_engines"],
    "kernels.compiled": ["Compiled"],
    "llm.adapters": ["Adapter", "ModelContext"],
    "llm.connection": ["Connection", "key_from"],
    "llm.endpoint": ["ChatEndpoint"],
    "llm.model": ["ChatRequest", "Completion", "Endpoint", "LanguageModel"],
    "llm.models": ["ModelSession"],
    "llm.transport": ["Reply", "Transport"],
    "matching.matcher": ["Matcher"],
    "matching.registry": ["MatcherKind"],
    "methods.explain": ["Explanation", "explain"],
    "methods.method": ["Estimate", "Method", "Observability", "Request", "Solution"],
    "methods.registry": ["METHODS", "method_named", "solve"],
    "methods.result": ["result_schema"],
    "pddl.plan": ["Plan", "Step", "read_plan", "write_plan"],
    "pddl.problem": ["Problem"],
    "pddl.reader": ["read_problem"],
    "pomdp.belief": ["Belief"],
    "pomdp.environment": ["Environment"],
    "pomdp.observation_model": ["CertainSensing", "Observation", "ObservationModel"],
    "pomdp.transition_model": ["TransitionModel"],
    "search.classical.best_first": ["BestFirst"],
    "search.classical.compiled_search": ["SearchResult"],
    "pomdp.transition_system": ["TransitionSystem"],
    "state": ["StateView", "make_state"],
    "support.reading": ["Text"],
    "task": ["Task", "read_task"],
    "validation.validate": ["validate"],
    "validation.verdict": ["Report", "Validation", "Verdict"],
}
_MODULES = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = sorted(_MODULES)  # noqa: PLE0605

_RENAMED = {"Models": "ModelSession", "Opening": "ModelContext", "Seen": "ObservationReport", "World": "Observability"}
"""Former public name → name; the former ones are removed in the next version."""


def __getattr__(name: str) -> Any:
    """Imports a public name (PEP 562); a former one warns. Raises AttributeError for any other."""
    if name in _RENAMED:
        warnings.warn(f"commonsense_planning.{name} is now {_RENAMED[name]}", DeprecationWarning, stacklevel=2)
        return __getattr__(_RENAMED[name])
    if name not in _MODULES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
