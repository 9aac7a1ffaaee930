"""What pydantic found wrong, in one line each: where it stands, which key, what is there, what may be."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.config.settings import keys, nearest, settings

Tree = Mapping[str, Any]

_SECRET = re.compile(r"token|password|secret", re.IGNORECASE)
_LIP = re.compile(r"lip_\w+")
_INDEX = re.compile(r"\[\d+\]")


def complaints(error: ValidationError, tree: Tree, origin: Callable[[str], str]) -> Iterator[str]:
    """One for each key: of several alternatives that do not fit the first speaks, and a fault inside a list
    speaks for the list.
    """
    found: dict[str, str] = {}
    for detail in error.errors(include_url=False):
        key, value = _where(detail["loc"], tree)
        place = f"{origin(key)}: " if key else ""
        found.setdefault(key, f"{place}{_LIP.sub('…', _what(detail, key, value))}")
    for key, line in found.items():
        if not any(other.startswith(f"{key}[") for other in found):
            yield line


def _where(loc: tuple[int | str, ...], tree: Any) -> tuple[str, Any]:
    """The key as a person writes it, and what stands there. pydantic's names of alternatives are left out."""
    key, found = "", tree
    for part in loc:
        try:
            found = found[part]
        except (KeyError, IndexError, TypeError):
            break
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else part
    return key, found


def _what(detail: ErrorDetails, key: str, value: Any) -> str:
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "extra_forbidden":
        near = nearest(_INDEX.sub("[]", key), keys())
        hint = f": did you mean {near.replace('[]', '')}?" if near else "; `krait init` shows all settings"
        return f"{key} is unknown{hint}"
    if detail["type"] == "value_error":
        return f"{key}: {message}" if key else message
    wanted = message.replace("Input should be", "must be").replace("Input should have", "must have")
    wanted = re.sub(r", (unable to (parse|interpret)|got a number).*", "", wanted)
    return f"{key} = {_shown(key, value)}: {wanted}{_meaning(key)}"


def _shown(key: str, value: Any) -> str:
    if _SECRET.search(key):
        return "…"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _meaning(key: str) -> str:
    """The setting's own description, which says what the value is for."""
    bare = _INDEX.sub("[]", key)
    said = next((each.description for each in settings() if each.key == bare), "")
    return f" ({said.rstrip('.')})" if said else ""
