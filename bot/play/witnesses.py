"""Everybody who hears the facts. One who fails is told of once, and harms neither the game nor the others."""

from collections import deque
from collections.abc import Callable

from bot.game.facts import Fact, ThoughtGrew, Trouble, Witness
from bot.play.walltime import wall_ms

REMEMBERED = 10_000  # facts for those who come late: a second of start-up is far below that


class Witnesses:
    """Itself a witness."""

    def __init__(self, *first: Witness) -> None:
        self._all: list[Witness] = list(first)
        self._broken: set[Witness] = set()
        self._early: deque[Fact] | None = deque(maxlen=REMEMBERED)

    def __call__(self, fact: Fact) -> None:
        if self._early is not None and not isinstance(fact, ThoughtGrew):
            self._early.append(fact)
        for witness in tuple(self._all):
            self._tell(witness, fact)

    def join(self, *late: Witness) -> Callable[[], None]:
        """They hear what was told before, while that is remembered; the result makes them leave again."""
        for witness in late:
            for fact in tuple(self._early or ()):
                self._tell(witness, fact)
            self._all.append(witness)

        def leave() -> None:
            self._all = [witness for witness in self._all if witness not in late]

        return leave

    def remembers(self, kind: type[Fact]) -> bool:
        """Whether such a fact is kept for somebody who has not come yet."""
        return any(isinstance(fact, kind) for fact in self._early or ())

    def forget_early(self) -> None:
        """Everybody is here: from now on nothing is kept."""
        self._early = None

    def _tell(self, witness: Witness, fact: Fact) -> None:
        try:
            witness(fact)
        except Exception as error:  # noqa: BLE001  the boundary: told, and everybody else hears the fact
            if witness not in self._broken:
                self._broken.add(witness)
                self(Trouble("witness_failed", f"{type(error).__name__}: {error}", wall_ms()))
