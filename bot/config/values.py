"""The kinds of value a setting may hold, and how each is read from a file or from a variable."""

import re
import shlex
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

Variant = Literal[
    "standard",
    "chess960",
    "fromPosition",
    "antichess",
    "atomic",
    "crazyhouse",
    "horde",
    "kingOfTheHill",
    "racingKings",
    "threeCheck",
]
CHESS: tuple[Variant, ...] = ("standard", "chess960", "fromPosition")  # what our own engine plays

_URL = re.compile(r"https?://[^\s/?#@]+(:\d+)?")
_LIST = re.compile(r"\s*;\s*")
_COMMAS = re.compile(r"\s*[,;]\s*")


class Section(BaseModel):
    """A table of `krait.toml`. A field's docstring is its only documentation, wherever it is shown."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, hide_input_in_errors=True
    )


def split(value: object) -> object:
    """A variable holds a list as `a, b`; where an item has a comma of its own, as `a; b`."""
    if not isinstance(value, str):
        return value
    return [item for item in (_LIST if ";" in value else _COMMAS).split(value.strip()) if item]


def command_line(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return shlex.split(value)
    except ValueError as error:
        raise ValueError(f"a command line ({error})") from error


def server(value: str) -> str:
    """Scheme and host, without the slash after it: every path begins at the root."""
    bare = value.strip().rstrip("/")
    if not _URL.fullmatch(bare):
        raise ValueError("an address such as https://lichess.org or http://127.0.0.1:8080, without a path")
    return bare


Words = Annotated[tuple[str, ...], BeforeValidator(split)]
Variants = Annotated[tuple[Variant, ...], BeforeValidator(split)]
Speeds = Annotated[
    tuple[Literal["ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence"], ...],
    BeforeValidator(split),
]
CommandLine = Annotated[tuple[str, ...], BeforeValidator(command_line)]
Server = Annotated[str, AfterValidator(server)]
Folder = Annotated[Path, AfterValidator(Path.expanduser)]
Files = Annotated[tuple[Folder, ...], BeforeValidator(split)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Seconds = Annotated[int, Field(ge=0, le=30 * 86_400)]
Rating = Annotated[int, Field(ge=0, le=4000)]
