"""The command line: one module per command; each imports what it needs only when it runs."""


def start() -> int:
    """What ``cplan`` runs: an interrupt is heard while the rest is imported, too. Gives the exit code."""
    try:
        from commonsense_planning.cli.main import main

        return main()
    except KeyboardInterrupt:
        return 130  # EXIT_INTERRUPTED of errors, which need not be there yet
