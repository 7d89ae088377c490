"""A child process that never answers and ignores requests to end."""

import signal
import time

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
