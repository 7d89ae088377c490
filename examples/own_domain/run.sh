#!/bin/sh
# A domain of one's own, with hidden facts: check the files, solve the task, validate the plan file.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT

cplan check domain.pddl problem.pddl
cplan solve domain.pddl problem.pddl --plan "$out/plan"
cplan validate domain.pddl problem.pddl "$out/plan"
