"""The planner as tools of the Model Context Protocol, for agents that are language models (``cplan mcp``).

Each call is answered by a child process (``agent_tools``), which is ended when its time is up or the client cancels the
call. An error is a result with ``isError`` set, with the message of the command line. Standard output is only for the
protocol. A line of standard input that is not a message gets an error of JSON-RPC, which the package mcp does not send.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    CallToolResult,
    TextContent,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from commonsense_planning import __version__
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.interfaces.agent_tools import ACTING, BUDGET, MODEL, TOOLS, Answer
from commonsense_planning.support.processes import Limit, in_background, python_module, temporary_folder
from commonsense_planning.support.reading import json_value, why, wrong_field

WORKER = "commonsense_planning.interfaces.agent_tools"
MOST_CHARACTERS = 2_000_000  # of the texts of one call
MOST_TEXT = 20_000  # characters of an answer's text
AT_A_TIME = 2  # calls that are answered at a time
PATIENCE = 3.0  # extra seconds before a child, which checks the deadline itself, is ended

INSTRUCTIONS = """\
Plan in PDDL. Pass the texts of the files, not paths. Check a domain and a problem first, then solve; validate plans
that you wrote yourself. An error gives file:line:column, what is wrong there and what was expected: correct that place.
To act in a world that you observe yourself: call begin, then act repeatedly, each time with what was seen."""


@dataclass(frozen=True)
class PlannerTools:
    """Answers calls, within ``seconds`` each; ``model`` is the language model, with ``budget`` for each call.
    ``agent``: the folder of the agent that acts, for one call at a time."""

    model: ModelConfig
    budget: BudgetConfig
    seconds: float
    turns: anyio.CapacityLimiter
    agent: Path
    alone: anyio.Lock

    async def ask(self, tool: str, **arguments: Any) -> CallToolResult:
        """The answer to one call, or what the caller must correct or do without."""
        if sum(len(str(value)) for value in arguments.values()) > MOST_CHARACTERS:
            answer = {"error": f"cplan: the texts are longer than {MOST_CHARACTERS} characters together"}
        else:
            acts = tool in ACTING
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
            if process.returncode == 0:
                answer: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
                return answer
            if limit.left <= 0:
                return {"error": f"cplan: took longer than {self.seconds:g} s"}
            last = err.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
            return {"error": f"cplan: ended without an answer ({last or process.returncode})"}


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n… cut after {MOST_TEXT} of {len(text)} characters"


class Server(MCPServer[Any]):
    """A server that reports wrong calls in readable messages."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
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
    """The server; ``seconds``: limit of a call; ``folder``: an empty one, where its agent is kept."""
    planner = PlannerTools(model, budget, seconds, anyio.CapacityLimiter(AT_A_TIME), folder, anyio.Lock())
    made = Server("cplan", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR", subscriptions=False)
    for name, tool in TOOLS.items():
        annotations = ToolAnnotations(read_only_hint=name not in ACTING, open_world_hint=False)
        made.tool(annotations=annotations)(_asked(planner, name, tool))
    return made


def _asked(planner: PlannerTools, name: str, tool: Callable[..., Answer]) -> Callable[..., Awaitable[CallToolResult]]:
    """A tool with its description and arguments, answered by the planner."""

    async def ask(**arguments: Any) -> CallToolResult:
        return await planner.ask(name, **arguments)

    signature = inspect.signature(tool, eval_str=True)
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "asking"]
    ask.__name__, ask.__doc__ = name, tool.__doc__
    vars(ask)["__signature__"] = signature.replace(parameters=own, return_annotation=CallToolResult)
    return ask


def pass_on(source: Iterable[bytes], messages: BinaryIO, out: BinaryIO) -> None:
    """Writes the lines of ``source`` that are messages to ``messages``, and an answer to any other to ``out``."""
    for line in source:
        if not line.strip():
            continue
        answer = refused(line)
        to = messages if answer is None else out
        to.write(line if answer is None else json.dumps(answer).encode() + b"\n")
        to.flush()


def refused(line: bytes) -> dict[str, Any] | None:
    """The error for a line that is not a message, None for a message. It has the number of the request, if that can be
    read."""
    code, asked = PARSE_ERROR, None
    try:
        said = json.loads(line)
        asked = said.get("id") if isinstance(said, dict) else None
        json_value(line)
        code = INVALID_REQUEST
        jsonrpc_message_adapter.validate_json(line, by_name=False)
        if "method" in said and "id" in said and type(asked) not in (int, str):
            raise ValueError("id should be a number or a text")
    except ValidationError:
        reason = "expected a request, a notification or a response of JSON-RPC 2.0"
    except (ValueError, RecursionError) as error:
        reason = why(error)
    else:
        return None
    words = "Parse error" if code == PARSE_ERROR else "Invalid Request"
    number = asked if type(asked) in (int, str) else None
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": f"{words}: {reason}"}}


def serve(made: MCPServer[Any]) -> None:
    """Serves over standard input and output until the input ends. This runs in a separate thread, which ends with the
    process: a thread that reads the input cannot react to signals meanwhile, and the main thread can."""
    sys.stdout = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed
    source, out = os.fdopen(os.dup(0), "rb"), cast(BinaryIO, sys.stdout.buffer)
    end, messages = os.pipe()
    os.dup2(end, 0)

    def screen() -> None:
        with suppress(BrokenPipeError), os.fdopen(messages, "wb") as kept:
            pass_on(source, kept, out)

    def run() -> None:
        try:
            made.run("stdio")
        except* BrokenPipeError:
            pass  # the client has gone

    threading.Thread(target=screen, daemon=True).start()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
