"""Trains a GPT-2 to act as an expert does: the "finetuned GPT2 policy" of the LLM-MCTS paper (section 3.1)."""

from __future__ import annotations

import hashlib
import json
import math
import os
import pickle
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from commonsense_lab.learning.lessons import IGNORED, Lesson, lessons, padded, read_and_split, schedule, shuffled, texts
from commonsense_lab.learning.settings import FRESH_RATE, TUNING_RATE, TrainConfig
from commonsense_lab.learning.weights import encoder, fresh, read_pretrained, save, word_tokenizer
from commonsense_planning.errors import InputError
from commonsense_planning.support.reading import reading
from commonsense_planning.support.writing import make_folder, write_text

ROWS, CHECKPOINT = "training.jsonl", "checkpoint.pt"
CHECKPOINT_SECONDS = 120.0
DECAY = 0.01  # of weights, in AdamW
CLIP = 1.0  # the longest gradient


@dataclass(frozen=True)
class TrainingPlan:
    """The numbers of trajectories, of learned ``sequences`` and their ``tokens``, of the model's ``parameters`` and its
    ``vocabulary``; ``batches`` in an epoch, and how many batches of all epochs are ``done``."""

    trajectories: int
    held_out: int
    sequences: int
    tokens: int
    parameters: int
    vocabulary: int
    device: str
    batches: int
    done: int


@dataclass(frozen=True)
class TrainingResult:
    """``rows``: one for each finished epoch, as in training.jsonl. ``complete``: all epochs are done. ``tokens`` of
    this run, learned in ``seconds``."""

    setting: TrainingPlan
    rows: list[dict[str, Any]]
    complete: bool
    tokens: int
    seconds: float


@dataclass
class _Place:
    """The place of a training: ``batch`` of ``epoch``, summed ``loss`` of the epoch's ``tokens``, finished ``rows``."""

    epoch: int = 0
    batch: int = 0
    loss: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    rows: list[dict[str, Any]] = field(default_factory=list)


class Watcher(Protocol):
    """Follows a training."""

    def begin(self, setting: TrainingPlan) -> None:
        """Called when everything is read."""

    def batch(self, done: int) -> None:
        """Called after a batch: how many of all epochs are done."""

    def epoch(self, row: dict[str, Any]) -> None:
        """Called after an epoch."""


class _Nobody:
    """A watcher that ignores everything."""

    begin = batch = epoch = staticmethod(lambda _: None)


def train(
    data: Path,
    out: Path,
    settings: TrainConfig,
    pretrained: Path | None = None,
    max_seconds: float = math.inf,
    watcher: Watcher | None = None,
) -> TrainingResult:
    """Trains on a file of trajectories and writes the weights to ``out``, a folder that is made.

    The same call resumes a training that was stopped or killed; on a CPU it ends with the same weights as without the
    stop. ``pretrained``: a GPT-2's folder to start from, else random weights and a tokenizer of words. Raises
    InputError for wrong data, a wrong folder, and a folder in which something else was trained.
    """
    run = _Run(data, out, settings, pretrained)
    return run.go(time.monotonic() + max_seconds, watcher or _Nobody())


class _Run:
    def __init__(self, data: Path, out: Path, settings: TrainConfig, pretrained: Path | None) -> None:
        torch.set_num_threads(os.cpu_count() or 1)
        torch.manual_seed(settings.seed)  # torch draws weights and dropout from its global generator alone
        learned_from, held_out = read_and_split(data, np.random.default_rng([settings.seed, 0]))
        if pretrained:
            self.weights = read_pretrained(pretrained)
        else:
            self.weights = fresh(settings, word_tokenizer(texts(learned_from)))
        encode = encoder(self.weights.tokenizer)
        self.own = lessons(encode, learned_from, self.weights.positions)
        self.others = lessons(encode, held_out, self.weights.positions)
        self.out, self.settings = out, settings
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = self.weights.model.to(self.device)
        self.rate = settings.learning_rate or (TUNING_RATE if pretrained else FRESH_RATE)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.rate, weight_decay=DECAY)
        self.parts = {"model": self.model, "optimizer": self.optimizer}
        self.identity = {
            **asdict(settings),
            "learning_rate": self.rate,
            "data": _digest(data),
            "from": str(pretrained or ""),
        }
        make_folder(out, "the weights")
        self.place = _Place(**read_checkpoint(out / CHECKPOINT, self.identity, self.parts))
        self.batches = math.ceil(len(self.own) / settings.batch)
        self.setting = TrainingPlan(
            len(learned_from) + len(held_out),
            len(held_out),
            len(self.own),
            sum(map(len, self.own)),
            sum(parameter.numel() for parameter in self.model.parameters()),
            self.weights.tokenizer.get_vocab_size(),
            str(self.device),
            self.batches,
            self.place.epoch * self.batches + self.place.batch,
        )

    def go(self, end: float, watcher: Watcher) -> TrainingResult:
        """Trains until all epochs are done or, after any batch, ``time.monotonic`` has passed ``end``."""
        began = saved = time.monotonic()
        tokens = 0
        watcher.begin(self.setting)
        for chosen in self._batches_left():
            before = time.monotonic()
            self._learn(chosen)
            tokens += sum(map(len, chosen))
            now = time.monotonic()
            self.place.seconds += now - before
            watcher.batch(self.place.epoch * self.batches + self.place.batch)
            ended = self.place.batch == self.batches
            if ended:
                watcher.epoch(self._finish_epoch())
            if now > end:
                break
            if ended or now - saved > CHECKPOINT_SECONDS:
                self._keep()
                saved = time.monotonic()
        self._keep()
        complete = self.place.epoch == self.settings.epochs
        return TrainingResult(self.setting, self.place.rows, complete, tokens, time.monotonic() - began)

    def _batches_left(self) -> Iterator[list[Lesson]]:
        """Yields the batches from the place on, epoch by epoch; the place moves as they are learned."""
        lengths = [len(lesson) for lesson in self.own]
        while self.place.epoch < self.settings.epochs:
            rng = np.random.default_rng([self.settings.seed, 1, self.place.epoch])
            for batch in shuffled(lengths, self.settings.batch, rng)[self.place.batch :]:
                yield [self.own[i] for i in batch]

    def _learn(self, chosen: Sequence[Lesson]) -> None:
        """Makes one step of the optimizer."""
        step = self.place.epoch * self.batches + self.place.batch
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * schedule(step, self.settings.epochs * self.batches)
        self.model.train()
        with self._precision():
            judged = judge(self.model, chosen)
        self.optimizer.zero_grad()
        (judged.loss / max(1, judged.tokens)).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        self.optimizer.step()
        self.place.loss += float(judged.loss.detach())
        self.place.tokens += judged.tokens
        self.place.batch += 1

    def _finish_epoch(self) -> dict[str, Any]:
        """Evaluates the held-out trajectories and goes to the next epoch; returns the row of this one."""
        self.model.eval()
        size = self.settings.batch
        with torch.inference_mode(), self._precision():
            judged = [judge(self.model, self.others[i : i + size]) for i in range(0, len(self.others), size)]
        place = self.place
        row = {
            "epoch": place.epoch + 1,
            "loss": round(place.loss / max(1, place.tokens), 6),
            "held_out_loss": round(sum(float(j.loss) for j in judged) / sum(j.tokens for j in judged), 6),
            "held_out_accuracy": round(sum(j.right for j in judged) / sum(j.actions for j in judged), 6),
            "seconds": round(place.seconds, 1),
        }
        place.rows.append(row)
        place.epoch, place.batch, place.loss, place.tokens, place.seconds = place.epoch + 1, 0, 0.0, 0, 0.0
        return row

    def _keep(self) -> None:
        """Writes checkpoint, weights and rows; after a kill in between, the next run writes what is missing."""
        try:
            write_checkpoint(self.out / CHECKPOINT, self.identity, self.parts, asdict(self.place))
            save(self.weights, self.out)
            rows = "".join(json.dumps(row) + "\n" for row in self.place.rows)
            write_text(self.out / ROWS, rows, "the losses")
        except OSError as error:
            raise InputError(f"{self.out}: cannot write the weights: {error}") from error

    def _precision(self) -> AbstractContextManager[Any]:
        """Returns bfloat16 on a GPU that supports it, else 32 bits."""
        if self.device.type == "cuda" and torch.cuda.is_bf16_supported():
            narrow: AbstractContextManager[Any] = torch.autocast("cuda", dtype=torch.bfloat16)
            return narrow
        return nullcontext()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Judged:
    """``loss``: the summed cross entropy of ``tokens`` action tokens, in nats, a tensor. Of ``actions`` actions,
    ``right`` have every token as the model would have chosen it."""

    loss: Any
    tokens: int
    actions: int
    right: int


def judge(model: Any, lessons: Sequence[Lesson]) -> Judged:
    """Makes one pass over the lessons. Logits are computed only where an action is learned."""
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


def write_checkpoint(
    path: Path, identity: Mapping[str, Any], parts: Mapping[str, Any], place: Mapping[str, Any]
) -> None:
    """Writes the state of ``parts`` (model, optimizer), of torch's generators, and the ``place``."""
    written = path.with_name(f".{path.name}.writing")
    generators = {"cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all()}
    states = {name: part.state_dict() for name, part in parts.items()}
    torch.save({"identity": dict(identity), "place": dict(place), "generators": generators, **states}, written)
    with written.open("rb") as file:
        os.fsync(file.fileno())
    written.replace(path)


def read_checkpoint(path: Path, identity: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Restores the state of ``parts`` and of torch's generators; returns the place, empty without a file. Raises
    InputError if the file is broken or of a training with another ``identity``."""
    if not path.exists():
        return {}
    broken = (RuntimeError, EOFError, pickle.UnpicklingError)
    with reading(path, "a checkpoint", hint="remove it to train from the start, or name another folder", also=broken):
        kept = torch.load(path, map_location="cpu", weights_only=True)
        before = kept["identity"]
        different = [name for name in identity if before.get(name) != identity[name]]
        if not different:
            for name, part in parts.items():
                part.load_state_dict(kept[name])
            torch.set_rng_state(kept["generators"]["cpu"])
            if len(kept["generators"]["cuda"]) == torch.cuda.device_count():
                torch.cuda.set_rng_state_all(kept["generators"]["cuda"])
            place: dict[str, Any] = kept["place"]
    if different:
        name = different[0]
        raise InputError(
            f"{path}: another training was begun there, with {name} {before.get(name)}, not {identity[name]}; "
            "give the same options to resume it, or name another folder"
        )
    return place
