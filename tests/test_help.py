"""What someone new is told: help, wrong names, and what is not installed."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pddl
import pytest
from clocks import Clock
from rich.console import Console

import sing
from sing.cli.help import Option, every_command, groups_of, summary
from sing.cli.main import cli
from sing.report.console import ConsoleReporter
from sing.translate import generators

SING = str(Path(sys.executable).with_name("sing"))


def run(*arguments, **options):
    return subprocess.run([SING, *arguments], capture_output=True, text=True, check=False, **options)


# --- help ---


@pytest.mark.parametrize(("name", "command"), list(every_command(cli, "sing")))
def test_every_option_has_a_sentence_and_a_group(name, command):
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert isinstance(parameter, Option)
            assert re.search(r"\w+ .*[.…)\]]$", parameter.help), parameter.name
    assert list(groups_of(command, click.Context(command)))[-1] == "Other"


def test_help_is_in_groups_and_explains_spaces_and_queue_keys():
    text = " ".join(run("solve", "--help", env={**os.environ, "COLUMNS": "80"}).stdout.split())
    for heading in ("What to run:", "Limits and seed:", "Output:", "How to search", "How to learn"):
        assert heading in text
    assert "`ei` full states and inverse operators" in text
    assert "`o` the number of open goals" in text


def test_summaries_are_not_cut():
    result = run("--help", env={**os.environ, "COLUMNS": "80"})
    assert "..." not in result.stdout.split("Commands:")[1]
    text = " ".join(result.stdout.split())
    for command in map(cli.named, cli.list_commands()):
        assert summary(command) in text
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("sing so", ["plain,solve"]),
        ("sing solve --heur", ["plain,--heuristic"]),
        ("sing solve --heuristic g", ["plain,goalcount"]),
        ("sing solve --config chorus-", ["plain,chorus-control"]),
        ("sing configs ff-", ["plain,ff-novelty"]),
        ("sing solve dom", ["file,dom"]),
        ("sing solve --model mo", ["file,mo"]),
    ],
)
def test_shells_complete_names(words, expected):
    place = str(len(words.split()) - 1)
    result = run(env={**os.environ, "_SING_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": place})
    assert result.stdout.split() == expected


def test_the_manual_page_is_made_from_the_commands(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent.parent / "docs")
    import man

    assert man.PAGE.read_text() == man.page(), "python docs/generate.py --write"
    plain = man.page().replace("\\-", "-")
    for name, command in every_command(cli, "sing"):
        assert f".SH {name.upper()}" in plain
        assert all(option.opts[0] in plain for option in command.params if isinstance(option, click.Option))


# --- wrong names ---


def test_help_is_a_command_as_well():
    for words in (["solve"], ["generate", "blocks"], []):
        done = run("help", *words)
        assert (done.returncode, done.stdout) == (0, run(*words, "--help").stdout)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("slove a b", "there is no command 'slove'; did you mean solve?"),
        ("-V", "there is no option '-V'; `sing --help` lists them"),
        (f"{Path(__file__)} b", "is a file and no command; to solve it, write `sing solve"),
        ("help frob", "there is no command 'frob'; there are solve,"),
        ("learn a b --output m --config ff", "'ff' does not learn one heuristic; these do: chorus, sing"),
        ("sample a b --config chorus", "does not learn one heuristic from samples; --config sing does"),
        ("generate npuzle", "there is no generator 'npuzle'; did you mean npuzzle?"),
        ("solve a b --timelimit 3", "there is no option '--timelimit'; did you mean --time-limit?"),
        ("solve a b --plan p", "there is no option '--plan'; did you mean --plan-file?"),
        ("solve a b --config CHORSU", "there is no configuration 'CHORSU'; did you mean chorus?"),
        ("solve a b --heuristic goal-count", "there is no heuristic 'goal-count'; did you mean goalcount?"),
        ("solve a b --set loss=mce", "there is no loss 'mce'; did you mean mse?"),
        ("solve a b --set first_heuristic=hff", "there is no first_heuristic 'hff'; did you mean ff?"),
        ("solve a b --config ff --set name=gaolcount", "there is no heuristic 'gaolcount'; did you mean goalcount?"),
        ("solve a b --space ei", "'chorus' has no field 'space'; these have it: sing, c2, c3, c4 and"),
        ("solve a b --config sing --set voices.num_states=3", "these have it: chorus"),
        ("solve a b --config ff --set hiden=3", "has no field 'hiden'; `sing configs ff` lists its fields"),
        ("learn a b --output m --config sing --set hiden=3", "has no field 'hiden' (did you mean training.hidden?)"),
    ],
)
def test_wrong_names_are_told_the_right_ones(command, message):
    result = run(*command.split())
    assert result.returncode == 36
    assert message in result.stderr


# --- what is not installed ---


@pytest.mark.parametrize(
    "command",
    [
        "solve absent absent --trainer torch",
        "solve absent absent other --config sing-re --trainer torch",
        "learn absent absent --trainer torch --output m.onnx",
    ],
)
def test_a_trainer_that_is_not_there_ends_a_run_before_it_begins(command, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError")
    result = run(*command.split(), cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert result.returncode == 36
    assert result.stderr.endswith("in the folder of sing's sources: pip install '.[torch]'\n")
    assert "translate" not in result.stdout


# --- what a run prints ---


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    folder = tmp_path_factory.mktemp("puzzle")
    family = generators.npuzzle(3, 3)
    return [str(path) for path in pddl.write(folder, family.domain, family.problems[0])]


def test_more_and_less_is_printed_and_the_log_has_it_all(problem, tmp_path):
    plain, verbose, quiet = (
        run("solve", *problem, *options, cwd=tmp_path)
        for options in ([], ["-v", "--log", "verbose.log"], ["-q", "--log", "quiet.log"])
    )
    assert quiet.stdout == quiet.stderr == ""
    assert "search.queues=" not in plain.stdout and "  search.queues=nh," in verbose.stdout
    for name, printed in (("verbose", verbose.stdout), ("quiet", plain.stdout)):
        lines = (tmp_path / f"{name}.log").read_text().splitlines()
        assert "sing 0" in lines[0] and f"--log {name}.log" in lines[0]
        assert all(re.match(r" +\d+\.\d\d ", line) for line in lines)
        words = [line.split()[:1] for line in printed.splitlines()]
        assert [line.split()[1:2] for line in lines[1:]] == words


def test_the_log_has_the_error_that_ended_a_run(tmp_path):
    done = run("solve", "absent.pddl", "absent.pddl", "--log", "run.log", cwd=tmp_path)
    assert done.returncode == 36
    assert "error: cannot read the PDDL domain 'absent.pddl'" in (tmp_path / "run.log").read_text()


@pytest.mark.parametrize(("path", "message"), [("-", "--log needs the name"), ("no/log", "there is no directory 'no'")])
def test_a_log_that_cannot_be_written_is_an_error(problem, tmp_path, path, message):
    done = run("solve", *problem, "--log", path, cwd=tmp_path)
    assert done.returncode == 36 and message in done.stderr


def test_the_live_line_goes_on_where_a_phase_is_silent():
    clock, screen = Clock(), io.StringIO()
    reporter = ConsoleReporter(Console(file=screen), clock=clock)
    reporter.working("shorten", "42 operators")
    clock.now_s = 1.5
    assert reporter.line == "shorten       1.50 s  42 operators"
    clock.now_s = 2.0
    assert reporter.line == "shorten       2.00 s  42 operators"


@pytest.mark.parametrize(("verbosity", "expected"), [(0, 1), (1, 4), (2, 10)])
def test_news_come_as_often_as_asked_for(verbosity, expected):
    clock, screen = Clock(), io.StringIO()
    reporter = ConsoleReporter(Console(file=screen), verbosity, clock)
    for _ in range(10):
        reporter.working("search")
        clock.now_s += 0.6
    assert screen.getvalue().count("search") == expected


def test_results_are_printed_in_a_few_lines(problem):
    config = sing.CONFIGS["sing"].override(nsearches=5, max_epochs=1)
    for result in (sing.learn(*problem, config=config), sing.solve(*problem)):
        assert len(str(result)) < 500 and len(str(result).splitlines()) <= 3
        assert len(repr(result)) < 3000
