"""Lists of players, as files and web pages hold them."""

import re
from typing import NamedTuple

_NAME = re.compile(r"[a-z0-9_-]{2,30}", re.ASCII)


class NameList(NamedTuple):
    names: frozenset[str]  # lower case: the ids of Lichess
    junk: int  # entries that can be nobody's name


def parse_names(text: str) -> NameList:
    """One name a line or several with commas between; `#` begins a comment, a leading `@` is dropped.

    What cannot be a name is counted and left out, so that a web server's error page blocks nobody.
    """
    lines = text.removeprefix("\ufeff").lower().splitlines()
    entries = [entry.strip() for line in lines for entry in line.partition("#")[0].split(",")]
    found = [entry.removeprefix("@") for entry in entries if entry]
    names = frozenset(name for name in found if _NAME.fullmatch(name))
    return NameList(names, sum(not _NAME.fullmatch(name) for name in found))
