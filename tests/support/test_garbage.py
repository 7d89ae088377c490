"""Whether a process that minds little garbage still does what it must."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import atexit, gc, weakref
atexit.register(lambda: print("left alone", gc.get_freeze_count() > 0))  # called after what is registered below
from commonsense_planning.support.garbage import look_rarely
look_rarely()
atexit.register(lambda: print("still looking", gc.get_freeze_count() == 0))
class Ring: pass
rings = 0
def gone(_):
    global rings
    rings += 1
kept = []
for _ in range(300_000):
    ring = Ring()
    ring.itself = ring
    if not kept:
        kept.append(weakref.ref(ring, gone))
print("found", rings)
"""


def test_garbage_is_found_though_rarely_and_the_end_does_not_wait_for_it() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == ["found 1", "still looking True", "left alone True"]
