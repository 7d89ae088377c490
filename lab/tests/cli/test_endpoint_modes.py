"""Endpoints as people use them, where ``cplan belief`` asks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import chat_habits as habits
from tests import chat_troubles as troubles
from tests.chat_server import ChatServer
from tests.cli.endpoint import environment
from tests.cli.running import Run
from tests.cli.test_endpoint_modes import clock, server, tried
from tests.endpoint_modes import MORE_ROOM, NEEDED, NOT_HEARD, UNHEARD, Clock, Mode, always

__all__ = ["clock", "environment", "server"]

BELIEF = "belief"
MODES = [
    Mode("keeps to schemas, a belief", always(), BELIEF, 0, 1, "a list of the likeliest"),
    Mode("blank, a belief", always(troubles.says("\n\n")), BELIEF, 0, 3, NOT_HEARD, UNHEARD),
    Mode("nonsense, a belief", always(troubles.says(troubles.NONSENSE)), BELIEF, 3, 3, NOT_HEARD, UNHEARD,
         options=NEEDED),
    Mode("a web page, a belief", always(lambda request, server: habits.page(200, "My router")), BELIEF, 3, 3,
         "My router", None),
    Mode("thinks for 3,000, a belief", always(habits.thinks_first(3000)), BELIEF, 0, 2, MORE_ROOM.format(4096)),
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_mode(mode: Mode, server: ChatServer, clock: Clock, cplan: Run, tiny: tuple[Path, Path]) -> None:
    tried(mode, server, clock, cplan, tiny)
