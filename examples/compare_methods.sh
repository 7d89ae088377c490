#!/bin/sh
# One household task, several methods: some are given the true world, the others have to look for things.
set -eu
cd "$(dirname "$0")/../pddl/household"

for method in fast-downward gbfs llm-replan llm-mcts uct; do
    # A method may fail to solve the task: exit code 1.
    cplan solve domain.pddl problems/small-apple.pddl --method "$method" --quiet || echo "exit code $?"
done
