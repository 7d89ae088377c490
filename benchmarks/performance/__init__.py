"""Speed and memory against peers, measured side by side in one run: ``python -m benchmarks.performance``."""
