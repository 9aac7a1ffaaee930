"""How often we have played whom of late: what the caps of the policy are held against."""

from collections import deque
from collections.abc import Callable, Iterable

from bot.game.nouns import GameId, Player

HOUR_S, DAY_S = 3600.0, 86_400.0


def key_of(player: Player | None) -> str:
    """Everybody without an account is one and the same to us."""
    return (player.id if player else None) or "?"


class Tally:
    """Of the last day. `now_s` is the time of day: what it counts survives restarts."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._games: deque[tuple[float, str, GameId]] = deque()
        self._known: set[GameId] = set()
        self._rematches: dict[str, int] = {}

    def load(self, games: Iterable[tuple[float, str, GameId]]) -> None:
        """What the database knows of the last day; what was counted meanwhile is kept."""
        merged = {game: (at_s, who) for at_s, who, game in (*games, *self._games)}
        self._games = deque(sorted((at_s, who, game) for game, (at_s, who) in merged.items()))
        self._known = set(merged)

    def began(self, game: GameId, opponent: Player, *, rematch: bool) -> None:
        """Once for each game, however often it is told."""
        if game in self._known:
            return
        who = key_of(opponent)
        self._known.add(game)
        self._games.append((self._now_s(), who, game))
        self._rematches[who] = self._rematches.get(who, 0) + 1 if rematch else 0

    def within(self, opponent: Player | None, seconds: float) -> int:
        """Games begun against this opponent in the last so many seconds, a day at most."""
        self._forget()
        since, who = self._now_s() - seconds, key_of(opponent)
        return sum(1 for at_s, name, _ in self._games if name == who and at_s > since)

    def rematches_in_a_row(self, opponent: Player | None) -> int:
        return self._rematches.get(key_of(opponent), 0)

    def _forget(self) -> None:
        while self._games and self._games[0][0] < self._now_s() - DAY_S:
            self._known.discard(self._games.popleft()[2])
