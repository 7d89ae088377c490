#!/bin/sh
# Two household tasks, several methods: some are given the true world, the others have to look for things.
set -eu
cd "$(dirname "$0")/.."

cplan compare household:small-apple household:two-apples --seeds 2 \
    --methods "llm-mcts, llm-replan, look-nearest, uct, gbfs, fast-downward" -o out/compare_methods
