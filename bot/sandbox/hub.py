"""Who listens to what, and the order in which they hear it.

A message published while another is being delivered waits its turn: a listener may act on the world at once,
and still nobody hears the answer before the question. A listener must not raise.
"""

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

Listener = Callable[[Any], None]
Unsubscribe = Callable[[], None]


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
