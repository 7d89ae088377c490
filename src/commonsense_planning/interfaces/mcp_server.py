"""The planner as tools of the Model Context Protocol, for agents that are language models (``cplan mcp``).

Each call is answered by a child process (``agent_tools``), which is ended when its time is up or the client cancels the
call. An error is a result that says so (``isError``), in the words of the command line. Standard output belongs to the
protocol alone.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError

from commonsense_planning import __version__
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import Status
from commonsense_planning.interfaces.agent_tools import BUDGET, MODEL
from commonsense_planning.support.processes import Limit, in_background, python_module, temporary_folder
from commonsense_planning.support.reading import wrong_field

WORKER = "commonsense_planning.interfaces.agent_tools"
MOST_CHARACTERS = 2_000_000  # of the texts of one call
MOST_TEXT = 20_000  # characters of an answer's text
AT_A_TIME = 2  # calls that are answered at a time
PATIENCE = 3.0  # seconds more until a child that looks at the clock itself is ended
ASK_AGAIN = "kernels were compiled meanwhile, which is done once per version: ask again"

INSTRUCTIONS = """\
Plan in PDDL. Pass the texts of the files, not paths. Check a domain and a problem first, then solve; validate plans
that you wrote yourself. An error says file:line:column, what is wrong there and what was expected: mend that place.
To act in a world that you see yourself: begin, then act again and again, each time with what was seen."""

Domain = Annotated[str, Field(description="Text of the PDDL domain; or a task by name: household:demo.")]
Problem = Annotated[str, Field(description="Text of the PDDL problem.")]
Sensors = Annotated[str, Field(description="Text that says what is hidden and when it is seen; empty: nothing is.")]
Seed = Annotated[int, Field(ge=0, le=2**31, description="Of random choices.")]
Method = Literal["", "gbfs", "astar", "fast-downward", "llm-mcts", "llm-replan"]


@dataclass(frozen=True)
class Planner:
    """Answers calls, within ``seconds`` each; ``model`` answers for a language model, within ``budget`` a call.
    ``agent``: the folder of the agent that acts, for one call at a time."""

    model: ModelConfig
    budget: BudgetConfig
    seconds: float
    turns: anyio.CapacityLimiter
    agent: Path
    alone: anyio.Lock

    async def ask(self, tool: str, **arguments: Any) -> CallToolResult:
        """The answer to one call, or what the caller has to mend or to do without."""
        if sum(len(str(value)) for value in arguments.values()) > MOST_CHARACTERS:
            answer = {"error": f"cplan: the texts are longer than {MOST_CHARACTERS} characters together"}
        else:
            acts = tool in ("begin", "act")
            async with self.alone if acts else nullcontext(), self.turns:
                answer = await self._answered(tool, arguments, self.agent if acts else None)
        text = answer.get("error") or answer["text"]
        return CallToolResult(
            content=[TextContent(type="text", text=_cut(text))],
            structured_content=answer.get("data"),
            is_error="error" in answer,
        )

    async def _answered(self, tool: str, arguments: dict[str, Any], kept: Path | None) -> dict[str, Any]:
        command, environment = python_module(WORKER)
        with temporary_folder("mcp") as name:
            folder, limit = Path(name), Limit(self.seconds + PATIENCE)
            (folder / "texts").mkdir()
            request = {
                "tool": tool,
                "arguments": arguments,
                "model": MODEL.dump_python(self.model, mode="json"),
                "budget": BUDGET.dump_python(self.budget, mode="json"),
                "seconds": self.seconds,
                "folder": str(kept or folder / "texts"),
            }
            asked, out, err = (folder / name for name in ("request.json", "answer.json", "said.txt"))
            asked.write_text(json.dumps(request), encoding="utf-8")
            with (
                out.open("wb") as answers,
                err.open("wb") as said,
                in_background([*command, asked], answers, said, environment) as process,
            ):
                while process.poll() is None and limit.left > 0:
                    await anyio.sleep(0.02)  # where a call that is cancelled ends
            heard = err.read_text(encoding="utf-8", errors="replace").strip()
            again, last = f"; {ASK_AGAIN}" if "kernels" in heard else "", heard.rpartition("\n")[2]
            if process.returncode == 0:
                answer: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
                if answer.get("data", {}).get("status") == Status.BUDGET:
                    answer["text"] += again
                return answer
            if limit.left <= 0:
                return {"error": f"cplan: took longer than {self.seconds:g} s{again}"}
            return {"error": f"cplan: ended without an answer ({last or process.returncode})"}


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n… cut after {MOST_TEXT} of {len(text)} characters"


class Server(MCPServer[Any]):
    """What is wrong with a call is said in words."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """See MCPServer."""
        tools = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(f"there is no tool {name}; there are {', '.join(tools)}")
        for unknown in sorted(arguments.keys() - tools[name].keys()):
            raise ToolError(f"{name}: there is no argument {unknown}; there are {', '.join(tools[name])}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(f"{name}: {wrong_field(error.__cause__.errors()[0])}") from error
            raise


def server(model: ModelConfig, budget: BudgetConfig, seconds: float, folder: Path) -> MCPServer[Any]:
    """The server; ``seconds``: how long a call may take; ``folder``: an empty one, where its agent is kept."""
    planner = Planner(model, budget, seconds, anyio.CapacityLimiter(AT_A_TIME), folder, anyio.Lock())
    made = Server("cplan", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR", subscriptions=False)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    acts = ToolAnnotations(read_only_hint=False, open_world_hint=False)

    @made.tool(annotations=reads)
    async def check(domain: Domain, problem: Problem = "", sensors: Sensors = "") -> CallToolResult:
        """Diagnose PDDL: is it right? Says where the first error is, and what was expected there."""
        return await planner.ask("check", domain=domain, problem=problem, sensors=sensors)

    @made.tool(annotations=reads)
    async def ground(domain: Domain, problem: Problem = "", sensors: Sensors = "") -> CallToolResult:
        """Count the reachable operators and facts of a planning task: how large is it?"""
        return await planner.ask("ground", domain=domain, problem=problem, sensors=sensors)

    @made.tool(annotations=reads)
    async def solve(
        domain: Domain,
        problem: Problem = "",
        sensors: Sensors = "",
        method: Annotated[
            Method,
            Field(
                description="gbfs: fast; astar: a cheapest plan; fast-downward; llm-mcts, llm-replan: act with common "
                "sense where sensors hide something; empty: what suits."
            ),
        ] = "",
        seed: Seed = 0,
    ) -> CallToolResult:
        """Find a plan and have it validated."""
        return await planner.ask("solve", domain=domain, problem=problem, sensors=sensors, method=method, seed=seed)

    @made.tool(annotations=reads)
    async def validate(
        domain: Domain,
        plan: Annotated[str, Field(description="One (action object …) a line.")],
        problem: Problem = "",
    ) -> CallToolResult:
        """Is this plan valid? If not, which step fails and why."""
        return await planner.ask("validate", domain=domain, problem=problem, plan=plan)

    @made.tool(annotations=reads)
    async def belief(
        domain: Domain,
        problem: Problem = "",
        sensors: Sensors = "",
        only: Annotated[str, Field(description="Only things whose name contains this.")] = "",
        top: Annotated[int, Field(ge=1, le=20, description="Places told per thing.")] = 3,
    ) -> CallToolResult:
        """Where are hidden things likely to be, by common sense? Probabilities of places."""
        return await planner.ask("belief", domain=domain, problem=problem, sensors=sensors, only=only, top=top)

    @made.tool(annotations=acts)
    async def begin(
        domain: Domain,
        problem: Problem = "",
        sensors: Sensors = "",
        method: Literal["llm-mcts", "llm-replan"] = "llm-mcts",
        seed: Seed = 0,
    ) -> CallToolResult:
        """Make the agent that act asks, in place of the last one. What the problem says of hidden facts it ignores."""
        return await planner.ask("begin", domain=domain, problem=problem, sensors=sensors, method=method, seed=seed)

    @made.tool(annotations=acts)
    async def act(
        true: Annotated[tuple[str, ...], Field(description="Facts seen to be so, such as (on apple_1 table).")] = (),
        false: Annotated[tuple[str, ...], Field(description="Facts seen not to be so.")] = (),
        applied: Annotated[bool | None, Field(description="Was the last action carried out?")] = None,
        complete: Annotated[
            bool | None, Field(description="false: only news; else what could be seen and is not named is not so.")
        ] = None,
        objects: Annotated[dict[str, str] | None, Field(description="New objects: name → type.")] = None,
        action: Annotated[str | None, Field(description="What was done, if not what was said.")] = None,
    ) -> CallToolResult:
        """Tell what was seen, at first or after the last action; hear the next action, or how it ended."""
        return await planner.ask(
            "act", true=true, false=false, applied=applied, complete=complete, objects=objects or {}, action=action
        )

    return made


def serve(made: MCPServer[Any]) -> None:
    """Serve over standard input and output until the input ends. It is done in a thread of its own, which ends with
    the process: who reads the input hears no signal meanwhile, and the main thread does."""
    sys.stdout = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed

    def run() -> None:
        try:
            made.run("stdio")
        except* BrokenPipeError:
            pass  # the client has gone

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
