"""Translation: what goes wrong in PDDL becomes one clear line; limits hold; nothing stays behind."""

import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path

import pddl
import pytest

from sing.base.budget import Budget, LimitReached
from sing.base.errors import InputError, PddlError, SasError
from sing.base.outcome import Status
from sing.translate.translator import TRANSLATORS, read_task, translate


@pytest.fixture
def files(tmp_path):
    return pddl.write(tmp_path, pddl.ERRANDS, pddl.ERRANDS_PROBLEM)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A temporary directory of our own, which must be empty in the end."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("translator", TRANSLATORS)
def test_a_task_has_all_parts(files, temporary, translator):
    task = translate(*files, Budget(), translator=translator)
    assert task.core.uses_costs
    assert {"at(home)", "visited(bank)", "open(bank)"} <= {name.removeprefix("Atom ") for name in task.atoms}
    assert not any("whistl" in name for name in task.core.operator_names)
    assert len(task.goal) == 3


# What is wrong, and what the core says of it and what Fast Downward's translator does.
DAMAGES = [
    (lambda d, p: (d[:200], p), r"domain.pddl', line \d+, column \d+: this '\(' has no '\)'", "Missing '\\)'"),
    (lambda d, p: (d, p[:200]), r"problem.pddl', line \d+, column \d+: this '\(' has no '\)'", "Missing '\\)'"),
    (lambda d, p: ("", p), "is not a PDDL domain", "is not a PDDL domain"),
    (lambda d, p: (d, "; nothing here"), "is not a PDDL problem", "is not a PDDL problem"),
    (lambda d, p: (p, d), "give the domain first", "give the domain first"),
    (
        lambda d, p: (p, p),
        r"domain.pddl', line 1, column 9: expected '\(domain NAME\)', found '\(problem errands-1\)'",
        "Expected a non-empty block starting with any of the following words: domain",
    ),
    (
        lambda d, p: (d, p.replace("shop bank - place", "shop - place")),
        "line 4, column 48: object 'bank' is not declared",
        "Undefined object; Got: bank",
    ),
    (
        lambda d, p: (d.replace("(open ?p - place)", ""), p),
        "line 13, column 38: predicate 'open' is not declared in :predicates",
        "Parsing action .unlock. > .*Got: open",
    ),
    (
        lambda d, p: (d.replace(":strips", ":telepathy"), p),
        "line 2, column 18: sing does not support the requirement ':telepathy'",
        "Invalid requirement",
    ),
    (lambda d, p: (d, pddl.CONDITIONAL_PROBLEM), "the problem is one of domain 'lamps'", "Undefined"),
    (lambda d, p: ("(((", p), "this '\\(' has no '\\)'", "."),
    (lambda d, p: (")", p), ".", "."),
    (lambda d, p: ("\x00\xff(define", p), ".", "."),
]


@pytest.mark.parametrize("translator", TRANSLATORS)
@pytest.mark.parametrize(("damage", "message", "fd_message"), DAMAGES)
def test_bad_pddl_is_one_clear_line(tmp_path, temporary, translator, damage, message, fd_message):
    files = pddl.write(tmp_path, *damage(pddl.ERRANDS, pddl.ERRANDS_PROBLEM))
    with pytest.raises(PddlError, match=message if translator == "native" else fd_message) as caught:
        translate(*files, Budget(), translator=translator)
    assert "\n" not in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert str(files[0]) in str(caught.value) or str(files[1]) in str(caught.value)


def test_unreadable_files_are_named(files, tmp_path):
    with pytest.raises(InputError, match=r"cannot read the PDDL problem '.*absent.pddl': no such file"):
        translate(files[0], tmp_path / "absent.pddl", Budget())
    with pytest.raises(InputError, match="is a directory"):
        translate(tmp_path, files[1], Budget())


def slow_files(folder: Path) -> tuple[Path, Path]:
    """A domain whose grounding takes minutes and gigabytes."""
    parameters = " ".join(f"?x{i}" for i in range(8))
    same = " ".join(f"(p ?x{i})" for i in range(8))
    domain = (
        "(define (domain slow) (:predicates (p ?x) (q ?x ?y))"
        f"(:action a :parameters ({parameters}) :precondition (and {same}) :effect (q ?x0 ?x7)))"
    )
    names = [f"o{i}" for i in range(30)]
    problem = (
        f"(define (problem slow) (:domain slow) (:objects {' '.join(names)})"
        f"(:init {' '.join(f'(p {name})' for name in names)}) (:goal (q o1 o2)))"
    )
    return pddl.write(folder, domain, problem)


@pytest.mark.parametrize("translator", TRANSLATORS)
def test_the_time_limit_ends_translation(tmp_path, temporary, translator):
    with pytest.raises(LimitReached) as caught:
        translate(*slow_files(tmp_path), Budget(0.5), translator=translator)
    assert caught.value.status is Status.OUT_OF_TIME


@pytest.mark.parametrize("translator", TRANSLATORS)
def test_the_memory_limit_ends_translation(tmp_path, temporary, translator):
    with pytest.raises(LimitReached) as caught:
        translate(*slow_files(tmp_path), Budget(1800, 100 << 20), translator=translator)
    assert caught.value.status is Status.OUT_OF_MEMORY


@pytest.mark.parametrize("translator", TRANSLATORS)
def test_an_interruption_ends_translation(tmp_path, temporary, translator):
    budget = Budget()
    with pytest.raises(LimitReached) as caught:
        translate(*slow_files(tmp_path), budget, translator=translator, on_news=lambda news: budget.interrupt())
    assert caught.value.status is Status.INTERRUPTED


def test_the_translator_dies_with_its_parent(tmp_path):
    """Even where the parent is killed and can clean up nothing."""
    code = (
        "import sys; from sing.base.budget import Budget; from sing.translate import translate; "
        "translate(*sys.argv[1:], Budget(), translator='fd', on_news=lambda news: print('waiting', flush=True))"
    )
    domain, problem = slow_files(tmp_path)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", code, str(domain), str(problem)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert parent.stdout.readline() == b"waiting\n"
    (child,) = translators_of(parent.pid)
    handle = os.pidfd_open(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    ended, _, _ = select.select([handle], [], [], 10)
    os.close(handle)
    assert ended, "the translator outlived its parent"


def translators_of(pid: int) -> list[int]:
    """Process ids of the running translators that a process has started."""
    files = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for file in files for child in file.read_text().split()]
    return [child for child in children if b"translator_child" in Path(f"/proc/{child}/cmdline").read_bytes()]


def test_sas_files_are_read_directly(tmp_path):
    with pytest.raises(SasError, match=r"'.*bad.sas', line 1: expected 'begin_version', found 'hello'"):
        (tmp_path / "bad.sas").write_text("hello\n")
        read_task(tmp_path / "bad.sas", Budget())
    with pytest.raises(PddlError, match="is PDDL; give the domain file and the problem file"):
        (tmp_path / "p.pddl").write_text(pddl.ERRANDS_PROBLEM)
        read_task(tmp_path / "p.pddl", Budget())
