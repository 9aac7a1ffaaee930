"""One whole Lichess in memory: accounts, challenges, games, and the streams that follow them.

Synchronous, without I/O, for one thread. The time comes from `now_ms`, chance from `rng`; a method returns or
raises `Refusal`; whatever is published reaches its listeners during the call, in order.
"""

import random
from collections.abc import Callable, Iterable
from typing import Any

from bot.sandbox import views
from bot.sandbox.clock import Now
from bot.sandbox.core import AI_TURN, DEADLINE, EVERYTHING, LICHESS, PRESENCE, Unsubscribe
from bot.sandbox.lobby import challenge_topic
from bot.sandbox.match import AiTurn, Match, ai_turn
from bot.sandbox.reading import Reading
from bot.sandbox.records import match_from_json, match_to_json
from bot.sandbox.refusal import Json, Refusal, refuse
from bot.sandbox.shelf import game_topic
from bot.sandbox.spectators import Watch

__all__ = ["AiTurn", "Listener", "Unsubscribe", "World"]
Listener = Callable[[Json | None], None]  # None: this stream ends, cleanly
FORMAT = 1


class World(Reading):
    """Things are done in its rooms (`accounts`, `lobby`, `games`, `arenas` …); here is who listens, what is
    due, and what is kept.
    """

    # streams

    def subscribe_events(self, user_id: str, listener: Listener) -> Unsubscribe:
        """First each running game, the most urgent first, then the challenges waiting; then what happens."""
        account = self.accounts.require(user_id)
        self.tick()
        games = [
            {
                "type": "gameStart",
                "game": views.game_info(match, self._side(match, account.id), self.now_ms()),
            }
            for match in self.games.ongoing(account.id)
        ]
        first = [*games, *self.lobby.replayed(account.id)]
        return self._core.hub.subscribe(("events", account.id), listener, *first)

    def subscribe_game(self, game_id: str, user_id: str, listener: Listener) -> Unsubscribe:
        """First the whole game; after its last state (at once when it is over) the end."""
        match, side = self.games.mine(game_id, user_id)
        if self.accounts.require(user_id).is_bot and not views.suits_bots(match):
            raise refuse("This game cannot be played with the Bot API.")
        first = (views.game_full(match, self.now_ms()), *((None,) if match.is_over else ()))
        return self._core.hub.subscribe(game_topic(match.id, side), listener, *first)

    def subscribe_challenge(self, challenge_id: str, listener: Listener) -> Unsubscribe:
        """The challenge, kept alive as long as somebody listens; then what became of it, and the end."""
        challenge = self.lobby.find(challenge_id)
        first: tuple[Json | None, ...] = (self.lobby.shown(challenge, "out"),)
        if not challenge.is_active:
            first = (*first, {"done": challenge.status}, None)
        return self._core.hub.subscribe(challenge_topic(challenge_id), listener, *first)

    def subscribe_spectator(self, game_id: str, listener: Listener) -> Unsubscribe:
        """The game, its moves three plies late, the game once more when it is over, and the end."""
        return self.games.gallery.enter(self.games.get(game_id), listener)

    def subscribe_games(self, watch: Watch, ids: Iterable[str], listener: Listener) -> Unsubscribe:
        """Those of `ids` that `watch` is of, or all of them under its name; then what begins or ends."""
        return self.games.gallery.watch(watch, self._found(ids), listener)

    def add_to_watch(self, name: str, ids: Iterable[str]) -> bool:
        """More games for the stream of that name; False when there is none."""
        return self.games.gallery.add(name, self._found(ids))

    def _found(self, ids: Iterable[str]) -> list[Match]:
        return [match for each in ids if (match := self.games.find(each)) is not None]

    def subscribe_ai(self, listener: Callable[[AiTurn], None]) -> Unsubscribe:
        """Asked wherever the built-in AI is to move, now and from now on; `games.ai_move` answers."""
        turns = [
            turn for match in self.games.ongoing() if (turn := ai_turn(match, self.now_ms())) is not None
        ]
        return self._core.hub.subscribe(AI_TURN, listener, *turns)

    def subscribe_all(self, listener: Callable[[str, Json], None]) -> Unsubscribe:
        """Everything at once, for tables and measurements, as a kind and facts.

        gameStart, move, gameFinish: id, status, ply, match. challenge, challengeDone: id, status, challenge.
        """
        return self._core.hub.subscribe(EVERYTHING, lambda news: listener(*news))

    def subscribe_presence(self, listener: Callable[[str], None]) -> Unsubscribe:
        """Told who has come or gone: of whom a stream was opened, or the last of its kind closed."""
        return self._core.hub.subscribe(PRESENCE, listener)

    def subscribe_deadline(self, listener: Callable[[], None]) -> Unsubscribe:
        """Called whenever `next_deadline_ms` may have come nearer."""
        return self._core.hub.subscribe(DEADLINE, lambda _: listener())

    # presence, told by the server and by opponents that live in the same process

    def stream_opened(self, user_id: str, game_id: str | None = None) -> None:
        """`user_id` follows the events (None) or a game. Counted: two opened need two closed."""
        self._core.presence.opened(user_id, game_id)
        self._look_at(user_id, game_id)
        self._core.hub.publish(PRESENCE, user_id)

    def stream_closed(self, user_id: str, game_id: str | None = None) -> None:
        if self._core.presence.closed(user_id, game_id):
            self._look_at(user_id, game_id)
            self._core.hub.publish(PRESENCE, user_id)

    def _look_at(self, user_id: str, game_id: str | None) -> None:
        match = next((each for each in self.games.ongoing() if each.id == game_id), None)
        side = match.color_of(user_id) if match else None
        if match is not None and side is not None:
            self.games.gone.look_at(match, side)
            self._core.touch()

    # time

    def next_deadline_ms(self) -> int | None:
        """The wall time at which `tick` has something to do; None: nothing is pending."""
        rooms = (self.games, self.lobby, self.arenas)
        times = [room.next_deadline_ms() for room in rooms]
        return min((at_ms for at_ms in times if at_ms is not None), default=None)

    def tick(self) -> None:
        """Do what is due: flags, expiry, first moves, days a turn, word of who has left. Safe at any time."""
        self.games.tick()
        self.lobby.tick()
        self.arenas.tick()

    def restart_bonus(self, ms: int = 15_000) -> None:
        """The time Lichess adds to every clock after a restart."""
        self.games.restart_bonus(ms)

    def upgrade(self, user_id: str) -> None:
        """Make an account a bot, for good; refused once it has played."""
        account = self.accounts.require(user_id)
        if account.games_played or any(match.color_of(account.id) is not None for match in self.games.all()):
            raise refuse("You can only upgrade accounts that have not played any game")
        account.upgrade()

    # the whole as JSON

    def save(self) -> Json:
        """All that must survive a restart, in plain JSON types. Who listens is not part of it."""
        now_ms = self.now_ms()
        return {
            "format": FORMAT,
            "saved_at_ms": now_ms,
            "people": self.accounts.to_json(),
            "games": [match_to_json(match, now_ms) for match in self.games.all()],
            "challenges": self.lobby.to_json(),
            "chat": self.games.chatroom.to_json(),
            "day_cap": self.games.day_cap.to_json(),
            "teams": self.teams.to_json(),
            "arenas": self.arenas.to_json(),
            "cloud": self.cloud.to_json(),
        }

    @classmethod
    def load(cls, data: Any, *, now_ms: Now, rng: random.Random, site: str = LICHESS) -> "World":
        """The world that was saved. ValueError says what is wrong.

        Running clocks go on from where they stood: nobody is charged for the time the sandbox was off.
        """
        world = cls(now_ms=now_ms, rng=rng, site=site)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(f"this is no saved world of format {FORMAT}")
        try:
            world.accounts.fill(data["people"])
            for each in data["games"]:
                world.games.put(match_from_json(each, now_ms()))
            world.lobby.fill(data["challenges"])
            world.games.chatroom.fill(data["chat"])
            world.games.day_cap.fill(data["day_cap"])
            world.teams.fill(data.get("teams", []))  # files of older sandboxes have none of these
            world.arenas.fill(data.get("arenas", []))
            world.cloud.fill(data.get("cloud", []))
        except (KeyError, TypeError, ValueError, AttributeError, Refusal) as error:
            raise ValueError(f"this is no saved world: {error}") from error
        return world
