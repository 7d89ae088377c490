"""ProgPrompt (Singh et al. 2023): execute a program of actions and checks that the model writes at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from commonsense_lab.programs.agent import ProgramAgent, ProgramReader, WriteProgram, program_question
from commonsense_planning.config import option
from commonsense_planning.methods.acting_options import ActingOptions
from commonsense_planning.methods.method import Estimate, Observability, Request, Solution
from commonsense_planning.methods.simulated import SimulatedEpisode
from commonsense_planning.task import Task

PROGRAM_TOKENS = 250  # of a program, as models usually write them


@dataclass(frozen=True)
class ProgramOptions(ActingOptions):
    """The options of ``llm-program``."""

    description: str = option(
        "", "The task in English [default: the instruction, else the problem's ;; description:].", metavar="TEXT"
    )


class ProgPrompt:
    """Asks one question; resolves the lines of the answer one by one."""

    name = "llm-program"
    summary = "ProgPrompt: carry out a program of actions and checks that the model writes; knows the true world"
    world = Observability.KNOWN
    Options = ProgramOptions

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def _asked(self, request: Request) -> tuple[SimulatedEpisode, WriteProgram]:
        acting, options = SimulatedEpisode(request), request.options_as(ProgramOptions)
        return acting, program_question(acting.task, options.description or acting.description)

    def solve(self, request: Request) -> Solution:
        acting, question = self._asked(request)
        reader = ProgramReader(acting.task, acting.say, acting.matcher, acting.note)
        agent = ProgramAgent(acting.model, question, reader, acting.belief, acting.note)
        solution = acting.act(lambda _: agent)
        return replace(solution, executability=agent.executed / agent.written if agent.written else None)

    def estimate(self, request: Request) -> Estimate | None:
        acting, question = self._asked(request)
        return acting.run.estimate(question, (1, 1), PROGRAM_TOKENS)


PROGRAM = ProgPrompt()
