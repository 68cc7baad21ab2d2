"""All learners, the paper's and others, in the same search and budget: an experiment on Downward Lab.

    export DOWNWARD_BENCHMARKS=path/to/downward-benchmarks
    python experiments/learners.py --all --time-limit 30s --seeds 3 --jobs 16
    python experiments/learners_shared.py --seeds 3 --jobs 16

This is the first of two settings, one network for one task, with translation, learning and search in one limit; the
second command learns once and searches from many states. Steps and options are those of experiments/ipc.py;
`--every 12` takes every twelfth task.
"""

from lab_experiment import run_experiment

# Names in the table with what `--config` is told. Below the learners as they are stand those with one thing changed.
PLANNERS = {
    "sing": "sing",
    "c3": "c3",
    "c4": "c4",
    "sing-l": "sing-l",
    "sing-re": "sing-re",
    "fsm": "fsm",
    "teacher": "teacher",
    "teacher, forward": "teacher --set direction=forward",
    "bootstrap": "bootstrap",
    "biss": "biss",
    "chorus": "chorus",
    "sing, fsm's network and loss": "sing --hidden 64,64 --loss mse",
    "fsm, sing's network and loss": "fsm --hidden 16 --loss re",
    "fsm, relative error": "fsm --loss re",
    "fsm, labels as sampled": "fsm --set lower_equals=false --set lower_successors=false",
    "fsm, no random states": "fsm --set random_share=0",
    "fsm, partial states": "fsm --set completion=none",
    "fsm, walks alone": "fsm --set strategy=rw --set nsearches=500 --set nsamples=100",
    "teacher, sing's network and loss": "teacher --hidden 16 --loss re",
    "bootstrap, learned queue alone": "bootstrap --set search.queues=h",
    "goalcount": "goalcount",
    "ff": "ff",
}
PLOTS = [("sing", "fsm"), ("sing", "teacher")]

if __name__ == "__main__":
    run_experiment(__doc__.splitlines()[0], PLANNERS, name="learners", plots=PLOTS)
