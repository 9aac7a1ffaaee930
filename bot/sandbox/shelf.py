"""Where games are kept: found, begun, listened to and closed. What players do in them is `games.py`."""

import chess

from bot.sandbox import views
from bot.sandbox.ai_turns import ai_turn
from bot.sandbox.chatroom import SYSTEM, Chatroom, Line
from bot.sandbox.core import AI_TURN, EVERYTHING, Core
from bot.sandbox.daycap import DayCap
from bot.sandbox.gone import GoneWatch, game_topic
from bot.sandbox.match import Match
from bot.sandbox.people import Account
from bot.sandbox.refusal import Json, not_found
from bot.sandbox.results import settle
from bot.sandbox.seats import Seat, both
from bot.sandbox.spectators import Gallery
from bot.sandbox.speeds import TimeControl
from bot.sandbox.variants import VARIANTS, Variant, checked_fen, random_start

ID_LENGTH = 8


class Shelf:
    """All games by id, the running ones apart, and the ears that follow them."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._matches: dict[str, Match] = {}
        self._running: dict[str, Match] = {}
        self.chatroom = Chatroom()
        self.gone = GoneWatch(core)
        self.gallery = Gallery(core.hub)
        self.day_cap = DayCap()

    def _now(self) -> int:
        return self._core.now_ms()

    def get(self, game_id: str) -> Match:
        """By its id of 8 letters, or a player's of 12."""
        match = self.find(game_id)
        if match is None:
            raise not_found("No such game")
        return match

    def find(self, game_id: str) -> Match | None:
        return self._matches.get(game_id[:ID_LENGTH])

    def all(self) -> list[Match]:
        return list(self._matches.values())

    def ongoing(self, user_id: str | None = None) -> list[Match]:
        """The running games (of one user), the most urgent first: those to move in, then by time left."""
        now_ms = self._now()
        if user_id is None:
            return list(self._running.values())
        mine = [
            (match, side) for match in self._running.values() if (side := match.color_of(user_id)) is not None
        ]
        mine.sort(key=lambda each: (each[0].turn is not each[1], each[0].left_ms(each[1], now_ms)))
        return [match for match, _ in mine]

    def free_id(self) -> str:
        while (made := self._core.letters(ID_LENGTH)) in self._matches:
            pass
        return made

    def start(
        self,
        white: Seat,
        black: Seat,
        *,
        control: TimeControl,
        variant: str = "standard",
        initial_fen: str | None = None,
        rated: bool = False,
        source: str = "friend",
        rules: frozenset[str] = frozenset(),
        game_id: str | None = None,
        tournament_id: str | None = None,
    ) -> Match:
        """Begin a game and tell its players. ValueError for a position that cannot be played."""
        match = Match(
            game_id or self.free_id(),
            VARIANTS[variant],
            control,
            both((white, black)),
            self._now(),
            initial_fen=self._first_position(VARIANTS[variant], initial_fen),
            rated=rated and white.is_rated and black.is_rated,
            source=source,
            rules=rules,
            tournament_id=tournament_id,
        )
        return self._begin(match)

    def _begin(self, match: Match) -> Match:
        between_bots = all(seat.is_bot for seat in match.seats.values())
        for seat in match.seats.values():
            seat.player_id = self._core.letters(4)
            if between_bots:
                self.day_cap.count(seat.user_id or "", self._now())
        self.put(match)
        self._tell_players("gameStart", match)
        self._told("gameStart", match)
        self._call_ai(match)
        return match

    def _first_position(self, variant: Variant, asked_for: str | None) -> str | None:
        drawn = random_start(self._core.rng) if variant.key == "chess960" else None
        return checked_fen(variant, asked_for) or drawn

    def put(self, match: Match) -> None:
        """Take a game on the shelf, new or from a file."""
        self._matches[match.id] = match
        if not match.is_over:
            self._running[match.id] = match
            self._core.presence.began(match)
            for side in chess.COLORS:
                self.gone.look_at(match, side)
            self._core.touch()

    def seat_for(self, account: Account, perf: str) -> Seat:
        """`account` as a player of a game that counts in `perf`."""
        if account.is_anonymous:
            return Seat(account.id, account.name, is_anonymous=True)
        rating = account.perfs[perf]
        return Seat(account.id, account.name, account.title, rating.rating, rating.provisional)

    def tick(self) -> None:
        """End what time has ended, and look after whoever has left."""
        for match in list(self._running.values()):
            self._expire(match)
        self.gone.tick()

    def next_deadline_ms(self) -> int | None:
        times = [match.deadline_ms for match in self._running.values()]
        return min((at_ms for at_ms in (*times, self.gone.next_ms) if at_ms is not None), default=None)

    def _at(self, game_id: str) -> Match:
        """The game as it stands now: what its clock has decided by now is carried out first."""
        match = self.get(game_id)
        self._expire(match)
        return match

    def mine(self, game_id: str, user_id: str) -> tuple[Match, chess.Color]:
        match = self._at(game_id)
        side = match.color_of(user_id)
        if side is None:
            raise not_found("Not your game")
        return match, side

    def _players(self, match: Match) -> list[Account | None]:
        return [self._core.accounts.get(seat.user_id or "") for seat in match.seats.values()]

    def _expire(self, match: Match) -> None:
        if match.expire(self._now()):
            self._close(match)

    def _close(self, match: Match) -> None:
        """Once for each game, when it is over: results, the last state, the end of its streams, the news."""
        if not match.is_over or self._running.pop(match.id, None) is None:
            return
        settle(match, self._core.accounts)
        self.gone.forget(match)
        self._core.presence.forget(match)
        self._push_state(match)
        for side in chess.COLORS:
            self._core.hub.end(game_topic(match.id, side))
        self._tell_players("gameFinish", match)
        self._told("gameFinish", match)

    def _push_state(self, match: Match) -> None:
        state = views.game_state(match, self._now())
        for side in chess.COLORS:
            self._core.hub.publish(game_topic(match.id, side), state)
        self.gallery.follow(match)
        self._core.touch()

    def _tell_players(self, kind: str, match: Match) -> None:
        for side, seat in match.seats.items():
            if seat.user_id is not None:
                game = views.game_info(match, side, self._now())
                self._core.hub.publish(("events", seat.user_id), {"type": kind, "game": game})

    def _told(self, kind: str, match: Match) -> None:
        facts: Json = {"id": match.id, "status": match.status.label, "ply": match.ply, "match": match}
        self._core.hub.publish(EVERYTHING, (kind, facts))

    def _announce(self, match: Match, text: str, *, lasting: bool = True) -> None:
        """The server speaks to players and spectators. Only what lasts is kept; an AI is not spoken to."""
        if match.has_ai:
            return
        for room in ("spectator", "player"):
            line = Line(room, SYSTEM, text)
            if lasting and room == "player":
                self.chatroom.keep(match.id, line)
            self._hear(match, room, views.chat_line(line))

    def _hear(self, match: Match, room: str, line: Json) -> None:
        """A line reaches the game streams; the spectators' room is heard by bots alone."""
        for side, seat in match.seats.items():
            if room == "player" or seat.is_bot:
                self._core.hub.publish(game_topic(match.id, side), line)

    def _call_ai(self, match: Match) -> None:
        if turn := ai_turn(match, self._now()):
            self._core.hub.publish(AI_TURN, turn)
