"""The matchers on phrases as models say them: how many find the option that is meant.

    python -m lab.benchmarks.matching [MATCHER ...]

The phrases are tests/matching/phrases.toml. Matchers are those of ``--matcher``; by default, all installed ones.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from commonsense_planning.errors import MissingError
from commonsense_planning.matching.registry import MATCHERS, matcher_named
from lab.benchmarks.performance.table import head, line
from tests.matching.phrases import PARTS, read_phrases, score


def main(names: Sequence[str]) -> None:
    """Prints one Markdown row per matcher and part."""
    phrases = read_phrases()
    print(head("matcher", "phrases", "right", "wrong", "unmatched", "accuracy"))
    for name in names or [kind.forms[0] for kind in MATCHERS.usable()]:
        try:
            matcher = matcher_named(name)
        except MissingError as error:
            if names:
                raise
            print(f"{name}: {error}", file=sys.stderr)
            continue
        for part in PARTS:
            chosen = [p for p in phrases if p.part == part]
            found = score(matcher, chosen)
            counts = found.right, found.wrong, found.unmatched, f"{found.accuracy:.3f}"
            print(line(f"`{matcher.name}`", f"{len(chosen)} {part}", *counts), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
