"""Makes the cassettes: the goldens that ask a model, once against a server that answers from the prompt alone."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.chat_server import ChatServer, Messages, offered, wanted
from tests.data import APPLE_PLAN, REPOSITORY
from tests.goldens.recording import run, surroundings
from tests.goldens.runs import TEMPORARY, Golden

SALMON_PROGRAM = """\
def put_salmon_in_the_fridge():
    # 1: take the salmon
    walk('salmon')
    assert('close' to 'salmon')
        else: walk('salmon')
    grab('salmon')
    # 2: open the fridge
    walk('fridge')
    assert('fridge' is 'opened')
        else: open('fridge')
    # 3: put the salmon inside
    putin('salmon', 'fridge')
    close('fridge')
"""
APPLE_PROGRAM = """\
def bring_the_apple():
    walk_to_room('kitchen')
    assert('fridge' is 'opened')
        else: open('fridge')
    grab('apple', 'fridge')
    put_on('apple', 'kitchen table')
"""
SALMON_GUIDE = ["Walk to the salmon", "Grab the salmon", "Walk to the fridge", "Open the fridge"]
SALMON_GUIDE += ["Put the salmon into the fridge"]
SALMON_STEPS = ["[WALK]<salmon>", "[GRAB]<salmon>", "[WALK]<fridge>", "[OPEN]<fridge>", "[PUTIN]<salmon><fridge>"]
APPLE_STEPS = ["walk to the kitchen", "walk to the fridge", "open the fridge", "grab the apple"]
APPLE_STEPS += ["walk to the kitchen table", "put the apple on the kitchen table"]
NUMBERED_PLAN = "".join(f"{i}. {step}\n" for i, step in enumerate(APPLE_PLAN.splitlines(), 1))
FLIGHTS = {
    "amsterdam": "Dublin\nEdinburgh\nFrankfurt\nLondon\nOslo\nRome",
    "athens": "Frankfurt\nLondon\nRome",
    "london": "Tokyo\nCairo\nOslo\nPorto\nAmsterdam\nAthens",
    "oslo": "London\nFrankfurt\nRiga\nAtlantis",
}


def answer(messages: Messages) -> str:
    """What somebody sensible might say, for each kind of question."""
    prompt = messages[-1]["content"]
    for pattern, kind in (
        (r"what is (\d+) times (\d+)\?", _product),
        (r"positions? of ([^?\n]+)\?\s+Answer:\Z", _place),
        (r"[Ff]or which (?:cities )?X is it true that ([^?\n]+)\?\s+Answer:\Z", _ways),
        (r"[Ii]s it true that ([^?\n]+)\?\s+Answer:\Z", _is_way),
        (r"from ([^?\n]+) to ([^?\n]+)\?\s+Answer:\Z", _route),
        (r"Goal: ([^\n]+)\nFormal goal:\s*\Z", _translation),
        (r"Instruction: ([^\n]+)\nGoal:\s*\Z", _first_goal),
        (r"Write the whole goal again", _goal),
        (r"each with its index:\n", _choice),
        (r"def (\w+)\(\):\s*\Z", _program),
        (r"Answer with the steps as a numbered list", _guide),
        (r"Next actions?:\s*\Z", _next),
        (r"The plan:\Z", _plan),
        (r"Answer with a line for each thing", _places),
    ):
        found = re.search(pattern, prompt)
        if found is not None:
            return kind(prompt, found)
    raise ValueError(f"a question of no known kind: {prompt}")


def _product(prompt: str, found: re.Match[str]) -> str:
    """Right up to 99 × 99, too large by one beyond."""
    first, second = int(found[1]), int(found[2])
    return str(first * second + (max(first, second) > 99))


def _first_goal(prompt: str, found: re.Match[str]) -> str:
    """Nearly."""
    return "Sure:\n```\n(inside apple_1 cold-place)\n```"


def _goal(prompt: str, found: re.Match[str]) -> str:
    return "(on apple kitchentable)" if "fetch" in prompt.lower() else "(exists (?a - movable) (inside ?a fridge))"


def _place(prompt: str, found: re.Match[str]) -> str:
    listed = re.search(r"possible positions are: (.*)\.", prompt)
    if listed is not None:
        return ", ".join(listed[1].split(", ")[:2])
    several = re.findall(r"Things may be (\w+): (.*)\.", prompt)
    if several:
        return ", ".join(f"{relation} {names.split(', ')[0]}" for relation, names in several)
    containers, surfaces = (
        re.search(rf"{kind} in the apartment: (.*)\.", prompt) for kind in ("Containers", "Surfaces")
    )
    assert containers is not None and surfaces is not None
    return f"Inside {containers[1].split(', ')[0]}, On {surfaces[1].split(', ')[-1]}."


def _places(prompt: str, found: re.Match[str]) -> str:
    """A line for each thing but the last, which is left out."""
    places = _place(prompt, found)
    return "\n".join(f"{thing}: {places}" for thing in wanted(prompt)[:-1])


def _ways(prompt: str, found: re.Match[str]) -> str:
    named = [city for city in FLIGHTS if city in found[1].lower()]
    return FLIGHTS[named[0]] if named else "London\nParis"


def _is_way(prompt: str, found: re.Match[str]) -> str:
    """By the list of the city from which the way leads."""
    *_, start, _, end = found[1].lower().split()
    return "Yes." if end in FLIGHTS.get(start, "").lower() else "No."


def _route(prompt: str, found: re.Match[str]) -> str:
    source, destination = re.findall(r"from ([^?\n]+) to ([^?\n]+)\?", prompt)[-1]
    return f"{source} -> London -> {destination}"


def _translation(prompt: str, found: re.Match[str]) -> str:
    if "Things:" in prompt:
        return "(ON, apple, kitchentable, 1)"
    return "(INSIDE, apple, fridge, 1)"


def _choice(prompt: str, found: re.Match[str]) -> str:
    """The first listed action that comes next of the steps, or the first of all; with words about it where wanted."""
    listed = re.findall(r"^(\d+)\. (.*)$", prompt[found.end() :], re.MULTILINE)
    steps = SALMON_STEPS if "salmon" in prompt.lower() else APPLE_STEPS
    taken = re.search(r"Actions already taken: (.*)", prompt)
    done = "" if taken is None else taken[1].lower()
    wanted = [step.lower() for step in steps if step.lower() not in done]
    index, action = next((pair for step in wanted for pair in listed if pair[1].lower() == step), listed[0])
    chosen = f"{index}. {action}"
    return f"That is what is missing.\nANSWER: {chosen}" if "Think step by step" in prompt else chosen


def _program(prompt: str, found: re.Match[str]) -> str:
    return SALMON_PROGRAM if "salmon" in found[1] else APPLE_PROGRAM


def _plan(prompt: str, found: re.Match[str]) -> str:
    """Without opening the fridge, until that is found wrong."""
    return NUMBERED_PLAN if "It is wrong:" in prompt else NUMBERED_PLAN.replace("3. (open-container fridge)\n", "")


def _guide(prompt: str, found: re.Match[str]) -> str:
    steps = (SALMON_STEPS if "[WALK]" in prompt else SALMON_GUIDE) if "salmon" in prompt else APPLE_STEPS
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))


def _next(prompt: str, found: re.Match[str]) -> str:
    """The action of the list that names most of what the goal names, and was not done lately; in the paper's prompt,
    the steps of the task."""
    options = offered(prompt)
    if not options:
        completed = re.findall(r"Completed actions: (.*)", prompt)[-1]
        return ", ".join([*APPLE_STEPS[0 if completed == "none" else completed.count(",") + 1 :], "done"])
    goal = set(re.findall(r"\w{4,}", re.findall(r"Goal: (.*)", prompt)[-1].lower()))
    lately = re.search(r"Last actions: (.*)", prompt)
    options.sort(key=lambda option: -len(goal & set(re.findall(r"\w+", option.lower()))))
    return next((option for option in options if lately is None or option not in lately[1]), options[0])


def make_cassette(golden: Golden) -> None:
    """Run the golden with its answers recorded."""
    base = Path(golden.argv[golden.argv.index("--replay") + 1])
    if golden.name.endswith("not-recorded"):
        return
    (REPOSITORY / base).unlink(missing_ok=True)
    with ChatServer(answer) as server, TemporaryDirectory() as name:
        folder = Path(name).resolve()
        with surroundings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="none"):
            golden.material(folder)
            words = ["--record" if word == "--replay" else word for word in golden.argv]
            code, _, err = run([word.replace(TEMPORARY, str(folder)) for word in words])
            recorded = REPOSITORY / base
            recorded.write_text(recorded.read_text().replace(str(folder), TEMPORARY))
    if code not in (0, 1):
        raise RuntimeError(f"{golden.name} ended with {code}: {err}")
