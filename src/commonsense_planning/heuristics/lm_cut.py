"""LM-cut as an object, and the input of its kernel: the relaxation, with the consumers and achievers of each
proposition."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32, Lists, by_item, owners_of
from commonsense_planning.heuristics.heuristic import CompiledHeuristic
from commonsense_planning.heuristics.relaxation import compile_relaxation
from commonsense_planning.kernels import lm_cut as layout
from commonsense_planning.kernels import relaxation as relaxed_task
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.eager_search import LM_CUT


class LMCut(CompiledHeuristic):
    """LM-cut (Helmert and Domshlak 2009): the cost of disjoint landmarks. Admissible; at least h_max if there are no
    conditional effects. ``wanted_false``: int32, the facts that matter by being false. Raises ValueError for a task in
    which something is hidden."""

    number = LM_CUT

    def __init__(self, task: Compiled, unit_cost: bool = False) -> None:
        if task.words != task.half:
            raise ValueError("LM-cut is for tasks in which nothing is hidden")
        x = compile_lm_cut(compile_relaxation(task, unit_cost))
        self.wanted_false = x[x[layout.NEGATED] :][: int(x[layout.STATED]) - 64 * task.half]
        propositions, relaxed, operators = (int(x[k]) for k in (layout.PROPOSITIONS, layout.RELAXED, layout.OPERATORS))
        memory = np.zeros(operators + 1 + layout.QUEUES + 6 * propositions + 3 * relaxed, np.int32)
        parents = x[x[layout.PARENTS] :][:relaxed]
        price = np.ones(operators + 1, np.int64) if unit_cost else np.append(task.operators.cost[:operators], 0)
        price[operators] = 0  # of relaxed operators without an operator
        costs = np.concatenate([np.zeros(operators + 1 + propositions + 2 * relaxed, np.int64), price[parents]])
        super().__init__(task, x, memory, costs)


def compile_lm_cut(relaxation: Int32) -> Int32:
    """The array of a task, int32, from its relaxation. Relaxed operators that achieve nothing, or only their
    conditions, are left out."""
    x = relaxation
    facts = int(x[relaxed_task.HALF]) << 6
    propositions = int(x[relaxed_task.PROPOSITIONS]) + 1
    records = relaxed_task.operator_records(x).astype(np.int64)
    operators = int(records[:, relaxed_task.PARENT].max(initial=-1)) + 1
    wants, makes = (
        owners_of(Lists(records[:, first], records[:, first + 1], x))
        for first in (relaxed_task.CONDITIONS, relaxed_task.EFFECTS)
    )
    made, given = (row.astype(np.int64) * propositions + item for row, item in (makes, wants))
    new = ~np.isin(made, given)
    kept = np.bincount(makes[0][new], minlength=len(records)) > 0
    number, needed = np.cumsum(kept) - 1, kept[wants[0]]
    bare = np.setdiff1d(np.flatnonzero(kept), wants[0])
    conditions = np.append(wants[1][needed], np.full(len(bare), propositions - 1, np.int32))
    wanted = by_item(conditions, number[np.append(wants[0][needed], bare)], int(kept.sum()))
    achieved = by_item(makes[1][new], number[makes[0][new]], len(wanted))
    parent = records[kept, relaxed_task.PARENT]
    parent = np.where(parent >= 0, parent, operators).astype(np.int32)
    header = np.zeros(layout.HEADER, np.int32)
    header[[layout.HALF, layout.PROPOSITIONS, layout.RELAXED]] = facts >> 6, propositions, len(parent)
    header[layout.OPERATORS], header[layout.STATED] = operators, x[relaxed_task.STATED]
    parts, size = [header], layout.HEADER

    def place(entry: int, table: npt.NDArray[np.signedinteger]) -> None:
        nonlocal size
        header[entry] = size
        parts.append(table.astype(np.int32))
        size += len(table)

    place(layout.NEGATED, x[x[relaxed_task.NEGATED] :][: int(header[layout.STATED]) - facts])
    place(layout.PARENTS, parent)
    place(layout.MISSING, wanted.end - wanted.start)
    for entry, rows in (
        (layout.CONDITIONS, wanted),
        (layout.EFFECTS, achieved),
        (layout.WANTED_BY, by_item(*owners_of(wanted), propositions)),
        (layout.ACHIEVED_BY, by_item(*owners_of(achieved), propositions)),
        (layout.SIBLINGS, by_item(np.arange(len(parent), dtype=np.int32), parent, operators + 1)),
    ):
        starts = size + len(rows) + 1 + np.append(rows.start, len(rows.items))
        place(entry, np.concatenate([starts, rows.items]))
    return np.concatenate(parts)
