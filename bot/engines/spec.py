"""Which engine plays what: the specs an operator writes, and the order in which they fit a game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bot.game.nouns import STANDARD_SETUPS, Speed

OptionValue = str | int | bool


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """One `[[engines]]` of the configuration. `speeds` None: all. `start_s`: patience for the handshake."""

    name: str
    command: tuple[str, ...]
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    protocol: Literal["uci", "xboard"] = "uci"
    variants: frozenset[str] = STANDARD_SETUPS
    speeds: frozenset[Speed] | None = None
    processes: int = 1
    ponder: bool = True
    cwd: str | None = None
    start_s: float = 120.0

    def fits(self, variant: str, speed: Speed) -> bool:
        return variant in self.variants and (self.speeds is None or speed in self.speeds)


def ranked(specs: Sequence[EngineSpec], variant: str, speed: Speed) -> tuple[EngineSpec, ...]:
    """Those that fit, the most specific first: one that names speeds before one for all, then the one that
    names fewer variants, then fewer speeds, then as written.
    """
    fitting = [spec for spec in specs if spec.fits(variant, speed)]
    return tuple(sorted(fitting, key=_generality))


def _generality(spec: EngineSpec) -> tuple[bool, int, int]:
    return spec.speeds is None, len(spec.variants), len(spec.speeds or ())
