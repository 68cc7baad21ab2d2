"""Where the runs of a Lab experiment are executed: processes of this machine, or a Slurm cluster."""

from __future__ import annotations

import math
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from lab import tools
from lab.environments import LocalEnvironment, SlurmEnvironment, is_run_step
from lab_processes import descendants, end_all, end_orphans, has_runner, note_process, sole_runner
from lab_progress import Progress
from lab_runs import clear_unfinished, last_words, note_overrun, note_time, outcome_of, run_dirs

from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, SingError

_POLL_S = 0.02
# Beyond a run's time limit, for what ends by itself; then it is killed.
_GRACE_S = 60.0


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

    def is_running(self) -> bool:
        return has_runner(self.exp.path)

    def start_runs(self) -> None:
        with sole_runner(self.exp.path):
            folders = run_dirs(self.exp.path)
            end_orphans([run_dir for run_dir in folders if not outcome_of(run_dir).has_ended])
            clear_unfinished(self.exp.path)
            shuffled = [folders[number - 1] for number in self._get_task_order(len(folders))]
            todo = [run_dir for run_dir in shuffled if not outcome_of(run_dir).has_ended]
            self._run_all(todo, Progress(folders))
        cut_off = [run_dir for run_dir in todo if not outcome_of(run_dir).has_ended]
        if cut_off:  # Lab's own script failed there, not the planner
            raise SingError(
                f"{len(cut_off)} runs did not end, the first in '{cut_off[0]}': {last_words(cut_off[0])}; "
                "call it again to go on, or name the steps parse, fetch and report to see what there is"
            )

    def _run_all(self, todo: list[Path], progress: Progress) -> None:
        with ThreadPoolExecutor(self.processes) as pool:
            futures = {pool.submit(self._run, run_dir): run_dir for run_dir in todo}
            under_way = set(futures)
            try:
                while under_way:
                    done, under_way = wait(under_way, timeout=1.0, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
                        progress.note(futures[future])
                    progress.show()
            except BaseException:
                self._budget.interrupt()
                pool.shutdown(cancel_futures=True)
                raise
        progress.show(is_last=True)

    def _run(self, run_dir: Path) -> None:
        """Raises LimitReached where it was told to stop; the run then counts as never finished."""
        self._budget.check()
        start_s = time.monotonic()
        with (run_dir / "driver.log").open("w") as log, (run_dir / "driver.err").open("w") as errors:
            child = subprocess.Popen(
                [sys.executable, "run"], cwd=run_dir, stdout=log, stderr=errors, start_new_session=True
            )
            note_process(run_dir, child.pid)
            guard = self._budget.slice(self._time_limit_s + _GRACE_S)
            try:
                while child.poll() is None:
                    time.sleep(_POLL_S)
                    guard.check()
            except LimitReached:
                self._budget.check()  # told to stop; otherwise the planner alone overran, and Lab's script goes on
                note_overrun(run_dir, self._time_limit_s + _GRACE_S)
                end_all(descendants(child.pid))
                child.wait()
            finally:
                if child.poll() is None:
                    below = descendants(child.pid)
                    child.kill()
                    child.wait()
                    end_all(below)
        note_time(run_dir, time.monotonic() - start_s)
        if (run_dir / "driver.err").stat().st_size == 0:
            (run_dir / "driver.err").unlink()


class Slurm(SlurmEnvironment):
    """Runs as an array job; all chosen steps but `watch` are submitted at once, each after the one before.

    `arguments` are those of the script, without the steps: jobs call it again for theirs.
    """

    DEFAULT_QOS = "normal"
    DEFAULT_MEMORY_PER_CPU = "4G"  # of steps that are no runs
    MAX_TASKS = 1000  # what a cluster allows as it comes

    def __init__(
        self, time_limit_s: float, memory_limit_bytes: int, resubmit: bool, arguments: list[str], **options: Any
    ) -> None:
        super().__init__(**options)
        self._time_limit_s = time_limit_s
        self._memory_limit_bytes = memory_limit_bytes
        self._resubmit = resubmit
        self._arguments = arguments

    @property
    def _jobs_file(self) -> Path:
        return Path(f"{self.exp.path}-grid-steps", "jobs")

    def is_running(self) -> bool:
        """Whether Slurm still has a job of ours."""
        try:
            jobs = ",".join(self._jobs_file.read_text().split())
            left = subprocess.run(["squeue", "--noheader", "--jobs", jobs], capture_output=True, text=True, check=False)
        except OSError:
            return False
        return bool(left.stdout.strip())  # it fails, with no output, once it has forgotten the jobs

    def run_steps(self, steps: list[Any]) -> None:
        folder = self._jobs_file.parent
        if folder.exists():
            if not self._resubmit:
                raise InputError(
                    f"'{self.exp.path}' was submitted before; the step `watch` shows how far it is. "
                    "With --resubmit what is not finished is run again"
                )
            if self.is_running():
                raise InputError(f"jobs of '{self.exp.path}' are still there; wait for them, or scancel them first")
            clear_unfinished(self.exp.path)
            tools.remove_path(folder)
        tools.remove_path(self.exp.eval_dir)
        try:
            super().run_steps([step for step in steps if step.name != "watch"])
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            if not self._jobs_file.exists():
                tools.remove_path(folder)
            is_missing = isinstance(error, FileNotFoundError)
            why = "the command sbatch is not found" if is_missing else "sbatch has said why above"
            raise InputError(f"nothing could be submitted to Slurm: {why}") from None

    def _submit_job(self, job_file: Path, dependency: str | None = None) -> str:
        job = super()._submit_job(job_file, dependency)
        with self._jobs_file.open("a") as file:
            file.write(f"{job}\n")
        return job

    def _get_job_params(self, step: Any, is_last: bool) -> dict[str, Any]:
        """Limits of runs are for runs alone."""
        params = super()._get_job_params(step, is_last)
        if is_run_step(step):
            time_s = self._get_num_runs_per_task() * (self._time_limit_s + _GRACE_S)
            params["time_limit_per_task"] = math.ceil(time_s / 60)  # Slurm counts minutes
            params["memory_per_cpu"] = (
                f"{math.ceil(1.1 * self._memory_limit_bytes / 2**20) + 256}M"  # Lab's scripts, too
            )
        return params

    def _get_job_header(self, step: Any, is_last: bool) -> str:
        """Without what was not given, which Lab's template would call None."""
        lines = super()._get_job_header(step, is_last).splitlines()
        return "\n".join(line for line in lines if not line.endswith("=None"))

    def _get_step_job_body(self, step: Any) -> str:
        """Lab's own forgets the options that the script was called with."""
        command = [tools.get_python_executable(), str(Path(sys.argv[0]).resolve()), *self._arguments, step.name]
        exports = [f"export {name}={shlex.quote(os.environ[name])}" for name in _EXPORTED if name in os.environ]
        return "\n".join([*exports, f"cd {shlex.quote(str(Path.cwd()))}", shlex.join(command)]) + "\n"


_EXPORTED = ("DOWNWARD_BENCHMARKS", "PYTHONPATH")
