"""Names, answers and requests of those who mean harm, at random: does anything come of them that should not?

    python -m lab.benchmarks.reliability.hostile [names answers requests] [--count 100] [--seconds 120] [--seed 0]

``names``: tasks whose names and lexicon are made of markup, paths, options, shell, escapes, marks of direction, wide
and combining letters, go through the commands. Lost is one that another exit code comes of than of plain names, that
reaches the terminal as more than text, that makes markup in a page, or for which a file is written elsewhere.
``answers``: episodes of every method that asks a model, which says anything at all. Lost is a step that cannot be
carried out, by the replay, or a goal that is said to be reached and is not.
``requests``: to a running ``cplan serve``. Lost is one that ends in an error of the server, or its end.

What is lost is shown, made as small as can be, and kept in ``out/hostile``: the same command tries it first.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

from tests.hostile import ASKING, PIECES, names, phrases, scripts, try_answers, try_names
from tests.interfaces.test_http_server import serving

KEPT = Path("out") / "hostile"
WORDS = st.one_of(st.text(max_size=40), st.sampled_from(PIECES), st.sampled_from(["on", "apple_1", "kitchentable"]))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS, st.just(10**400)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=12,
)
FACTS = st.lists(st.lists(WORDS, max_size=4).map(lambda words: f"({' '.join(words)})"), max_size=3)
REPORTS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("true", "false"), st.one_of(FACTS, VALUES)),
        **dict.fromkeys(("complete", "applied", "goal_reached", "action", "deadline"), VALUES),
        "objects": st.one_of(st.dictionaries(WORDS, st.one_of(WORDS, st.just("movable")), max_size=3), VALUES),
    },
)
BODIES = st.one_of(st.binary(max_size=200), st.one_of(REPORTS, VALUES).map(lambda value: json.dumps(value).encode()))
PATHS = st.sampled_from(["/agents", "/agents/{id}/act", "/agents/{id}", "/agents/%00", "/%2e%2e/etc/passwd", "//x"])
VERBS = st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"])


@dataclass
class Trials:
    """As many as there is time for; what is lost ends them."""

    count: int
    seconds: float
    seed: int
    tried: int = 0

    def run(self, what: str, trial: Callable[..., object], **drawn: st.SearchStrategy[Any]) -> int:
        """Try it with what is drawn; how often it was lost, which is once at most."""
        end, self.tried = time.monotonic() + self.seconds, 0

        def once(**values: Any) -> None:
            if time.monotonic() < end:
                self.tried += 1
                trial(**values)

        kept = DirectoryBasedExampleDatabase(KEPT / what)
        checks = list(HealthCheck)
        limits = settings(max_examples=self.count, database=kept, deadline=None, suppress_health_check=checks)
        try:
            seeded(self.seed)(limits(given(**drawn)(once)))()
        except AssertionError as error:
            print(f"{what}: lost\n{error}\n{chr(10).join(error.__notes__)}", flush=True)
            return 1
        finally:
            print(f"{what}: tried {self.tried}", flush=True)
        return 0


def of_names(called: list[str], said: list[str]) -> None:
    """One task."""
    with TemporaryDirectory() as folder:
        try_names(Path(folder), called, said)


def asked(client: httpx.Client) -> Callable[..., None]:
    """One request to a server, and whether it still serves then."""

    def trial(verb: str, path: str, body: bytes, plain: bool) -> None:
        made = client.post("/agents").json()["id"]
        kind = "text/plain" if plain else "application/json"
        answer = client.request(verb, path.replace("{id}", made), content=body, headers={"Content-Type": kind})
        assert answer.status_code < 500, (answer.status_code, answer.text)
        assert answer.is_success or verb == "HEAD" or set(answer.json()) == {"error", "where"}, answer.text
        for agent in client.get("/agents").json():  # of which the request may have made one
            assert client.delete(f"/agents/{agent['id']}").status_code == 204

    return trial


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(["names", "answers", "requests"]))
@click.option("--count", type=click.IntRange(min=1), default=100, show_default=True, help="Of each part.")
@click.option("--seconds", type=float, default=120.0, show_default=True, help="Limit for each part.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of all that is drawn.")
def main(parts: tuple[str, ...], count: int, seconds: float, seed: int) -> None:
    """Try what means harm."""
    trials, tried, lost = Trials(count, seconds, seed), 0, 0
    for part in parts or ("names", "answers", "requests"):
        with ExitStack() as kept:
            if part == "names":
                lost += trials.run(part, of_names, called=names(13), said=phrases(5))
            elif part == "answers":
                lost += trials.run(part, try_answers, name=st.sampled_from(ASKING), script=scripts())
            else:
                _, address = kept.enter_context(serving("--method", "llm-replan"))
                client = kept.enter_context(httpx.Client(base_url=address, timeout=60))
                drawn = {"verb": VERBS, "path": PATHS, "body": BODIES, "plain": st.booleans()}
                lost += trials.run(part, asked(client), **drawn)
        tried += trials.tried
    print(f"tried {tried}, lost {lost}")
    sys.exit(lost > 0)


if __name__ == "__main__":
    main()
