"""The paper's fifteen configurations, its ablation study, over IPC tasks: an experiment on Downward Lab.

    export DOWNWARD_BENCHMARKS=path/to/downward-benchmarks
    python experiments/ablation.py --all --time-limit 10s --jobs 2

Steps and options are those of experiments/ipc.py.
"""

from lab_experiment import run_experiment

PLANNERS = [f"ablation-{number}" for number in range(1, 16)]
PLOTS = [("ablation-7", "ablation-12")]

if __name__ == "__main__":
    run_experiment(__doc__.splitlines()[0], PLANNERS, name="ablation", plots=PLOTS, is_fixed=True)
