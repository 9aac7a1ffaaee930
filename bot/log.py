"""Logging is configured here, once, and nowhere else. No token ever reaches a line."""

import json
import logging
import re
import sys
from collections.abc import Iterable
from typing import Literal, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from bot.loglines import log_facts

__all__ = ["Scrubber", "Style", "configure", "log_facts"]

_HIDDEN = "[token]"
_SHORTEST = 6  # what is shorter stands in every other line by chance
_LOOKS_LIKE_ONE = re.compile(r"lip_\w+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
_NOISY = ("urllib3", "requests", "berserk", "aiosqlite", "asyncio", "chess.engine", "aiohttp.access")

Style = Literal["auto", "console", "json"]


def configure(style: Style, level: str, *, secrets: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """`secrets` never appear in a line, nor does anything that looks like a token of Lichess."""
    out = stream or sys.stderr
    is_console = out.isatty() if style == "auto" else style == "console"
    threshold = logging.getLevelNamesMapping()[level.upper()]
    head: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="%H:%M:%S" if is_console else "iso", utc=not is_console),
        _tame,
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]
    hide = Scrubber(secrets)
    tail: list[Processor] = [
        _renderer(is_console, colors=out.isatty()),
        lambda _, __, line: hide(str(line)),
    ]
    structlog.configure(
        processors=[*head, *tail],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(out),
        cache_logger_on_first_use=False,  # a logger made before this call must obey it too
    )
    _route_libraries(head, tail, threshold, out)


def _renderer(is_console: bool, *, colors: bool) -> Processor:
    """Tracebacks without local variables: those may hold a token that has been cut or encoded."""
    if is_console:
        return structlog.dev.ConsoleRenderer(
            colors=colors, exception_formatter=structlog.dev.plain_traceback, pad_event_to=22, sort_keys=False
        )
    return structlog.processors.JSONRenderer(ensure_ascii=False)


class Scrubber:
    """The last to see a line, and it sees all of it: neither a value nor a traceback gets by."""

    def __init__(self, secrets: Iterable[str]) -> None:
        long = [secret for secret in secrets if len(secret) >= _SHORTEST]
        spellings = {each for secret in long for each in (secret, json.dumps(secret)[1:-1])}
        known = "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))
        self._pattern = re.compile(f"{known}|{_LOOKS_LIKE_ONE.pattern}") if known else _LOOKS_LIKE_ONE

    def __call__(self, text: str) -> str:
        return self._pattern.sub(_HIDDEN, text)


def _tame(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """What strangers wrote (names, chat) can neither begin a line of its own nor command a terminal."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = _CONTROL.sub(lambda found: repr(found[0])[1:-1], value)
    return event


class _Outlet(logging.StreamHandler[TextIO]):
    """Ours among the handlers of the root: a second `configure` replaces it."""


def _route_libraries(head: list[Processor], tail: list[Processor], threshold: int, out: TextIO) -> None:
    handler = _Outlet(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=head,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *tail],
        )
    )
    root = logging.getLogger()
    for old in [each for each in root.handlers if isinstance(each, _Outlet)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(threshold)
    for name in _NOISY:
        logging.getLogger(name).setLevel(max(threshold, logging.WARNING))
