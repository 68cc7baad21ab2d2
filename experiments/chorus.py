"""What each part of `chorus` adds, one switched off at a time, beside Fast Downward: an experiment on Downward Lab.

    export DOWNWARD_BENCHMARKS=path/to/downward-benchmarks
    python experiments/chorus.py --all --planner chorus --planner control --planner fd-ff --seeds 3 --jobs 2

Tasks are translated first, and the time limit is for what follows. Steps and options are those of experiments/ipc.py.
"""

import fast_downward
from lab_experiment import run_experiment

from sing.planners.chorus import Chorus

QUEUES = Chorus("", "").search.queues


def without(*dropped: str) -> str:
    return f"chorus --set search.queues={','.join(queue for queue in QUEUES if queue not in dropped)}"


PLANNERS = {
    "chorus": "chorus",
    "control": "chorus-control",
    "control, three queues": "chorus-control --set search.queues=o,no,*od",
    "no first search": "chorus --set first_generated=1",
    "no patterns": "chorus --set num_searches=0 --set num_walks=0 --set num_completed=0",
    "no walks": "chorus --set num_walks=0",
    "pairs in every round": "chorus --set max_width=2",
    "one state seen": "chorus --set num_states=1",
    "no far labels": "chorus --set far_labels=false",
    "no goal orders": "chorus --set first.goal_orders=false --set search.goal_orders=false",
    "control, no goal orders": "chorus-control --set first.goal_orders=false --set search.goal_orders=false",
    "no preference": without("ph"),
    "no type-based queue": without("*od"),
    "no novelty": without("nh", "noh", "no"),
    "no queue no": without("no"),
    "no queue noh": without("noh"),
    "queue h alone": "chorus --set search.queues=h",
    "no restarts": f"chorus --set round_work={10**15}",
    "1×16": "chorus --set hidden=16",
    "1×64": "chorus --set hidden=64",
    **{name: name for name in fast_downward.PLANNERS},
}
PLOTS = [("control", "chorus"), ("fd-lama-first", "chorus")]

if __name__ == "__main__":
    run_experiment(__doc__.splitlines()[0], PLANNERS, name="chorus", plots=PLOTS, translates_first=True)
