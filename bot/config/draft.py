"""A `krait.toml` in the making out of another program's settings, with the fate of each of their keys."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bot.config import toml
from bot.config.model import Config
from bot.config.settings import plain

Tree = dict[str, Any]
Path = tuple[str, ...]

LIP = "put it into .env as KRAIT_TOKEN=…: krait.toml is no place for a secret"


class Draft:
    """`theirs` is read with `get`, and each key of it ends in `mapped` or `unmapped`."""

    def __init__(self, theirs: Mapping[Any, Any]) -> None:
        self.theirs = theirs
        self.tree: Tree = {}
        self.mapped: list[tuple[str, str]] = []
        self.unmapped: list[tuple[str, str]] = []
        self.reasons: Mapping[str, str] = {}
        self._seen: set[str] = set()

    def get(self, key: str) -> Any:
        """What stands there; None where nothing does."""
        found: Any = self.theirs
        for part in key.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return found

    def table(self, key: str) -> Mapping[Any, Any]:
        found = self.get(key)
        return found if isinstance(found, Mapping) else {}

    def names(self, key: str) -> list[str]:
        """A list of words; a single word is a list of one."""
        found = self.get(key)
        items = found if isinstance(found, list) else [] if found is None else [found]
        return [str(item) for item in items]

    def number(self, key: str) -> float | None:
        """What stands there, if it is a number; anything else is left with the reason."""
        found = self.get(key)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int | float) or math.isnan(found):
            self.leave(key, f"Krait cannot read {str(found)[:40]!r} as a number")
            return None
        return found

    def put(self, theirs: str, ours: str, value: Any) -> None:
        *tables, name = ours.split(".")
        place = self.tree
        for table in tables:
            place = place.setdefault(table, {})
        place[name] = value
        self.note(theirs, ours)

    def note(self, theirs: str, ours: str) -> None:
        """Their key ends up in ours, whoever writes it there."""
        self._seen.add(theirs)
        self.mapped.append((theirs, ours))

    def move(self, theirs: str, ours: str, change: Callable[[Any], Any] = lambda value: value) -> None:
        """Take a key over as it is or changed; one that is not there, or cannot be changed, is left."""
        value = self.get(theirs)
        if value is None:
            return
        try:
            self.put(theirs, ours, change(value))
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
            self.leave(theirs, f"Krait cannot read {str(value)[:40]!r} there")

    def leave(self, theirs: str, why: str) -> None:
        self._seen.add(theirs)
        self.unmapped.append((theirs, why))

    def drop(self, loc: tuple[int | str, ...], why: str) -> None:
        """What the model refuses goes, with the name it had over there."""
        place: Any = self.tree
        trail: list[tuple[Any, int | str]] = []
        for part in loc:
            if not isinstance(place, dict | list) or (isinstance(place, dict) and part not in place):
                break
            trail.append((place, part))
            place = place[part]  # type: ignore[index]  # pydantic's path: a name for a table, a number for a list
        if not trail:
            self.tree, trail = {}, []
        while trail and isinstance(trail[-1][0], list):
            trail.pop()
        if trail:
            place, part = trail[-1]
            del place[part]
        self._disown(".".join(str(part) for _, part in trail if isinstance(part, str)), why)

    def _disown(self, ours: str, why: str) -> None:
        lost = [pair for pair in self.mapped if pair[1] == ours or not ours or pair[1].startswith(f"{ours}.")]
        self.mapped = [pair for pair in self.mapped if pair not in lost]
        self.unmapped += [(theirs, why) for theirs, _ in lost]

    def finish(self) -> None:
        """Whatever nobody looked at has no place here, for a reason that is known or for none."""
        for key in _leaves(self.theirs):
            if any(key == seen or key.startswith(f"{seen}.") for seen in self._seen):
                continue
            table = next((table for table in self.reasons if f"{key}.".startswith(f"{table}.")), "")
            is_mixed = not table or any(seen.startswith(f"{table}.") for seen in self._seen)
            self.leave(key if is_mixed else table, self.reasons.get(table, "Krait knows nothing like it"))

    def render(self, bot: str) -> str:
        text = [f"# Krait's settings, made from those of {bot}. `krait init` shows all that there are."]
        text += ["# The token is not here: put it into .env as KRAIT_TOKEN=…", *_tables(self.tree)]
        if self.unmapped:
            text += ["", f"# Of {bot}'s settings these have no place here:"]
            text += [f"# {_printable(f'{theirs}: {why}')}" for theirs, why in self.unmapped]
        return "\n".join(text) + "\n"


def _printable(text: str) -> str:
    """Fit for a comment, which is one line and has no control characters in TOML."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _leaves(tree: Mapping[Any, Any], prefix: str = "") -> Iterator[str]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{name}.")
        elif value is not None:
            yield f"{prefix}{name}"


def _tables(tree: Tree) -> Iterator[str]:
    """In the model's order, without what is the default anyway."""
    for name in Config.model_fields:
        value = tree.get(name)
        if isinstance(value, dict):
            yield from _table(name, value, plain(Config.model_fields[name].default.model_dump()))
        elif isinstance(value, list):
            for each in value:
                yield from ("", f"[[{name}]]", *(f"{key} = {toml.value(item)}" for key, item in each.items()))
        elif value is not None:
            yield f"{name} = {toml.value(value)}"


def _table(name: str, values: Tree, defaults: Tree) -> Iterator[str]:
    inner = {key: value for key, value in values.items() if key in {"human", "bot"}}
    own = {key: value for key, value in values.items() if key not in inner and value != defaults.get(key)}
    if own:
        yield from ("", f"[{name}]", *(f"{key} = {toml.value(value)}" for key, value in own.items()))
    for key, value in inner.items():
        yield from ("", f"[{name}.{key}]")
        yield from (f"{field} = {toml.value(item)}" for field, item in value.items())
