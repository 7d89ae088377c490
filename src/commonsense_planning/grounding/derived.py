"""Ground rules of derived facts, without duplicates, and the facts that they derive in a state."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np

from commonsense_planning.grounding.ground_task import Bits, Rules, lists_of


def distinct(rules: Rules, kept: Bits) -> Rules:
    """The ``kept`` rules, bool (rules,), by stratum, without duplicates and without rules that want their own head or
    contradict themselves."""
    found: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}
    for r in np.flatnonzero(kept).tolist():
        head, pos, neg = int(rules.head[r]), set(rules.pos.row(r).tolist()), set(rules.neg.row(r).tolist())
        if head not in pos and not pos & neg:
            found.setdefault((head, tuple(sorted(pos)), tuple(sorted(neg))), int(rules.stratum[r]))
    rows = sorted(found, key=lambda row: (found[row], row))
    return Rules(
        np.array([head for head, _, _ in rows], np.int32),
        lists_of([pos for _, pos, _ in rows]),
        lists_of([neg for _, _, neg in rows]),
        np.array([found[row] for row in rows], np.int32),
    )


def closed(rules: Rules, state: Bits) -> Bits:
    """``state``, bool (facts,), with the derived facts recomputed from the others."""
    true = state.copy()
    true[rules.head] = False
    for _, group in itertools.groupby(range(len(rules.head)), key=rules.stratum.tolist().__getitem__):
        missing: dict[int, int] = {}
        users: defaultdict[int, list[int]] = defaultdict(list)
        ready: list[int] = []
        for r in group:
            if true[rules.neg.row(r)].any():
                continue
            open_facts = [fact for fact in rules.pos.row(r).tolist() if not true[fact]]
            missing[r] = len(open_facts)
            for fact in open_facts:
                users[fact].append(r)
            if not open_facts:
                ready.append(r)
        while ready:
            fact = int(rules.head[ready.pop()])
            if true[fact]:
                continue
            true[fact] = True
            for r in users[fact]:
                missing[r] -= 1
                if missing[r] == 0:
                    ready.append(r)
    return true
