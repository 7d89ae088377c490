"""The loop of ``agent.agent`` over HTTP (``cplan serve``): several agents at once, on the tasks that were named when
the server was started. Nothing in a request is opened, run or written; its cost is bounded.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Self

import uvicorn
from fastapi import Body, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator, model_validator
from pydantic_core import PydanticCustomError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from commonsense_planning import __version__
from commonsense_planning.agent import agent_file
from commonsense_planning.agent.agent import ERROR, Agent
from commonsense_planning.agent.observation_report import ObservationReport
from commonsense_planning.config import Options
from commonsense_planning.errors import CplanError, InputError, LocatedError, MissingError, UsageError
from commonsense_planning.interfaces.http_guard import GuardedConnection, guarded
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Method
from commonsense_planning.methods.result import ResultView, result_fields
from commonsense_planning.support.reading import Text as TextFile
from commonsense_planning.support.reading import wrong_field
from commonsense_planning.task import Task

MOST_AGENTS = 64
MOST_THINKING = 32  # agents at a time; fewer than threads, so that other requests are answered
MOST_REPORTED = 400_000_000  # characters of all reports, plus FACT for each fact
FACT = 50
MOST_FACTS = 20_000  # of one observation
MOST_CHARACTERS = 1_000  # of a name or a fact, and of an error message
GRACE = 5.0  # seconds that calls under way have when the server ends
NO_OBJECT = "the body must be a JSON object, sent with the header Content-Type: application/json"
TEMPLATES = Path(__file__).with_name("templates")

logger = logging.getLogger(__name__)
_SPEAKING = ContextVar("speaking", default="server")  # of whom a line of the log tells

Text = Annotated[str, Field(max_length=MOST_CHARACTERS)]
Facts = Annotated[list[Text], Field(max_length=MOST_FACTS)]
NAME = r"^[\w.:@ -]{1,64}$"


class LogLine(logging.Formatter):
    """A line of the server's log: the time, the agent, and what happened."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(speaking)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        record.speaking = _SPEAKING.get()
        return "".join(c if c.isprintable() else " " for c in super().format(record))


class RequestBody(BaseModel):
    """What every body of a request has."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known(cls, body: Any) -> Any:
        if not isinstance(body, dict):
            raise PydanticCustomError("no_object", NO_OBJECT)
        for name in sorted(body.keys() - cls.model_fields):
            values = {"name": name, "names": ", ".join(cls.model_fields)}
            raise PydanticCustomError("no_field", "there is no field {name}; there are {names}", values)
        return body


class WantedBody(RequestBody):
    """The agent to make."""

    task: Text | None = Field(None, description="Its task, by name; default: the first.")
    seed: int = Field(0, ge=0, lt=2**63, description="Seed of all random draws.")
    error: float = Field(
        ERROR, ge=0, lt=1, description="Probability that an action fails, in addition to the task's probabilities."
    )
    name: str | None = Field(None, pattern=NAME, description="What the log and the events call it; default: its id.")
    saved: dict[str, Any] | None = Field(
        None, description="What GET /agents/ID/saved gave: the agent continues from there, with its seed and error."
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        own = self.model_fields_set & {"seed", "error"}
        if self.saved is not None and own:
            raise PydanticCustomError("saved", "saved has the {name} of the agent already", {"name": min(own)})
        return self


class ReportBody(RequestBody):
    """What was seen after the last action, or the initial observation. Facts are PDDL, such as `(on apple_1 table)`."""

    true: Facts = Field([], description="Facts that are seen to be true.")
    false: Facts = Field([], description="Facts that are seen to be false.")
    complete: bool | None = Field(
        None,
        description="Every fact that the sensing rules show is named, so that the others are false. Default: true at "
        "first, and after an action that did not fail.",
    )
    applied: bool | None = Field(
        None, description="Whether the action was carried out. Default: true unless an effect is seen to be missing."
    )
    goal_reached: bool | None = Field(None, description="Default: the agent judges by its knowledge.")
    objects: Annotated[dict[Text, Text], Field(max_length=1_000)] = Field(
        {}, description="Objects that were not declared: name → type."
    )
    action: Text | None = Field(None, description="The action done, if it differs from the agent's.")
    deadline: float | None = Field(
        None, gt=0, le=3600, description="Seconds after which the best action so far is taken."
    )


class StepBody(BaseModel):
    """An action."""

    pddl: str
    name: str
    arguments: list[str]
    says: str = Field(description="The action in English.")
    why: dict[str, Any]


class Round(BaseModel):
    """A report, the action before it, and the agent's answer."""

    seen: dict[str, Any]
    did: str | None
    said: str | None


class Brief(BaseModel):
    """An agent, in short."""

    id: str
    name: str
    task: str
    method: str
    seed: int
    turns: int
    differs: bool = Field(
        description="Whether it was resumed, and a decision is now another one, such as without its model's answers."
    )


ENDING = result_fields(ResultView.AGENT)
AgentAnswer = create_model(
    "AgentAnswer",
    __doc__="An agent's answer: an action, or why there is none.",
    **ENDING,
    action=(StepBody | None, ...),
)
State = create_model(
    "State",
    __doc__="An agent, with its belief and its reports.",
    __base__=Brief,
    **ENDING,
    action=(str | None, Field(description="Its last action, whose outcome has not been reported.")),
    belief=(dict[str, float], Field(description="Probability of each hidden fact that may be true.")),
    history=(list[Round], ...),
)


class ProblemBody(BaseModel):
    """An error message as on the command line, and its place."""

    error: str
    where: str | None = None

    @field_validator("error", "where")
    @classmethod
    def _cut(cls, text: str | None) -> str | None:
        return text if text is None or len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


class RefusedBody(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, error: str, where: str | None = None) -> None:
        self.status = status
        self.problem = ProblemBody(error=error, where=where)
        super().__init__(error)


@dataclass
class Session:
    """An agent, and a lock that is held while it thinks."""

    agent: Agent
    task: str
    reported: int = 0
    turn: threading.Lock = field(default_factory=threading.Lock)


class Service:
    """The agents of a server. ``tasks``: name → task; all use one ``method``, and share ``models``. ``most_seconds``:
    limit of one decision."""

    def __init__(
        self, tasks: Mapping[str, Task], method: Method, options: Options, models: ModelSession, most_seconds: float
    ) -> None:
        self.tasks = tasks
        self.method = method
        self.models = models
        self._options = options
        self._most_seconds = most_seconds
        self._sessions: dict[str, Session] = {}
        self._changing = threading.Lock()
        self._thinking = threading.BoundedSemaphore(MOST_THINKING)
        self._closed = False

    def make(self, wanted: WantedBody) -> Brief:
        """A new agent, or one that was saved."""
        name = next(iter(self.tasks)) if wanted.task is None else wanted.task
        if name not in self.tasks:
            raise RefusedBody(404, f"there is no task {name}; there are {', '.join(self.tasks)}", "task")
        self._check_room()
        found = secrets.token_urlsafe(9)
        with _speaking_of(found, wanted.name):
            if wanted.saved is not None:
                session = self._resumed(wanted.saved, [name] if wanted.task else list(self.tasks))
            else:
                settings: dict[str, Any] = {"options": self._options, "seed": wanted.seed, "error": wanted.error}
                session = Session(Agent(self.tasks[name], method=self.method, model=self.models, **settings), name)
        kept = session.agent.name if re.fullmatch(NAME, session.agent.name) else found
        session.agent.name = wanted.name or kept
        with self._changing:
            self._check_room()
            self._sessions[found] = session
        return self.brief(found)

    def _resumed(self, saved: dict[str, Any], tasks: list[str]) -> Session:
        """The agent that was saved, on the one of these tasks that it has."""
        text = TextFile(json.dumps({**saved, "options": agent_file.as_json(self._options)}), "saved")
        read = agent_file.read(text)
        if (read.method, saved.get("options"), read.instruction) != (self.method.name, self._shown_options, ""):
            ours = f"this server's agents decide by {self.method.name}, with options {json.dumps(self._shown_options)}"
            raise RefusedBody(409, f"the agent was saved by {read.method}, or with other options: {ours}", "saved")
        fingerprint = read.task.fingerprint
        name = next((name for name in tasks if agent_file.fingerprint(self.tasks[name]) == fingerprint), None)
        if name is None:
            raise RefusedBody(409, f"the agent's task has changed, or is none of these: {', '.join(tasks)}", "saved")
        reported = sum(_size(turn.seen) for turn in read.turns)
        with self._thinks():
            self._check_size(reported)
            agent = Agent.load(text, self.tasks[name], self.models, seconds=self._most_seconds)
        return Session(agent, name, reported)

    def saved(self, found: str) -> dict[str, Any]:
        """What is needed to continue with the agent, on this server or another: the file of an agent, without the names
        of files here, and without its model's answers."""
        with self._alone(found) as session:
            content = session.agent.saved
            task = {"domain": None, "problem": None, "sensors": None, "fingerprint": content["task"]["fingerprint"]}
            return {**content, "task": task, "options": self._shown_options, "model": {}}

    @property
    def _shown_options(self) -> dict[str, Any]:
        """The options of the method, as JSON values, without files."""
        options = agent_file.as_json(self._options)
        shown = {name: value for name, value in options.items() if not isinstance(getattr(self._options, name), Path)}
        return dict(json.loads(json.dumps(shown)))

    def act(self, found: str, report: ReportBody) -> dict[str, Any]:
        """The agent's next action, or why there is none: an ``AgentAnswer``."""
        seen = report.model_dump(exclude={"deadline"})
        seconds = min(report.deadline or self._most_seconds, self._most_seconds)
        with self._alone(found) as session, self._thinks():
            agent = session.agent
            self._count(session, report)
            action = agent.act(ObservationReport(**seen), seconds)
            step = None if action is None else {"pddl": str(action), **asdict(action)}
            return {"action": step, **agent.ending}

    def brief(self, found: str) -> Brief:
        """An agent, in short."""
        return self._brief(found, self._session(found))

    def state(self, found: str) -> dict[str, Any]:
        """Everything known about an agent: a ``State``."""
        with self._alone(found) as session:
            agent, brief = session.agent, self.brief(found)
            rounds = [{"seen": turn.seen.as_json(), "did": turn.did, "said": turn.said} for turn in agent.history]
            more = {"action": agent.action, "belief": agent.belief, "history": rounds}
            return {**brief.model_dump(), **agent.ending, **more}

    def briefs(self) -> list[Brief]:
        """All agents."""
        return [self._brief(found, session) for found, session in list(self._sessions.items())]

    def forget(self, found: str) -> None:
        """Deletes an agent."""
        with self._alone(found), self._changing:
            self._sessions.pop(found, None)

    def close(self) -> None:
        """Ends what is under way."""
        self._closed = True
        for session in list(self._sessions.values()):
            session.agent.hurry()

    def _brief(self, found: str, session: Session) -> Brief:
        agent = session.agent
        return Brief(
            id=found,
            name=agent.name,
            task=session.task,
            method=self.method.name,
            seed=agent.seed,
            turns=len(agent.history),
            differs=agent.differs,
        )

    def public(self, text: str) -> str:
        """A text in which files are named, without the folders that they are in."""
        for task in self.tasks.values():
            for file in (task.problem.domain_file, task.problem.problem_file, task.sensors_file):
                text = text.replace(str(file), file.name) if file is not None else text
        return text

    @contextmanager
    def _thinks(self) -> Iterator[None]:
        """One of those that may think at a time."""
        if not self._thinking.acquire(blocking=False):
            raise RefusedBody(429, f"{MOST_THINKING} agents are thinking already: ask again")
        try:
            yield
        finally:
            self._thinking.release()

    def _count(self, session: Session, report: ReportBody) -> None:
        """Raises RefusedBody once the reports, which are kept, have reached their limit."""
        characters = _size(report)
        with self._changing:
            self._check_size(characters)
            session.reported += characters

    def _check_size(self, characters: int) -> None:
        if characters + sum(other.reported for other in list(self._sessions.values())) > MOST_REPORTED:
            raise RefusedBody(429, "the agents have received more reports than there is room for: delete some")

    def _check_room(self) -> None:
        if len(self._sessions) >= MOST_AGENTS:
            raise RefusedBody(429, f"there are {MOST_AGENTS} agents already: delete one")

    def _session(self, found: str) -> Session:
        if found not in self._sessions:
            raise RefusedBody(404, f"there is no agent {found}", "id")
        return self._sessions[found]

    @contextmanager
    def _alone(self, found: str) -> Iterator[Session]:
        """Holds the agent for one request at a time."""
        session = self._session(found)
        if self._closed:
            raise RefusedBody(503, "the server ends")
        if not session.turn.acquire(blocking=False):
            raise RefusedBody(409, f"the agent {found} is thinking: wait for its answer")
        try:
            with _speaking_of(found, session.agent.name):
                yield session
        finally:
            session.turn.release()


@contextmanager
def _speaking_of(found: str, name: str | None) -> Iterator[None]:
    """Lines of the log are about this agent."""
    speaking = _SPEAKING.set(f"agent {name} ({found})" if name and name != found else f"agent {found}")
    try:
        yield
    finally:
        _SPEAKING.reset(speaking)


def _size(report: ReportBody | ObservationReport) -> int:
    """What a report takes, in characters."""
    return sum(len(text) + FACT for text in (*report.true, *report.false, *report.objects))


def application(service: Service) -> FastAPI:
    """The API."""
    wrong = {status: {"model": ProblemBody} for status in (400, 401, 403, 404, 409, 413, 422, 429, 503)}
    app = FastAPI(
        title="cplan serve",
        version=__version__,
        description=f"Agents that decide what to do next, by {service.method.name}; tasks: {', '.join(service.tasks)}.",
        docs_url=None,
        redoc_url=None,
    )

    def answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
        return {status: wrong[status] for status in (400, 401, 403, 413, *statuses)}

    @app.get("/", include_in_schema=False)
    @app.get("/docs", include_in_schema=False)
    def page() -> HTMLResponse:
        return HTMLResponse(page_of(app))

    @app.get("/agents", summary="All agents", responses=answers())
    def agents() -> list[Brief]:
        return service.briefs()

    @app.post("/agents", status_code=201, summary="Make an agent", responses=answers(404, 409, 422, 429, 503))
    def make(wanted: Annotated[WantedBody, Body(default_factory=WantedBody)]) -> Brief:
        return service.make(wanted)

    @app.get(
        "/agents/{id}",
        summary="What an agent believes and has seen",
        response_model=State,
        responses=answers(404, 409, 422, 503),
    )
    def state(id: str) -> dict[str, Any]:
        return service.state(id)

    @app.post(
        "/agents/{id}/act",
        summary="Report observations, get an action",
        response_model=AgentAnswer,
        responses=answers(404, 409, 422, 429, 503),
    )
    def act(id: str, report: Annotated[ReportBody, Body(default_factory=ReportBody)]) -> dict[str, Any]:
        return service.act(id, report)

    @app.get(
        "/agents/{id}/saved", summary="Save an agent, to make it again later", responses=answers(404, 409, 422, 503)
    )
    def saved(id: str) -> dict[str, Any]:
        return service.saved(id)

    @app.delete("/agents/{id}", status_code=204, summary="Delete an agent", responses=answers(404, 409, 422, 503))
    def forget(id: str) -> None:
        service.forget(id)

    @app.exception_handler(RefusedBody)
    def refused(request: Request, error: RefusedBody) -> JSONResponse:
        return JSONResponse(error.problem.model_dump(), error.status)

    @app.exception_handler(CplanError)
    def failed(request: Request, error: CplanError) -> JSONResponse:
        place = error.place if isinstance(error, LocatedError) else None
        where = None if place is None else f"{place.path.name}:{place.line}:{place.column}"
        if isinstance(error, MissingError):  # of the machine here, and perhaps of its network
            logger.error("%s", error)
            lacks = ProblemBody(error="something that it needs is missing here: see the server's log")
            return JSONResponse(lacks.model_dump(), 503)
        status = 400 if isinstance(error, InputError) else 409
        return JSONResponse(ProblemBody(error=service.public(str(error)), where=where).model_dump(), status)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        said = f"body: not JSON: {first['ctx']['error']}" if first["type"] == "json_invalid" else wrong_field(first)
        return JSONResponse(ProblemBody(error=said, where=where).model_dump(), 422)

    @app.exception_handler(HTTPException)
    def other(request: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers or {})
        if "allow" in map(str.lower, headers):  # Starlette names those of the first route alone
            here = [route for route in app.routes if route.matches(request.scope)[0] is not Match.NONE]
            headers = {"Allow": ", ".join(sorted({m for route in here for m in getattr(route, "methods", None) or ()}))}
        return JSONResponse(ProblemBody(error=str(error.detail)).model_dump(), error.status_code, headers)

    return app


def page_of(app: FastAPI) -> str:
    """The API as a self-contained page: no script, no external resources."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    return environment.get_template("serve.html.jinja").render(api=app.openapi())


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine reach a host."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def listening(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 is any free one. Raises UsageError if there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise UsageError(f"cannot listen at {host}, port {port}: {why}; --port 0 takes a free one") from error


def serve(service: Service, here: socket.socket, host: str, token: str, ready: Callable[[str], None]) -> None:
    """Serves until interrupted; calls under way then get a moment to finish. ``ready`` gets the address."""
    port = here.getsockname()[1]
    name = f"[{host}]" if ":" in host else host
    server = uvicorn.Server(
        uvicorn.Config(
            guarded(application(service), {name, "localhost", "127.0.0.1", "[::1]"}, token),
            http=GuardedConnection,
            ws="none",
            log_config=None,
            log_level="error",
            access_log=False,
            lifespan="off",
            server_header=False,
            limit_concurrency=2 * MOST_AGENTS,
            timeout_graceful_shutdown=int(GRACE),
        )
    )
    ended = threading.Event()  # an interrupted ``join`` takes a thread for one that has ended

    def run() -> None:
        try:
            server.run([here])
        finally:
            ended.set()

    lines, ours = logging.StreamHandler(), logging.getLogger("commonsense_planning")
    lines.setFormatter(LogLine())
    ours.addHandler(lines)
    before = ours.level
    ours.setLevel(logging.INFO)
    threading.Thread(target=run, daemon=True).start()  # the main thread is for signals
    try:
        ready(f"http://{name}:{port}")
        ended.wait()
    finally:
        service.close()
        server.should_exit = True
        ended.wait(2 * GRACE)
        ours.setLevel(before)
        ours.removeHandler(lines)
