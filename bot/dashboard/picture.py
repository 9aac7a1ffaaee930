"""The whole picture but for what is looked up: facts are folded in, a frozen snapshot comes out. Pure.

picture.tell(fact) -> the names of the sections of the page that changed
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from bot.dashboard.results import Key, Results
from bot.dashboard.snapshot import Asked, Snapshot, Survived, asked_of
from bot.dashboard.watched import GameView, Watched
from bot.game import facts
from bot.game.nouns import GameId
from bot.store.openings import Openings, own_openings
from bot.store.rows import GameRow, kind_of, perf_of

RECENT_KEPT = 20
CLOSED_KEPT = 20  # games that are over and can still be looked at without the database
CHALLENGES_KEPT = 20
TROUBLES_KEPT = 30
COUNTED_KEPT = 1000  # games whose end was counted: it may be told twice
SERVICE, RESULTS, RECENT, CHALLENGES, TROUBLES = "service", "results", "recent", "challenges", "troubles"
NOTHING: frozenset[str] = frozenset()


def of_game(game: str) -> str:
    """Its board, and what is thought about it."""
    return f"game/{game}"


def of_moves(game: str) -> str:
    """All that is known of it: too much to be told with every thought."""
    return f"moves/{game}"


class Picture:
    def __init__(self, names: Openings | None = None) -> None:
        self._names = names or own_openings()
        self._games: dict[GameId, Watched] = {}
        self._closed: OrderedDict[GameId, Watched] = OrderedDict()
        self._counted: OrderedDict[GameId, None] = OrderedDict()
        self._rest = Snapshot()  # all but the games
        self.ends = 0  # how many games have been counted

    @property
    def rest(self) -> Snapshot:
        """Everything but the games."""
        return self._rest

    @property
    def running(self) -> tuple[GameId, ...]:
        return tuple(self._games)

    def snapshot(self) -> Snapshot:
        games = {game: watched.view() for game, watched in self._games.items()}
        closed = {game: watched.view() for game, watched in self._closed.items()}
        return replace(self._rest, games=games, closed=closed)

    def knows(self, game: str) -> bool:
        return game in self._games or game in self._closed

    def game(self, game: str) -> GameView | None:
        """One that runs, or was over lately."""
        watched = self._games.get(GameId(game)) or self._closed.get(GameId(game))
        return watched.view() if watched else None

    def remember(self, results: Results, recent: Iterable[GameRow], asked: Iterable[Asked]) -> None:
        """What the database knows, this life's games included; what it does not know yet is kept."""
        known = {row.id: row for row in (*recent, *reversed(self._rest.recent))}
        rows = sorted(known.values(), key=lambda row: -(row.ended_ms or 0))
        told = {each.id for each in self._rest.challenges}
        older = [each for each in asked if each.id not in told]
        self._rest = replace(
            self._rest,
            results=results,
            recent=tuple(rows[:RECENT_KEPT]),
            challenges=(*self._rest.challenges, *older)[:CHALLENGES_KEPT],
        )

    def tell(self, fact: facts.Fact) -> frozenset[str]:
        match fact:
            case facts.GameOpened():
                return self._open(fact)
            case facts.GameClosed():
                return self._close(fact)
            case facts.GameRated():
                return self._rate(fact)
            case facts.PliesSeen() | facts.ThoughtGrew() | facts.MovePlayed() | facts.ChatHeard():
                return self._go_on(fact)
            case facts.ConnectionChanged():
                self._rest = replace(self._rest, connection=fact)
                return frozenset({SERVICE})
            case facts.ChallengeJudged() | facts.ChallengeGone():
                return self._judge(fact)
            case facts.Trouble():
                return self._survive(fact)
            case facts.EngineChanged():
                return frozenset({SERVICE})
            case facts.TakebackGiven():
                return NOTHING

    # --- games

    def _open(self, fact: facts.GameOpened) -> frozenset[str]:
        game = fact.info.id
        known = self._games.get(game) or self._closed.pop(game, None)
        if known is None:
            known = Watched(fact, self._names)
        else:
            known.tell(fact)
        self._games[game] = known
        return frozenset({of_game(game), of_moves(game)})

    def _go_on(
        self, fact: facts.PliesSeen | facts.ThoughtGrew | facts.MovePlayed | facts.ChatHeard
    ) -> frozenset[str]:
        watched = self._games.get(fact.game) or self._closed.get(fact.game)
        if watched is None:
            return NOTHING
        watched.tell(fact)
        if isinstance(fact, facts.ThoughtGrew):
            return frozenset({of_game(fact.game)})
        return frozenset({of_game(fact.game), of_moves(fact.game)})

    def _close(self, fact: facts.GameClosed) -> frozenset[str]:
        watched = self._games.pop(fact.game, None)
        if watched is None:
            return NOTHING
        watched.tell(fact)
        self._closed[fact.game] = watched
        while len(self._closed) > CLOSED_KEPT:
            self._closed.popitem(last=False)
        self._count(watched.row, fact)
        return frozenset({of_game(fact.game), of_moves(fact.game), RESULTS, RECENT})

    def _count(self, row: GameRow, fact: facts.GameClosed) -> None:
        if row.id in self._counted:
            return
        self._counted[row.id] = None
        while len(self._counted) > COUNTED_KEPT:
            self._counted.popitem(last=False)
        self.ends += 1
        key = Key(str(row.info.speed), kind_of(row.info.opponent))
        results = self._rest.results.counted(key, fact.result, fact.when_ms)
        recent = (row, *(old for old in self._rest.recent if old.id != row.id))[:RECENT_KEPT]
        self._rest = replace(self._rest, results=results, recent=recent)

    def _rate(self, fact: facts.GameRated) -> frozenset[str]:
        watched = self._games.get(fact.game) or self._closed.get(fact.game)
        if watched is None:
            return NOTHING
        watched.tell(fact)
        row = watched.row
        recent = tuple(
            replace(old, rating_diff=fact.rating_diff) if old.id == row.id else old
            for old in self._rest.recent
        )
        ratings = dict(self._rest.ratings)
        if row.info.us.rating is not None:
            ratings[perf_of(row.info.variant, row.info.speed)] = row.info.us.rating + fact.rating_diff
        self._rest = replace(self._rest, recent=recent, ratings=ratings)
        return frozenset({of_game(fact.game), of_moves(fact.game), RECENT, SERVICE})

    # --- the account

    def _judge(self, fact: facts.ChallengeJudged | facts.ChallengeGone) -> frozenset[str]:
        if isinstance(fact, facts.ChallengeGone):
            kept = tuple(
                each._replace(verdict="gone", why=fact.why)
                if each.id == fact.challenge and each.verdict == "queued"
                else each
                for each in self._rest.challenges
            )
        else:
            asked = asked_of(fact)
            others = (each for each in self._rest.challenges if each.id != asked.id)
            kept = (asked, *others)[:CHALLENGES_KEPT]
        self._rest = replace(self._rest, challenges=kept)
        return frozenset({CHALLENGES, SERVICE})

    def _survive(self, fact: facts.Trouble) -> frozenset[str]:
        new = Survived(fact.what, fact.detail, fact.game, fact.when_ms)
        old = self._rest.troubles
        if old and old[0][:3] == new[:3]:
            new, old = new._replace(times=old[0].times + 1), old[1:]
        self._rest = replace(self._rest, troubles=(new, *old)[:TROUBLES_KEPT])
        if fact.what == "game_vanished" and fact.game in self._games:
            del self._games[fact.game]
        return frozenset({TROUBLES})
