"""All learners, the paper's and others, by the names that tables of them have."""

from __future__ import annotations

from sing.planners.configs import get_config
from sing.planners.planner import Planner

# Names in the table with what `--config` is told. Below the learners as they are stand those with one thing changed.
PLANNERS = {
    "sing": "sing",
    "c3": "c3",
    "c4": "c4",
    "sing-l": "sing-l",
    "sing-re": "sing-re",
    "fsm": "fsm",
    "teacher": "teacher",
    "teacher, forward": "teacher --set direction=forward",
    "bootstrap": "bootstrap",
    "biss": "biss",
    "chorus": "chorus",
    "sing, fsm's network and loss": "sing --hidden 64,64 --loss mse",
    "fsm, sing's network and loss": "fsm --hidden 16 --loss re",
    "fsm, relative error": "fsm --loss re",
    "fsm, labels as sampled": "fsm --set lower_equals=false --set lower_successors=false",
    "fsm, no random states": "fsm --set random_share=0",
    "fsm, partial states": "fsm --set completion=none",
    "fsm, walks alone": "fsm --set strategy=rw --set nsearches=500 --set nsamples=100",
    "teacher, sing's network and loss": "teacher --hidden 16 --loss re",
    "bootstrap, learned queue alone": "bootstrap --set search.queues=h",
    "goalcount": "goalcount",
    "ff": "ff",
}


def planner_of(learner: str) -> Planner:
    """The configuration of a name, with its options as settings."""
    name, *words = PLANNERS[learner].split()
    options = {word.removeprefix("--"): value for word, value in zip(words[::2], words[1::2], strict=True)}
    settings = [words[i + 1] for i, word in enumerate(words) if word == "--set"]
    settings += [f"{option}={value}" for option, value in options.items() if option != "set"]
    return get_config(name).with_settings(settings)
