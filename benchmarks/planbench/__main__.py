"""The answers of language models that PlanBench keeps, judged again: which of its verdicts differ from ours.

    python -m benchmarks.planbench FOLDER [--count N] [--differing FILE]

``FOLDER`` is a checkout of the repository LLMs-Planning. All answers that are plans are read from the raw text by our
reader, and judged by our replay on the task that the prompt tells; VAL judges, too, those that ours calls valid. Equal
answers to equal prompts are judged once. Where the verdicts differ, the plan that PlanBench read in the answer, which
it keeps, is judged in the same way: so a row says whether the reading differs or the judgement.

Not judged: cost-optimal plans (of those, validity alone would say nothing), verification and execution, whose answers
are no plans, and conversations with back-prompts, of which no raw answer is kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import commonsense_planning as cplan
from benchmarks.planbench.published import Unread, Vocabulary, instances
from commonsense_planning.errors import CplanError
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict

NO_PLANS = ("verification", "execution", "optimality", "backprompting")
THEIRS = ("llm_correct", "correct")


def judged(vocabulary: Vocabulary, problem: Problem, answer: str, counts: Counter[str]) -> tuple[bool, str]:
    """Whether there is one reading of the answer, and that is a valid plan; else why not."""
    written = vocabulary.read(problem, answer)
    plan = cplan.Plan(written.steps)
    report = replay(problem, plan)
    if written.unclear or report.verdict is not Verdict.VALID:
        return False, "unclear" if written.unclear else "a step" if report.step is not None else "the goal"
    other = validate_with_val(problem, plan)
    counts[f"VAL: {other.verdict}"] += 1
    return other.verdict is not Verdict.INVALID, "VAL"


def their_reading(vocabulary: Vocabulary, problem: Problem, one: Mapping[str, Any]) -> str:
    """What becomes of the plan that PlanBench read, with the objects that ours has in the order of their letters."""
    kept = one.get("extracted_llm_plan") or ""
    text = "\n".join(kept) if isinstance(kept, list) else str(kept)
    if not text.strip():
        return "none"
    return str(replay(problem, cplan.Plan(vocabulary.read(problem, vocabulary.spelled(text)).steps)).verdict)


def main(arguments: list[str] | None = None) -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, help="answers of each file; all without")
    parser.add_argument("--differing", type=Path, help="where to write each difference, a JSON object a line")
    given = parser.parse_args(arguments)
    total: Counter[str] = Counter()
    differing = []
    print("right as kept / as judged again, of answers; kept right and ours wrong, kept wrong and ours right")
    with tempfile.TemporaryDirectory() as scratch:
        for number, file in enumerate(sorted(given.folder.glob("*/results/**/*.json"))):
            where = file.relative_to(given.folder).parts
            content = json.loads(file.read_text())
            if any(word in file.name for word in NO_PLANS) or not isinstance(content, dict):
                continue
            (place := Path(scratch) / str(number)).mkdir()
            vocabulary = Vocabulary(where[2], given.folder, place)
            row: Counter[str] = Counter()
            known: dict[tuple[str, str], tuple[bool, str]] = {}
            for one in [*instances(content)][: given.count]:
                theirs = next((one[name] for name in THEIRS if one.get(name) is not None), None)
                try:
                    problem = vocabulary.asked(one["query"])
                except (Unread, CplanError) as error:
                    row[f"unread: {str(error)[-60:]}"] += 1
                    continue
                key = str(one["query"]), str(one["llm_raw_response"])
                if key not in known:
                    known[key] = judged(vocabulary, problem, key[1], total)
                ours, why = known[key]
                row[f"{'?' if theirs is None else 'right' if theirs else 'wrong'}, {'right' if ours else 'wrong'}"] += 1
                if theirs is not None and bool(theirs) is not ours:
                    read = their_reading(vocabulary, problem, one)
                    total[f"kept {'right' if theirs else 'wrong'}, ours {why}; the plan that they read: {read}"] += 1
                    about = {"file": "/".join(where), "id": one["instance_id"], "kept": bool(theirs), "why": why}
                    differing.append({**about, "their reading": read, "answer": key[1]})
            kept, again = row["right, right"] + row["right, wrong"], row["right, right"] + row["wrong, right"]
            answers = sum(n for name, n in row.items() if "unread" not in name)
            more = ", ".join(f"{n} {name}" for name, n in row.items() if "?" in name or "unread" in name)
            told = f"{kept} / {again} of {answers}; {row['right, wrong']}, {row['wrong, right']}"
            print(f"{'/'.join((where[0], *where[2:]))}: {told} {more}", flush=True)
            total.update(row)
    for name, n in total.most_common():
        print(f"{n:6} {name}")
    if given.differing:
        given.differing.write_text("".join(json.dumps(one) + "\n" for one in differing))
    return 0


if __name__ == "__main__":
    sys.exit(main())
