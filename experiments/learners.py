"""All learners, the paper's and others, in the same search and budget: an experiment on Downward Lab.

    export DOWNWARD_BENCHMARKS=path/to/downward-benchmarks
    python experiments/learners.py --all --time-limit 30s --seeds 3 --jobs 16
    python experiments/learners_shared.py --seeds 3 --jobs 16

This is the first of two settings, one network for one task, with translation, learning and search in one limit; the
second command learns once and searches from many states. Steps and options are those of experiments/ipc.py;
`--every 12` takes every twelfth task.
"""

from all_learners import PLANNERS
from lab_experiment import run_experiment

PLOTS = [("sing", "fsm"), ("sing", "teacher")]

if __name__ == "__main__":
    run_experiment(__doc__.splitlines()[0], PLANNERS, name="learners", plots=PLOTS)
