"""Everything that can go wrong between a bot and Lichess, made to go wrong on request.

A fault names where it strikes (an endpoint or a pattern of them, perhaps one user or one game), what passes
first (`after`: lines of a stream, or requests) and how often it strikes (`times`, 0 = till cleared). Its kind
says what it does:

    stream    drop       ends it (how=clean or reset)
              silence    no more lines and no more blank ones, the connection stays
              duplicate  a line comes twice
              reorder    a line comes after its successor
              line       `body` is written as a line of its own
    request   status     answered with `code` and nothing is done (429 by lila, 5xx by the proxy before it)
              slow       `ms` later (how=before or after it is carried out)
              reset      the connection is torn (how=after or before it is carried out)
    world     jump       the sandbox's clock leaps `ms`
              restart    every stream is torn and, for `ms`, every request answered with 502
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from fnmatch import fnmatchcase
from http import HTTPStatus
from typing import Any

Json = dict[str, Any]


class Kind(StrEnum):
    DROP = "drop"
    SILENCE = "silence"
    DUPLICATE = "duplicate"
    REORDER = "reorder"
    LINE = "line"
    STATUS = "status"
    SLOW = "slow"
    RESET = "reset"
    JUMP = "jump"
    RESTART = "restart"


OF_A_REQUEST = (Kind.JUMP, Kind.RESTART, Kind.SLOW, Kind.STATUS, Kind.RESET)
HOWS = {  # the first is what is meant when nothing is said
    Kind.DROP: ("clean", "reset"),
    Kind.SLOW: ("before", "after"),
    Kind.RESET: ("after", "before"),
}
CODES = frozenset(status.value for status in HTTPStatus if status >= 400)
LONGEST_MS = 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class Fault:
    """ValueError says what is wrong with it."""

    kind: Kind
    on: str = "*"
    user: str = ""
    game: str = ""
    after: int = 0
    times: int = 1
    code: int = 503
    ms: int = 0
    how: str = ""
    body: str = ""

    def __post_init__(self) -> None:
        hows = HOWS.get(self.kind, ("",))
        if not self.how:
            object.__setattr__(self, "how", hows[0])
        if self.how not in hows:
            raise ValueError(f"how={self.how} of {self.kind} is none of {', '.join(hows)}")
        if self.after < 0 or self.times < 0:
            raise ValueError("after and times are not negative")
        if not 0 <= self.ms <= LONGEST_MS:
            raise ValueError(f"ms is from 0 to {LONGEST_MS}")
        if self.code not in CODES:
            raise ValueError("code is an HTTP status from 400 to 599")

    def strikes(self, on: str, user: str, game: str) -> bool:
        return (
            fnmatchcase(on, self.on)
            and (not self.user or self.user.lower() == user)
            and (not self.game or self.game == game)
        )


def read_fault(data: Mapping[str, Any]) -> Fault:
    """A fault out of a JSON object; ValueError says what is wrong."""
    types = {field.name: int if field.type in {int, "int"} else str for field in fields(Fault)}
    for name, value in data.items():
        if name not in types:
            raise ValueError(f"{name!r} is none of {', '.join(types)}")
        if not isinstance(value, types[name]) or isinstance(value, bool):
            kind = "a number" if types[name] is int else "text"
            raise ValueError(f"{name} is {kind}")  # noqa: TRY004  the caller refuses bad data by one exception
    if data.get("kind") not in set(Kind):
        raise ValueError(f"kind is one of {', '.join(Kind)}")
    return Fault(**{**data, "kind": Kind(data["kind"])})


def parse_fault(text: str) -> Fault:
    """`kind@on,key=value,…`, as in `drop@game,after=3` or `502@move`; ValueError says what is wrong.

    `body` comes last, for it may hold commas.
    """
    text, has_body, body = text.partition(",body=")
    head, *rest = text.split(",")
    kind, at, on = head.strip().partition("@")
    data: Json = {"kind": "status", "code": int(kind)} if kind.isdecimal() else {"kind": kind}
    if at:
        data["on"] = on
    for part in rest:
        name, equals, value = part.strip().partition("=")
        if not equals:
            raise ValueError(f"{part!r} is not key=value")
        data[name] = int(value) if value.isdecimal() and name not in {"user", "game", "on"} else value
    return read_fault(data | ({"body": body} if has_body else {}))


class _Armed:
    """A fault and what is left of it."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.left = fault.times or None
        self.passed = 0

    def spend(self) -> None:
        if self.left is not None:
            self.left -= 1


class Faults:
    """Those that may still strike, in the order they were added; `on_change` hears when they change."""

    def __init__(self, *faults: Fault) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self._armed: dict[int, _Armed] = {}
        self._next = 1
        self.struck = 0  # how often one has
        self.generation = 0
        for fault in faults:
            self.add(fault)

    def add(self, fault: Fault | str, **fields: Any) -> int:
        """Its number. Text is `502@move,times=2`, or a kind with the rest by name.

        `add("line", on="event", body='{"type":"news"}')`. ValueError says what is wrong.
        """
        if isinstance(fault, str):
            fault = read_fault({"kind": fault, **fields}) if fields else parse_fault(fault)
        number, self._next = self._next, self._next + 1
        self._armed[number] = _Armed(fault)
        self.on_change()
        return number

    def remove(self, number: int) -> bool:
        return self._armed.pop(number, None) is not None

    def clear(self) -> None:
        """None is left, and streams that were silenced go on."""
        self._armed.clear()
        self.generation += 1
        self.on_change()

    def listed(self) -> list[Json]:
        return [
            {"number": number, **asdict(armed.fault), "left": armed.left}
            for number, armed in self._armed.items()
        ]

    def of_request(self, on: str, user: str, game: str) -> list[Fault]:
        """The faults this request sets off; each that fits has seen one request more."""
        struck = []
        for number, armed in tuple(self._armed.items()):
            if armed.fault.kind in OF_A_REQUEST and armed.fault.strikes(on, user, game):
                armed.passed += 1
                if armed.passed > armed.fault.after:
                    self._strike(number, armed)
                    struck.append(armed.fault)
        return struck

    def of_stream(self, kind: Kind, on: str, user: str, game: str, sent: int) -> Fault | None:
        """The first fault of this kind due on a stream that has sent so many lines; it has now struck."""
        for number, armed in self._armed.items():
            fault = armed.fault
            if fault.kind is kind and sent >= fault.after and fault.strikes(on, user, game):
                self._strike(number, armed)
                return fault
        return None

    def _strike(self, number: int, armed: _Armed) -> None:
        self.struck += 1
        armed.spend()
        if armed.left == 0:
            del self._armed[number]
