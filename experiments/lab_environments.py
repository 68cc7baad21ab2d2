"""Where the runs of a Lab experiment are executed: processes of this machine, or a Slurm cluster."""

from __future__ import annotations

import math
import os
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

from lab import tools
from lab.calls.call import get_direct_children
from lab.environments import LocalEnvironment, SlurmEnvironment
from lab_progress import Progress
from lab_runs import clear_unfinished, last_words, note_start, outcome_of, run_dirs

from sing.budget import Budget, LimitReached
from sing.errors import InputError, SingError

_POLL_S = 0.02
# Beyond a run's time limit, for what ends by itself; then it is killed.
GRACE_S = 60.0
# For planners to end in order once they were told to.
_TERMINATE_S = 5.0


class Local(LocalEnvironment):
    """Runs as processes of this machine, with progress, and none left behind when it is told to stop.

    Lab's own would skip runs that were cut off, and leaves planners running where it is killed.
    """

    def __init__(self, jobs: int, time_limit_s: float, budget: Budget) -> None:
        if not 1 <= jobs <= (os.cpu_count() or 1):
            raise InputError(f"--jobs is {jobs}; this machine has {os.cpu_count()} cores")
        super().__init__(processes=jobs)
        self._time_limit_s = time_limit_s
        self._budget = budget

    def write_main_script(self) -> None:
        """Nothing: runs are started from here."""

    def start_runs(self) -> None:
        clear_unfinished(self.exp.path)
        todo = [run_dirs(self.exp.path)[number - 1] for number in self._get_task_order(len(run_dirs(self.exp.path)))]
        todo = [run_dir for run_dir in todo if not outcome_of(run_dir).has_ended]
        progress = Progress(run_dirs(self.exp.path))
        start_s = time.monotonic()
        with ThreadPoolExecutor(self.processes) as pool:
            futures = {pool.submit(self._run, run_dir): run_dir for run_dir in todo}
            open_ = set(futures)
            try:
                while open_:
                    done, open_ = wait(open_, timeout=1.0, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
                        progress.note(futures[future])
                    progress.show()
            except BaseException:
                self._budget.interrupt()
                pool.shutdown(cancel_futures=True)
                raise
        progress.show(is_last=True)
        if todo:
            note_start(self.exp.path, time.monotonic() - start_s, self.processes)
        cut_off = [run_dir for run_dir in todo if not outcome_of(run_dir).has_ended]
        if cut_off:  # Lab's own script failed there, not the planner
            raise SingError(
                f"{len(cut_off)} runs did not end, the first in '{cut_off[0]}': {last_words(cut_off[0])}; "
                "call it again to go on, or name the steps parse, fetch and report to see what there is"
            )

    def _run(self, run_dir: Path) -> None:
        """Raises LimitReached where it was told to stop; the run then counts as never finished."""
        self._budget.check()
        with (run_dir / "driver.log").open("w") as log, (run_dir / "driver.err").open("w") as errors:
            child = subprocess.Popen(
                [sys.executable, "run"], cwd=run_dir, stdout=log, stderr=errors, start_new_session=True
            )
            guard = self._budget.slice(self._time_limit_s + GRACE_S)
            try:
                while child.poll() is None:
                    time.sleep(_POLL_S)
                    guard.check()
            except LimitReached:
                self._budget.check()  # told to stop; otherwise the planner alone overran, and Lab's script says so
                end_all(descendants(child.pid))
                child.wait()
            finally:
                if child.poll() is None:
                    below = descendants(child.pid)
                    child.kill()
                    child.wait()
                    end_all(below)
        if (run_dir / "driver.err").stat().st_size == 0:
            (run_dir / "driver.err").unlink()


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    children = get_direct_children(pid)
    return children + [other for child in children for other in descendants(child)]


def end_all(pids: list[int]) -> None:
    """Ask processes to end, and kill those that do not."""
    _signal(pids, signal.SIGTERM)
    end_s = time.monotonic() + _TERMINATE_S
    while time.monotonic() < end_s and any(_is_alive(pid) for pid in pids):
        time.sleep(_POLL_S)
    _signal(pids, signal.SIGKILL)


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Slurm(SlurmEnvironment):
    """Runs as an array job; all chosen steps are submitted at once, each after the one before."""

    DEFAULT_QOS = "normal"
    MAX_TASKS = 1000  # what a cluster allows as it comes

    def __init__(self, time_limit_s: float, memory_limit_bytes: int, resubmit: bool, **options: Any) -> None:
        memory = f"{math.ceil(memory_limit_bytes / 2**20 * 1.1) + 256}M"  # for Lab's own scripts, too
        super().__init__(memory_per_cpu=memory, **options)
        self._time_limit_s = time_limit_s
        self._resubmit = resubmit

    def run_steps(self, steps: list[Any]) -> None:
        jobs = Path(f"{self.exp.path}-grid-steps")
        if jobs.exists():
            if not self._resubmit:
                raise InputError(
                    f"'{self.exp.path}' was submitted before; the step `watch` shows how far it is. "
                    "With --resubmit what is not finished is run again; see first that no job of it is left (squeue)"
                )
            clear_unfinished(self.exp.path)
            tools.remove_path(jobs)
        tools.remove_path(self.exp.eval_dir)
        per_task = math.ceil(len(self.exp.runs) / self.MAX_TASKS)
        self.time_limit_per_task = str(math.ceil(per_task * (self._time_limit_s + GRACE_S) / 60))  # minutes
        try:
            super().run_steps(steps)
        except FileNotFoundError:
            raise InputError("there is no Slurm here: the command sbatch is not found") from None
        except subprocess.CalledProcessError as error:
            raise InputError(f"Slurm refused the job; sbatch ended with exit code {error.returncode}") from None

    def _get_step_job_body(self, step: Any) -> str:
        """Lab's own forgets the options that the script was called with."""
        given = [argument for argument in sys.argv[1:] if argument not in self._step_words()]
        command = [tools.get_python_executable(), os.path.abspath(sys.argv[0]), *given, step.name]  # noqa: PTH100
        exports = [f"export {name}={shlex.quote(os.environ[name])}" for name in _EXPORTED if name in os.environ]
        return "\n".join([*exports, f"cd {shlex.quote(os.getcwd())}", shlex.join(command)]) + "\n"  # noqa: PTH109

    def _step_words(self) -> set[str]:
        return {"--all", *(step.name for step in self.exp.steps)}


_EXPORTED = ("DOWNWARD_BENCHMARKS", "PYTHONPATH")
