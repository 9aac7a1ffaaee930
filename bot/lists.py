"""Lists of players that the operator named: names, files and web pages, read again now and then.

A page that cannot be had leaves what it said last time; nothing here ever waits in the way of a challenge.
"""

import asyncio
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path

from bot.errors import ConfigError
from bot.game.facts import Trouble, Witness
from bot.game.names import NameList, parse_names
from bot.play.walltime import wall_ms

REFRESH_S = 900.0
PATIENCE_S = 15.0
LARGEST = 4 << 20  # bytes of a page
FILE = "file:"

Fetch = Callable[[str], str]


def fetch(url: str) -> str:
    """The page behind an address. OSError: it cannot be had."""
    if not url.startswith(("https://", "http://")):
        raise OSError(f"{url} is no web address")
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as page:  # noqa: S310  the scheme was looked at
        body: bytes = page.read(LARGEST)
    return body.decode("utf-8", "replace")


class Roster:
    """One list, made of entries as the configuration has them."""

    def __init__(self, entries: Iterable[str], tell: Witness, get: Fetch = fetch) -> None:
        self._tell, self._get = tell, get
        entries = tuple(entries)
        self._files = [
            Path(entry.removeprefix(FILE)).expanduser() for entry in entries if entry.startswith(FILE)
        ]
        self._urls = [entry for entry in entries if entry.startswith(("https://", "http://"))]
        named = [entry for entry in entries if not entry.startswith((FILE, "https://", "http://"))]
        self._parts: dict[str, frozenset[str]] = {"": frozenset(name.lower() for name in named)}
        for path in self._files:
            self._read(path)

    @property
    def names(self) -> frozenset[str]:
        """Lower case."""
        return frozenset().union(*self._parts.values())

    @property
    def is_asked_for(self) -> bool:
        """Whether the operator named anything at all: a list that is empty only for now still excludes."""
        return bool(self._files or self._urls or self._parts[""])

    async def refresh(self) -> None:
        for path in self._files:
            try:
                self._read(path)
            except ConfigError as error:
                self._tell(Trouble("list_unreadable", str(error), wall_ms()))
        for url in self._urls:
            try:
                found = parse_names(await asyncio.to_thread(self._get, url))
            except (OSError, urllib.error.URLError, ValueError) as error:
                self._tell(Trouble("list_unreachable", f"{url}: {error}", wall_ms()))
            else:
                self._keep(url, found)

    def _read(self, path: Path) -> None:
        try:
            found = parse_names(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise ConfigError(f"the list {path} cannot be read: {reason}") from error
        self._keep(str(path), found)

    def _keep(self, source: str, found: NameList) -> None:
        if not found.names and found.junk:
            self._tell(Trouble("list_without_names", f"{source}: {found.junk} entries, no name", wall_ms()))
            return
        self._parts[source] = found.names


async def keep_fresh(rosters: Iterable[Roster], every_s: float = REFRESH_S) -> None:
    """Until cancelled; the first time at once."""
    rosters = tuple(rosters)
    while True:
        for roster in rosters:
            await roster.refresh()
        await asyncio.sleep(every_s)
