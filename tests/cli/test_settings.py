"""``cplan.toml`` and the environment: what wins, and what is said of what is wrong."""

from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest

from commonsense_planning.cli import model_options, serve, solve
from commonsense_planning.cli.options import YOURS
from commonsense_planning.cli.settings import keys_of, options_of
from commonsense_planning.llm.adapters import MODELS
from tests.cli.running import Ended, Run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, below one that may have settings; the user's own are in ``home/cplan``."""
    monkeypatch.delenv("CPLAN_CONFIG")
    monkeypatch.delenv("CPLAN_DATA", raising=False)  # which is an option, too: of bench heuristics
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "cplan").mkdir(parents=True)
    (tmp_path / "work" / "inner").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work" / "inner")
    return tmp_path


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plug-in's model is installed."""
    entry = EntryPoint("rules", "own_model:RULES", MODELS.group)
    monkeypatch.setattr(model_options, "plug_ins", lambda group: {"rules": entry})


def sources(cplan: Run, *command: str) -> dict[str, tuple[str, str]]:
    """Option → its value and where that comes from, without the defaults."""
    ended = cplan("config", *command, "--json")
    assert ended.code == 0, ended.err
    rows = ended.json["settings"]
    return {row["key"]: (row["value"], Path(row["from"]).name) for row in rows if row["from"] != "default"}


def test_the_order_of_precedence(here: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    own, nearest = here / "home" / "cplan" / "cplan.toml", here / "work" / "cplan.toml"
    assert sources(cplan, "solve") == {}
    own.write_text('seed = 1\nshots = 1\nretries = 1\nmethod = "uct"\n[solve]\nshots = 2\n')
    assert sources(cplan, "solve") == {
        "seed": ("1", "cplan.toml:1"),
        "shots": ("2", "cplan.toml:6"),
        "retries": ("1", "cplan.toml:3"),
        "method": ("uct", "cplan.toml:4"),
    }
    nearest.write_text("[solve]\nseed = 4\n[methods]\nstrict = true\n")
    assert sources(cplan, "solve")["seed"] == ("4", "cplan.toml:2")
    assert sources(cplan, "methods")["strict"] == ("true", "cplan.toml:4")
    assert sources(cplan, "solve")["retries"] == ("1", "cplan.toml:3")
    (here / "cplan.toml").write_text("seed = 9\n")  # a nearer one is there
    assert sources(cplan, "solve")["seed"] == ("4", "cplan.toml:2")
    monkeypatch.setenv("CPLAN_SEED", "6")
    assert sources(cplan, "solve")["seed"] == ("6", "CPLAN_SEED")
    monkeypatch.setenv("CPLAN_CONFIG", "")
    assert sources(cplan, "solve") == {"seed": ("6", "CPLAN_SEED")}
    monkeypatch.setenv("CPLAN_CONFIG", str(own))
    assert sources(cplan, "solve")["method"] == ("uct", "cplan.toml:4")


def solved(cplan: Run, *options: str) -> Ended:
    return cplan("solve", "household:small-apple", *options, "--json")


def test_a_run_takes_what_is_set(here: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "work" / "cplan.toml").write_text('quiet = true\nmethod = "gbfs"\nseed = 3\nsimulations = 9\n')
    ended = solved(cplan)
    assert (ended.json["method"], ended.json["seed"]) == ("gbfs", 3)  # which has no simulations
    assert "step  1" not in ended.err
    assert solved(cplan, "--method", "look-nearest", "--seed", "5").json["seed"] == 5
    monkeypatch.setenv("CPLAN_METHOD", "look-greedy")
    monkeypatch.setenv("CPLAN_QUIET", "0")
    ended = solved(cplan)
    assert ended.json["method"] == "look-greedy"
    assert "step  1" in ended.err
    assert "[default: gbfs]" in cplan("solve", "--help").out


def test_a_method_s_own_options_are_set(here: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = here / "work" / "cplan.toml"
    settings.write_text("simulations = 7\nno-ask-again = true\n")
    assert sources(cplan, "solve")["simulations"] == ("7", "cplan.toml:1")
    assert sources(cplan, "solve")["no-ask-again"] == ("false", "cplan.toml:2")  # what it turns off
    settings.write_text("simulations = 0\n")
    solved(cplan).says(2, "simulations must be at least 1")
    monkeypatch.setenv("CPLAN_SIMULATIONS", "8")
    assert sources(cplan, "solve")["simulations"] == ("8", "CPLAN_SIMULATIONS")
    assert solved(cplan).code == 0


def test_a_path_may_count_from_the_file(here: Path, cplan: Run) -> None:
    (here / "work" / "cplan.toml").write_text('prices = "./prices.toml"\ncache = "answers.jsonl"\nprompts = "paper"\n')
    found = sources(cplan, "solve")
    assert found["prices"][0] == str(here / "work" / "prices.toml")
    assert (found["cache"][0], found["prompts"][0]) == ("answers.jsonl", "paper")


REFUSED = [
    ("base-url = 'http://localhost.evil.net/v1'", "cannot decide where data is sent and who may connect"),
    ("base-url = 'http://auto:9/v1'", "cannot decide where data is sent"),
    ("base-url = 'http://localhost:8080/v1'", "cannot decide where data is sent"),
    ("request-field = 'provider={}'", "cannot decide where data is sent"),
    ("model = 'rules:apple.txt'", "cannot choose a plug-in's model"),
]


@pytest.mark.parametrize(("text", "line", "message"), [
    ("\nmodle = 'local'", 2, "no command has an option modle (did you mean 'model'?)"),
    ("[slove]\nseed = 1", 2, "there is no command slove (did you mean 'solve'?)"),
    ("[check]\nseed = 1", 2, "cplan check has no option seed"),
    ("[solve]\nmetod = 'uct'", 2, "cplan solve has no option metod (did you mean 'method'?)"),
    ("seed = 'one'", 1, "seed: 'one' is not a valid integer"),
    ("seed = -1", 1, "seed: -1 is not in the range"),
    ("seed = [1, 2]", 1, "seed must be a text or a number, not of type list"),
    ("seed = true", 1, "seed must be a text or a number, not of type bool"),
    ("request-field = ['user=me']", 1, "request-field: 'user=me' is not KEY=JSON (Expecting value: line 1 column 1"),
    ("quiet = 'yes'", 1, "quiet must be true or false, not 'yes'"),
    ("plan = '../plan'", 1, "plan: a folder's cplan.toml cannot have anything outside that folder read or written"),
    ("[solve]\ntrace = '/tmp/trace'", 2, "trace: a folder's cplan.toml cannot have anything outside that folder"),
    ("method = 'gbfs'\nheuristic = '/h.py'", 2, "heuristic: a folder's cplan.toml cannot have anything outside"),
    ("model = 'local:/tmp/m.gguf'", 1, "model: a folder's cplan.toml cannot have anything outside that folder"),
    *((f"{setting}", 1, f"{setting.split()[0]}: a folder's cplan.toml {said}") for setting, said in REFUSED),
])  # fmt: skip
@pytest.mark.usefixtures("rules")
def test_what_is_wrong_is_said_with_its_place(here: Path, cplan: Run, text: str, line: int, message: str) -> None:
    (here / "work" / "cplan.toml").write_text(text)
    solved(cplan).says(2, f"{here / 'work' / 'cplan.toml'}:{line}: {message}")


@pytest.mark.parametrize(("command", "text"), [
    (("serve", "household:demo"), "[serve]\nhost = '0.0.0.0'\ntoken = 'known to a stranger'"),
    (("serve", "household:demo"), "host = '127.0.0.1'"),
    (("serve", "household:demo"), "token = 'known to a stranger'"),
    (("serve", "household:demo"), "base-url = 'http://auto:9/v1'"),
    (("mcp",), "[mcp]\nbase-url = 'http://auto:9/v1'"),
])  # fmt: skip
def test_a_folder_s_settings_let_nothing_out_and_nobody_in(
    here: Path, cplan: Run, command: tuple[str, ...], text: str
) -> None:
    (here / "work" / "cplan.toml").write_text(text)
    ended = cplan(*command)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "a folder's cplan.toml cannot decide where data is sent and who may connect" in ended.err
    listed = cplan("config", "--json").json["settings"]
    assert all(": refused, a folder's cplan.toml" in row["from"] for row in listed)


def test_config_tells_what_is_refused_from_what_is_in_effect(here: Path, cplan: Run) -> None:
    (here / "work" / "cplan.toml").write_text("base-url = 'http://auto:9/v1'\nmodel = 'openai:m'\nplan = '/plan'\n")
    rows = {row["key"]: row["from"].partition("cplan.toml:")[2] for row in cplan("config", "--json").json["settings"]}
    assert rows.pop("model") == "2"
    assert [(key, place[:10]) for key, place in rows.items()] == [("base-url", "1: refused"), ("plan", "3: refused")]


def test_a_folder_s_settings_stay_in_it(here: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    nearest, own = here / "work" / "cplan.toml", here / "home" / "cplan" / "cplan.toml"
    nearest.write_text("plan = './plan'\ntrace = 'inner.jsonl'\n")
    assert sources(cplan, "solve")["trace"] == ("inner.jsonl", "cplan.toml:2")
    anywhere = f"plan = '{here}/plan'\nbase-url = 'https://api.example.org/v1'\n"
    nearest.unlink()
    own.write_text(anywhere)
    assert sources(cplan, "solve")["plan"][0] == f"{here}/plan"
    nearest.write_text(anywhere)
    assert cplan("config", "solve").code == 2
    monkeypatch.setenv("CPLAN_CONFIG", str(nearest))
    assert sources(cplan, "solve")["base-url"] == ("https://api.example.org/v1", "cplan.toml:2")


def path_options() -> list[str]:
    found = (option for command in (solve.command, serve.command) for option in options_of(command))
    return sorted({keys_of(option)[0] for option in found if isinstance(option.type, click.Path)})


@pytest.mark.parametrize("key", path_options())
@pytest.mark.parametrize("value", ["/etc/passwd", "../../own", "link", "./links", "./inner/links/deeper/link"])
def test_no_path_of_a_folder_s_settings_leads_out_of_it(here: Path, cplan: Run, key: str, value: str) -> None:
    (here / "own").write_text("mine")
    deeper = here / "work" / "inner" / "links" / "deeper"
    deeper.mkdir(parents=True)
    (deeper / "link").symlink_to(here / "own")
    (here / "work" / "inner" / "link").symlink_to(deeper / "link")
    (here / "work" / "links").symlink_to(here / "work" / "inner")  # within, but what is below it leads out
    (here / "work" / "cplan.toml").write_text(f"{key} = '{value}'")
    ended = cplan("serve" if key not in keys_of_solve() else "solve", "household:demo")
    ended.says(2, f"cplan.toml:1: {key}: a folder's cplan.toml cannot have anything outside that folder", YOURS)
    assert (here / "own").read_text() == "mine"


def keys_of_solve() -> set[str]:
    return {key for option in options_of(solve.command) for key in keys_of(option)}


@pytest.mark.parametrize(("own", "folder", "wins"), [
    ("max-usd = 0.01", "max-usd = 100", ("0.01", "home")),
    ("max-usd = 100.0", "max-usd = 0.01", ("0.01", "work")),
    ("max-usd = 1\n[solve]\nmax-usd = 2", "max-usd = 0.01\n[solve]\nmax-usd = 100", ("2", "home")),
    ("", "max-usd = 5", ("5", "work")),
    ("max-calls = 0", "[solve]\nmax-calls = 9", ("0", "home")),
    ("max-tokens = 10", "max-tokens = 11", ("10", "home")),
    ("max-seconds = 2", "timeout = 60", ("2", "home")),
    ("answer-tokens = 5", "answer-tokens = 50", ("5", "home")),
    ("max-operators = 10", "max-operators = 11", ("10", "home")),
    ("seed = 1", "seed = 2", ("2", "work")),
])  # fmt: skip
def test_of_two_limits_the_lower_one_wins(here: Path, cplan: Run, own: str, folder: str, wins: tuple[str, str]) -> None:
    (here / "home" / "cplan" / "cplan.toml").write_text(own)
    (here / "work" / "cplan.toml").write_text(folder)
    ended = cplan("config", "solve", "--json")
    key = folder.split()[-3]
    said = {row["key"]: row for row in ended.json["settings"]}[key]
    assert (float(said["value"]), Path(said["from"]).relative_to(here).parts[0]) == (float(wins[0]), wins[1])


def test_files_that_are_not_settings(here: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "work" / "cplan.toml").write_text("seed = = 1")
    solved(cplan).says(2, "cplan.toml: not settings: ")
    monkeypatch.setenv("CPLAN_CONFIG", "nowhere.toml")
    assert "CPLAN_CONFIG: nowhere.toml: no such file" in solved(cplan).err


def test_config_lists_what_is_said(here: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cplan("config").out == "no cplan.toml is read\n"
    (here / "work" / "cplan.toml").write_text("[solve]\nepisodes = 2\n")
    monkeypatch.setenv("CPLAN_MODEL", "local")
    ended = cplan("config")
    assert ended.out.splitlines()[0] == f"read: {here / 'work' / 'cplan.toml'}"
    assert ended.out.splitlines()[1].split() == ["episodes", "2", "solve", f"{here}/work/cplan.toml:2"]
    assert ended.out.splitlines()[2].split() == ["model", "local", "all", "commands", "CPLAN_MODEL"]
    assert cplan("config", "slove").code == 2


SECRETS = '[serve]\ntoken = "hush"\nbase-url = "http://me:hush@host/v1?key=hush"\n'


@pytest.mark.parametrize("words", [("config",), ("config", "serve")])
@pytest.mark.parametrize("json", [(), ("--json",)])
@pytest.mark.parametrize("variable", ["", "CPLAN_TOKEN", "CPLAN_BASE_URL"])
def test_no_secret_is_shown(
    words: tuple[str, ...],
    json: tuple[str, ...],
    variable: str,
    here: Path,
    cplan: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (here / "home" / "cplan" / "cplan.toml").write_text(SECRETS)
    if variable:
        monkeypatch.setenv(variable, "http://hush@host")
    ended = cplan(*words, *json)
    assert (ended.code, "hush" in ended.out + ended.err) == (0, False)
    shown = {row["key"]: row["value"] for row in cplan(words[0], "serve", "--json").json["settings"]}
    assert (shown["token"], shown["base-url"][:8]) == ("set", "http://…")


def test_an_invalid_secret_is_not_shown_either(here: Path, cplan: Run) -> None:
    (here / "home" / "cplan" / "cplan.toml").write_text('[serve]\ntoken = ["hush"]\n')
    ended = cplan("serve", "household:demo")
    assert (ended.code, "hush" in ended.err) == (2, False)
    assert "cplan.toml:2: token must be a text or a number" in ended.err


def test_a_plug_in_s_option_is_a_secret_by_its_name(here: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from commonsense_planning.cli.catalogue import models

    monkeypatch.setattr(models, "params", [*models.params, click.Option(["--api-key"])])
    monkeypatch.setenv("CPLAN_API_KEY", "hush")
    assert sources(cplan)["api-key"] == ("set", "CPLAN_API_KEY")
    assert sources(cplan, "models")["api-key"] == ("set", "CPLAN_API_KEY")
