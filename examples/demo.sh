#!/usr/bin/env bash
# Learns a heuristic for the 24-puzzle, and solves the first of Korf and Felner's fifty boards and a random board with it.
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
run generate npuzzle --rows 5 --board "$board" --output korf
echo
echo "Learn: sample states backward from the goal, train a network to predict their depths, then improve it by value iteration."
run learn korf/domain.pddl korf/p01.pddl --shared --learn-time 20s --output puzzle.onnx
echo
echo "Search with the learned model as the heuristic."
run solve korf/domain.pddl korf/p01.pddl --model puzzle.onnx
run validate korf/domain.pddl korf/p01.pddl sas_plan
echo
echo "The plan begins:"
head -3 sas_plan
echo "…"
echo
echo "The same model serves every 24-puzzle with this goal. A random one:"
run generate npuzzle --rows 5 --seed 7 --output random
run solve random/domain.pddl random/p01.pddl --model puzzle.onnx --plan-file second_plan
run validate random/domain.pddl random/p01.pddl second_plan
