"""All arenas: joined and left, started, paired and ended as time goes by, their games begun and counted.

Whoever has joined, has not withdrawn and is online is paired: there is no tournament page here to sit on.
"""

from collections.abc import Mapping
from typing import Any

from bot.sandbox.accounts import Account
from bot.sandbox.arena import Arena, arena_json, pairings
from bot.sandbox.challenge import read_wish
from bot.sandbox.core import EVERYTHING, PRESENCE, Core
from bot.sandbox.games import Games
from bot.sandbox.match import Match
from bot.sandbox.refusal import Json, not_found, refuse
from bot.sandbox.shelf import score_of
from bot.sandbox.teams import Teams
from bot.sandbox.variants import Status
from bot.sandbox.views import light_user

WAVE_MS = 1000  # between two rounds of pairing
FEW = 2  # so few may meet again and again


class Arenas:
    def __init__(self, core: Core, games: Games, teams: Teams) -> None:
        self._core = core
        self._games = games
        self._teams = teams
        self._arenas: dict[str, Arena] = {}
        self._next_wave_ms: dict[str, int] = {}
        core.hub.subscribe(EVERYTHING, lambda news: self._on_news(*news))
        core.hub.subscribe(PRESENCE, lambda _: self._on_presence())

    def create(
        self,
        name: str,
        form: Mapping[str, Any],
        *,
        minutes: int = 45,
        starts_in_ms: int = 0,
        bots: bool = False,
        team_id: str | None = None,
        password: str | None = None,
        created_by: str = "lichess",
    ) -> Arena:
        """`form` says what is played, as for a challenge; it needs a clock. 404: no such team."""
        wish = read_wish(form, by_bot=bots, clock_needed=True)
        if not wish.control.is_clock or wish.variant.key == "fromPosition":
            raise refuse("An arena has a clock and a position everybody knows")
        if minutes < 1 or starts_in_ms < 0:
            raise refuse("An arena lasts a minute at least, and does not start in the past")
        if team_id is not None:
            self._teams.get(team_id)
        arena = Arena(
            self._core.letters(8),
            name,
            created_by,
            wish.control,
            wish.variant.key,
            wish.rated,
            minutes,
            self._core.now_ms() + starts_in_ms,
            bots_allowed=bots,
            team_id=team_id,
            password=password,
        )
        self._arenas[arena.id] = arena
        self._core.touch()
        return arena

    def get(self, arena_id: str) -> Arena:
        self.tick()
        arena = self._arenas.get(arena_id)
        if arena is None:
            raise not_found()
        return arena

    def all(self) -> list[Arena]:
        return list(self._arenas.values())

    def allow_bots(self, arena_id: str, allowed: bool) -> None:
        """The organiser changes the switch; bots that are in already stay in."""
        self.get(arena_id).bots_allowed = allowed

    def show(self, arena_id: str, user_id: str | None, page: int = 1) -> Json:
        arena = self.get(arena_id)
        account = self._core.accounts.get(user_id or "")
        welcome = account is None or account.id in arena.entrants or self._is_welcome(arena, account)
        people = {user: light_user(self._core.accounts.require(user)) for user in arena.entrants}
        now_ms = self._core.now_ms()
        shown = arena_json(arena, now_ms, is_welcome=welcome, page=max(1, page), people=people)
        return shown | {"duels": [self._duel(arena, self._games.get(game)) for game in arena.games]}

    def _duel(self, arena: Arena, match: Match) -> Json:
        order = arena.ranking()
        players = [
            {"n": seat.name, "r": seat.rating, "k": order.index(seat.user_id or "") + 1}
            for seat in match.seats.values()
        ]
        return {"id": match.id, "p": players}

    def _is_welcome(self, arena: Arena, account: Account) -> bool:
        barred = account.is_bot and not arena.bots_allowed
        return not barred and (arena.team_id is None or self._teams.has(arena.team_id, account.id))

    def join(self, arena_id: str, user_id: str, password: str | None = None) -> None:
        """400 with lila's words when it may not be."""
        self.tick()
        arena = self._arenas.get(arena_id)
        if arena is None or arena.is_finished:
            raise refuse("This tournament no longer exists")
        account = self._core.accounts.require(user_id)
        is_new = account.id not in arena.entrants
        if is_new and arena.password is not None and arena.password != password:
            raise refuse("Wrong entry code")
        if is_new and not self._is_welcome(arena, account):
            raise refuse("Tournament restrictions")
        arena.enter(account.id, account.perfs[arena.perf].rating)
        self._core.touch()

    def withdraw(self, arena_id: str, user_id: str) -> None:
        self.get(arena_id).leave(user_id, self._core.now_ms())

    def tick(self) -> None:
        """Pair whoever is free, and end what is over; an arena without a game leaves no trace."""
        now_ms = self._core.now_ms()
        for arena in tuple(self._arenas.values()):
            if not arena.is_finished and now_ms >= arena.ends_at_ms:
                arena.finish()
                if not arena.played:
                    del self._arenas[arena.id]
            elif self._pairs_at_ms(arena, now_ms) == now_ms:
                self._next_wave_ms[arena.id] = now_ms + WAVE_MS
                self._pair(arena)

    def next_deadline_ms(self) -> int | None:
        now_ms = self._core.now_ms()
        running = [arena for arena in self._arenas.values() if not arena.is_finished]
        times = [self._pairs_at_ms(arena, now_ms) for arena in running]
        times += [arena.ends_at_ms for arena in running]
        return min((at_ms for at_ms in times if at_ms is not None), default=None)

    def _pairs_at_ms(self, arena: Arena, now_ms: int) -> int | None:
        """When the next games begin, as things stand; None: nobody waits for anybody."""
        at_ms = max(now_ms, arena.starts_at_ms, self._next_wave_ms.get(arena.id, 0))
        if arena.is_finished or at_ms >= arena.closes_at_ms or not self._pairs(arena):
            return None
        return at_ms

    def _pairs(self, arena: Arena) -> list[tuple[str, str]]:
        playing = {seat.user_id for game in arena.games for seat in self._games.get(game).seats.values()}
        present = [
            user
            for user in arena.ranking()
            if not arena.entrants[user].is_away and self._core.presence.is_online(user)
        ]
        free = [user for user in present if user not in playing]
        return pairings(free, arena.entrants, few=len(present) <= FEW)

    def _pair(self, arena: Arena) -> None:
        for white, black in self._pairs(arena):
            game_id = self._games.free_id()
            arena.paired(game_id, white, black)  # before it begins, for it may be over when it has begun
            seats = [
                self._games.seat_for(self._core.accounts.require(user), arena.perf) for user in (white, black)
            ]
            self._games.start(
                *seats,
                control=arena.control,
                variant=arena.variant,
                rated=arena.rated,
                source="arena",
                game_id=game_id,
                tournament_id=arena.id,
            )

    def _on_presence(self) -> None:
        if self._arenas:
            self._core.touch()  # one of them may have waited for somebody

    def _on_news(self, kind: str, facts: Json) -> None:
        match: Match | None = facts.get("match")
        if kind != "gameFinish" or match is None or match.tournament_id not in self._arenas:
            return
        arena = self._arenas[match.tournament_id]
        scores = {seat.user_id or "": score_of(match, side) or 0.0 for side, seat in match.seats.items()}
        arena.count(match.id, scores, match.ply)
        if match.status is Status.NO_START and match.winner is not None:
            loser = match.seats[not match.winner].user_id or ""
            arena.leave(loser, self._core.now_ms())  # who does not move is not paired again
        self._core.touch()

    def to_json(self) -> list[Json]:
        return [arena.to_json() for arena in self._arenas.values()]

    def fill(self, data: list[Json]) -> None:
        """Take over what `to_json` wrote. Refusal: it tells of games or people that are not there."""
        self._arenas = {each["id"]: Arena.from_json(each) for each in data}
        for arena in self._arenas.values():
            for game in arena.games:
                self._games.get(game)
            for user in arena.entrants:
                self._core.accounts.require(user)
