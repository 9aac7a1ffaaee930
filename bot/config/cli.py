"""What `krait check`, `krait init` and `krait import-config` do. Each prints and returns an exit code."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bot.config.explain import rows
from bot.config.imports import Bot, import_config
from bot.config.load import DEFAULT, DOTENV, FILE, Loaded, load
from bot.config.model import Config
from bot.config.template import render
from bot.errors import BotError, ConfigError
from bot.log import Scrubber

FINE, FAILED, USAGE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Probe:
    """A trial of something the configuration names. `run` says in a few words what it found, or raises."""

    name: str
    run: Callable[[Config], Awaitable[str]]


def check(
    console: Console,
    path: Path | None,
    environ: Mapping[str, str],
    probes: Sequence[Probe] = (),
    *,
    changed_only: bool = False,
    dotenv: Path | None = DOTENV,
) -> int:
    """Show what is in force and where it comes from, then try each probe; all of them, whatever fails."""
    try:
        loaded = load(path, environ, dotenv)
    except ConfigError as error:
        _complain(console, error)
        return USAGE
    console.print(_settings(loaded, changed_only=changed_only))
    return FINE if asyncio.run(_try_all(console, probes, loaded.config)) else FAILED


def _settings(loaded: Loaded, *, changed_only: bool) -> Table:
    table = Table("setting", "value", "from", box=None, pad_edge=False, highlight=False)
    for row in rows(loaded):
        is_default = row.origin == DEFAULT
        if not (changed_only and is_default):
            cells = map(escape, (row.key, row.value, row.origin))
            table.add_row(*cells, style="dim" if is_default else "")
    return table


async def _try_all(console: Console, probes: Sequence[Probe], config: Config) -> bool:
    hide = Scrubber((config.token.get_secret_value(), config.web.password.get_secret_value()))
    all_fine = True
    for probe in probes:
        try:
            said, is_fine = await probe.run(config), True
        except BotError as error:
            said, is_fine = str(error), False
        except Exception as error:  # noqa: BLE001  - a trial that breaks has failed, and the others are to come
            said, is_fine = f"{type(error).__name__}: {error}", False
        mark = "[green]ok[/]    " if is_fine else "[red]failed[/]"
        line = f"{mark} {escape(probe.name)}: {escape(hide(said))}"
        console.print(line, highlight=False, soft_wrap=True)
        all_fine &= is_fine
    return all_fine


def init(console: Console, file: Path = FILE, *, force: bool = False) -> int:
    """Write a commented file of settings; one that is there already is kept, unless told otherwise."""
    return _write(console, file, render(), force=force)


def import_settings(
    console: Console, bot: Bot, source: Path, target: Path = FILE, *, force: bool = False
) -> int:
    """Translate another bot's file, and list what became of each of its keys. `-` is standard input."""
    try:
        text = sys.stdin.read() if str(source) == "-" else source.read_text(encoding="utf-8")
        imported = import_config(bot, text)
    except (OSError, UnicodeDecodeError) as error:
        console.print(f"{source}: cannot be read ({error})", markup=False, soft_wrap=True)
        return USAGE
    except ConfigError as error:
        console.print(f"{source}: {error}", markup=False, soft_wrap=True)
        return USAGE
    if code := _write(console, target, imported.toml_text, force=force):
        return code
    table = Table(f"{bot}", "Krait", box=None, pad_edge=False, highlight=False)
    for theirs, ours in imported.mapped:
        table.add_row(escape(theirs), f"[green]{escape(ours)}[/]")
    for theirs, why in imported.unmapped:
        table.add_row(escape(theirs), f"[yellow]-[/] {escape(why)}")
    console.print(table)
    taken, left = len(imported.mapped), len(imported.unmapped)
    console.print(f"{taken} settings taken over, {left} not.", highlight=False)
    return FINE


def _write(console: Console, file: Path, text: str, *, force: bool) -> int:
    try:
        with file.open("w" if force else "x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        console.print(f"{file} is there already; --force writes over it", markup=False, soft_wrap=True)
        return USAGE
    except OSError as error:
        console.print(f"{file}: cannot be written ({error.strerror})", markup=False, soft_wrap=True)
        return USAGE
    console.print(f"wrote {file}; `krait check` shows what is in force", markup=False, soft_wrap=True)
    return FINE


def _complain(console: Console, error: ConfigError) -> None:
    for line in str(error).splitlines():
        console.print(line, markup=False, highlight=False, soft_wrap=True)
