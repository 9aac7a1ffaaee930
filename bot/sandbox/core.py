"""What every room of the world shares: the time, the dice, the people, the ears, and who is there."""

import random
import string
from dataclasses import dataclass, field

from bot.sandbox.accounts import Accounts
from bot.sandbox.clock import Now
from bot.sandbox.hub import Hub
from bot.sandbox.presence import Presence

LICHESS = "https://lichess.org"
_LETTERS = string.ascii_letters + string.digits
DEADLINE = ("deadline",)  # topic: something may be due earlier than it was
EVERYTHING = ("all",)  # topic: (kind, facts) for tables and measurements
PRESENCE = ("presence",)  # topic: a user of whom a stream was opened or closed
AI_TURN = ("ai",)  # topic: the built-in AI is to move


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
