"""What the sandbox answers when it will not do a thing: Lichess's own status and body."""

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


def known(**values: Any) -> Json:
    """Those of `values` that are not None: Lichess leaves out what it does not know."""
    return {key: value for key, value in values.items() if value is not None}


class Refusal(Exception):  # noqa: N818  a refusal is an answer, not an error of ours
    """A request is turned down; `status`, `body` and `headers` are what the wire must carry."""

    def __init__(self, status: int, body: Json, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body
        self.headers = dict(headers or {})


def refuse(text: str, status: int = 400) -> Refusal:
    return Refusal(status, {"error": text})


def refuse_form(**errors: str) -> Refusal:
    """A form that does not bind: its errors stand under `error` and beside it. `_` in a name is a dot."""
    fields = {name.replace("_", "."): [text] for name, text in errors.items()}
    return Refusal(400, {"error": fields, **fields})


def not_found(text: str = "Not found") -> Refusal:
    return refuse(text, 404)
