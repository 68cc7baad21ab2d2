"""Regression is sound on IPC tasks: a completed sample's operators lead to the goal."""

import pytest
import reference
import suites

from sing.base.budget import Budget
from sing.samples.sampling import SamplingConfig, sample
from sing.translate.translator import translate

TASKS = [
    ("blocks", "probBLOCKS-11-0.pddl"),
    ("depot", "p07.pddl"),
    ("driverlog", "p14.pddl"),
    ("freecell", "p03.pddl"),
    ("logistics98", "prob07.pddl"),
    ("rovers", "p14.pddl"),
    ("satellite", "p05-pfile5.pddl"),
    ("sokoban-sat11-strips", "p08.pddl"),
]


@pytest.mark.parametrize("completion", ["random", "walk"])
@pytest.mark.parametrize(("domain", "name"), TASKS, ids=str)
def test_regression_is_sound(benchmarks, domain, name, completion):
    problem = benchmarks / domain / name
    if not problem.exists():
        pytest.skip(f"there is no task {domain}/{name}")
    task = translate(suites.domain_of(problem), problem, Budget())
    samples = sample(task, SamplingConfig(nsearches=10, nsamples=60, completion=completion))
    assert samples.labels.max() > 10
    for i, (state, label) in enumerate(zip(samples.values.tolist(), samples.labels, strict=True)):
        path = [task.operator(position) for position in samples.operators(i)]
        assert len(path) == label
        for operator in path:
            assert reference.is_applicable(operator, state)
            state = reference.successor(task, operator, state)
        assert reference.num_open_goals(task, state) == 0
