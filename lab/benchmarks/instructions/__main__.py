"""What instructions are taken for: right, wrong or refused, by what they say, and what it cost to ask.

    python -m lab.benchmarks.instructions [--model embedded|mistaken|local|openai:NAME] [--base-url URL]
                                      [--only CONSTRUCT] [--seed N] [--answers FILE] [--held-out | --alfworld]

``instructions.toml`` has forty instructions with the goals that we take them for, ``held_out.toml`` sixty others,
``alfworld.toml`` sixty that mean what ALFWorld's tasks do; ``equivalence`` judges. ``mistaken`` is a script that knows
the right goal and first makes a typical mistake: it tries the repairs, and nothing else. Refused is an instruction that
ends in an error, with the reason; where it has no meaning, that is right. What a model takes wrongly is listed below
the table. --answers writes one line of JSON for each instruction.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import InputError
from commonsense_planning.instructions.translate import translate
from commonsense_planning.llm.model import LanguageModel, Usage
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.wording.questions import Scene
from lab.benchmarks.instructions.equivalence import Meaning, World
from lab.benchmarks.instructions.mistaken import MistakenModel

REPOSITORY = Path(__file__).parents[3]
FILE = Path(__file__).with_name("instructions.toml")
HELD_OUT = Path(__file__).with_name("held_out.toml")
ALFWORLD = Path(__file__).with_name("alfworld.toml")


@dataclass(frozen=True)
class Instruction:
    """``text`` in English, and what it may mean in a ``task``, nothing if it is to be refused; ``construct``: what it
    is sorted by."""

    text: str
    task: str
    construct: str
    means: tuple[Meaning, ...]


@dataclass(frozen=True)
class Result:
    """What one instruction was taken for. ``verdict``: right, wrong or refused; ``said``: the goal in English, or why
    there is none."""

    text: str
    construct: str
    verdict: str
    said: str
    repairs: int
    questions: int
    calls: int
    prompt_tokens: int
    completion_tokens: int


def read_instructions(path: Path = FILE) -> tuple[Mapping[str, tuple[Path, Path]], tuple[Instruction, ...]]:
    """The tasks by name, and the instructions."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    tasks = {name: (REPOSITORY / domain, REPOSITORY / problem) for name, (domain, problem) in data["tasks"].items()}
    return tasks, tuple(
        Instruction(
            e["text"],
            e["task"],
            e["construct"],
            tuple(Meaning(m["goal"], tuple(m.get("constraints", ()))) for m in (e, *e.get("or", ())) if "goal" in m),
        )
        for e in data["instruction"]
    )


def as_one_formula(meaning: Meaning) -> str:
    """The meaning as a model would write it."""
    return f"(and {' '.join((meaning.goal, *meaning.constraints))})" if meaning.constraints else meaning.goal


def judged(instruction: Instruction, world: World, model: LanguageModel, matcher_name: str, seed: int) -> Result:
    """Ask, and compare with what it should mean."""
    before = replace(model.usage)
    verdict, repairs = "refused" if instruction.means else "right", 0
    try:
        found = translate(instruction.text, world.reader(), model, matcher_named(matcher_name))
        meaning, said, repairs = Meaning(found.pddl, found.constraints), "; ".join(found.english), found.repairs
        same = (world.same(one, meaning, np.random.default_rng(seed)) for one in instruction.means)
        verdict = "right" if any(same) else "wrong"
    except InputError as error:
        said = str(error).partition("cannot be put into a goal: ")[2] or str(error)
    used = _since(model.usage, before)
    return Result(
        instruction.text,
        instruction.construct,
        verdict,
        said,
        repairs,
        used.questions,
        used.calls,
        used.prompt_tokens,
        used.completion_tokens,
    )


def _since(now: Usage, before: Usage) -> Usage:
    return Usage(
        questions=now.questions - before.questions,
        calls=now.calls - before.calls,
        prompt_tokens=now.prompt_tokens - before.prompt_tokens,
        completion_tokens=now.completion_tokens - before.completion_tokens,
    )


def table(results: Sequence[Result]) -> str:
    """A Markdown table, a row a construct and one for all; below it what was not right."""
    lines = [
        "| says | instructions | right | wrong | refused | repairs | questions | calls | tokens told | answered |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for construct in (*dict.fromkeys(r.construct for r in results), "all together"):
        rows = [r for r in results if construct in (r.construct, "all together")]
        verdicts = [sum(r.verdict == verdict for r in rows) for verdict in ("right", "wrong", "refused")]
        sums = [
            sum(getattr(r, name) for r in rows)
            for name in ("repairs", "questions", "calls", "prompt_tokens", "completion_tokens")
        ]
        lines.append(f"| {construct} | {' | '.join(map(str, (len(rows), *verdicts, *sums)))} |")
    lines += ["", *(f"- {r.verdict}: \"{r.text}\" {_short(r)}" for r in results if r.verdict != "right")]
    return "\n".join(lines)


def _short(result: Result) -> str:
    said = " ".join(result.said.split())
    return f"{'was taken for' if result.verdict == 'wrong' else '-'} {said[:200]}{'…' if len(said) > 200 else ''}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.instructions", description="What they mean.")
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--base-url")
    parser.add_argument("--only")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--held-out", dest="file", action="store_const", const=HELD_OUT, default=FILE)
    parser.add_argument("--alfworld", dest="file", action="store_const", const=ALFWORLD)
    options = parser.parse_args()
    tasks, instructions = read_instructions(options.file)
    chosen = [i for i in instructions if options.only in (None, i.construct)]
    worlds = {name: World(*files) for name, files in tasks.items() if any(i.task == name for i in chosen)}
    results = []
    with ExitStack() as kept:
        name = "embedded" if options.model == "mistaken" else options.model
        config = ModelConfig(name, base_url=options.base_url, call_seconds=600)  # a small machine reads long
        models = kept.enter_context(Models(config))
        model: LanguageModel = models.open(
            Scene(), None, matcher_named(config.matcher), np.random.default_rng(options.seed)
        )
        if options.model == "mistaken":
            model = MistakenModel({i.text: as_one_formula(i.means[0]) for i in chosen if i.means})
        for instruction in chosen:
            result = judged(instruction, worlds[instruction.task], model, config.matcher, options.seed)
            results.append(result)
            if options.answers:
                with options.answers.open("a", encoding="utf-8") as file:
                    file.write(f"{json.dumps(asdict(result))}\n")
    print(table(results))


if __name__ == "__main__":
    main()
