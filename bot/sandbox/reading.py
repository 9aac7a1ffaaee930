"""What may be looked up in the world: people, the games they play, and games as files. Changes nothing."""

import random
from collections.abc import Iterable
from typing import NamedTuple

import chess

from bot.sandbox import records, views
from bot.sandbox.accounts import Account
from bot.sandbox.arenas import Arenas
from bot.sandbox.clock import Now
from bot.sandbox.cloud import Cloud
from bot.sandbox.core import LICHESS, Core
from bot.sandbox.doors import Doors
from bot.sandbox.games import Games
from bot.sandbox.match import Match
from bot.sandbox.refusal import Json
from bot.sandbox.teams import Teams

MAX_PLAYING_SHOWN, MAX_USERS, MAX_STATUSES, MAX_BOTS = 50, 300, 100, 512


class Filter(NamedTuple):
    """Which of a user's games are asked for; None: any."""

    since: int | None
    until: int | None
    vs: str | None
    rated: bool | None
    color: str | None
    ongoing: bool
    finished: bool

    def admits(self, match: Match, user_id: str) -> bool:
        side = match.color_of(user_id)
        return (
            side is not None
            and (self.finished if match.is_over else self.ongoing)
            and (self.since is None or match.created_at_ms >= self.since)
            and (self.until is None or match.created_at_ms <= self.until)
            and (self.vs is None or match.seats[not side].user_id == self.vs.lower())
            and (self.rated is None or match.rated is self.rated)
            and (self.color is None or (self.color == "white") is side)
        )


class Reading:
    """The rooms of the world, and the views over them."""

    def __init__(self, *, now_ms: Now, rng: random.Random, site: str = LICHESS) -> None:
        self._core = Core(now_ms, rng, site)
        self.now_ms = now_ms
        self.accounts = self._core.accounts
        self.games = Games(self._core)
        self.lobby = Doors(self._core, self.games)
        self.teams = Teams(self._core)
        self.arenas = Arenas(self._core, self.games, self.teams)
        self.cloud = Cloud()

    @property
    def site(self) -> str:
        """The origin that stands in every `url`; the server sets it once it knows its port."""
        return self._core.site

    @site.setter
    def site(self, origin: str) -> None:
        self._core.site = origin.rstrip("/")

    def is_online(self, user_id: str) -> bool:
        return self._core.presence.is_online(user_id.lower())

    def follows(self, user_id: str, game_id: str | None = None) -> bool:
        """Whether a stream of `user_id`, of a game or of its events, is open at this moment."""
        return self._core.presence.follows(user_id.lower(), game_id)

    def account(self, user_id: str) -> Json:
        return self._extended(self.accounts.require(user_id))

    def user(self, username: str) -> Json:
        return self._extended(self.accounts.require(username))

    def _extended(self, account: Account) -> Json:
        playing = self.games.ongoing(account.id)
        timed = next((match for match in playing if match.clock is not None), None)
        return views.extended_json(account, self._seen_at_ms(account), self.site, timed, len(playing))

    def _seen_at_ms(self, account: Account) -> int:
        return self.now_ms() if self.is_online(account.id) else self._core.presence.seen_at_ms(account.id)

    def users(self, usernames: Iterable[str]) -> list[Json]:
        """Those of `usernames` that exist, 300 at most."""
        found = [self.accounts.get(name) for name in list(usernames)[:MAX_USERS]]
        return [views.user_json(each, self._seen_at_ms(each)) for each in found if each is not None]

    def users_status(
        self,
        usernames: Iterable[str],
        *,
        with_signal: bool = False,
        with_game_ids: bool = False,
        with_game_metas: bool = False,
    ) -> list[Json]:
        """Who of `usernames` (100 at most) is online, and who plays."""
        asked = {"signal": with_signal, "ids": with_game_ids, "metas": with_game_metas}
        wants = [name for name, wanted in asked.items() if wanted]
        found = [self.accounts.get(name) for name in list(usernames)[:MAX_STATUSES]]
        return [self._status(account, wants) for account in found if account is not None]

    def _status(self, account: Account, wants: list[str]) -> Json:
        playing = next((each for each in self.games.ongoing(account.id) if each.clock is not None), None)
        return views.status_of(account, playing, online=self.is_online(account.id), wants=wants)

    def bots_online(self, nb: int = 100) -> list[Json]:
        """Bots that are there and say something of themselves."""
        bots = [each for each in self.accounts.all() if each.is_bot and each.bio and self.is_online(each.id)]
        shown = bots[: min(MAX_BOTS, max(1, nb))]
        return [views.user_json(bot, self._seen_at_ms(bot)) for bot in shown]

    def playing(self, user_id: str, nb: int = 9) -> Json:
        """The running games of somebody, the most urgent first, and in how many of all it is their move."""
        sides = [(match, self._side(match, user_id)) for match in self.games.ongoing(user_id)]
        shown = [
            views.game_info(*each, self.now_ms()) for each in sides[: min(MAX_PLAYING_SHOWN, max(1, nb))]
        ]
        for game in shown:
            del game["compat"], game["id"]  # these two are said by the stream alone
        return {"nowPlaying": shown, "nbMyTurn": sum(match.turn is side for match, side in sides)}

    def _side(self, match: Match, user_id: str) -> chess.Color:
        side = match.color_of(user_id)
        assert side is not None
        return side

    def crosstable(self, one: str, other: str) -> Json:
        first, second = self.accounts.require(one), self.accounts.require(other)
        return views.crosstable(first, second, self.games.all())

    def export_pgn(self, game_id: str, **options: bool) -> str:
        """`options` as Lichess names them: tags, moves, clocks (all on unless said); others are ignored."""
        wanted = {key: value for key, value in options.items() if key in {"tags", "moves", "clocks"}}
        return records.pgn(self.games.get(game_id), self.site, **wanted)

    def export_json(self, game_id: str, **options: bool) -> Json:
        """`options`: moves (on unless said), clocks, pgnInJson; others are ignored."""
        wanted = {key: value for key, value in options.items() if key in {"moves", "clocks"}}
        with_pgn = options.get("pgnInJson", False)
        return records.game_json(self.games.get(game_id), self.site, with_pgn=with_pgn, **wanted)

    def export_user(
        self,
        username: str,
        *,
        max_games: int | None = None,
        since: int | None = None,
        until: int | None = None,
        vs: str | None = None,
        rated: bool | None = None,
        color: str | None = None,
        ongoing: bool = False,
        finished: bool = True,
    ) -> list[str]:
        """The ids of somebody's games, the newest first; times are wall milliseconds of their beginning."""
        user_id = self.accounts.require(username).id
        wanted = Filter(since, until, vs, rated, color, ongoing, finished)
        found = [match.id for match in reversed(self.games.all()) if wanted.admits(match, user_id)]
        return found[:max_games]
