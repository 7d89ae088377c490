"""Broken files, command lines and hostile names: an exit code, a located message, no traceback, nothing written."""

import shlex
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from commonsense_planning.errors import UnsupportedFeature
from tests.cli.running import Run
from tests.data import REPOSITORY
from tests.hostile import PLAIN, names, phrases, run, try_names, write_task
from tests.pddl.test_broken_input import TABLE, Broken, write_broken

MANY = "9" * 400
LONG = "x" * 300 + ".pddl"
COSTLY = """(define (domain d) (:predicates (p)) (:functions (total-cost) (price))
 (:action a :effect (and (p) (increase (total-cost) COST))))"""
PRICED = "(define (problem q) (:domain d) (:init INIT) (:goal (p)) (:metric minimize (total-cost)))"
WUMPUS = (REPOSITORY / "pddl" / "wumpus" / "problems" / "cave-3.pddl").read_text(encoding="utf-8")
FILES = {
    "costly.pddl": COSTLY.replace("COST", MANY),
    "free.pddl": PRICED.replace("INIT", ""),
    "priced.pddl": COSTLY.replace("COST", "(price)"),
    "dear.pddl": PRICED.replace("INIT", f"(= (price) {MANY})"),
    "cheap.pddl": PRICED.replace("INIT", f"(= (price) -{MANY})"),
    "cost.plan": f"(go a b)\n; cost = {MANY}",
    "time.plan": f"(go a b)\n{MANY}: (go a b)",
    "trace.jsonl": '{"event": "start"}\n',
    "empty": "",
    "there/file": "",
    "nowhere.pddl": WUMPUS.replace("(at aa)", "(at aa) (not (wumpus-in ac)) (not (wumpus-in bb)) (not (wumpus-in ca))"),
}
WORDS = {
    "{solve}": "solve domain.pddl problem.pddl",
    "{paper}": "solve domain.pddl problem.pddl --method llm-mcts-paper",
    "{asked}": "--model openai:m --base-url http://127.0.0.1:9/v1",
    "{wumpus}": str(REPOSITORY / "pddl" / "wumpus" / "domain.pddl"),
    "{10^30}": str(10**30),
    "{long}": LONG,
    "{x300}": LONG[:300],
}

LINES = """
=> Usage: cplan
slove => No such command 'slove'
--frob => No such option '--frob'
doctor please => unexpected extra argument (please)
solve => Missing argument 'DOMAIN'
solve domain.pddl => Missing argument 'PROBLEM...'
solve household => Missing argument 'PROBLEM...'
solve household:nothing => the pack household has no problem called 'nothing'; there are any-cabinet
solve none.pddl problem.pddl => none.pddl: no such file
solve domain.pddl there => is a directory
solve problem.pddl domain.pddl => problem.pddl:1:
solve {long} problem.pddl => cplan: {long}: cannot be read: File name too long
solve - - => standard input can be read only once, and - is given twice
solve domain.pddl contingent.pddl --world contingent.pddl => a world must leave nothing open
{solve} --world world.pddl => this is the true world
solve {wumpus} nowhere.pddl => no world is as :init says
solve wumpus:cave-3 --method uct => llm-mcts can
solve colour-balls:yard-2 --method look-nearest => llm-mcts can
solve costly.pddl free.pddl --method gbfs => costly.pddl:2:
solve costly.pddl free.pddl --method gbfs => is beyond 1e+100; expected a smaller number
solve priced.pddl dear.pddl --method gbfs => dear.pddl:1:
solve priced.pddl cheap.pddl --method gbfs => cheap.pddl:1:
solve priced.pddl cheap.pddl --method gbfs => is beyond 1e+100; expected a smaller number
{solve} --metod uct => No such option '--metod'
{solve} --method => Option '--method' requires an argument
{solve} --method uctt => no method is called uctt (did you mean 'uct'?)
{solve} --method up:nonsense => has no engine called nonsense
{solve} --method gbfs --heuristic {long} => cplan: {long}: File name too long
{solve} --method gbfs --max-steps 3 => --max-steps belongs to llm-mcts, llm-mcts-paper,
{solve} --guide low => --guide belongs to llm-hill-climb, not to llm-mcts
{solve} --model gpt => no model is called gpt
{solve} --prompts there => the embedded model reads no prompts
{solve} {asked} --prompts {long} => cplan: {long}: File name too long
{solve} --base-url http://localhost:8000/v1 => --model openai:NAME
{solve} --model embedded --ask-later a => add --model openai:ANY
{solve} {asked} --ask-later a --replay b => --ask-later cannot be combined
{solve} {asked} --ask-later a --record b => --ask-later cannot be combined
{solve} {asked} --ask-by letters => 'list'
{solve} {asked} --ask-by labels => 'list'
{solve} --dry-run => nothing to estimate
{solve} --dry-run --method gbfs => nothing to estimate
{solve} --simulations 0 => simulations must be at least 1
{solve} --simulations many => 'many' is not a valid integer
{solve} --exploration -1 => exploration must be at least 0
{solve} --exploration nan => exploration must be at least 0
{solve} --exploration inf => exploration must be at most 1e+12, not inf
{solve} --lambda 2 => lambda must be in [0, 1]
{solve} --max-steps 0 => max-steps must be at least 1
{solve} --worlds 0 => worlds must be at least 1
{solve} --policy-samples 0 => policy-samples must be at least 1
{solve} --prior-samples 0 => prior-samples must be at least 1
{solve} --prior-samples {10^30} => prior-samples must be at most 1e+12
{solve} --samples {10^30} => samples must be at most 1e+12
{solve} --temperature nan => temperature must be at least 0, not nan
{solve} --seed -1 => -1 is not in the range x>=0
validate domain.pddl problem.pddl /dev/zero => /dev/zero: is larger than 256 MB; expected a plan
view /dev/zero -o page.html => /dev/zero: is larger than 256 MB; expected a trace
answer /dev/zero => /dev/zero: is larger than 256 MB; expected a recording
check /dev/zero => /dev/zero: is larger than 16 MB; expected a PDDL file
{solve} --sensors /dev/zero => /dev/zero: is larger than 16 MB; expected a PDDL file
{solve} --lexicon /dev/zero => /dev/zero: is larger than 256 MB; expected a lexicon
{solve} {asked} --method llm-mcts --preferences /dev/zero => /dev/zero: is larger than 256 MB; expected preferences
{solve} {asked} --method llm-policy --examples /dev/zero => /dev/zero: is larger than 256 MB; expected examples
{solve} {asked} --prices /dev/zero => /dev/zero: is larger than 256 MB; expected
{solve} --seed {10^30} => {10^30} is larger than 9223372036854775807
{solve} --timeout 0 => 0.0 is not in the range x>0
{solve} --timeout nan => nan is not a finite number
{solve} --max-seconds inf => inf is not a finite number
{solve} --max-seconds 1e400 => inf is not a finite number
{paper} --depth -1 => depth must be at least 1
{paper} --depth {10^30} => depth must be at most 1e+12
{paper} --discount 1.5 => discount must be in (0, 1]
{paper} --discount nan => discount must be in (0, 1]
{paper} --choose luck => 'luck' is not one of
{solve} --sensors none.pddl => none.pddl: no such file
{solve} --sensors domain.pddl => domain.pddl:1:
{solve} --sensors {long} => cplan: {long}: cannot be read
{solve} --hide-rooms --sensors none.pddl => --hide-rooms chooses the sensors
{solve} --hide-rooms => there is no sensors-hidden-rooms.pddl beside
{solve} --lexicon none.toml => none.toml: cannot be read: No such file
{solve} --lexicon problem.pddl => problem.pddl: not a lexicon:
{solve} --lexicon {long} => cplan: {long}: cannot be read
{solve} --plan none/plan => there is no folder
{solve} --plan {long} => cplan: {long}:
{solve} --trace none/trace => cannot write the trace
{solve} --trace => Option '--trace' requires an argument
{solve} --trace {long} => cplan: {long}:
{solve} --trace-search => needs --trace
{solve} --save-problem {long} => cplan: {long}:
{solve} --json --plan - => can use standard output
{solve} --trace - --plan - => can use standard output
{solve} problem.pddl --plan - => with several problems, --plan must name an existing folder
{solve} contingent.pddl --dry-run => need a single problem
{solve} contingent.pddl --world world => need a single problem
{solve} contingent.pddl --plan none => must name an existing folder
{solve} contingent.pddl --jobs 2 --max-calls 5 => need --jobs 1
{solve} contingent.pddl --jobs 2 --model openai:m --record record => need --jobs 1
{solve} problem.pddl --plan there => several problems are called problem
solve household:demo --instruction 'paint the wall' => It understands sentences such as
solve household:demo --instruction 'put the unicorn in the fridge' => unicorn
solve household:demo --instruction 'put 7 toothbrushes in the fridge' => asks for 7
validate household:demo => Missing argument 'PLAN'
validate household demo.pddl => Missing argument 'PLAN'
validate domain.pddl problem.pddl => Missing argument 'PLAN'
validate domain.pddl problem.pddl none => none: cannot be read: No such file
validate domain.pddl problem.pddl problem.pddl => problem.pddl:1:1: no ground action
validate domain.pddl problem.pddl {long} => cplan: {long}:
validate domain.pddl problem.pddl cost.plan => cost.plan:2:1: not a plan: 9999
validate domain.pddl problem.pddl time.plan => time.plan:2:1: not a plan: 9999
check => Missing argument 'DOMAIN'
check none.pddl => none.pddl: no such file
check household - => stdin:1:1: this '(' is never closed
check domain.pddl {long} => {long}: cannot be read: File name too long
check domain.pddl --max-seconds nan => nan is not a finite number
check domain.pddl --deep => needs a problem
ground domain.pddl => Missing argument 'PROBLEM'
ground domain.pddl problem.pddl --sensors problem.pddl => problem.pddl:1:
ground domain.pddl problem.pddl --max-seconds inf => inf is not a finite number
ground household:demo household:any-mug => Got unexpected extra argument (household:any-mug)
methods domain.pddl => a domain needs a problem
methods household => a domain needs a problem
methods domain.pddl none.pddl => none.pddl: no such file
serve domain.pddl problem.pddl --deadline nan => nan is not a finite number
packs nowhere => no pack is called 'nowhere'
answer none.jsonl => none.jsonl
view none.jsonl => none.jsonl: cannot be read
view domain.pddl => domain.pddl:1:1: not a trace
view trace.jsonl -o no/page.html => cannot write the page
view - => -o FILE names the page
completion tcsh => 'tcsh' is not one of 'bash', 'zsh', 'fish'
new-domain there => there: already exists; nothing was written
new-domain empty => 'empty' is a file
new-domain household => a pack that ships with cplan has this name
new-domain 'my domain' => 'my domain' is not a name for a domain
new-domain 4th => is not a name for a domain
new-domain .. => is not a name for a domain
new-domain empty/inner => empty/inner: cannot write the domain
new-domain {x300} => cplan: {x300}: File name too long
"""


def rows(lines: str) -> list[list[str]]:
    """The command lines, and what each says."""
    return [line.split(" => ") if " => " in line else ["", line[3:]] for line in lines.strip("\n").split("\n")]


ROWS = rows(LINES)


@pytest.fixture
def here(tiny: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with all files that the lines name; on standard input is a file that ends too soon."""
    folder = tiny[0].parent
    opened = tiny[1].read_text().replace("(in ball blue-box)", "(oneof (in ball blue-box) (in ball red-box))")
    for name, text in {**FILES, "contingent.pddl": opened}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"(define")))
    return folder


def refuses(line: str, message: str, here: Path, cplan: Run) -> None:
    """Fails unless the line ends so, and nothing is written."""
    for word, meant in WORDS.items():
        line, message = line.replace(word, meant), message.replace(word, meant)
    before = sorted(here.rglob("*"))
    ended = cplan(*shlex.split(line))
    assert (ended.code, ended.out.count("solved")) == (2, 0)
    assert message in ended.err
    assert "Traceback" not in ended.err and len(ended.err) < 5000
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize(("line", "message"), ROWS, ids=[" ".join(row) for row in ROWS])
def test_command_line(line: str, message: str, here: Path, cplan: Run) -> None:
    refuses(line, message, here, cplan)


def test_a_closed_standard_input(cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert "-: standard input is closed" in cplan("check", "household", "-").err


REFUSED = [broken for broken in TABLE if broken.error is not UnsupportedFeature]
"""Without the tasks that other planners may read, which ``check`` passes."""


@pytest.mark.parametrize("broken", REFUSED[::9], ids=lambda broken: broken.message)
def test_broken_file(broken: Broken, tmp_path: Path, cplan: Run) -> None:
    ended = cplan("check", *write_broken(broken, tmp_path), "--json")
    where = f"{tmp_path / broken.where}.pddl:{broken.line}:{broken.column}: "
    assert ended.code == 2
    assert ended.err.startswith(where)
    assert broken.message in ended.err.replace("\n", " ")
    assert "Traceback" not in ended.err
    assert [(error["line"], error["column"]) for error in ended.json["errors"]] == [(broken.line, broken.column)]


DAMAGE = {
    "byte": b"\xff\xfe",
    "lists": b"[" * 100_000,
    "lists in TOML": b"a = " + b"[" * 5000 + b"]" * 5000,
    "digits": b"a = " + b"9" * 5000,
    "digits in JSON": b'{"nodes": [{"id": ' + b"9" * 5000 + b"}]}",
    "brackets": b"(define (domain d) " + b"(" * 50_000,
    "surrogate": b'{"nodes": [], "edges": ["\\ud800"]}',
}
READERS = [
    "check damaged",
    "solve domain.pddl damaged",
    "{solve} --sensors damaged",
    "{solve} --lexicon damaged",
    "validate domain.pddl problem.pddl damaged",
    "{solve} {asked} --max-usd 1 --prices damaged",
    "{solve} {asked} --examples damaged",
]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_file(reader: str, damage: str, here: Path, cplan: Run) -> None:
    (here / "damaged").write_bytes(DAMAGE[damage])
    refuses(reader, "damaged", here, cplan)


def test_a_located_error_is_printed_unchanged(tmp_path: Path, cplan: Run) -> None:
    domain = tmp_path / "domain.pddl"
    long = "thingamajig-of-a-rather-long-name-" + "x" * 90
    domain.write_text(f"(define (domain d)\n  (:predicates (on [red] ?x - {long})))")
    lines = cplan("solve", domain, domain).err.splitlines()
    assert len(lines) == 3, "message, source and caret, each on one line"
    assert "[red]" in lines[1]
    assert lines[2].strip() == "^"


def test_check_continues_after_a_broken_problem(tiny: tuple[Path, Path], tmp_path: Path, cplan: Run) -> None:
    broken = tmp_path / "broken.pddl"
    broken.write_text(tiny[1].read_text().replace("(held ball)", "(helt ball)"))
    ended = cplan("check", tiny[0], broken, tiny[1], "--json")
    assert ended.code == 2
    assert [file["file"] for file in ended.json["files"]] == [str(tiny[1])]
    assert ended.json["errors"][0]["hint"] == "'held'"


@settings(max_examples=4)
@given(called=names(13), said=phrases(5))
def test_names_are_names(called: list[str], said: list[str]) -> None:
    with TemporaryDirectory() as folder:
        try_names(Path(folder), called, said, quick=True)


@pytest.mark.processes
@settings(max_examples=10)
@given(called=names(13), said=phrases(5))
def test_names_are_names_for_other_programs_too(called: list[str], said: list[str]) -> None:
    with TemporaryDirectory() as folder:
        try_names(Path(folder), called, said)


@pytest.mark.processes
@pytest.mark.parametrize("name", ["--help", "$(touch x);`touch x`", "a 'b\"\n", "\x1bc é我🤖…"])
def test_files_may_be_called_anything(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours, VAL, Fast Downward and pyperplan find them, and no shell reads their names."""
    folder = tmp_path / name
    folder.mkdir()
    for path, new in zip(write_task(folder, PLAIN), (f"{name}.pddl", f"{name}-problem.pddl"), strict=True):
        path.rename(folder / new)
    monkeypatch.chdir(folder)
    files = ("--", f"{name}.pddl", f"{name}-problem.pddl")
    for method in ("gbfs", "fast-downward", "pyperplan"):
        assert run("solve", "--method", method, "--plan", "found", *files).code == 0
        assert run("validate", *files, "found").code == 0
    assert {path.name for path in tmp_path.iterdir()} == {name}
    assert {path.name for path in folder.iterdir()} == {*files[1:], "sensors.pddl", "found"}
