"""What is read: files, standard input, pipes, compressed files; and how the limits hold meanwhile."""

import bz2
import gzip
import lzma
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pddl
import pytest
from clocks import Clock

import sing
from sing.base.budget import Budget, LimitReached, current_memory_bytes
from sing.base.errors import InputError
from sing.base.files import read_bytes, read_text

SING = [str(Path(sys.executable).with_name("sing"))]
# A bound on tests that would wait for ever, not an expectation.
ENDS_S = 60


def run(*arguments, cwd=None, **options):
    command = [*SING, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, timeout=ENDS_S, **options)


@pytest.fixture
def folder(tmp_path):
    pddl.write(tmp_path, pddl.ERRANDS, pddl.ERRANDS_PROBLEM)
    return tmp_path


def solves(folder, *files, **options):
    done = run("solve", *files, "--config", "ff", "--plan-file", "-", "--quiet", cwd=folder, **options)
    assert done.returncode == 0, done.stderr
    return pddl.is_valid(folder / "domain.pddl", folder / "problem.pddl", done.stdout)


@pytest.mark.parametrize("files", [("-", "problem.pddl"), ("/dev/stdin", "problem.pddl"), ("domain.pddl", "-")])
def test_one_file_can_be_standard_input(folder, files):
    name = "domain.pddl" if files[0] != "domain.pddl" else "problem.pddl"
    assert solves(folder, *files, input=(folder / name).read_text())  # a pipe
    with (folder / name).open() as file:
        assert solves(folder, *files, stdin=file)


def test_standard_input_is_one_file_only_and_must_be_open(folder):
    done = run("solve", "-", "/dev/stdin", cwd=folder, input="")
    assert (done.returncode, done.stderr) == (36, "sing: error: standard input can be one of the files only\n")
    done = subprocess.run(
        f"{SING[0]} solve - problem.pddl <&-", shell=True, cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 36 and b"'standard input': standard input is closed" in done.stderr


def test_process_substitution_and_the_module_as_a_program(folder):
    command = f"{sys.executable} -m sing solve <(cat domain.pddl) <(cat problem.pddl) --config ff --quiet"
    subprocess.run(["bash", "-c", command], cwd=folder, check=True, timeout=ENDS_S)
    assert (folder / "sas_plan").exists()


def test_compressed_files_and_byte_order_marks(folder):
    domain, problem = pddl.ERRANDS.encode(), pddl.ERRANDS_PROBLEM.replace("\n", "\r\n")
    (folder / "d.gz").write_bytes(gzip.compress(domain))
    (folder / "d").write_bytes(bz2.compress(domain[:50]) + bz2.compress(domain[50:]))  # the name need not tell
    (folder / "d.xz").write_bytes(lzma.compress(domain))
    (folder / "bom").write_bytes(problem.encode("utf-8-sig"))
    (folder / "utf16").write_bytes(problem.encode("utf-16"))
    for name in ("d.gz", "d", "d.xz"):
        assert read_text(folder / name, "domain", Budget()).text == pddl.ERRANDS
    for name in ("bom", "utf16"):
        assert read_text(folder / name, "problem", Budget()).text == pddl.ERRANDS_PROBLEM
    assert solves(folder, "d.xz", "bom")


@pytest.mark.parametrize("data", [gzip.compress(b"x" * 1000, mtime=0)[:-9], b"\x1f\x8bno", b"BZhno", b"\xfd7zXZ\x00no"])
def test_damaged_compressed_files_get_a_clear_error(folder, data):
    (folder / "d").write_bytes(data)
    with pytest.raises(InputError, match=r"cannot read the domain '.*d': it is damaged"):
        read_bytes(folder / "d", "domain", Budget())


def test_small_compressed_files_do_not_become_large_ones(folder):
    (folder / "bomb").write_bytes(gzip.compress(bytes(64 << 20)))
    with pytest.raises(LimitReached, match="out_of_memory"):
        read_bytes(folder / "bomb", "domain", Budget(60, current_memory_bytes() + (64 << 20)))


def test_reading_keeps_the_limits(folder):
    os.mkfifo(folder / "pipe")
    with pytest.raises(LimitReached, match="out_of_time"):
        read_bytes(folder / "pipe", "domain", Budget(10, clock=Clock(tick_s=1)))
    budget = Budget()
    budget.interrupt()
    with pytest.raises(LimitReached, match="interrupted"):
        read_bytes(folder / "pipe", "domain", budget)
    done = run("solve", "/dev/zero", "--memory-limit", "300M", cwd=folder)
    assert done.returncode == 22 and "within the memory limit while reading" in done.stdout


def test_a_pipe_that_is_filled_slowly_is_read_whole(folder):
    os.mkfifo(folder / "pipe")

    def write():
        with (folder / "pipe").open("w") as pipe:
            for line in pddl.ERRANDS.splitlines(keepends=True):
                pipe.write(line)
                pipe.flush()

    writer = threading.Thread(target=write)
    writer.start()
    assert read_text(folder / "pipe", "domain", Budget()).text == pddl.ERRANDS
    writer.join()


@pytest.mark.parametrize(
    "files", [["pipe"], ["pipe", "problem.pddl"], ["domain.pddl", "problem.pddl", "--model", "pipe"]]
)
def test_a_pipe_that_nobody_fills_ends_with_the_limit_and_with_a_signal(folder, files):
    os.mkfifo(folder / "pipe")
    done = run("solve", *files, "--time-limit", "0.1", cwd=folder)
    assert done.returncode == 23, done.stderr
    process = subprocess.Popen([*SING, "solve", *files], cwd=folder, stdout=subprocess.PIPE)
    with (folder / "pipe").open("w"):  # waits until it is opened for reading
        process.send_signal(signal.SIGTERM)
        assert process.wait(ENDS_S) == 143
    process.stdout.close()


def test_python_takes_limits_as_people_write_them(folder):
    files = folder / "domain.pddl", folder / "problem.pddl"
    result = sing.solve(*files, config="ff", time_limit_s="1m30s", memory_limit_bytes="2G")
    assert result.status is sing.Status.SOLVED
    assert sing.Budget("1h2m3.5s", "2G").time_limit_s == 3723.5
    with pytest.raises(InputError, match="'5x' is not a time limit"):
        sing.solve(*files, time_limit_s="5x")
