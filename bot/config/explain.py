"""What is in force: a row for each setting with its value, where that comes from and what it is for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from bot.config import toml
from bot.config.load import DEFAULT, Loaded
from bot.config.model import Config
from bot.config.settings import Setting, overlaid, overlays, plain, settings, variable_of

OPEN, CLOSE = "<!-- settings -->", "<!-- /settings -->"
_PASSWORD = re.compile(r"(://[^:/@\s]*):[^@\s]*@")


@dataclass(frozen=True, slots=True)
class Row:
    key: str
    value: str
    origin: str
    description: str


def rows(loaded: Loaded) -> Iterator[Row]:
    """Settings of a table that may stand several times have a row for each: `engines[0].name`."""
    for setting in settings():
        for key, value in _values(loaded.config, setting.key):
            yield Row(key, _shown(value), loaded.origins.get(setting.key, DEFAULT), setting.description)
    for table in overlays():
        parent, _, name = table.partition(".")
        own = getattr(getattr(loaded.config, parent), name)
        for field in sorted(own.model_fields_set):
            said = type(own).model_fields[field].description or ""
            origin = loaded.origins.get(f"{table}.{field}", DEFAULT)
            yield Row(f"{table}.{field}", _shown(getattr(own, field)), origin, said)


def _values(config: Config, key: str) -> Iterator[tuple[str, Any]]:
    table, _, name = key.rpartition(".")
    if not table:
        yield key, getattr(config, name)
    elif not table.endswith("[]"):
        yield key, getattr(getattr(config, table), name)
    else:
        bare = table[:-2]
        several = enumerate(getattr(config, bare))
        yield from ((f"{bare}[{index}].{name}", getattr(one, name)) for index, one in several)


def _shown(value: Any) -> str:
    if isinstance(value, SecretStr):
        return "(hidden)" if value.get_secret_value() else "(none)"
    return _PASSWORD.sub(r"\1:…@", toml.value(plain(value)))


def render_markdown() -> str:
    """The table of all settings, for a document; it stands between `OPEN` and `CLOSE`."""
    head = ("| setting and its default | what it does |", "|---|---|")
    lines = (_line(setting) for setting in settings())
    return "\n".join((OPEN, *head, *lines, *_overlay_lines(), CLOSE))


def _line(setting: Setting) -> str:
    if not setting.is_for_files:
        return f"| `{variable_of(setting.key)}`, a variable only | {_cell(setting.description)} |"
    return f"| `{setting.key} = {_cell(toml.value(setting.default))}` | {_cell(setting.description)} |"


def _overlay_lines() -> Iterator[str]:
    for table, description in overlays().items():
        said = ", ".join(f"`{name} = {toml.value(value)}`" for name, value in overlaid(table).items())
        yield f"| `[{table}]`{said and f' {said}'} | {_cell(description)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
