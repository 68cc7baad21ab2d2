"""What someone new is told: help, wrong names, and what is not installed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from sing.cli.help import Option, groups_of, summary
from sing.cli.main import cli

SING = str(Path(sys.executable).with_name("sing"))


def run(*arguments, **options):
    return subprocess.run([SING, *arguments], capture_output=True, text=True, check=False, **options)


def commands(group=cli, name="sing"):
    """Every command with what one types to run it."""
    for word, command in group.commands.items():
        yield f"{name} {word}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {word}")


# --- help ---


@pytest.mark.parametrize(("name", "command"), list(commands()))
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
    for command in cli.commands.values():
        assert summary(command) in text
    assert max(map(len, result.stdout.splitlines())) <= 80


# --- wrong names ---


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("slove a b", "there is no command 'slove'; did you mean solve?"),
        ("generate npuzle", "there is no generator 'npuzle'; did you mean npuzzle?"),
        ("solve a b --timelimit 3", "there is no option '--timelimit'; did you mean --time-limit?"),
        ("solve a b --config Chorsu", "there is no configuration 'Chorsu'; did you mean chorus?"),
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
