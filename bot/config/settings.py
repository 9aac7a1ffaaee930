"""All settings, as the model declares them: what the template, the table and the errors speak of."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from bot.config.challenges import Rules
from bot.config.model import Config
from bot.config.values import Section

SHORT = {"KRAIT_LICHESS_URL": "lichess.url"}  # the names the world already knows
OUTSIDE = frozenset({"KRAIT_CONFIG", "KRAIT_CACHE_DIR"})  # variables of ours that are no settings


@dataclass(frozen=True, slots=True)
class Setting:
    """`key` has `[]` after the name of a table that may stand several times: `engines[].name`."""

    key: str
    default: Any
    description: str
    is_secret: bool = False

    @property
    def table(self) -> str:
        return self.key.rpartition(".")[0]

    @property
    def name(self) -> str:
        return self.key.rpartition(".")[2]

    @property
    def is_for_files(self) -> bool:
        return self.key != "token"


def plain(value: Any) -> Any:
    """As TOML would write it; a secret is shown as nothing."""
    match value:
        case SecretStr():
            return ""
        case Path():
            return str(value)
        case tuple() | list():
            return [plain(item) for item in value]
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case _:
            return value


@cache
def settings() -> tuple[Setting, ...]:
    return tuple(_walk(Config.model_fields, ""))


@cache
def overlays() -> dict[str, str]:
    """Tables that repeat their parent's settings for some: their name, and what is said of them."""
    return {
        f"{table}.{name}": field.description or ""
        for table, parent in _sections(Config.model_fields)
        for name, field in parent.model_fields.items()
        if _is_overlay(parent, field)
    }


def _walk(fields: dict[str, FieldInfo], prefix: str, parent: type | None = None) -> Iterator[Setting]:
    for name, field in fields.items():
        section = _section(field)
        if section is None:
            default = field.get_default(call_default_factory=True)
            is_secret = isinstance(default, SecretStr)
            yield Setting(f"{prefix}{name}", plain(default), field.description or "", is_secret)
        elif not (parent and _is_overlay(parent, field)):
            several = "[]" if section is not field.annotation else ""
            yield from _walk(section.model_fields, f"{prefix}{name}{several}.", section)


def _sections(fields: dict[str, FieldInfo]) -> Iterator[tuple[str, type[Section]]]:
    for name, field in fields.items():
        if section := _section(field):
            yield name, section


def _section(field: FieldInfo) -> type[Section] | None:
    """The table behind a field, be it one or a list of them."""
    for kind in (field.annotation, *get_args(field.annotation)):
        if isinstance(kind, type) and issubclass(kind, Section):
            return kind
    return None


def _is_overlay(parent: type, field: FieldInfo) -> bool:
    section = _section(field)
    return section is not None and issubclass(parent, section)


def variable_of(key: str) -> str:
    short = next((variable for variable, meant in SHORT.items() if meant == key), None)
    return short or f"KRAIT_{key.upper().replace('.', '__')}"


@cache
def keys() -> frozenset[str]:
    """Every name that may stand before an equals sign or between brackets, with its path."""
    own = {setting.key for setting in settings()}
    tables = {setting.table.removesuffix("[]") for setting in settings() if setting.table}
    rules = {f"{overlay}.{name}" for overlay in overlays() for name in Rules.model_fields}
    return frozenset(own | tables | set(overlays()) | rules)


@cache
def variables() -> frozenset[str]:
    """Every variable that `load` understands."""
    names = {variable_of(key) for key in keys() if "[]" not in key}
    tables = {f"KRAIT_{name.upper()}" for name in Config.model_fields}
    return frozenset(names | tables | OUTSIDE | {variable_of("lichess.url"), "KRAIT_LICHESS__URL"})


def nearest(wrong: str, known: frozenset[str]) -> str | None:
    """The known name most like a wrong one; the right last word in another table is as near as can be."""
    same = [name for name in sorted(known) if _last(name) == _last(wrong)]
    close = difflib.get_close_matches(wrong, same, n=1, cutoff=0)
    return next(iter(close or difflib.get_close_matches(wrong, sorted(known), n=1, cutoff=0.5)), None)


def _last(name: str) -> str:
    return name.replace("__", ".").rpartition(".")[2].removeprefix("KRAIT_")


def overlaid(table: str) -> dict[str, Any]:
    """What such a table says where nobody has written it."""
    parent, _, name = table.partition(".")
    default = getattr(Config.model_fields[parent].default, name)
    return {field: plain(getattr(default, field)) for field in sorted(default.model_fields_set)}
