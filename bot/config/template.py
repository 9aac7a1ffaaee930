"""The `krait.toml` that `krait init` writes: every setting, commented out, with its description and default.

A line of prose begins with `# `, a setting with `#` alone: whoever wants a setting takes that one sign away.
"""

import textwrap
from collections.abc import Iterator

from bot.config import toml
from bot.config.settings import Setting, overlaid, overlays, settings

_HEAD = """\
Krait's settings. Everything below is commented out and shows its default; take the # away to change it.
Each setting can also be a variable in the environment or in .env: games.max_games is KRAIT_GAMES__MAX_GAMES.
The token does not belong here. Put it into .env: KRAIT_TOKEN=lip_…
`krait check` shows what is in force and where it comes from.
"""
_WIDTH = 108


def render() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield from _prose(_HEAD)
    table = ""
    for setting in settings():
        if not setting.is_for_files:
            continue
        if setting.table != table:
            yield from _overlays(table)
            table = setting.table
            yield from ("", f"[[{table[:-2]}]]" if table.endswith("[]") else f"[{table}]")
        yield from ("", *_setting(setting))
    yield from _overlays(table)


def _overlays(parent: str) -> Iterator[str]:
    for table, description in overlays().items():
        if table.rpartition(".")[0] == parent:
            yield from ("", f"[{table}]", *_prose(description))
            yield from (f"#{name} = {toml.value(default)}" for name, default in overlaid(table).items())


def _setting(setting: Setting) -> Iterator[str]:
    yield from _prose(setting.description)
    yield f"#{setting.name} = {toml.value(setting.default)}"


def _prose(text: str) -> Iterator[str]:
    for paragraph in text.splitlines():
        yield from (f"# {line}" for line in textwrap.wrap(paragraph, _WIDTH))
