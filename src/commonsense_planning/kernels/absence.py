"""Imports that are to fail for a while: libraries look for others that they could do without, at a price."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def absent(*packages: str) -> Iterator[None]:
    """Let imports of ``packages`` fail, of those that are not loaded yet. Afterwards they are as they were."""
    hidden = [name for name in packages if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None makes an import fail
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
