"""When Python looks for cyclic garbage in a process that does one thing and ends.

Starting makes some 200,000 objects, nearly all of them code that lives as long as the process does. By default Python
looks through the newest of them after every 700, and through all of them again and again, the last time at the end:
a third of the time of a short run.
"""

from __future__ import annotations

import atexit
import gc

NEW_OBJECTS = 100_000  # between two looks


def look_rarely() -> None:
    """Look for cyclic garbage rarely from now on, and not at the end of the process, when all memory is given back at
    once. What is not in a cycle is freed as soon as nobody refers to it, as always."""
    gc.set_threshold(NEW_OBJECTS)
    atexit.register(gc.freeze)
