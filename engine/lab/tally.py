"""The score of a match so far, from the first engine's point of view. Pure."""

import math
from collections import Counter
from typing import Any

from engine.lab import elo
from engine.lab.adjudicate import DRAW, WHITE


class Tally:
    """Games come in any order; games 2k and 2k+1 are the pair of one opening."""

    def __init__(self, names: tuple[str, str], sprt: elo.Sprt | None = None) -> None:
        self.names, self.sprt = names, sprt
        self.wins = self.draws = self.losses = 0
        self.pairs = [0] * 5  # pairs that brought 0, ½, 1, 1½, 2 points
        self.as_white, self.as_black = [0, 0, 0], [0, 0, 0]  # wins, draws, losses
        self.faults: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self.warnings: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self.endings: Counter[str] = Counter()
        self._halves: dict[int, int] = {}  # pair -> half-points of its one game finished so far

    def add(self, number: int, white: int, result: str, reason: str) -> None:
        """`white`: which engine had White, 0 or 1."""
        half_points = 1 if result == DRAW else 2 if (result == WHITE) == (white == 0) else 0
        self.wins += half_points == 2
        self.draws += half_points == 1
        self.losses += half_points == 0
        (self.as_white, self.as_black)[white][2 - half_points] += 1
        self.endings[reason] += 1
        other = self._halves.pop(number // 2, None)
        if other is None:
            self._halves[number // 2] = half_points
        else:
            self.pairs[half_points + other] += 1

    def blame(self, engine: int, kind: str) -> None:
        self.faults[engine][kind] += 1

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def estimate(self) -> elo.Estimate:
        return elo.estimate(self.wins, self.draws, self.losses, self.pairs)

    @property
    def ratio(self) -> float:
        """Log-likelihood ratio of the SPRT over finished pairs; 0 without one."""
        if not self.sprt:
            return 0.0
        return elo.log_likelihood_ratio(elo.pentanomial(self.pairs), self.sprt.elo0, self.sprt.elo1)

    @property
    def verdict(self) -> str:
        return self.sprt.verdict(self.ratio) if self.sprt else ""

    def line(self) -> str:
        guess = self.estimate
        words = [
            f"+{self.wins} ={self.draws} -{self.losses}",
            f"{100 * self.score:.1f} %",
            f"Elo {guess.elo:+.1f} ± {guess.error:.1f}",
            f"LOS {100 * guess.los:.1f} %",
        ]
        if self.sprt:
            words.append(f"LLR {self.ratio:+.2f} ({self.sprt.lower:.2f}, {self.sprt.upper:.2f})")
        return "  ".join(words)

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON: what is infinite is null."""
        guess = self.estimate
        sprt = None
        if self.sprt:
            sprt = self.sprt._asdict() | {
                "lower": self.sprt.lower,
                "upper": self.sprt.upper,
                "llr": self.ratio,
                "verdict": self.verdict,
            }
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "as_white": self.as_white,
            "as_black": self.as_black,
            "pairs": self.pairs,
            "score": self.score,
            "elo": _finite(guess.elo),
            "error": _finite(guess.error),
            "los": guess.los,
            "sprt": sprt,
            "endings": dict(self.endings.most_common()),
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
