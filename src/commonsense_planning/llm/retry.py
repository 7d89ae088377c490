"""Repetitions of calls whose failure is transient, and the judgement that an endpoint is hopeless."""

from __future__ import annotations

import random
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from commonsense_planning.llm.tally import CallTally
from commonsense_planning.llm.transport import LONGEST_PAUSE, PermanentFailure, TransientFailure

HOPELESS = 3  # failed requests in a row after which an endpoint that never answered, or denies access, is given up
TIRED = 5  # failures in a row after which requests are not retried, until one succeeds
LOADING_PAUSE = 5.0  # seconds between two attempts while the server loads its model
LONGEST_LOADING = 600.0  # seconds to wait for that
TOLD_PAUSE = 3.0  # seconds; longer pauses are reported

_Got = TypeVar("_Got")


class Retries:
    """Repeats calls of one endpoint at most ``most`` times, after ``pause`` seconds, doubled for each further try;
    ``sleep`` waits for a number of seconds."""

    def __init__(self, most: int, pause: float, sleep: Callable[[float], Awaitable[None]]) -> None:
        self.answered = False  # the endpoint has answered a request
        self._most = most
        self._pause = pause
        self._sleep = sleep
        self._jitter = random.Random(0)
        self._waiting = 0  # requests that pause before a retry
        self._failures = 0  # in a row
        self._silent = False  # that there was no answer yet has been reported

    async def until_done(self, once: Callable[[CallTally], Awaitable[_Got]], tally: CallTally) -> _Got:
        """Calls ``once`` until it succeeds, the retries are used up, or the failure is permanent; ``once`` counts the
        cost. Waiting for a server that loads its model is not a retry."""
        tries, loading = 0, 0.0
        while True:
            before, again = tally.calls, bool(tries or loading)
            try:
                return await once(tally)
            except TransientFailure as error:
                if error.loading and loading < LONGEST_LOADING:
                    pause = max(1.0, error.pause or LOADING_PAUSE)
                    self._report("" if loading else f"waiting up to {LONGEST_LOADING:.0f} s for the endpoint", error)
                    loading += pause
                else:
                    tries += 1
                    if tries > self._most or self._failures >= TIRED:
                        raise
                    pause = self._backoff(tries) if error.pause is None else error.pause
                    waiting = f"waiting {pause:.0f} s for the endpoint" if pause >= TOLD_PAUSE else ""
                    self._report("asking the endpoint again" if error.late else waiting, error)
                self._waiting += 1
                try:
                    await self._sleep(pause)
                finally:
                    self._waiting -= 1
            finally:
                tally.retries += again and tally.calls > before

    def succeeded(self) -> None:
        """Records that a request was answered."""
        self.answered = True
        self._failures = 0

    def is_hopeless(self, error: TransientFailure | PermanentFailure, alone: bool) -> bool:
        """Records that a request failed, and returns whether no other would be answered: the error is fatal, or the
        endpoint denies access again and again, or it has never answered and HOPELESS requests failed or this one is
        ``alone``."""
        self._failures += 1
        fatal, shut_out = (error.fatal, error.shut_out) if isinstance(error, PermanentFailure) else (False, False)
        again_and_again = self._failures >= HOPELESS and (shut_out or not self.answered)
        return fatal or again_and_again or (not self.answered and alone)

    def report_silence(self, seconds: float) -> None:
        """Reports, once, that there was no answer yet in so many seconds."""
        if not (self.answered or self._waiting or self._silent):
            self._silent = True
            print(
                f"cplan: still waiting for the endpoint's first answer, after {seconds:.0f} s",
                file=sys.stderr,
                flush=True,
            )

    def _backoff(self, tries: int) -> float:
        """Returns the seconds before the next try: exponential, with jitter so that not all requests return at once."""
        longest = min(LONGEST_PAUSE, self._pause * 2.0 ** min(tries - 1, 20))
        return longest * (0.5 + 0.5 * self._jitter.random())

    def _report(self, wait: str, error: TransientFailure) -> None:
        """Reports a long wait on stderr, once if several requests wait."""
        if wait and not self._waiting:
            print(f"cplan: {wait}: {_visible(str(error))}", file=sys.stderr, flush=True)


def _visible(text: str) -> str:
    """Returns untrusted text without characters that control a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)
