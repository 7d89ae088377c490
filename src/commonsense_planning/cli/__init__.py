"""The command line: one module per command; each imports what it needs only when it runs."""

import atexit
import gc


def start() -> int:
    """Entry point of ``cplan``, which reacts to an interrupt during the imports, too. Returns the exit code.

    Collects cyclic garbage after every 100,000 new objects, not 700, and not at the end of the process. Starting makes
    some 200,000 objects, nearly all of them code that lives as long as the process does: looking through them again and
    again takes a fifth of a short run.
    """
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    try:
        from commonsense_planning.cli.main import main

        return main()
    except KeyboardInterrupt:
        return 130  # EXIT_INTERRUPTED of errors, which may not be imported yet
