"""Challenges as they come in: everything the policy wants to know is gathered, then it judges."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from bot.errors import LichessError
from bot.game.facts import Trouble, Witness
from bot.game.nouns import Challenge, GameId, Player
from bot.game.policy import ChallengeFilter, Policy, Situation, judge_all
from bot.game.verdict import DeclineReason, Verdict
from bot.lichess.client import Lichess
from bot.lichess.lines import Account
from bot.lists import Roster
from bot.play.tally import DAY_S, HOUR_S, Tally
from bot.play.walltime import wall_ms

TEAM_PATIENCE_S = 3.0
TALLY_PATIENCE_S = 3.0  # for what the database remembers of the last day


@dataclass(frozen=True, slots=True)
class Rosters:
    """The operator's lists, which change while we run."""

    welcome: Roster
    only: Roster
    block: Roster


class Reception:
    def __init__(
        self,
        policy: Policy,
        rosters: Rosters,
        teams: frozenset[str],
        filters: Sequence[ChallengeFilter],
        tell: Witness,
    ) -> None:
        self._policy, self._rosters, self._teams = policy, rosters, teams
        self._filters, self._tell = filters, tell
        self.tally = Tally(lambda: wall_ms() / 1000)
        caps = [(rules.games_an_hour, rules.games_a_day) for rules in (policy.human, policy.bot)]
        self._counts = any(cap is not None for both in caps for cap in both)
        self._recalled = asyncio.Event()

    def recall(self, games: Iterable[tuple[float, str, GameId]]) -> None:
        """Games of the last day, before this start: when (wall seconds), with whom, which."""
        self.tally.load(games)
        self._recalled.set()

    async def judge(
        self,
        challenge: Challenge,
        account: Account,
        lichess: Lichess,
        running: Callable[[Player | None], int],
        playable: frozenset[str] | None,
    ) -> Verdict:
        """Never raises: what breaks while judging is told, and the challenger asked to come back later."""
        try:
            if self._counts and not self._recalled.is_set():
                await self._memory()
            mates = await self._team_mates(challenge, lichess) if self._teams else None
            situation = self._situation(challenge, account, running(challenge.challenger), mates, playable)
            return judge_all(challenge, self._current_policy(), situation, self._guarded())
        except Exception as error:  # noqa: BLE001  the boundary: one bad challenge must not make us deaf
            self._tell(Trouble("judging_failed", f"{type(error).__name__}: {error}", wall_ms()))
            return Verdict(accept=False, reason=DeclineReason.LATER, why="it could not be judged")

    async def _memory(self) -> None:
        """Whoever had his games for today has had them before a restart, too."""
        with suppress(TimeoutError):
            async with asyncio.timeout(TALLY_PATIENCE_S):
                await self._recalled.wait()

    def _current_policy(self) -> Policy:
        lists = self._rosters
        only = lists.only.names
        if lists.only.is_asked_for and not only:
            only = frozenset({""})  # a list that is empty for now still lets nobody in
        return replace(self._policy, welcome=lists.welcome.names, only=only)

    def _situation(
        self,
        challenge: Challenge,
        account: Account,
        running: int,
        mates: frozenset[str] | None,
        playable: frozenset[str] | None,
    ) -> Situation:
        who = challenge.challenger
        return Situation(
            now=datetime.now().astimezone(),
            our_id=account.id,
            ratings=account.ratings,
            games_running=running,
            games_this_hour=self.tally.within(who, HOUR_S),
            games_today=self.tally.within(who, DAY_S),
            rematches_in_a_row=self.tally.rematches_in_a_row(who),
            team_mates=mates,
            blocked=self._rosters.block.names,
            playable=playable,
        )

    async def _team_mates(self, challenge: Challenge, lichess: Lichess) -> frozenset[str] | None:
        """The challenger, if in one of the teams; nobody if not; None when Lichess would not say in time."""
        who = challenge.challenger
        if who is None or who.id is None:
            return frozenset()
        try:
            async with asyncio.timeout(TEAM_PATIENCE_S):
                theirs = await lichess.teams(who.id)
        except (LichessError, TimeoutError) as error:
            self._tell(Trouble("teams_unknown", f"{who.id}: {error or 'no answer'}", wall_ms()))
            return None
        return frozenset({who.id}) if theirs & self._teams else frozenset()

    def _guarded(self) -> list[ChallengeFilter]:
        return [GuardedFilter(each, self._tell) for each in self._filters]


class GuardedFilter:
    """Somebody's filter: when it breaks it has no opinion, and the operator is told."""

    def __init__(self, inner: ChallengeFilter, tell: Witness) -> None:
        self._inner, self._tell = inner, tell
        self.name = inner.name

    def judge(self, challenge: Challenge, situation: Situation) -> Verdict | None:
        try:
            return self._inner.judge(challenge, situation)
        except Exception as error:  # noqa: BLE001  anybody's plug-in
            self._tell(Trouble("filter_failed", f"{self.name}: {type(error).__name__}: {error}", wall_ms()))
            return None
