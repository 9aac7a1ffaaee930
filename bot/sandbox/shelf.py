"""Where games are kept: found, begun, listened to, watched over while a player is away, and closed.

What players do in them is `games.py`.
"""

import chess

from bot.sandbox import views
from bot.sandbox.accounts import Account, Accounts
from bot.sandbox.chatroom import SYSTEM, Chatroom, Line
from bot.sandbox.core import AI_TURN, EVERYTHING, Core
from bot.sandbox.limits import DayCap
from bot.sandbox.match import Match, ai_turn
from bot.sandbox.presence import SPARE_MS, TICK_MS
from bot.sandbox.refusal import Json, not_found
from bot.sandbox.seats import Seat, both
from bot.sandbox.spectators import Gallery
from bot.sandbox.speeds import TimeControl
from bot.sandbox.variants import VARIANTS, Status, Variant, checked_fen, random_start
from bot.sandbox.views import opponent_gone

Key = tuple[str, chess.Color]
ID_LENGTH = 8


def settle(match: Match, accounts: Accounts) -> None:
    """Count the game for each account, and move the ratings of both if it was rated."""
    if match.status is Status.ABORTED or not match.is_over:
        return
    players = {side: accounts.get(seat.user_id or "") for side, seat in match.seats.items()}
    if match.rated:
        _rate(match, players)
    for side, account in players.items():
        if account is not None:
            account.count_game(rated=match.rated, ai=match.has_ai, score=_score(match, side))


def _rate(match: Match, players: dict[chess.Color, Account | None]) -> None:
    white, black = players[chess.WHITE], players[chess.BLACK]
    if white is None or black is None:
        return
    perfs = {chess.WHITE: white.perfs[match.perf], chess.BLACK: black.perfs[match.perf]}
    ratings = {side: perf.rating for side, perf in perfs.items()}  # both move from where they were
    for side, perf in perfs.items():
        diff = perf.diff(ratings[not side], _score(match, side))
        perf.count(diff)
        match.seats[side].rating_diff = diff


def score_of(match: Match, side: chess.Color) -> float | None:
    """1, ½ or 0 for a game that is over; None for one that was aborted."""
    return None if match.status is Status.ABORTED else _score(match, side)


def _score(match: Match, side: chess.Color) -> float:
    return 0.5 if match.winner is None else float(match.winner is side)


def game_topic(game_id: str, side: chess.Color) -> tuple[str, str, chess.Color]:
    """What the streams of `side` in a game listen to."""
    return ("game", game_id, side)


class GoneWatch:
    """When each absent player of a running, timed game is next looked at."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._next_ms: dict[Key, tuple[int, Match]] = {}
        self._told: set[Key] = set()

    def look_at(self, match: Match, side: chess.Color) -> None:
        """`side` has come or gone, or the game has begun. Only people are announced when they come back."""
        key = (match.id, side)
        seat = match.seats[side]
        timed = match.clock is not None and not match.has_ai and not match.is_over
        if timed and not self._core.presence.has_stream(match, side):
            self._next_ms[key] = (self._core.presence.first_tick_ms(match, side), match)
            return
        self._next_ms.pop(key, None)
        if key in self._told:
            self._told.discard(key)
            if timed and not seat.is_bot:
                self._core.hub.publish(game_topic(match.id, not side), opponent_gone(None))

    def forget(self, match: Match) -> None:
        for side in chess.COLORS:
            self._next_ms.pop((match.id, side), None)
            self._told.discard((match.id, side))

    @property
    def next_ms(self) -> int | None:
        return min((at_ms for at_ms, _ in self._next_ms.values()), default=None)

    def tick(self) -> None:
        now_ms = self._core.now_ms()
        for key, (at_ms, match) in list(self._next_ms.items()):
            if at_ms <= now_ms and key in self._next_ms:
                self._next_ms[key] = (now_ms + TICK_MS, match)
                self._tell(match, key[1], now_ms)

    def _tell(self, match: Match, away: chess.Color, now_ms: int) -> None:
        """Say when the game may be claimed, if it may be at all and the clock does not end it before."""
        waits = self._core.presence.ms_to_claim(match, away)
        if waits is None or not match.is_forfeitable or match.ply < 2:
            return
        if not self._core.presence.is_here(match, not away):
            return
        if waits > 0 and match.left_ms(away, now_ms) <= waits + SPARE_MS:
            return
        self._told.add((match.id, away))
        self._core.hub.publish(game_topic(match.id, not away), opponent_gone(waits))


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
