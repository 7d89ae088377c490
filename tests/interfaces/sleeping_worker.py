"""A child process that answers nobody and does not mind being asked to end."""

from __future__ import annotations

import signal
import time

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
