"""What each part of `chorus` adds, one switched off at a time, beside Fast Downward: an experiment on Downward Lab.

    export DOWNWARD_BENCHMARKS=path/to/downward-benchmarks
    python experiments/chorus.py --all --planner chorus --planner control --planner fd-ff --seeds 3 --jobs 2

Tasks are translated first, and the time limit is for what follows. Steps and options are those of experiments/ipc.py.
"""

import yardstick
from lab_experiment import run_experiment

from sing.planners.chorus import Chorus

CHORUS = Chorus("", "")


def without(*dropped: str) -> str:
    """The chorus of which no round has these queues."""
    kept = {
        part: ",".join(queue for queue in getattr(CHORUS, part).queues if queue not in dropped)
        for part in ("greedy", "broad", "search")
    }
    return "chorus " + " ".join(f"--set {part}.queues={queues}" for part, queues in kept.items())


PLANNERS = {
    "chorus": "chorus",
    "control": "chorus-control",
    "lama-first": "lama-first",
    "lama-novelty": "lama-novelty",
    "landmarks": "landmarks",
    "not pruned": "chorus --set prune_work=0",
    "objects told apart": "chorus --set symmetry_work=0",
    "no landmarks": "chorus --set landmarks=0",
    "disjunctive landmarks": "chorus --set landmarks=4",
    "no boost": "chorus --set greedy.boost=0",
    "broad rounds as long as greedy ones": "chorus --set breadth=1",
    "no first search": "chorus --set first_generated=1",
    "no patterns": "chorus --set num_searches=0 --set num_walks=0 --set num_completed=0",
    "no walks": "chorus --set num_walks=0",
    "pairs in every round": "chorus --set max_width=2",
    "one state seen": "chorus --set num_states=1",
    "no far labels": "chorus --set far_labels=false",
    "no goal orders": "chorus "
    + " ".join(f"--set {part}.goal_orders=false" for part in ("first", "greedy", "broad", "search")),
    "no preference": without("ph"),
    "no type-based queue": without("*od", "*ld"),
    "no novelty": without("nh", "noh", "no", "nlh", "nl"),
    "no facts needed again": without("l", "nl"),
    "greedy rounds alone": f"chorus --set round_work={10**15}",
    "1×16": "chorus --set hidden=16",
    "1×64": "chorus --set hidden=64",
    **{name: name for name in yardstick.PLANNERS},
}
PLOTS = [("control", "chorus"), ("fd-lama-first", "chorus")]

if __name__ == "__main__":
    run_experiment(__doc__.splitlines()[0], PLANNERS, name="chorus", plots=PLOTS, translates_first=True)
