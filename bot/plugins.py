"""Other people's packages in ours: a move source, a challenge filter or a chat command is a class of theirs.

A package offers it as an entry point, in its `pyproject.toml`:

    [project.entry-points."krait.commands"]
    coffee = "my_package:Coffee"

The class is made without arguments, once, at the start. What it must have is said by the protocol of its
group. A plug-in that cannot be used is named and left out; the bot starts without it.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from typing import Any, cast

from bot.game.chatter import ChatCommand
from bot.game.policy import ChallengeFilter
from bot.sources.source import Source

__all__ = ["ChallengeFilter", "ChatCommand", "Plugins", "Skipped", "Source", "discover"]

SOURCES, FILTERS, COMMANDS = "krait.sources", "krait.filters", "krait.commands"
# What the protocol of each group asks for, and a test of it.
_WANTED: dict[str, dict[str, Callable[[Any], bool]]] = {
    SOURCES: {"name": lambda it: isinstance(it, str), "find": inspect.iscoroutinefunction},
    FILTERS: {"name": lambda it: isinstance(it, str), "judge": callable},
    COMMANDS: {
        "name": lambda it: isinstance(it, str),
        "help": lambda it: isinstance(it, str),
        "answer": callable,
    },
}


@dataclass(frozen=True, slots=True)
class Skipped:
    """A plug-in that is not used. `name` says where it comes from: `coffee (my-package)`."""

    group: str
    name: str
    why: str

    def __str__(self) -> str:
        return f"plug-in {self.name} of {self.group} is left out: {self.why}"


@dataclass(frozen=True, slots=True)
class Plugins:
    sources: tuple[Source, ...] = ()
    filters: tuple[ChallengeFilter, ...] = ()
    commands: tuple[ChatCommand, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def discover(entry_points: Iterable[metadata.EntryPoint] | None = None) -> Plugins:
    """What the installed packages offer, ordered by name, so that every start is like the last."""
    offered = entry_points
    if offered is None:
        offered = [point for group in _WANTED for point in metadata.entry_points(group=group)]
    found: dict[str, list[object]] = {group: [] for group in _WANTED}
    skipped: list[Skipped] = []
    for point in sorted(offered, key=lambda each: each.name):
        if point.group not in _WANTED:
            continue
        try:
            found[point.group].append(_made(point))
        except (Exception, SystemExit) as error:  # noqa: BLE001  - other people's code: anything may come out of it
            skipped.append(Skipped(point.group, _origin(point), _reason(error)))
    return Plugins(
        sources=cast("tuple[Source, ...]", tuple(found[SOURCES])),  # `_made` has looked at each
        filters=cast("tuple[ChallengeFilter, ...]", tuple(found[FILTERS])),
        commands=cast("tuple[ChatCommand, ...]", tuple(found[COMMANDS])),
        skipped=tuple(skipped),
    )


class _Unfit(Exception):  # noqa: N818  - it never leaves this file
    """What is wrong, in words for the operator."""


def _made(point: metadata.EntryPoint) -> object:
    maker = point.load()
    plugin = maker() if callable(maker) else maker
    for member, is_right in _WANTED[point.group].items():
        if not hasattr(plugin, member):
            raise _Unfit(f"it has no `{member}`")
        if not is_right(getattr(plugin, member)):
            raise _Unfit(f"its `{member}` is not what the protocol asks for")
    return plugin


def _reason(error: BaseException) -> str:
    return str(error) if isinstance(error, _Unfit) else f"{type(error).__name__}: {error}"


def _origin(point: metadata.EntryPoint) -> str:
    return f"{point.name} ({point.dist.name})" if point.dist else point.name
