"""Our experiments on Downward Lab: which runs there are, Lab's steps, and the options that all of them share."""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import shutil
import signal
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

if find_spec("lab") is None:
    sys.exit("error: experiments need Downward Lab; install sing with its extra: pip install '.[bench]'")
import suites
import yardstick
from lab.experiment import ARGPARSER, STATIC_EXPERIMENT_PROPERTIES_FILENAME, Experiment
from lab_environments import Local, Slurm
from lab_page import PageReport
from lab_progress import watch
from lab_runs import COMMAND, RESULT_FILE, ResultParser

from sing.base.budget import Budget, LimitReached, default_memory_limit_bytes, parse_memory_bytes, parse_time_s
from sing.base.errors import InputError, SingError
from sing.base.files import read_text, reason, write_text
from sing.base.outcome import Status
from sing.cli.solve import solve_command
from sing.planners.configs import get_config

_FD_RUN = Path(__file__).with_name("fast_downward_run.py")


@dataclass(frozen=True)
class Algorithm:
    """A planner as users write it: `fd-ff`, or a configuration with options as in `sing --hidden 4x64`; and a seed."""

    planner: str
    seed: int
    name: str

    def command(self, files: list[str], time_limit_s: float, memory_limit_bytes: int) -> list[str]:
        limits = ["--time-limit", f"{time_limit_s:g}", "--memory-limit", f"{memory_limit_bytes >> 10}K"]
        output = ["--json", RESULT_FILE]
        if self.planner in yardstick.PLANNERS:
            name = self.planner.removeprefix("fd-")
            return [sys.executable, str(_FD_RUN), name, *files, *limits, *output]
        config = ["--config", *_options(self.planner)]
        return [
            sys.executable, "-m", "sing", "solve", *files, *config, *limits, *output,
            "--seed", str(self.seed), "--plan-file", "sas_plan",
        ]  # fmt: skip


def algorithms(planners: list[str], seeds: int, known: dict[str, str] | None = None) -> list[Algorithm]:
    """Every planner with every seed; Fast Downward has nothing random and runs once. Raises InputError.

    `known` are planners that have a name of their own.
    """
    if len(set(planners)) < len(planners):
        raise InputError("a planner is named twice")
    named = {planner: (known or {}).get(planner, planner) for planner in planners}
    for planner in named.values():
        if planner in yardstick.PLANNERS:
            yardstick.binary()
        else:
            _check_config(planner)
    return [
        Algorithm(planner, seed, name if seed_names == 1 else f"{name}, seed {seed}")
        for name, planner in named.items()
        for seed_names in (1 if planner in yardstick.PLANNERS else seeds,)
        for seed in range(1, seed_names + 1)
    ]


# Options of `sing solve` that the experiment gives itself.
_OURS = (
    "config_name", "time_limit_s", "memory_limit_bytes", "seed", "plan_file", "json_file", "report_file", "anytime",
)  # fmt: skip


def _check_config(planner: str) -> None:
    try:
        name, *options = _options(planner) or [""]
        context = solve_command.make_context("solve", ["domain", "problem", *options])
    except (ValueError, InputError, click.ClickException, click.exceptions.Exit) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise InputError(f"'{planner}' is no planner of ours: {text.rstrip('.')}") from None
    get_config(name)
    for option in solve_command.params:
        if option.name in _OURS and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise InputError(f"'{planner}': the experiment itself sets {option.opts[0]}")
    if len(context.params["files"]) != 2:
        raise InputError(f"'{planner}' names files; the experiment does that")


def _options(planner: str) -> list[str]:
    """A planner's words, with the path of a model that holds in every folder."""
    words = shlex.split(planner.replace("--model=", "--model "))
    return [
        str(Path(word).resolve()) if before == "--model" else word
        for before, word in zip(["", *words], words, strict=False)
    ]


def find_tasks(benchmarks: str | None, chosen: list[str]) -> list[tuple[Path, Path]]:
    """The (domain, problem) files of the chosen suites, of all where none is. Raises InputError."""
    if not benchmarks:
        raise InputError("where are the tasks? Set DOWNWARD_BENCHMARKS, or give --benchmarks, to a folder of domains")
    folder = Path(benchmarks).resolve()
    if not folder.is_dir():
        raise InputError(f"there is no folder of benchmarks '{benchmarks}'")
    tasks = suites.find_tasks(folder)
    known = {problem.parent.name for _, problem in tasks}
    for suite in chosen:
        if suite not in known:
            raise InputError(
                f"there is no suite '{suite}' in '{benchmarks}'; it has {', '.join(sorted(known)) or 'none'}"
            )
    tasks = [pair for pair in tasks if not chosen or pair[1].parent.name in chosen]
    if not tasks:
        raise InputError(f"no PDDL problems in '{benchmarks}'; expected FOLDER/*.pddl")
    for domain, problem in tasks:
        if not domain.exists():
            raise InputError(f"'{problem}' has no domain beside it")
    return tasks


class PlannerExperiment(Experiment):
    """One run for each algorithm and task. Built once: a second call with the same settings goes on with it."""

    def __init__(self, path: Path, environment: Any, settings: dict[str, Any]) -> None:
        super().__init__(str(path), environment)
        self._settings = settings
        self._settings_file = path / "settings.json"

    def build(self, write_to_disk: bool = True) -> None:
        if write_to_disk and not self.is_built():
            super().build()
            write_text(self._settings_file, json.dumps(self._settings, indent=1) + "\n", "settings")

    def is_built(self) -> bool:
        """Raises InputError where it was built with other settings."""
        if not self._settings_file.exists():
            return False
        try:
            before = json.loads(read_text(self._settings_file, "settings", Budget()).text)
        except ValueError:
            raise InputError(f"'{self._settings_file}' is damaged; name another --output") from None
        for name, value in self._settings.items():
            if before.get(name) != value:
                raise InputError(
                    f"'{self.path}' was built with another {name.replace('_', ' ')}; name another --output"
                )
        return True

    def require_built(self) -> None:
        if not self.is_built():
            raise InputError(f"'{self.path}' is not built yet; call the step `build` first")

    def start_runs(self) -> None:
        self.require_built()
        super().start_runs()

    def watch(self, budget: Budget) -> None:
        self.require_built()
        watch(self.path, self.environment.is_running, budget)

    def parse(self) -> None:
        self.require_built()
        super().parse()

    def _remove_experiment_dir(self) -> None:
        """Only what an interrupted build of ours has left; Lab would ask."""
        path = Path(self.path)
        if not path.exists() or self._settings_file.exists():
            return
        ours = (STATIC_EXPERIMENT_PROPERTIES_FILENAME, "runs-")
        if any(not child.name.startswith(ours) for child in path.iterdir()):
            raise InputError(f"'{self.path}' exists and is no experiment of ours; name another --output")
        shutil.rmtree(path)


def run_experiment(
    description: str,
    planners: list[str] | dict[str, str],
    *,
    name: str,
    plots: list[tuple[str, str]],
    is_fixed: bool = False,
    translates_first: bool = False,
) -> None:
    """Parse the command line and run the steps it names; `planners` are those that run unless it names others.

    Where they have names of their own, the command line may name them so. With `translates_first`, limits are for what
    follows translation unless the command line says otherwise.
    """
    options = _parse(description, list(planners), name, is_fixed, translates_first)
    known = planners if isinstance(planners, dict) else {}
    budget = Budget(math.inf)

    def stop(number: int, frame: object) -> None:
        if not budget.interrupted:  # once: ending what runs takes a moment
            budget.interrupt()
            raise LimitReached(Status.INTERRUPTED)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        _experiment(options, name, known, plots, budget).run_steps()
    except LimitReached:
        sys.exit("interrupted; call it again to go on")
    except SingError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        sys.exit(f"error: {reason(error)}: {error.filename or ''}; finished runs are kept, call it again to go on")


def _parse(
    description: str, planners: list[str], name: str, is_fixed: bool, translates_first: bool
) -> argparse.Namespace:
    ARGPARSER.description = description
    add = ARGPARSER.add_argument
    add("--output", type=Path, default=Path("build", name), help="folder of the experiment (default: %(default)s)")
    add("--benchmarks", default=os.environ.get("DOWNWARD_BENCHMARKS"), help="default: $DOWNWARD_BENCHMARKS")
    add("--suite", action="append", default=[], help="only this domain; may be given several times")
    add("--every", type=int, default=1, help="only every so many-th task, by position (default: %(default)s)")
    if not is_fixed:
        text = "a configuration with options, as in 'sing --hidden 4x64', or fd-NAME; may be given several times"
        add("--planner", action="append", help=f"{text} (default: {', '.join(planners)})")
    add("--seeds", type=int, default=1, help="so many seeds for our planners (default: %(default)s)")
    add("--time-limit", default="10s", help="per run (default: %(default)s)")
    add(
        "--translate-first", action=argparse.BooleanOptionalAction, default=translates_first,
        help="translate all tasks before the runs, which then have the time limit without it (default: %(default)s)",
    )  # fmt: skip
    add("--translated", type=Path, default=Path("build", "sas"), help="folder for them (default: %(default)s)")
    add("--memory-limit", default=None, help="per run (default: 8G, or less where the machine has less)")
    add("--jobs", type=int, default=1, help="runs at a time on this machine (default: %(default)s)")
    add("--environment", choices=("local", "slurm"), default="local", help="(default: %(default)s)")
    add("--partition", default=None, help="of the Slurm cluster")
    add("--sbatch", action="append", default=[], metavar="OPTION", help="further option for sbatch, as in --account=x")
    add("--resubmit", action="store_true", help="submit what is not finished once more")
    options = ARGPARSER.parse_args()
    options.planner = planners if is_fixed else options.planner or planners
    options.is_fixed = is_fixed
    return options


def _arguments(options: argparse.Namespace) -> list[str]:
    """The command line again, without steps and what only submitting needs."""
    skipped = ("steps", "run_all_steps", "resubmit", *(("planner",) if options.is_fixed else ()), "is_fixed")
    skipped += ("translate_first",)
    arguments = ["--translate-first" if options.translate_first else "--no-translate-first"]
    for name, value in vars(options).items():
        if name not in skipped and value is not None:
            values = value if isinstance(value, list) else [value]
            arguments += [f"--{name.replace('_', '-')}={item}" for item in values]
    return arguments


def _add_run(
    experiment: PlannerExperiment,
    algorithm: Algorithm,
    problem: Path,
    files: list[str],
    time_limit_s: float,
    memory_limit_bytes: int,
) -> None:
    run = experiment.add_run()
    command = algorithm.command(files, time_limit_s, memory_limit_bytes)
    run.add_command(COMMAND, [part.replace("{", "{{").replace("}", "}}") for part in command])
    properties = {
        "id": [algorithm.name, problem.parent.name, problem.name],
        "algorithm": algorithm.name,
        "domain": problem.parent.name,
        "problem": problem.name,
        "planner": algorithm.planner,
        "seed": algorithm.seed,
        "time_limit": time_limit_s,
        "memory_limit": memory_limit_bytes >> 20,
    }
    for name, value in properties.items():
        run.set_property(name, value)


def _translate(tasks: list[tuple[Path, Path]], cache: Path, budget: Budget) -> None:
    for domain, problem in tasks:
        budget.check()
        suites.sas_file(domain, problem, cache)


def _experiment(
    options: argparse.Namespace, name: str, known: dict[str, str], plots: list[tuple[str, str]], budget: Budget
) -> PlannerExperiment:
    if options.seeds < 1:
        raise InputError(f"--seeds is {options.seeds}; it must be at least 1")
    time_limit_s = parse_time_s(options.time_limit)
    memory = options.memory_limit
    memory_bytes = parse_memory_bytes(memory) if memory else default_memory_limit_bytes()
    if options.every < 1:
        raise InputError(f"--every is {options.every}; it must be at least 1")
    tasks = find_tasks(options.benchmarks, options.suite)[:: options.every]
    chosen = algorithms(options.planner, options.seeds, known)
    settings = {
        "time_limit_s": time_limit_s,
        "memory_limit": memory or "default",
        "is_translated": options.translate_first,
        "algorithms": [algorithm.name for algorithm in chosen],
        "tasks": [suites.name_of(problem) for _, problem in tasks],
    }
    if options.environment == "local":
        environment: Any = Local(options.jobs, time_limit_s, budget)
    else:
        extra = "\n".join(f"#SBATCH {option}" for option in options.sbatch)
        environment = Slurm(
            time_limit_s, memory_bytes, options.resubmit, _arguments(options),
            partition=options.partition, extra_options=extra,
        )  # fmt: skip
    experiment = PlannerExperiment(options.output.resolve(), environment, settings)
    cache = options.translated.resolve()
    for algorithm in chosen:
        for domain, problem in tasks:
            files = [str(suites.sas_path(problem, cache))] if options.translate_first else [str(domain), str(problem)]
            _add_run(experiment, algorithm, problem, files, time_limit_s, memory_bytes)
    experiment.add_parser(ResultParser())
    if options.translate_first:
        experiment.add_step("translate", _translate, tasks, cache, budget)
    experiment.add_step("build", experiment.build)
    experiment.add_step("start", experiment.start_runs)
    experiment.add_step("watch", experiment.watch, budget)
    experiment.add_step("parse", experiment.parse)
    experiment.add_fetcher(name="fetch", merge=False)
    experiment.add_report(PageReport(experiment.path, name, plots, format="html"), name="report", outfile="index.html")
    return experiment
