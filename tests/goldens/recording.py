"""Runs a golden in this process, and turns all that it says and writes into readable text that never changes.

What depends on the clock, on the machine, or on which validators are asked is left out.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from pytest import MonkeyPatch

from commonsense_planning.cli.main import cplan, main
from commonsense_planning.methods.registry import METHODS
from commonsense_planning.validation.registry import PLAN_VALIDATORS
from tests.data import REPOSITORY
from tests.goldens.runs import OSLO_ATHENS, TEMPORARY, Golden
from tests.results import check_result

ENVIRONMENT = {**{"COLUMNS": "100", "LINES": "40", "NO_COLOR": "1", "TERM": "dumb", "CPLAN_CONFIG": ""}}
UNSET = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE")

CLOCK = re.compile(r"(^|_)(seconds|waiting)(_|$)")
VALIDATORS = {"validators", "disagreement", "reports"}
PROMPTS = {"prompts"}
"""Their version changes with every template."""
MADE = re.compile(r"^Made with cplan .*\n\n?", re.MULTILINE)
"""What a report says of versions; ``made_with`` says it elsewhere, and comments in a plan."""
MACHINE = {"version", "command", "machine"}
WHOLE = "solve/astar/demo-0"
"""The one record that has every key of a result; the others have a view of it, so that a new key changes this one."""
RESULT = {
    *("status", "reason", "domain", "problem", "method", "version", "given", "model", "model_note", "seed", "world"),
    *("plan", "steps", "cost", "reward", "improvements", "valid_means", "warnings", "usage", "heard", "unheard", "usd"),
    *("unmatched", "operators", "facts", "expanded"),
}
EVENTS = {
    "validated": ("event", "status", "valid_means"),
    "end": ("event", "status", "steps", "reason", "notes", "asked", "spent"),
}
"""What a record shows of the events that are views of a result, for the same reason."""
LISTS = {"called", "known"}
"""Of the start of a trace: all names and facts; how many there are and a digest will do."""

DURATION = re.compile(r"\b\d+(\.\d+)? s\b|(?<=^seconds )(read|ground) .*", re.MULTILINE)
JUDGES = "|".join(map(re.escape, (*PLAN_VALIDATORS, "virtualhome")))
VERDICT = re.compile(rf"^  ({JUDGES}) +(valid|invalid|unavailable)\b.*\n", re.MULTILINE)
PROGRESS = re.compile(r"^[\w :]+: [\d,]+( of [\d,]+)? after \d+ s\n", re.MULTILINE)
"""What a slow run says now and then."""
VERSION = re.compile(r"\bcplan \d[\w.+-]*")
MARKUP = re.compile(r"<(style|script|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)

LONGEST = 16_000
"""Characters of a file that are kept in full; of a longer one, the first and last lines and a digest of the rest."""
FIRST, LAST = 12, 4


def record(golden: Golden) -> str:
    """What the golden's command says and writes, as text; of long files the first and last lines."""
    return shortened_text(golden, parts(golden))


def shortened_text(golden: Golden, found: dict[str, str]) -> str:
    """As ``as_text``, with the first and last lines of long parts."""
    return as_text(golden, {name: shortened(text) for name, text in found.items()})


def as_text(golden: Golden, found: dict[str, str]) -> str:
    """The parts of a record, one after the other."""
    texts = [f"--- {name}\n{text}\n" for name, text in found.items()]
    return "".join([f"$ cplan {' '.join(golden.argv)}\n", *texts])


def parts(golden: Golden) -> dict[str, str]:
    """What the golden's command says and writes: part → its text."""
    with TemporaryDirectory(prefix="golden-") as name, surroundings():
        folder = Path(name).resolve()
        golden.material(folder)
        given = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        code, out, err = run([word.replace(TEMPORARY, str(folder)) for word in golden.argv])
        found = {"exit code": str(code), **_said(out, err, folder, golden.name == WHOLE)}
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            content = path.read_bytes()
            if given.get(path) != content:
                found[str(path.relative_to(folder))] = _file(
                    path.name, content.decode("utf-8", "replace"), folder, golden.measures
                )
    return found


def all_help(known: str = "") -> str:
    """The help of every command and subcommand, and the own options of every method, but for those that are in
    ``known``; where nothing is, also the list of all methods."""
    with surroundings():
        pages = [(name, run([*name.split()[1:], "--help"])[1]) for name in _commands(cplan, "cplan")]
        pages.append(("cplan solve --help-all", run(["solve", "--help-all"])[1]))
        for name in METHODS:
            own = run(["solve", "--method", name, "--help"])[1].partition(f"Options of {name}:\n")[2]
            pages.append((f"cplan solve --method {name}", own.partition("\nOptions:\n")[0]))
        if not known:
            words = ("methods", *OSLO_ATHENS)
            pages.append((f"cplan {' '.join(words)}", run(words)[1]))
    texts = [f"=== {name}\n{text}" for name, text in pages]
    return "\n".join(text for text in texts if text not in known)


def run(argv: Sequence[str]) -> tuple[int, str, str]:
    """The exit code of a command line, and what it prints on stdout and stderr."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(argv)
    return code, out.getvalue(), err.getvalue()


@contextmanager
def surroundings(**more: str) -> Iterator[None]:
    """The repository's root as the working folder, and an environment that is the same everywhere, with ``more``."""
    with MonkeyPatch.context() as patch:
        for name in UNSET:
            patch.delenv(name, raising=False)
        for name, value in (ENVIRONMENT | more).items():
            patch.setenv(name, value)
        patch.chdir(REPOSITORY)
        yield


def shortened(text: str) -> str:
    """A long text's first and last lines, with a digest of those between; lines that are too long are cut likewise."""
    if len(text) <= LONGEST:
        return text
    lines = text.splitlines()
    between = lines[FIRST:-LAST]
    if not between:
        return "\n".join(map(_cut, lines))
    told = f"… {len(between)} lines, sha256 {_digest(chr(10).join(between))}"
    return "\n".join([*map(_cut, lines[:FIRST]), told, *map(_cut, lines[-LAST:])])


def _cut(line: str) -> str:
    most = LONGEST // (FIRST + LAST)
    if len(line) <= most:
        return line
    return f"{line[:most]}… {len(line) - most} characters, sha256 {_digest(line[most:])}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _counted(entries: Any) -> str:
    return f"{len(entries)}, sha256 {_digest(json.dumps(entries))}"


def _commands(command: click.Command, name: str) -> Iterator[str]:
    yield name
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for part in command.list_commands(context):
            found = command.get_command(context, part)
            yield from _commands(found, f"{name} {part}")


def _said(out: str, err: str, folder: Path, whole: bool) -> dict[str, str]:
    with suppress(json.JSONDecodeError):
        data = json.loads(out)
        if "made_with" in data and "plan" in data:
            check_result(data)
            data = data if whole else {name: value for name, value in data.items() if name in RESULT}
        out = json.dumps(_kept(data), indent=1, ensure_ascii=False)
    said = {"stdout": out, "stderr": err}
    return {name: _plain(text, folder).rstrip("\n") for name, text in said.items() if text}


def _plain(text: str, folder: Path) -> str:
    """Text without durations, verdicts, versions and folders of this run."""
    text = text.replace(str(folder), TEMPORARY)
    text = MADE.sub("", PROGRESS.sub("", VERDICT.sub("", text)))
    return VERSION.sub("cplan #", DURATION.sub("# s", text))


def _file(name: str, text: str, folder: Path, measured: bool) -> str:
    ending = name.rpartition(".")[2]
    if measured and ending == "html":  # the same as its Markdown, with plots of times
        return "(a page)"
    if ending in ("svg", "png"):  # drawn by Matplotlib, of whatever version
        return "(a picture)"
    if ending == "jsonl":
        rows = [_kept(json.loads(line)) for line in text.splitlines()]
        if all("key" in row for row in rows):
            rows.sort(key=lambda row: str(row["key"]))
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    elif ending == "html":
        lines = MARKUP.sub("\n", text).splitlines()
        text = "\n".join(line.strip() for line in lines if line.strip())
    elif ending == "plan" or name == "plan":
        text = re.sub(r"^; (?!cost).*\n", "", text, flags=re.MULTILINE)
    text = _plain(text, folder)
    return _timeless(text) if measured and ending == "md" else text


def _timeless(page: str) -> str:
    """A report without its sections and columns that depend on how long something took."""
    sections = re.split(r"^(?=##+ )", page, flags=re.MULTILINE)
    titled = [(section.partition("\n")[0].lower(), section) for section in sections]
    kept = [section for title, section in titled if "seconds" not in title and "against budget" not in title]
    return "\n".join(_without_seconds("".join(kept).splitlines()))


def _without_seconds(lines: list[str]) -> Iterator[str]:
    """The lines of a page; of its tables without the columns that give seconds."""
    timed: set[int] = set()
    for line in lines:
        if not line.startswith("|"):
            timed = set()
            yield line
            continue
        cells = line.split("|")
        timed = timed or {number for number, cell in enumerate(cells) if "seconds" in cell}
        yield "|".join(cell for number, cell in enumerate(cells) if number not in timed)


def _kept(value: Any) -> Any:
    """A JSON value without what depends on the clock, the machine, or the validators."""
    if isinstance(value, dict):
        left_out = VALIDATORS | PROMPTS | {"made_with"} | (MACHINE if "key" in value else set())
        kept = [name for name in value if name not in left_out and not CLOCK.search(name)]
        kept = [name for name in EVENTS.get(value.get("event", ""), kept) if name in kept]
        lists = LISTS if value.get("event") == "start" else set()
        return {name: _counted(value[name]) if name in lists else _kept(value[name]) for name in kept}
    return [_kept(entry) for entry in value] if isinstance(value, list) else value
