"""The examples that docs/extending.md explains: what they compute, and that edits it tells to make work."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pddl
import pytest
from test_docs import PAGES, ROOT, blocks, load, run

import sing
from sing.translate import generators, translate


@pytest.mark.parametrize("family", ["blocks", "pancake", "npuzzle"])
def test_the_model_made_by_hand_counts_steps_of_single_variables(family, tmp_path):
    make = {"blocks": generators.blocks(6), "pancake": generators.pancake(5), "npuzzle": generators.npuzzle(3, 3)}
    files = pddl.write(tmp_path, make[family].domain, make[family].problems[0])
    example = load(ROOT / "examples" / "own_heuristic.py")
    task = translate(*files, sing.Budget())
    model = example.make_model(task)
    state = task.initial_state
    expected = sum(example.distances(task, variable, goal)[state[variable]] for variable, goal in task.goal)
    assert model.heuristic(task).evaluate(state) == expected
    result = sing.solve(*files, model=model)
    assert pddl.is_valid(*files, result.plan.to_ipc())


def test_the_function_counts_blocks_that_stand_wrong(tmp_path):
    family = generators.blocks(4, board=[[1, 2, 3, 4]], seed=1)
    files = pddl.write(tmp_path, family.domain, family.problems[0])
    task = translate(*files, sing.Budget())
    heuristic = load(ROOT / "examples" / "own_function.py").make_heuristic(task)
    plan = sing.solve(*files, config="ff").plan
    space = {operator.name: operator for operator in task.operators}
    state, estimates = list(task.initial_state), []
    for name in plan.operators:
        estimates.append(heuristic.evaluate(state))
        for effect in space[name].effects:
            state[effect.fact.variable] = effect.fact.value
    assert heuristic.evaluate(state) == 0
    assert all(0 < estimate <= 8 for estimate in estimates)


def test_shortest_ways_are_never_longer_than_depths_and_agree_along_links(puzzle):
    task = translate(*puzzle, sing.Budget(60))
    samples = sing.sample(task, sing.SamplingConfig(space="r", nsearches=20))
    ways = load(ROOT / "examples" / "own_target.py").shortest_ways(samples)
    parents, _ = samples.links
    is_start = samples.labels == 0
    assert not ways[is_start].any()
    assert (ways <= samples.labels).all()
    assert (ways[~is_start] >= 1).all()
    assert (ways[~is_start] <= ways[parents[~is_start]] + 1).all()
    assert ways.sum() < samples.labels.sum()


SEARCH_WITH_QUEUES = """
#include <iostream>
#include <iterator>
#include "heuristics/make_heuristic.h"
#include "search/search.h"
#include "task/sas_reader.h"

int main(int argc, char** argv) {
    using namespace sing;
    const Task task = read_sas(std::string{std::istreambuf_iterator<char>(std::cin), {}}, Guard());
    const auto heuristic = make_heuristic("goalcount", task, Guard());
    const SearchConfig config{.queues = {argv + 1, argv + argc}, .ties = Ties::FIFO,
                              .goal_orders = false, .max_links = 0, .seed = 0};
    Search search(task, *heuristic, config);
    const SearchLimits limits{.time_s = 60, .memory_bytes = std::size_t{1} << 30, .work = 1'000'000};
    const SearchResult result = search.run(limits, [](const SearchStatistics&) { return true; });
    for (OperatorId op : result.plan) std::cout << '(' << task.operators[index(op)].name << ")\\n";
    std::cout << "; " << result.statistics.num_expanded << " states expanded\\n";
}
"""


def edits(page: Path) -> list[tuple[str, str, str]]:
    """The edits that a page shows as `diff` blocks: the file, the lines as they are, and as they become."""
    found = []
    for block in blocks(page):
        if block.language == "diff":
            header, *lines = block.text.splitlines(keepends=True)
            old, new = ("".join(line[1:] for line in lines if line[0] in kept) for kept in (" -", " +"))
            found.append((header.removeprefix("--- ").strip(), old, new))
    return found


def test_three_edits_make_a_queue_key(puzzle, tmp_path):
    libraries = [str(path) for path in ROOT.glob("build/*/libsing_core.a")]
    if not libraries:
        pytest.skip("sing was not built here, so there is no library of the core")
    shutil.copytree(ROOT / "cpp", tmp_path / "cpp")
    shown = edits(PAGES["docs/extending.md"])
    assert len(shown) == 3
    for name, old, new in shown:
        text = (tmp_path / name).read_text()
        assert text.count(old) == 1, f"{name} has other lines than the page shows"
        (tmp_path / name).write_text(text.replace(old, new))
    (tmp_path / "main.cc").write_text(SEARCH_WITH_QUEUES)
    # What the edits change is compiled, and comes before the library's own; everything else is the library's.
    sources = [tmp_path / "main.cc", *sorted((tmp_path / "cpp/core/search").glob("*.cc"))]
    compilers = [
        subprocess.Popen(["g++", "-std=c++20", "-O0", f"-I{tmp_path}/cpp/core", "-c", str(source)], cwd=tmp_path)
        for source in sources
    ]
    assert not any([compiler.wait(timeout=300) for compiler in compilers])
    objects = [f"{source.stem}.o" for source in sources]
    run(f"g++ {' '.join(objects)} {libraries[0]} -pthread -o searcher", tmp_path)
    domain, problem = puzzle
    run(f"sing translate --quiet --output task.sas {domain} {problem}", tmp_path)
    plans = {queue: run(f"./searcher {queue} < task.sas", tmp_path) for queue in ("h", "wh", "dw")}
    assert all(pddl.is_valid(*puzzle, plan) for plan in plans.values())
    assert len(set(plans.values())) == len(plans), "the key makes no difference"
