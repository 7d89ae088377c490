"""The command line: one module per command; each imports what it needs only when it runs."""


def start() -> int:
    """Entry point of ``cplan``, which reacts to an interrupt during the imports, too. Returns the exit code."""
    try:
        from commonsense_planning.cli.main import main

        return main()
    except KeyboardInterrupt:
        return 130  # EXIT_INTERRUPTED of errors, which may not be imported yet
