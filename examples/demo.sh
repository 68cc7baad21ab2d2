#!/usr/bin/env bash
# Solves a transport problem with the default planner and with what it learns of it, then learns one model for the 24-puzzle and solves boards with it.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
sing="$here/../.venv/bin/sing"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
run() {  # shows the command as one could type it
  local shown="" word
  for word; do case "$word" in *" "*) shown+=" \"$word\"" ;; *) shown+=" $word" ;; esac; done
  echo; echo "\$ sing$shown"; "$sing" "$@"
}

echo "1. Plan: bring twelve packages to places in six cities, with a truck in each city and two planes."
run generate logistics --output trucks
echo
echo "The default planner takes what every plan must make true as goals, too, and searches in several ways, in turns."
echo "Where relaxed plans do not find a plan, it learns. For this problem they do:"
run solve trucks/domain.pddl trucks/p01.pddl
run validate trucks/domain.pddl trucks/p01.pddl sas_plan
echo
echo "The plan begins:"
head -4 sas_plan
echo "…"
echo
echo "The same with nothing relaxed: learn one estimate for each goal, from states that a search has seen and from"
echo "regression, and search with these."
run learn trucks/domain.pddl trucks/p01.pddl --config chorus --output trucks.onnx
run solve trucks/domain.pddl trucks/p01.pddl --model trucks.onnx

echo
board="14 5 9 2 18 8 23 19 12 17 15 0 10 20 4 6 11 21 1 7 24 3 16 22 13"
echo "2. Learn once, solve many: the 24-puzzle. Slide tiles into the gap until they stand in order, the gap first:"
# shellcheck disable=SC2086  # one word per tile is what printf repeats its format over
printf '   %3s %3s %3s %3s %3s\n' ${board/ 0 / . }
run generate npuzzle --rows 5 --board "$board" --output korf
run learn korf/domain.pddl korf/p01.pddl --shared --learn-time 20s --jobs 2 --output puzzle.onnx
echo
echo "A first plan comes at once; then beams over the same model look for a better one."
run solve korf/domain.pddl korf/p01.pddl --model puzzle.onnx --jobs 2
echo
echo "The plan has $(grep -c '^(' sas_plan) moves. The fewest with which this board can be solved are 95 (Korf & Felner 2002). It begins:"
"$here/../.venv/bin/python" "$here/draw_boards.py" "$board" sas_plan 4
echo
echo "The same model serves every 24-puzzle with this goal. Two random ones:"
run generate npuzzle --rows 5 --seed 7 --count 2 --output random
run solve random/domain.pddl random/p01.pddl random/p02.pddl --model puzzle.onnx
echo
echo "To see a run as a page with pictures: sing solve DOMAIN PROBLEM --report page.html"
