"""The answers of language models that PlanBench keeps, judged again: which of its verdicts differ from ours.

    python -m lab.benchmarks.planbench FOLDER [--count N] [--differing FILE] [--asked-too N]

``FOLDER`` is a checkout of the repository LLMs-Planning. All kept answers with a prompt are read from the raw text by
our reader, and marked on the task that the prompt tells; VAL judges, too, the plans that ours calls valid. Equal
answers to equal prompts are judged once. Where the verdicts differ, the plan that PlanBench read in the answer, which
it keeps, is judged in the same way: so a row says whether the reading differs or the judgement. unified-planning's
validator judges the plans where the verdicts differ, and ``--asked-too`` others, drawn at random.

Not judged: conversations with back-prompts, of which no raw answer is kept.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from commonsense_lab.studies.planbench.exercises import Exercise, Kind, Marker
from commonsense_lab.studies.planbench.published import Phrasebook, Unread, kind_of, prompts_in

import commonsense_planning as cplan
from commonsense_planning.errors import CplanError
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.up_validator import validate_with_up
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict

THEIRS = ("llm_correct", "correct", "llm_correct_binary")
PLANS = [kind for kind in Kind if kind not in (Kind.VERIFICATION, Kind.EXECUTION)]
UP_SECONDS = 60.0


@dataclass(frozen=True)
class Judged:
    """What we make of an answer; ``plan``: what is read of it, None where it is no plan."""

    right: bool
    why: str
    explained: bool | None
    plan: cplan.Plan | None


def judged(marker: Marker, answer: str, counts: Counter[str]) -> Judged:
    """Mark an answer, and have VAL judge the plan that we call valid."""
    mark = marker.mark(answer)
    if marker.exercise.kind not in PLANS:
        return Judged(mark.right, "" if mark.right else "the verdict or a fact", mark.explained, None)
    written = marker.read(answer)
    plan = cplan.Plan(written.steps)
    report = replay(marker.problem, plan)
    if written.unclear or report.verdict is not Verdict.VALID:
        why = "unclear" if written.unclear else "a step" if report.step is not None else "the goal"
        return Judged(False, why, None, None if written.unclear else plan)
    other = validate_with_val(marker.problem, plan)
    counts[f"VAL: {other.verdict}"] += 1
    if other.verdict is Verdict.UNAVAILABLE:
        counts[f"VAL says nothing: {other.reason[:80]}"] += 1
    valid = other.verdict is not Verdict.INVALID
    return Judged(mark.right and valid, "VAL" if not valid else "" if mark.right else "the cost", None, plan)


def their_reading(phrasebook: Phrasebook, marker: Marker, one: Mapping[str, Any]) -> str:
    """What becomes of the plan that PlanBench read, with the objects that ours has in the order of their letters."""
    if marker.exercise.kind not in PLANS:
        return "no plan"
    kept = one.get("extracted_llm_plan") or ""
    text = "\n".join(kept) if isinstance(kept, list) else str(kept)
    if not text.strip():
        return "none"
    return str(replay(marker.problem, cplan.Plan(marker.read(phrasebook.spelled(text)).steps)).verdict)


def truth(one: Mapping[str, Any], name: str) -> bool | None:
    """A verdict as it is kept: true, or a text that says so."""
    said = one.get(name)
    return None if said is None else bool(ast.literal_eval(said)) if isinstance(said, str) else bool(said)


def asked_too(differing: list[tuple[Exercise, Judged]], others: list[tuple[Exercise, Judged]], count: int) -> None:
    """Print how often unified-planning's validator and ours agree."""
    rng = np.random.default_rng(0)
    drawn = [others[i] for i in rng.permutation(len(others))[:count]]
    for what, some in (("where verdicts differ", differing), ("drawn at random", drawn)):
        agreed: Counter[str] = Counter()
        for exercise, found in some:
            if found.plan is not None:
                problem = Marker(exercise).problem
                theirs, ours = validate_with_up(problem, found.plan, UP_SECONDS), replay(problem, found.plan)
                agreed[f"ours {ours.verdict}, unified-planning {theirs.verdict}"] += 1
        print(f"unified-planning, {what}: {dict(agreed)}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, help="answers of each file; all without")
    parser.add_argument("--differing", type=Path, help="where to write each difference, a JSON object a line")
    parser.add_argument("--asked-too", type=int, default=0, help="plans that unified-planning judges, too")
    given = parser.parse_args(arguments)
    total: Counter[str] = Counter()
    differing: list[dict[str, Any]] = []
    apart, others = list[tuple[Exercise, Judged]](), list[tuple[Exercise, Judged]]()
    print("right as kept / as judged again, of answers; kept right and ours wrong, kept wrong and ours right")
    with tempfile.TemporaryDirectory() as scratch:
        for number, file in enumerate(sorted(given.folder.glob("*/results/**/*.json"))):
            where, kind = file.relative_to(given.folder).parts, kind_of(file)
            if "backprompting" in file.name or kind is None or not isinstance(json.loads(file.read_text()), dict):
                continue
            (place := Path(scratch) / str(number)).mkdir()
            phrasebook = Phrasebook(where[2], given.folder, place)
            row: Counter[str] = Counter()
            markers: dict[str, Marker] = {}
            known: dict[tuple[str, str], Judged] = {}
            answered = [one for one in prompts_in(file) if str(one.get("llm_raw_response") or "").strip()]
            for one in answered[: given.count]:
                theirs = next((known_as for name in THEIRS if (known_as := truth(one, name)) is not None), None)
                prompt, answer = str(one["query"]), str(one["llm_raw_response"])
                try:
                    if prompt not in markers:
                        markers[prompt] = Marker(phrasebook.exercise(kind, prompt, one["query"]))
                except (Unread, CplanError) as error:
                    row[f"unread: {str(error)[-60:]}"] += 1
                    continue
                marker, key = markers[prompt], (prompt, answer)
                if key not in known:
                    known[key] = judged(marker, answer, total)
                ours = known[key]
                said = "?" if theirs is None else "right" if theirs else "wrong"
                row[f"{said}, {'right' if ours.right else 'wrong'}"] += 1
                if ours.explained is not None and (reason := truth(one, "llm_correct_w_expl")) is not None:
                    row[f"reason kept {reason}, ours {ours.explained}"] += 1
                if theirs is None or theirs is ours.right:
                    others.append((marker.exercise, ours))
                    continue
                apart.append((marker.exercise, ours))
                read = their_reading(phrasebook, marker, one)
                total[f"{kind}: kept {said}, ours {ours.why}; the plan that they read: {read}"] += 1
                about = {"file": "/".join(where), "id": one["instance_id"], "kept": theirs, "why": ours.why}
                about |= {"their reading": read, "theirs": one.get("extracted_llm_plan"), "answer": answer}
                differing.append({**about, "ours": None if ours.plan is None else [*map(str, ours.plan)]})
            kept, again = row["right, right"] + row["right, wrong"], row["right, right"] + row["wrong, right"]
            answers = sum(n for name, n in row.items() if "unread" not in name and "reason" not in name)
            more = ", ".join(f"{n} {name}" for name, n in row.items() if name[0] in "?u" or "reason" in name)
            told = f"{kept} / {again} of {answers}; {row['right, wrong']}, {row['wrong, right']}"
            print(f"{'/'.join((where[0], *where[2:]))}: {told} {more}", flush=True)
            total.update(row)
        if given.asked_too:
            asked_too(apart, others, given.asked_too)
    for name, n in total.most_common():
        print(f"{n:6} {name}")
    if given.differing:
        given.differing.write_text("".join(json.dumps(one) + "\n" for one in differing))
    return 0


if __name__ == "__main__":
    sys.exit(main())
