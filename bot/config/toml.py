"""Values as TOML writes them. (The standard library only reads.)"""

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_DELETE = "\x7f"  # the one character that JSON leaves as it is and TOML does not allow


def value(thing: Any) -> str:
    match thing:
        case bool():
            return "true" if thing else "false"
        case int() | float():
            return repr(thing)
        case str():
            return json.dumps(thing, ensure_ascii=False).replace(_DELETE, "\\u007f")
        case Mapping():
            inside = ", ".join(f"{key(name)} = {value(item)}" for name, item in thing.items())
            return f"{{ {inside} }}" if inside else "{}"
        case list() | tuple():
            return f"[{', '.join(map(value, thing))}]"
        case _:
            raise TypeError(f"TOML has no {type(thing).__name__}")


def key(name: str) -> str:
    return name if _BARE.fullmatch(name) else value(name)
