"""The environment and `.env`: names of variables to keys of settings, by pydantic's rules."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from bot.config.model import Config
from bot.config.settings import SHORT, nearest, variables
from bot.errors import ConfigError

_FOREIGN = re.compile(r"KRAIT_(SERVICE|PORT)(_|$)")  # Kubernetes invents these for a service named krait


class _Variables(EnvSettingsSource):
    """pydantic's reading of variables, from a mapping. A list may be written as `a, b` or as JSON."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = {name.lower(): value for name, value in names.items()}
        super().__init__(Config)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return dict(self._names)

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:  # noqa: ARG002  - pydantic's signature
        try:
            return json.loads(value) if value.lstrip().startswith(("[", "{")) else value
        except json.JSONDecodeError:
            return value  # the model says what is wrong with it, by name


def long_name(key: str) -> str:
    return f"KRAIT_{key.upper().replace('.', '__')}"


def tree_of(names: Mapping[str, str]) -> dict[str, Any]:
    spelt_out = {long_name(SHORT[name]): value for name, value in names.items() if name in SHORT}
    return _Variables({**names, **spelt_out})()


def name_of(key: str, names: Mapping[str, str]) -> str:
    """The one of `names` that set `key`: by a name of its own, or with its whole table as JSON."""
    short = [name for name, meant in SHORT.items() if meant == key]
    spelt = (name for name in (*short, long_name(key)) if name in names)
    return next(spelt, long_name(key.partition(".")[0]))


def written_in(file: Path | None) -> dict[str, str]:
    """What a `.env` holds; nothing where there is none."""
    if file is None or not file.is_file():
        return {}
    try:
        read = DotEnvSettingsSource(Config, env_file=file).env_vars
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read ({error})") from None
    return {name.upper(): value for name, value in read.items() if value is not None}


def unknown(names: Mapping[str, str], place: str) -> Iterator[str]:
    """A complaint for each name that is meant for us and means nothing."""
    for name in sorted(names):
        is_ours = name.startswith("KRAIT_") and not _FOREIGN.match(name)
        if not is_ours or name in variables():
            continue
        if "__" in name and name.partition("__")[0] in variables():
            continue  # the model names what is wrong inside a table
        near = nearest(name, variables())
        yield f"{place}{name} is unknown" + (f": did you mean {near}?" if near else "")
