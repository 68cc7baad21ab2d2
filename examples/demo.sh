#!/usr/bin/env bash
# Solves the first of Korf and Felner's fifty 24-puzzles, from PDDL to a checked plan.
set -euo pipefail
sing="$(cd "$(dirname "$0")/.." && pwd)/.venv/bin/sing"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
run() { echo; echo "\$ sing $*"; "$sing" "$@"; }

board="14 5 9 2 18 8 23 19 12 17 15 0 10 20 4 6 11 21 1 7 24 3 16 22 13"
echo "The 24-puzzle: slide tiles into the gap until they stand in order, the gap first. The start:"
# shellcheck disable=SC2086  # one word per tile is what printf repeats its format over
printf '   %3s %3s %3s %3s %3s\n' ${board/ 0 / . }
run generate npuzzle --rows 5 --board "$board" --output .
run solve domain.pddl p01.pddl
run validate domain.pddl p01.pddl sas_plan
echo
echo "The plan begins:"
head -5 sas_plan
echo "…"
