"""What was played against whom: so that the same opponent does not see the same opening again and again."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping

from bot.game.nouns import GameId

OPPONENTS = 1000
POSITIONS = 400  # of each opponent
# Given an opponent's id: for each position (Polyglot's key) the moves played there in earlier games.
History = Callable[[str], Mapping[int, Iterable[str]]]


class Memory:
    """Lives as long as the process; the oldest is forgotten first."""

    def __init__(self) -> None:
        self._played: OrderedDict[str, OrderedDict[int, dict[GameId, str]]] = OrderedDict()

    def note(self, opponent: str, key: int, game: GameId, move: str) -> None:
        positions = self._played.setdefault(opponent, OrderedDict())
        positions.setdefault(key, {})[game] = move
        positions.move_to_end(key)
        self._played.move_to_end(opponent)
        if len(positions) > POSITIONS:
            positions.popitem(last=False)
        if len(self._played) > OPPONENTS:
            self._played.popitem(last=False)

    def times(self, opponent: str, key: int, game: GameId) -> Counter[str]:
        """How often each move was played here against them, in other games than this."""
        positions = self._played.get(opponent)
        there = positions.get(key, {}) if positions is not None else {}
        return Counter(move for other, move in there.items() if other != game)
