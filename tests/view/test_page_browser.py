"""The page in a real Chromium. ``make test-browser`` installs what it needs; the screenshots are in ``out/screenshots``
or in the folder of CPLAN_SCREENSHOTS."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commonsense_planning.view.page import page, read_view
from tests.chat_server import ChatServer
from tests.data import REPOSITORY, shared_data
from tests.view.traces import HOSTILE, hostile, of_before, read, record, stuck, write

if TYPE_CHECKING:
    from tests.view.browser import Browser

pytestmark = pytest.mark.browser

LEFT, RIGHT, HOME, END, TAB = "\ue012", "\ue014", "\ue011", "\ue010", "\ue004"  # as WebDriver names the keys
LINKED = "a[href], img, iframe, object, embed, link, script[src], base, form"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from tests.view.browser import chromium

    with chromium() as started:
        yield started


@pytest.fixture(autouse=True)
def _window(request: pytest.FixtureRequest) -> Iterator[None]:
    """A wide, light window; and whatever a test did, nothing went wrong in the page and nothing was fetched."""
    browser = request.getfixturevalue("browser")
    browser.look(1400)
    yield
    assert browser.errors() == []
    assert [url for url in browser.requests() if not url.startswith(("file:", "about:"))] == []


def page_of(trace: Path) -> Path:
    """The page of a trace, next to it."""
    path = trace.with_suffix(".html")
    path.write_text(page(read_view(trace)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of the household's demo."""
    path = tmp_path_factory.mktemp("demo") / "demo.jsonl"
    record(path, "llm-mcts", "demo", "--trace-search")
    return path


def shown(number: float | None) -> str:
    """As the page writes it."""
    return "–" if number is None else f"{number:.3f}".replace("-", "−")


def test_the_keys_go_from_step_to_step(browser: Browser, demo: Path) -> None:
    steps = [event for event in read(demo) if event["event"] == "step"]
    browser.open(page_of(demo))
    assert browser.text("#position").startswith("Start")
    for step in steps[:4]:
        browser.press(RIGHT)
        assert browser.text("#position").startswith(f"step {step['step']} of {len(steps)}")
        assert (browser.text("#step h2"), browser.text("#step code")) == (step["says"], step["action"])
    browser.press(LEFT, LEFT)
    assert browser.text("#step code") == steps[1]["action"]
    browser.press(END, RIGHT)
    assert browser.text("#step code") == steps[-1]["action"]
    browser.press(HOME, LEFT)
    assert browser.text("#position").startswith("Start")
    browser.click("#forward")
    browser.click("#forward")
    browser.click("#back")
    assert browser.text("#step code") == steps[0]["action"]
    browser.run("const s = document.getElementById('slider'); s.value = 3; s.dispatchEvent(new Event('input'))")
    assert browser.text("#step code") == steps[2]["action"]
    assert browser.run("return location.hash") == "#3"


def test_the_slider_moves_one_step_a_key(browser: Browser, demo: Path) -> None:
    browser.open(page_of(demo))
    browser.run("document.getElementById('slider').focus()")
    browser.press(RIGHT, RIGHT)
    assert browser.text("#position").startswith("step 2 ")


@pytest.mark.parametrize("method", ["llm-mcts", "llm-mcts-paper", "uct"])
def test_the_numbers_are_those_of_the_trace(browser: Browser, method: str, tmp_path: Path) -> None:
    events = record(tmp_path / "t.jsonl", method, "two-apples", "--trace-search")
    path = page_of(tmp_path / "t.jsonl")
    stops = [event for event in events if event["event"] in ("start", "step")]
    seen = 0
    for at, event in enumerate(stops):
        if "search" not in event:
            continue
        browser.open(path, at)
        rows = browser.run(
            "return [...document.querySelectorAll('.tree tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
        )
        assert len(rows) == len(event["search"]["choices"])
        for row, choice in zip(rows, event["search"]["choices"], strict=True):
            assert row[1:4] == [str(choice["n"]), shown(choice["q"]), shown(choice["p"])]
            assert row[5] == ("∞" if choice["explore"] is None else shown(choice["explore"]))
        assert browser.run("return document.querySelectorAll('.tree .taken').length") == 1
        if expected := event["search"].get("expected"):
            assert f"none can be expected to take less than {expected['lower_bound']:.2f}" in browser.text("#search")
        seen += 1
        if seen == 3:
            break
    assert seen


def test_the_belief_is_that_of_the_trace(browser: Browser, demo: Path) -> None:
    believed = {thing["id"]: thing for event in read(demo)[:3] for thing in event["belief"]}
    apple = next(thing for thing in believed.values() if thing["says"] == "apple")
    browser.open(page_of(demo), 2)
    first, chance = apple["places"][0]
    assert browser.texts(".thing:first-of-type .bars li:first-child .value") == [f"{round(100 * chance)} %"]
    place = first.strip("()").split()[2]
    nothing = math.prod(
        1 - sum(p for fact, p in thing["places"] if fact.strip("()").split()[2] == place) for thing in believed.values()
    )
    assert browser.texts(f"[data-place='{place}'] .chance") == [f"{round(100 * (1 - nothing))} %"]
    shade = browser.run(
        "return getComputedStyle(document.querySelector(arguments[0])).getPropertyValue('--p')",
        f"[data-place='{place}']",
    )
    assert float(shade) == pytest.approx(1 - nothing)


def test_the_map_shows_where_the_agent_is(browser: Browser, demo: Path) -> None:
    walks = [event for event in read(demo) if event["event"] == "step" and "(walk-to" in event["action"]]
    there = next(walk["step"] for walk in walks if walk["action"] == "(walk-to-room kitchen)")
    browser.open(page_of(demo), there)
    assert browser.run("return document.querySelector('.room.here').dataset.place") == "kitchen"
    assert "bread slice 1" in browser.texts("[data-place='kitchencounter_1'] .chip")
    assert browser.run("return document.querySelectorAll('.trail path').length") == len(
        [walk for walk in walks if walk["step"] <= there]
    )
    assert not browser.texts(".tile .real")
    browser.click(".legend input[type=checkbox]")
    assert browser.texts("[data-place='desk_1'] .real") == ["◎ apple"]


def test_a_step_of_a_plan_leads_to_its_decision(browser: Browser, demo: Path) -> None:
    steps = [event for event in read(demo) if event["event"] == "step"]
    planned = next(step["step"] for step in steps if step["why"].get("planned"))
    browser.open(page_of(demo), planned)
    browser.click("#search .link")
    assert browser.text("#position").startswith(f"step {planned - 1} ")
    assert browser.texts(".tree .taken")


def test_a_branch_opens(browser: Browser, demo: Path) -> None:
    browser.open(page_of(demo), 1)
    rows = len(browser.texts(".tree tbody tr"))
    browser.click(".tree .opener[aria-expanded]")
    assert len(browser.texts(".tree tbody tr")) > rows
    assert browser.run("return document.activeElement.getAttribute('aria-expanded')") == "true"
    assert any(text.startswith("if it sees") for text in browser.texts(".tree .sight i"))
    browser.click(".tree .opener[aria-expanded]")
    assert len(browser.texts(".tree tbody tr")) == rows


@pytest.mark.parametrize(("method", "problem"), [("llm-mcts", "two-apples"), ("uct", "small-apple"), ("gbfs", "demo")])
def test_what_strangers_wrote_runs_nowhere(browser: Browser, method: str, problem: str, tmp_path: Path) -> None:
    record(tmp_path / "t.jsonl", method, problem, "--trace-search")
    events = hostile(read(tmp_path / "t.jsonl"))
    browser.open(page_of(write(tmp_path / "hostile.jsonl", events)))
    for _ in range(min(4, len(events) - 2)):
        for selector in ("#facts summary", ".tree .opener[aria-expanded]"):
            browser.run("document.querySelector(arguments[0])?.click()", selector)
        assert browser.run("return document.querySelectorAll(arguments[0]).length", LINKED) == 0
        assert browser.run("return document.scripts.length") == 3
        assert "cannot be drawn" not in browser.text("main")
        browser.press(RIGHT)
    told = HOSTILE.replace("\x00", "�")
    assert any(told.splitlines()[0] in text for text in browser.texts("#step h2"))


def test_hostile_answers_of_a_model_run_nowhere(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    answer = 'inside fridge <img src=x onerror="alert(1)"></script><script>alert(2)</script>'
    with ChatServer(lambda messages: answer) as server:
        model = ("--model", "openai:m", "--base-url", server.base_url, "--ask-by", "samples", "--samples", "2")
        record(tmp_path / "t.jsonl", "llm-mcts", "two-apples", "--trace-search", *model)
    browser.open(page_of(tmp_path / "t.jsonl"))
    assert answer in browser.texts("#asked .answer")
    assert browser.run("return document.querySelectorAll(arguments[0]).length", LINKED) == 0


def test_a_trace_that_tells_nonsense_breaks_one_panel_at_most(browser: Browser, demo: Path, tmp_path: Path) -> None:
    events = read(demo)
    events[1]["search"] = {"choices": 3}
    browser.open(page_of(write(tmp_path / "t.jsonl", events)), 1)
    assert "cannot be drawn" in browser.text("#search")
    assert browser.text("#step code") == events[1]["action"] and browser.texts(".tile")


def test_without_a_map_there_is_a_list_of_places_and_the_lexicon_s_sentences(browser: Browser, tmp_path: Path) -> None:
    from commonsense_planning.cli.main import main

    trace, shop = tmp_path / "t.jsonl", REPOSITORY / "examples" / "supermarket"
    files = [str(shop / name) for name in ("domain.pddl", "problem.pddl")]
    assert main(["solve", *files, "--trace", str(trace), "--quiet"]) == 0
    start = read(trace)[0]
    browser.open(page_of(trace))
    assert browser.text("#map h2") == "Places" and browser.text("#step h2") == "Start"
    aisles = {fact.strip("()").split()[2] for thing in start["belief"] for fact, _ in thing["places"]}
    assert {*browser.texts("#map .tile .name")} == aisles and "%" in browser.text("#map .tile")
    assert {f"in {aisle} aisle" for aisle in aisles} == {
        text.removesuffix(" ◎") for text in browser.texts("#belief .where")
    }
    browser.open(page_of(trace), 1)
    assert browser.text("#step h2").startswith("drive to the ")
    assert main(["solve", "wumpus:cave-4", "--trace", str(trace), "--quiet"]) == 0
    browser.open(page_of(trace), 2)
    assert browser.texts("#map option")[:2] == ["… is safe", "a wumpus is at …"]  # no mixture of them
    assert browser.text("#step h2") == "sniff at ab" and "you are at ab" in browser.text("#map")
    browser.screenshot("view-places")


@pytest.mark.data
def test_without_a_map_there_are_facts(browser: Browser, tmp_path: Path) -> None:
    from commonsense_planning.cli.main import main

    folder = shared_data("ipc") / "logistics00"
    trace = tmp_path / "t.jsonl"
    files = [str(folder / name) for name in ("domain.pddl", "problogistics-4-0.pddl")]
    assert main(["solve", *files, "--method", "gbfs", "--trace", str(trace), "--trace-search", "--quiet"]) == 0
    step = read(trace)[3]
    browser.open(page_of(trace), 3)
    assert not browser.run("return document.getElementById('map').offsetParent")
    changes = sorted(browser.run("return [...document.querySelectorAll('.changed li')].map(li => li.title)"))
    assert changes == sorted(step["now"] + step["no_longer"])
    browser.screenshot("view-facts")


def test_a_trace_of_before_is_shown_too(browser: Browser, tmp_path: Path) -> None:
    events = of_before(record(tmp_path / "t.jsonl", "llm-mcts", "two-apples"))
    browser.open(page_of(write(tmp_path / "t.jsonl", events)), 3)
    assert browser.texts("#facts li") and not browser.texts(".room")


def test_a_trace_without_preparation_has_a_map_and_a_belief(browser: Browser, tmp_path: Path) -> None:
    record(tmp_path / "t.jsonl", "llm-mcts", "two-apples")
    browser.open(page_of(tmp_path / "t.jsonl"), 1)
    assert browser.texts(".room") and browser.texts(".thing .bars li")
    assert "--trace-search tells the search tree" in browser.text("#search") and not browser.texts("#asked h3")


@pytest.mark.parametrize(("name", "look"), [
    ("view", {"width": 1400, "height": 1500}),
    ("view-dark", {"width": 1400, "height": 1500, "dark": True}),
    ("view-phone", {"width": 390, "height": 844}),
    ("view-phone-dark", {"width": 390, "height": 844, "dark": True}),
    ("view-print", {"width": 794, "height": 1123, "media": "print"}),
])  # fmt: skip
def test_it_fits_the_window(browser: Browser, demo: Path, name: str, look: dict[str, Any]) -> None:
    browser.look(**look)
    browser.open(page_of(demo), 3)
    wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0
    assert contrasts(browser) == []
    browser.screenshot(name)


@pytest.mark.parametrize(("name", "look", "beside"), [
    ("view-stuck", {"width": 1400, "height": 900}, True),
    ("view-stuck-phone-dark", {"width": 390, "height": 1200, "dark": True}, False),
])  # fmt: skip
def test_the_chains_of_a_task_without_a_plan_lead_from_the_goal_to_the_causes(
    browser: Browser, tmp_path: Path, name: str, look: dict[str, Any], beside: bool
) -> None:
    *_, last = stuck(tmp_path / "t.jsonl")
    browser.look(**look)
    browser.open(page_of(tmp_path / "t.jsonl"))
    assert browser.text("#explanation h2") == "Why there is no plan"
    chains = browser.run(
        "return [...document.querySelectorAll('.chain')].map(c => [...c.children].map(l => l.innerText))"
    )
    told = [["the goal", *(line.replace(": ", "\n", 1) for line in lines[:-1])] for lines in last["explanation"]]
    assert chains == [[*t, f"the cause\n{lines[-1]}"] for t, lines in zip(told, last["explanation"], strict=True)]
    tops = browser.run("return [...document.querySelectorAll('.chain')].map(c => c.getBoundingClientRect().top)")
    assert (tops[0] == tops[1]) is beside
    assert browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert contrasts(browser) == []
    browser.screenshot(name)


def contrasts(browser: Browser) -> list[Any]:
    """Texts that stand out from what is behind them by less than 4.5 to 1 (WCAG 2.2, level AA), with the ratio."""
    found: list[Any] = browser.run(Path(__file__).with_name("contrast.js").read_text(encoding="utf-8"))
    return found


def test_everything_can_be_reached_and_has_a_name(browser: Browser, demo: Path) -> None:
    browser.open(page_of(demo), 1)
    nameless = browser.run(
        "return [...document.querySelectorAll('button, input, select, [tabindex], section')]"
        ".filter(e => e.offsetParent && !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby')"
        " || e.textContent.trim() || e.closest('label'))).map(e => e.outerHTML)"
    )
    assert nameless == []
    labels = browser.run(
        "return [...document.querySelectorAll('[aria-labelledby]')].filter(e => e.offsetParent &&"
        " !document.getElementById(e.getAttribute('aria-labelledby'))).map(e => e.id)"
    )
    assert labels == []
    browser.press(TAB)
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_large_traces_stay_usable(browser: Browser, demo: Path, tmp_path: Path) -> None:
    """10,000 steps: only what is in sight is drawn."""
    start, *events = read(demo)
    steps = [event for event in events if event["event"] == "step"]
    many = [{**steps[i % len(steps)], "step": i + 1} for i in range(10_000)]
    browser.open(page_of(write(tmp_path / "t.jsonl", [start, *many])))
    browser.press(END)
    assert browser.text("#position").startswith("step 10000 of 10000")
    assert len(browser.texts("#steps li")) < 50
    browser.press(LEFT)
    assert browser.text("#step code") == many[-2]["action"]
    print(json.dumps({"ready": browser.run("return document.documentElement.dataset.ready")}))


def test_it_opens_in_time(browser: Browser, tmp_path: Path) -> None:
    """30 decisions of 100 simulations; how long that takes is printed, and is in docs/view.md."""
    record(tmp_path / "t.jsonl", "uct", "demo", "--trace-search")
    path = page_of(tmp_path / "t.jsonl")
    browser.open(path, 30)
    assert browser.text("#position").startswith("step 30 of 30")
    ready = int(browser.run("return document.documentElement.dataset.ready"))
    print(json.dumps({"milliseconds": ready, "kB": path.stat().st_size // 1000}))
    assert ready < 30_000  # that it ends at all
