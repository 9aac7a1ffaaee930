"""Everything that can go wrong, and what we do about it.

BotError
 +- ConfigError          refuse to start, naming the key
 +- LichessError
 |   +- Refused          4xx: our request was wrong or too late -- never retried as it is
 |   |   +- BadToken     401, 403: the token is unknown or lacks a scope -- tell the operator
 |   +- RateLimited      429, or 400 with a `ratelimit`: this class (or this opponent) rests for `seconds`
 |   +- Unreachable      network, 5xx, silence: perhaps it was carried out -- back off, look, retry
 +- EngineError
     +- EngineMissing    it cannot be started at all: refuse to start, or the next engine that fits
     +- EngineDied       replace the process, ask again on the same clock
     +- EngineSilent     its time has passed: stop, kill, replace
"""


class BotError(Exception):
    """The message is for the person who can act on it."""


class ConfigError(BotError): ...


class LichessError(BotError): ...


class Refused(LichessError):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status}: {reason}")
        self.status, self.reason = status, reason


class BadToken(Refused): ...


class RateLimited(LichessError):
    """`key` is Lichess's name of the limit, if it gave one; `theirs`: it is the opponent who is limited."""

    def __init__(self, seconds: float, key: str = "", *, theirs: bool = False) -> None:
        super().__init__(f"wait {seconds:g} s{f' ({key})' if key else ''}")
        self.seconds, self.key, self.theirs = seconds, key, theirs


class Unreachable(LichessError):
    """`status` is that of a 5xx answer; None: no whole answer came, and the request may have been heard."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


class EngineError(BotError): ...


class EngineMissing(EngineError): ...


class EngineDied(EngineError): ...


class EngineSilent(EngineError): ...
