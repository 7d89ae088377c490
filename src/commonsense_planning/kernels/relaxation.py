"""The layout of a relaxation: like a compiled task, it is one int32 array with a header.

``heuristics.relaxation``, which builds relaxations, describes their contents.
"""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.ground_task import Int32, Lists, by_item, owners_of

# The header of a relaxation
HALF = 0  # words of one half of a state
PROPOSITIONS = 1  # the last one is the goal
RELAXED = 2  # number of relaxed operators
CONDITION_COUNT = 3  # of all relaxed operators together
NEGATED = 4  # facts whose falsity is a proposition, in the order of these propositions
OPERATORS = 5  # relaxed operator → a record, see below
ACHIEVED = 6  # proposition → groups of achievers: the begin and the end of the group records
STATED = 7  # propositions before this one are a fact or its falsity, and given by a state; then come broken rules
UNIT = 8  # prices and the costs of propositions are in units of this many of the task's, rounded down
HEADER = 9

# The record of a relaxed operator
CONDITIONS, CONDITIONS_END, EFFECTS, EFFECTS_END = 0, 1, 2, 3  # the places of its propositions
PRICE = 4
PARENT = 5  # operator, or one of the following three
OPERATOR_SIZE = 6

GOAL_DISJUNCT = -1
SENSING = -2
DERIVING = -3

FAR = 2**30  # the cost of an unreachable proposition; every reachable one costs less, whatever its operators cost
MOST_PRICE = 2**24

# The record of a group of achievers
GUARD = 0  # proposition, or -1
MEMBERS, MEMBERS_END = 1, 2  # the places of its relaxed operators
GROUP_SIZE = 3


def operator_records(relaxation: Int32) -> Int32:
    """The records of the relaxed operators as rows, a view."""
    at, count = int(relaxation[OPERATORS]), int(relaxation[RELAXED])
    return relaxation[at : at + OPERATOR_SIZE * count].reshape(count, OPERATOR_SIZE)


def wanted_by(relaxation: Int32) -> Lists:
    """Proposition → the relaxed operators with this condition."""
    records = operator_records(relaxation).astype(np.int64)
    rows = Lists(records[:, CONDITIONS], records[:, CONDITIONS_END], relaxation)
    return by_item(*owners_of(rows), int(relaxation[PROPOSITIONS]))
