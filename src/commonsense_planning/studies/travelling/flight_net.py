"""A small transformer that learns where to fly: one network for policy and model, so that only the question differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from commonsense_planning.learning.lessons import schedule
from commonsense_planning.studies.travelling.lessons import (
    SPECIAL,
    Flights,
    Lessons,
    NextCities,
    Tokens,
    model_tokens,
    policy_tokens,
)

WIDTH, LAYERS, HEADS = 64, 2, 4
BATCH = 256  # examples in a step
RATE = 8e-3  # the highest of the schedule
CLIP = 1.0  # the longest gradient
LAST = 0.05  # the share of all steps, at the end, that the reported loss is over


class FlightNet(torch.nn.Module):
    """Reads what is asked, the city and the destination; gives a logit for every city."""

    def __init__(self, cities: int) -> None:
        super().__init__()
        self.cities = cities
        self.words = torch.nn.Embedding(cities + SPECIAL, WIDTH)
        self.places = torch.nn.Parameter(0.02 * torch.randn(3, WIDTH))
        layer = torch.nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = torch.nn.TransformerEncoder(layer, LAYERS, torch.nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.head = torch.nn.Linear(WIDTH, cities)

    def forward(self, tokens: Any) -> Any:
        """Logits, (examples, cities), read out where it is asked."""
        return self.head(self.encoder(self.words(tokens) + self.places)[:, 0])

    def logits(self, tokens: Tokens) -> Any:
        """Logits without a gradient."""
        self.eval()
        with torch.inference_mode():
            return self(torch.from_numpy(tokens))

    def next_cities(self) -> NextCities:
        """As a policy: the likeliest next city, for every city and destination."""
        asked = policy_tokens(self.cities).reshape(self.cities, self.cities, 3)
        found: NextCities = np.stack([self.logits(of_city).argmax(-1).numpy() for of_city in asked])
        return found

    def flights(self) -> Flights:
        """As a model: the flights that it holds more likely than not."""
        found: Flights = (self.logits(model_tokens(self.cities)) > 0).numpy()
        return found


@dataclass(frozen=True)
class TrainedNet:
    """``parameters``: how many numbers the network has. ``loss``: binary cross-entropy in nats per example, summed over
    the cities, in the last steps."""

    net: FlightNet
    parameters: int
    loss: float


def train(lessons: Lessons, steps: int, rng: np.random.Generator) -> TrainedNet:
    """A network from random weights after ``steps`` steps, each on ``BATCH`` examples drawn with replacement. It takes
    one core; equal lessons and generators give equal networks."""
    torch.set_num_threads(1)
    torch.manual_seed(int(rng.integers(2**63)))  # torch draws weights from its global generator alone
    net = FlightNet(lessons.targets.shape[1]).train()
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, fused=True)
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * schedule(step, steps)
        drawn = rng.integers(len(lessons), size=BATCH)
        logits = net(torch.from_numpy(lessons.tokens[drawn]))
        right = torch.from_numpy(lessons.targets[drawn].toarray()).to(logits.dtype)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, right, reduction="sum") / BATCH
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        optimizer.step()
        losses.append(float(loss.detach()))
    last = losses[-max(1, round(LAST * steps)) :]
    return TrainedNet(net, sum(parameter.numel() for parameter in net.parameters()), sum(last) / len(last))
