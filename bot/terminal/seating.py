"""From what was asked for on the command line to a table with everything on it."""

import contextlib
import random
import sys
from typing import NamedTuple

import chess
from rich.console import Console

from bot.terminal.clocks import parse_time_control
from bot.terminal.play import Rules, Table
from engine.startup import make_engine
from engine.strength import ELO_MAX, ELO_MIN, Strength


class Wishes(NamedTuple):
    """The options of `krait play`, as they were typed."""

    side: str  # white, black or random
    elo: int | None
    fen: str | None
    movetime_ms: int
    clock: str | None
    chess960: bool


def agree(wishes: Wishes) -> Rules:
    """The rules those wishes amount to. ValueError names the one that cannot be had."""
    if wishes.elo is not None and not ELO_MIN <= wishes.elo <= ELO_MAX:
        raise ValueError(f"Krait plays at {ELO_MIN} to {ELO_MAX} Elo, not at {wishes.elo}")
    sides = {"white": chess.WHITE, "black": chess.BLACK}
    return Rules(
        start=_start(wishes.fen, chess960=wishes.chess960),
        player=sides[wishes.side] if wishes.side in sides else random.choice(chess.COLORS),
        movetime_ms=wishes.movetime_ms,
        control=parse_time_control(wishes.clock) if wishes.clock else None,
        engine_name="Krait" if wishes.elo is None else f"Krait ({wishes.elo})",
    )


def _start(fen: str | None, *, chess960: bool) -> chess.Board:
    if fen is None:
        return chess.Board.from_chess960_pos(random.randrange(960)) if chess960 else chess.Board()
    try:
        board = chess.Board(fen, chess960=chess960)
    except ValueError as error:
        raise ValueError(f"the FEN cannot be read: {error}") from error
    faults = board.status()
    if faults:
        names = ", ".join(
            str(fault.name).lower().replace("_", " ") for fault in chess.Status if fault & faults
        )
        raise ValueError(f"the FEN is no possible position: {names}")
    return board


def sit_down(wishes: Wishes) -> Table:
    """A table ready to play at. ValueError as in `agree`."""
    rules = agree(wishes)
    for stream in (sys.stdin, sys.stdout):
        with contextlib.suppress(AttributeError):  # a stream put in their place by a test
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # what the suppress is for
    engine = make_engine(lambda: None)
    engine.chess960 = rules.start.chess960
    engine.strength = None if wishes.elo is None else Strength(wishes.elo)
    return Table(engine, rules, Console(highlight=False), _read)


def _read(prompt: str) -> str:
    """A line of the player, with the keys of readline on a terminal and an echo where there is none."""
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401, PLC0415  - its import is its effect; Windows has none
        return input(prompt)
    line = input(prompt)
    print(line)
    return line
