"""What every room of the world shares: the time, the dice, the people, the ears, and who is there."""

import random
import string
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from bot.sandbox.accounts import Accounts
from bot.sandbox.clock import Now
from bot.sandbox.presence import Presence

Listener = Callable[[Any], None]
Unsubscribe = Callable[[], None]
LICHESS = "https://lichess.org"
_LETTERS = string.ascii_letters + string.digits
DEADLINE = ("deadline",)  # topic: something may be due earlier than it was
EVERYTHING = ("all",)  # topic: (kind, facts) for tables and measurements
PRESENCE = ("presence",)  # topic: a user of whom a stream was opened or closed
AI_TURN = ("ai",)  # topic: the built-in AI is to move


@dataclass(eq=False)
class _Ear:
    listener: Listener
    is_open: bool = True


class Hub:
    """Topics and their listeners. The message `None` is the last a listener hears."""

    def __init__(self) -> None:
        self._topics: dict[Hashable, list[_Ear]] = {}
        self._waiting: deque[tuple[_Ear, Any]] = deque()
        self._delivering = False

    def subscribe(self, topic: Hashable, listener: Listener, *first: Any) -> Unsubscribe:
        """Hear `first`, then what is published about `topic`; but a None at the end of `first` is the end.

        What is returned may be called more than once.
        """
        ear = _Ear(listener)
        if not first or first[-1] is not None:
            self._topics.setdefault(topic, []).append(ear)
        self._waiting.extend((ear, message) for message in first)
        self._deliver()
        return lambda: self._drop(topic, ear)

    def publish(self, topic: Hashable, message: Any) -> None:
        self._waiting.extend((ear, message) for ear in self._topics.get(topic, ()))
        self._deliver()

    def end(self, topic: Hashable) -> None:
        """All who listen hear the end, and nobody is left."""
        self._waiting.extend((ear, None) for ear in self._topics.pop(topic, ()))
        self._deliver()

    def is_heard(self, topic: Hashable) -> bool:
        return bool(self._topics.get(topic))

    def _drop(self, topic: Hashable, ear: _Ear) -> None:
        ear.is_open = False
        ears = self._topics.get(topic, [])
        if ear in ears:
            ears.remove(ear)
        if not ears:
            self._topics.pop(topic, None)

    def _deliver(self) -> None:
        if self._delivering:
            return
        self._delivering = True
        try:
            while self._waiting:
                ear, message = self._waiting.popleft()
                if ear.is_open:
                    ear.is_open = message is not None
                    ear.listener(message)
        finally:
            self._delivering = False


@dataclass
class Core:
    now_ms: Now
    rng: random.Random
    site: str = LICHESS
    hub: Hub = field(default_factory=Hub)
    accounts: Accounts = field(init=False)
    presence: Presence = field(init=False)

    def __post_init__(self) -> None:
        self.accounts = Accounts(self.now_ms, self.rng)
        self.presence = Presence(self.now_ms)

    def letters(self, count: int) -> str:
        return "".join(self.rng.choices(_LETTERS, k=count))

    def touch(self) -> None:
        """Time has a new appointment: whoever keeps the watch should look again."""
        self.hub.publish(DEADLINE, ())
