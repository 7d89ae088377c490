"""What a model gets wrong about the actions of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from commonsense_planning.learning.batches import padded
from commonsense_planning.learning.lessons import IGNORED, Lesson


@dataclass(frozen=True)
class Judged:
    """``loss``: the summed cross entropy of ``tokens`` action tokens, in nats, a tensor. Of ``actions`` actions,
    ``right`` have every token as the model would have chosen it."""

    loss: Any
    tokens: int
    actions: int
    right: int


def judge(model: Any, lessons: Sequence[Lesson]) -> Judged:
    """One pass over the lessons. Only where an action is learned is the vocabulary looked at."""
    device = next(model.parameters()).device
    tokens, targets = (torch.from_numpy(array).to(device) for array in padded(lessons))
    hidden = model.transformer(input_ids=tokens, use_cache=False).last_hidden_state[:, :-1]
    targets = targets[:, 1:]  # the output at a token is about the next one
    learned = targets != IGNORED
    logits = model.lm_head(hidden[learned]).float()
    wanted = targets[learned]
    loss = cross_entropy(logits, wanted, reduction="sum")
    before = torch.nn.functional.pad(learned, (1, 0))[:, :-1]
    action = torch.cumsum((learned & ~before).flatten(), 0)[learned.flatten()] - 1  # which action a token is of
    wrong = (logits.argmax(-1) != wanted).long()
    actions = int(action[-1]) + 1 if len(action) else 0
    wrongs = torch.zeros(actions, dtype=torch.long, device=device).index_add_(0, action, wrong)
    return Judged(loss, len(wanted), actions, int((wrongs == 0).sum()))
