"""The words of the command line, read into values: engines, limits, adjudication rules.

Every list of settings is written the same way, `key=value` with spaces or commas between:
`--sprt elo0=0,elo1=5`, `--engine "name=new cmd='./new -x' option.Hash=16"`.
"""

import shlex
from pathlib import Path
from typing import NamedTuple, Self

from engine.lab.adjudicate import Rules


class SettingError(ValueError):
    """A word of the command line that means nothing; the message names it."""


def key_values(text: str, separators: str = " ,") -> list[tuple[str, str]]:
    """The pairs of `a=1,b='two words'`, in the order written; quotes protect the separators."""
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = separators, True, ""
    try:
        words = list(lexer)
    except ValueError as error:
        raise SettingError(f"{text!r}: {error}") from None
    pairs = []
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise SettingError(f"{text!r}: expected key=value, got {word!r}")
        pairs.append((key, value))
    return pairs


def numbers(text: str, defaults: dict[str, float]) -> dict[str, float]:
    """`defaults` overridden by the pairs of `text`; a key that is not among them is refused."""
    values = dict(defaults)
    for key, value in key_values(text):
        if key not in defaults:
            raise SettingError(f"{text!r}: unknown key {key!r}, choose from {', '.join(defaults)}")
        try:
            values[key] = float(value)
        except ValueError:
            raise SettingError(f"{text!r}: {key} is not a number: {value!r}") from None
    return values


class Limit(NamedTuple):
    """What one engine may spend; None = not limited that way."""

    base_ms: int | None = None
    inc_ms: int = 0
    moves: int | None = None  # the base is added again after so many moves
    nodes: int | None = None
    depth: int | None = None
    movetime_ms: int | None = None

    @classmethod
    def parse(cls, tc: str | None, nodes: int | None, depth: int | None, movetime_ms: int | None) -> Self:
        """`tc` is `BASE+INC`, `BASE` or `MOVES/BASE+INC`, in seconds; at least one limit is needed."""
        if not (tc or nodes or depth or movetime_ms):
            raise SettingError("no limit: give a time control, nodes, depth or a time per move")
        if tc and movetime_ms:
            raise SettingError("a clock and a time per move exclude each other")
        limit = cls(nodes=nodes, depth=depth, movetime_ms=movetime_ms)
        if not tc:
            return limit
        base_ms, inc_ms, moves = _clock(tc)
        return limit._replace(base_ms=base_ms, inc_ms=inc_ms, moves=moves)

    def __str__(self) -> str:
        """As in PGN's TimeControl tag where there is a clock, otherwise in words."""
        words = []
        if self.base_ms is not None:
            moves = f"{self.moves}/" if self.moves else ""
            words.append(f"{moves}{self.base_ms / 1000:g}+{self.inc_ms / 1000:g}")
        words += [f"{self.movetime_ms} ms/move"] if self.movetime_ms else []
        words += [f"{self.nodes} nodes"] if self.nodes else []
        words += [f"depth {self.depth}"] if self.depth else []
        return ", ".join(words)


def _clock(tc: str) -> tuple[int, int, int | None]:
    moves, slash, clock = tc.rpartition("/")
    base, _, inc = clock.partition("+")
    try:
        base_ms, inc_ms = round(float(base) * 1000), round(float(inc or 0) * 1000)
        per_period = int(moves) if slash else None
    except (ValueError, OverflowError):
        raise SettingError(f"time control {tc!r}: expected BASE+INC or MOVES/BASE+INC in seconds") from None
    if base_ms <= 0 or inc_ms < 0 or (per_period is not None and per_period <= 0):
        raise SettingError(
            f"time control {tc!r}: base and moves must be positive, the increment not negative"
        )
    return base_ms, inc_ms, per_period


class EngineSpec(NamedTuple):
    """One contestant: how it is started and what it is told."""

    name: str
    command: tuple[str, ...]
    folder: Path | None
    options: tuple[tuple[str, str], ...]
    limit: Limit


_KEYS = ("name", "cmd", "dir", "tc", "nodes", "depth", "movetime", "option.NAME")


def engine_spec(text: str, each: str, common: Limit | None) -> EngineSpec:
    """Read `--engine`; the pairs of `each` come first, so that the engine's own override them."""
    words: dict[str, str] = {}
    options: dict[str, str] = {}
    for key, value in key_values(each, " ") + key_values(text, " "):
        if key.startswith("option."):
            options[key.removeprefix("option.")] = value
        elif key in _KEYS:
            words[key] = value
        else:
            raise SettingError(f"engine {text!r}: unknown key {key!r}, choose from {', '.join(_KEYS)}")
    command = tuple(shlex.split(words.get("cmd", "")))
    if not command:
        raise SettingError(f"engine {text!r}: cmd=… is missing")
    return EngineSpec(
        name=words.get("name") or Path(command[0]).name,
        command=command,
        folder=Path(words["dir"]) if "dir" in words else None,
        options=tuple(options.items()),
        limit=_own_limit(text, words, common),
    )


def _own_limit(text: str, words: dict[str, str], common: Limit | None) -> Limit:
    own = {key: words[key] for key in ("tc", "nodes", "depth", "movetime") if key in words}
    if not own:
        if common is None:
            raise SettingError(f"engine {text!r}: no limit, neither its own nor one for both")
        return common
    try:
        count = {key: int(value) for key, value in own.items() if key != "tc"}
    except ValueError:
        raise SettingError(f"engine {text!r}: nodes, depth and movetime are whole numbers") from None
    return Limit.parse(own.get("tc"), count.get("nodes"), count.get("depth"), count.get("movetime"))


def adjudication(resign: str | None, draw: str | None, max_plies: int) -> Rules:
    """The rules that two words ask for: None switches a rule off, an empty word takes its usual numbers."""
    win = numbers(resign, {"moves": 4, "score": 600}) if resign is not None else {}
    level = numbers(draw, {"after": 40, "moves": 8, "score": 10}) if draw is not None else {}
    return Rules(
        resign_moves=int(win.get("moves", 0)),
        resign_cp=int(win.get("score", 0)),
        draw_moves=int(level.get("moves", 0)),
        draw_cp=int(level.get("score", 0)),
        draw_after=int(level.get("after", 0)),
        max_plies=max_plies,
    )
