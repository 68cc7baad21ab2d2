"""Configurations as frozen dataclasses whose fields say what they mean, and how to change fields by name.

A field made by `knob` is a value, a field made by `part` is a configuration in turn. A field is named by its path, as
in `learning.sampling.space`, or by the end of its path where that names one field only: `sampling.space`, `space`.

>>> @dataclass(frozen=True)
... class Boat:
...     oars: int = knob(2, "how many oars", least=0)
...     kind: str = knob("canoe", "its kind", choices=("canoe", "raft"))
>>> changed(Boat(), {"oars": 3})
Boat(oars=3, kind='canoe')
>>> parsed(Boat(), "kind=raft")
('kind', 'raft')
>>> changed(Boat(), {"oar": 3})
Traceback (most recent call last):
sing.base.knobs.UnknownFieldError: field 'oar' (did you mean oars?)
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from sing.base.errors import InputError
from sing.base.names import nearest, unknown

T = TypeVar("T")

_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}

# The largest whole number that a field may have: more than any run counts, and the core can count to it.
_MOST = 2**63 - 1


class UnknownFieldError(InputError):
    """A name that means no field of a configuration. The message begins with the field."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field  # as it was written


def knob(
    default: Any,
    meaning: str,
    *,
    choices: tuple[str, ...] = (),
    least: float | None = None,
    parse: Callable[[str], Any] | None = None,
) -> Any:
    """A field with a value: its default, what it means, and what values it may have.

    `parse` reads a value from text, where the field's type does not say how.
    """
    metadata = {"meaning": meaning, "choices": choices, "least": least, "parse": parse}
    return dataclasses.field(default=default, metadata=metadata)


def part(make: Callable[[], Any], meaning: str, *, by_path_only: bool = False) -> Any:
    """A field that is a configuration in turn, made by `make` unless given.

    With `by_path_only` its fields are named with its own name before theirs, because another part has the same ones.
    """
    metadata = {"meaning": meaning, "is_part": True, "by_path_only": by_path_only}
    return dataclasses.field(default_factory=make, metadata=metadata)


def check(config: Any) -> None:
    """Raise InputError where a field has a value that its knob does not allow. For `__post_init__`."""
    for entry in dataclasses.fields(config):
        value, choices, least = getattr(config, entry.name), *_bounds(entry)
        if choices and value not in choices:
            raise InputError(unknown(entry.name, str(value), choices))
        if least is None or value is None:
            continue
        if isinstance(least, int) and (not isinstance(value, int) or isinstance(value, bool)):
            raise InputError(f"{entry.name} is {value!r}; it must be a whole number, {least} or more")
        if not least <= value < math.inf:
            raise InputError(f"{entry.name} is {value!r}; it must be {least:g} or more")
        if isinstance(value, int) and value > _MOST:
            raise InputError(f"{entry.name} is {value}; it must be below 2^63")


def _bounds(entry: dataclasses.Field[Any]) -> tuple[tuple[str, ...], float | None]:
    return entry.metadata.get("choices", ()), entry.metadata.get("least")


@dataclass(frozen=True)
class Knob:
    """A field of a configuration or of one of its parts."""

    path: tuple[str, ...]
    value: Any
    meaning: str
    kind: Any  # the field's type
    parse: Callable[[str], Any] | None
    is_part: bool  # a configuration in turn, or None in its place
    num_required: int  # so many names at the end of the path must be written

    @property
    def name(self) -> str:
        return ".".join(self.path)

    @property
    def short_name(self) -> str:
        """The end of the path that people are shown: two names say enough."""
        return ".".join(self.path[-max(2, self.num_required) :])

    def answers_to(self, name: str) -> bool:
        """Whether a name means this field."""
        wanted = tuple(name.split("."))
        return len(wanted) >= self.num_required and self.path[-len(wanted) :] == wanted


def knobs(config: Any, _above: tuple[str, ...] = (), _num_required: int = 1) -> Iterator[Knob]:
    """All fields of a configuration that `knob` or `part` made, those of its parts included."""
    kinds = typing.get_type_hints(type(config))
    for entry in dataclasses.fields(config):
        if "meaning" not in entry.metadata:
            continue
        path, value, is_part = (*_above, entry.name), getattr(config, entry.name), "is_part" in entry.metadata
        parse = entry.metadata.get("parse")
        yield Knob(path, value, entry.metadata["meaning"], kinds[entry.name], parse, is_part, _num_required)
        if is_part and value is not None:
            is_fixed = _num_required > 1 or entry.metadata["by_path_only"]
            yield from knobs(value, path, _num_required + 1 if is_fixed else 1)


def find(config: Any, name: str) -> Knob:
    """The field that a name means. Raises InputError, with the nearest names, where that is none or several."""
    every = list(knobs(config))
    found = [entry for entry in every if entry.answers_to(name)]
    found = [entry for entry in found if entry.path == tuple(name.split("."))] or found
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"'{name}' means several fields: {', '.join(entry.name for entry in found)}")
    raise UnknownFieldError(f"field '{name}'{_hint(name, every)}", name)


def _hint(name: str, every: Iterable[Knob]) -> str:
    # The last names come first: who writes "nsearchs" means "nsearches", whatever stands before it.
    values = [entry for entry in every if not entry.is_part]
    by_last = {entry.path[-1]: entry.short_name for entry in values}
    by_path = {entry.name: entry.short_name for entry in values}
    near = nearest(name.split(".")[-1], by_last, 2) or nearest(name, by_path, 2)
    names = [(by_last | by_path)[close] for close in near]
    return f" (did you mean {' or '.join(names)}?)" if names else ""


def parsed(config: Any, assignment: str) -> tuple[str, Any]:
    """The name and the value that a text such as `sampling.space=ei` gives. Raises InputError."""
    name, equals, text = assignment.partition("=")
    if not equals:
        raise InputError(f"'{assignment}' sets nothing; write FIELD=VALUE, as in search.queues=h,nh")
    entry = find(config, name.strip())
    try:
        return name.strip(), _value(entry, text.strip())
    except ValueError:
        words = {int: "a whole number", float: "a number", bool: "true or false"}
        expected = words.get(_kinds(entry)[0], "another kind of value")
        raise InputError(f"{entry.name} is '{text.strip()}'; it must be {expected}") from None


def _kinds(entry: Knob) -> list[Any]:
    """The types that its value may have, None's last."""
    kinds = typing.get_args(entry.kind) if isinstance(entry.kind, types.UnionType) else (entry.kind,)
    return sorted(kinds, key=lambda kind: kind is type(None))


def _value(entry: Knob, text: str) -> Any:
    """A value of the field's type from text. Raises ValueError."""
    kind = _kinds(entry)[0]
    if text.lower() == "none" and type(None) in _kinds(entry):
        return None
    if entry.is_part:
        raise InputError(f"{entry.name} is made of fields; set these, as in {entry.name}.FIELD=VALUE")
    if entry.parse is not None:
        return entry.parse(text)
    if kind is bool:
        if text.lower() not in _BOOLEANS:
            raise ValueError
        return _BOOLEANS[text.lower()]
    if typing.get_origin(kind) is tuple:
        return tuple(typing.get_args(kind)[0](item) for item in text.split(","))
    return kind(text)


def changed(config: T, values: dict[str, Any]) -> T:
    """The same configuration with fields replaced, each named by its path or the end of it. Raises InputError."""
    return _replaced(config, {find(config, name).path: value for name, value in values.items()})


def _replaced(config: T, values: dict[tuple[str, ...], Any]) -> T:
    """All at once, so that checks see the configuration as it is meant."""
    own = {path[0]: value for path, value in values.items() if len(path) == 1}
    below: dict[str, dict[tuple[str, ...], Any]] = {}
    for path, value in values.items():
        if len(path) > 1:
            below.setdefault(path[0], {})[path[1:]] = value
    for name, deeper in below.items():
        own[name] = _replaced(own.get(name, getattr(config, name)), deeper)
    return dataclasses.replace(config, **own)  # type: ignore[type-var]


def text_of(value: Any) -> str:
    """A value as one writes it after `=`.

    >>> text_of(("h", "nh")), text_of(None), text_of(True), text_of(1)
    ('h,nh', 'none', 'true', '1')
    """
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
