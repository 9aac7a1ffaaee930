"""The two clocks of a game, and how they are written: `5+3` is five minutes, three seconds a move. Pure."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import chess


class TimeControl(NamedTuple):
    """What each side starts with, and what each move adds."""

    base_ms: int
    inc_ms: int


def parse_time_control(text: str) -> TimeControl:
    """`5+3`, `0.5+0`, `10`: minutes, then seconds a move. ValueError says what is wrong."""
    match = re.fullmatch(r"(\d{1,3}(?:\.\d{1,3})?)(?:\+(\d{1,3}(?:\.\d{1,3})?))?", text.strip())
    if match is None:
        raise ValueError(f"“{text}” is no time control: write minutes+seconds, as in 5+3")
    control = TimeControl(round(float(match[1]) * 60_000), round(float(match[2] or 0) * 1000))
    if control.base_ms <= 0:
        raise ValueError("a game needs some time on the clock, as in 5+3")
    return control


@dataclass
class Clocks:
    """Two clocks that never show less than nothing."""

    control: TimeControl
    left_ms: dict[chess.Color, int] = field(init=False)

    def __post_init__(self) -> None:
        self.left_ms = dict.fromkeys(chess.COLORS, self.control.base_ms)

    def spend(self, side: chess.Color, spent_ms: int) -> bool:
        """Take what a move has cost and add the increment; False when the flag has fallen instead."""
        rest = self.left_ms[side] - spent_ms
        self.left_ms[side] = max(0, rest) if rest <= 0 else rest + self.control.inc_ms
        return rest > 0

    def face(self, side: chess.Color) -> str:
        """`4:07`, or `0:09.3` when it is getting late."""
        seconds = self.left_ms[side] / 1000
        minutes, rest = divmod(seconds, 60)
        return f"{int(minutes)}:{rest:04.1f}" if seconds < 20 else f"{int(minutes)}:{int(rest):02d}"
