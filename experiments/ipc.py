"""How many IPC tasks configurations solve, beside Fast Downward: an experiment on Downward Lab.

    export DOWNWARD_BENCHMARKS=path/to/downward-benchmarks
    python experiments/ipc.py --all --planner chorus --planner "sing --hidden 4x64" --planner fd-ff --jobs 2

Steps are Lab's: build, start, watch, parse, fetch, report; the last writes one page, build/ipc-eval/index.html.
A second call goes on where the first was stopped. docs/experiments.md has the rest.
"""

from lab_experiment import run_experiment

PLANNERS = ["chorus", "fd-blind", "fd-goalcount", "fd-ff", "fd-landmark"]
PLOTS = [("fd-ff", "chorus"), ("fd-landmark", "chorus")]

if __name__ == "__main__":
    run_experiment(__doc__.splitlines()[0], PLANNERS, name="ipc", plots=PLOTS)
