"""The exceptions of sing and the exit codes of its command line.

Exit codes are Fast Downward's, so that tools which read its codes read ours. Outcomes of planning
(solved, unsolvable, out of time, …) are values, not exceptions: see `sing.base.outcome`.
"""


class SingError(Exception):
    """Something is wrong and planning cannot go on. The message says what, where and what to do."""

    exit_code = 32


class InputError(SingError):
    """A command line, path, limit or plan file that cannot be used."""

    exit_code = 36


class PddlError(InputError):
    """A PDDL domain or problem that cannot be read."""

    exit_code = 31


class SasError(InputError):
    """A malformed SAS file."""

    exit_code = 33


class UnsupportedError(SingError):
    """A well-formed task that uses a feature this planner does not support."""

    exit_code = 34


class TranslatorError(SingError):
    """Fast Downward's translator failed in a way that is not the input's fault as far as we can tell."""

    exit_code = 30


class NothingLearnedError(SingError):
    """There are no samples to learn from, or training gave no usable network."""

    exit_code = 12


class NoSamplesError(NothingLearnedError):
    """No backward search found a state to start from."""


class PlanError(SingError):
    """A plan that does not solve its task."""

    exit_code = 1
