"""All that is fuzzed."""

from __future__ import annotations

from lab.benchmarks.reliability.fuzz import answer_targets, file_targets, pddl_targets

TARGETS = {t.name: t for t in (*pddl_targets.TARGETS, *file_targets.TARGETS, *answer_targets.TARGETS)}
