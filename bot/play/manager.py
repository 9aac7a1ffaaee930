"""The account: its stream, its challenges, its slots. One task a game; every event inside its own guard.

What to accept and when is decided by `bot.game.lobby`; here it is carried out. Slots follow from the tasks
that live, and once a minute the books are held against Lichess's own list.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bot.errors import BadToken, LichessError, Unreachable
from bot.game import facts, lobby
from bot.game.lobby import Capacity, Lobby
from bot.game.nouns import Challenge, ChallengeId, GameBrief, GameId, Player
from bot.game.policy import is_own
from bot.game.verdict import DeclineReason, Verdict
from bot.lichess import lines
from bot.lichess.client import MOST_GAMES
from bot.play.games import Games
from bot.play.listening import listen
from bot.play.reception import Reception
from bot.play.table import Table
from bot.play.walltime import wall_ms

REPLAY_S = 2.0  # what comes so soon after the stream was opened had begun before
CHALLENGES_KEPT = 500
RECONCILE_S = 60.0  # how often, at least, the books are held against Lichess's own list
ROOM_PATIENCE_S = 1.5  # for a game that is about to end


@dataclass(frozen=True, slots=True)
class House:
    """The operator's rules for the account as a whole."""

    capacity: Capacity
    check_s: float = 60.0  # how often sleeping correspondence games are looked at
    variants: frozenset[str] = frozenset()
    once: bool = False  # leave after the first game


class Manager:
    """Run it; `drain` asks it to come to an end."""

    def __init__(
        self,
        table: Table,
        account: lines.Account,
        house: House,
        reception: Reception,
        takebacks: Callable[[GameId], Awaitable[int]],
    ) -> None:
        self.account, self.lobby = account, Lobby(house.capacity)
        self.games = Games(table, self._ended, takebacks)
        self._table, self._house, self._reception = table, house, reception
        self._challenges: OrderedDict[ChallengeId, Challenge] = OrderedDict()
        self._opened_at: float | None = None
        self._check_in_at = 0.0
        self._done, self._room = asyncio.Event(), asyncio.Event()
        self._alarm: asyncio.TimerHandle | None = None
        self._jobs: set[asyncio.Task[None]] = set()
        self._failed: BaseException | None = None
        self._is_leaving = False

    async def run(self) -> None:
        """Until drained; BadToken when Lichess does not know our token any more. Games are not resigned."""
        self._loop = asyncio.get_running_loop()
        keepers = [
            self._start(self._listen(), "listen"),
            self._start(self._reconcile_for_ever(), "reconcile"),
        ]
        keepers.append(self._start(self._engines(), "engines"))
        try:
            await self._done.wait()
        finally:
            self._is_leaving = True
            if self._alarm is not None:
                self._alarm.cancel()
            for task in (*keepers, *self._jobs):
                task.cancel()
            await asyncio.gather(*self._jobs, return_exceptions=True)
            await self.games.close()
        if self._failed is not None:
            raise self._failed

    def drain(self) -> None:
        """No new games; `run` returns when those with a clock are over."""
        self._tell_lobby(lobby.Draining(draining=True))

    def recall(self, games: Iterable[tuple[float, str, GameId]]) -> None:
        """Games of the last day, before this start: when (wall seconds), with whom, which."""
        self._reception.recall(games)

    # --- the stream of the account

    async def _listen(self) -> None:
        try:
            await listen(self._table.lichess, self._on, self._table.tell)
        except BadToken as error:
            self._failed = error
            self._done.set()

    def _on(self, event: lines.AccountEvent) -> None:
        match event:
            case lines.Opened():
                self._opened_at, self._check_in_at = self._loop.time(), 0.0
                self._table.tell(facts.ConnectionChanged("online", self.account.name, wall_ms()))
                self._start(self._reconcile(), "look")
            case lines.GameStarted(brief=brief):
                self._tell_lobby(lobby.GameBegan(brief, live=not self._is_replay))
            case lines.GameFinished(brief=brief):
                self.games.finished(brief)
                if brief.rating_diff is not None:
                    self._table.tell(facts.GameRated(brief.id, brief.rating_diff, wall_ms()))
            case lines.ChallengeSeen():
                self._challenged(event)
            case lines.ChallengeCanceled(id=id_):
                self._tell_lobby(lobby.ChallengeWithdrawn(id_))
            case lines.ChallengeDeclined(id=id_, reason=reason):
                if id_ in self.lobby.ours:  # our own no comes back to us, too
                    self._table.tell(facts.ChallengeGone(id_, reason, wall_ms()))
                self._tell_lobby(lobby.ChallengeRefused(id_))
            case lines.Unknown(kind=kind, why=why):
                self._trouble("line_unread", f"{kind}: {why}")
            case lines.Ended():
                self._opened_at = None

    @property
    def _is_replay(self) -> bool:
        return self._opened_at is None or self._loop.time() - self._opened_at < REPLAY_S

    # --- challenges

    def _challenged(self, event: lines.ChallengeSeen) -> None:
        challenge = event.challenge
        self._challenges[challenge.id] = challenge
        if len(self._challenges) > CHALLENGES_KEPT:
            self._challenges.popitem(last=False)
        if is_own(challenge, self.account.id):
            self._tell_lobby(lobby.ChallengeSent(challenge))
        elif event.for_bots:
            self._start(self._consider(challenge), "consider")
        else:
            verdict = Verdict(accept=False, reason=DeclineReason.GENERIC, why="Lichess keeps it from bots")
            self._tell_lobby(lobby.ChallengeArrived(challenge, verdict))

    async def _consider(self, challenge: Challenge) -> None:
        verdict = await self._reception.judge(
            challenge, self.account, self._table.lichess, self._running_with, self._house.variants
        )
        self._tell_lobby(lobby.ChallengeArrived(challenge, verdict))
        if any(waiting.challenge.id == challenge.id for waiting in self.lobby.queue):
            why = "the engines are not ready yet" if not self.lobby.ready else "all games are taken"
            self._judged(challenge.id, "queued", "", why)

    def _running_with(self, player: Player | None) -> int:
        return lobby.held_by(self.lobby, player.id) if player else 0

    async def _accept(self, id_: ChallengeId) -> None:
        challenge = self._challenges.get(id_)
        who = challenge.challenger.id if challenge and challenge.challenger else None
        try:
            await self._table.lichess.accept(id_, opponent=who or "")
        except Unreachable as error:
            self._trouble("accept_unsure", f"{id_}: {error}")  # the promise ends by itself if no game begins
        except LichessError as error:
            self._tell_lobby(lobby.AcceptFailed(id_, str(error)))
            self._judged(id_, "dropped", "", str(error))
        else:
            self._judged(id_, "accepted", "", "")

    async def _decline(self, command: lobby.DeclineChallenge) -> None:
        self._judged(command.id, "declined", command.reason.value, command.why)
        try:
            await self._table.lichess.decline(command.id, command.reason.value)
        except LichessError as error:
            self._trouble("decline_refused", f"{command.id}: {error}")

    def _judged(self, id_: ChallengeId, verdict: str, reason: str, why: str) -> None:
        challenge = self._challenges.get(id_)
        if challenge is not None:
            self._table.tell(facts.ChallengeJudged(challenge, verdict, reason, why, wall_ms()))

    # --- slots and games

    def _tell_lobby(self, event: lobby.LobbyEvent) -> None:
        self.lobby, commands = lobby.step(self.lobby, event, self._loop.time())
        self._obey(commands)

    def _obey(self, commands: tuple[lobby.LobbyCommand, ...]) -> None:
        for command in commands:
            match command:
                case lobby.AcceptChallenge(id=id_):
                    self._start(self._accept(id_), "accept")
                case lobby.DeclineChallenge():
                    self._start(self._decline(command), "decline")
                case lobby.ForgetChallenge(id=id_, why=why):
                    self._table.tell(facts.ChallengeGone(id_, why, wall_ms()))
                case lobby.PlayGame(brief=brief):
                    self._play(brief)
                case lobby.AbortSurplus(brief=brief):
                    self._start(self._abort(brief), "abort")
        self._set_alarm()
        idle = not self.lobby.promised and not self.games.on_the_clock
        if self.lobby.draining and idle:
            self._done.set()

    def _play(self, brief: GameBrief) -> None:
        challenge = self._challenges.get(ChallengeId(brief.id))
        is_rematch = challenge is not None and challenge.rematch_of is not None
        self._reception.tally.began(brief.id, brief.opponent, rematch=is_rematch)
        is_new = challenge is not None or not self._is_replay  # what we saw being asked for began just now
        self.games.play(brief, resumed=brief.has_moved or not is_new)

    async def _abort(self, brief: GameBrief) -> None:
        """A game nobody promised and nobody has room for; if it cannot be undone it is played after all.

        Not at once: where one game is over the next may begin before our books say so.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(ROOM_PATIENCE_S):
                while not lobby.free(self.lobby):
                    self._room.clear()
                    await self._room.wait()
        if lobby.free(self.lobby) and not self.lobby.draining:
            self._tell_lobby(lobby.GameBegan(brief, live=False))
            return
        try:
            await self._table.lichess.abort(brief.id)
            self._trouble("surplus_aborted", f"{brief.id}: there was no room for it")
        except LichessError:
            self._tell_lobby(lobby.GameBegan(brief, live=False))

    def _ended(self, game: GameId) -> None:
        if self._house.once:
            self._tell_lobby(lobby.Draining(draining=True))
        self._loop.call_soon(self._leave, game)  # after its task has left the books

    def _leave(self, game: GameId) -> None:
        self._tell_lobby(lobby.GameEnded(game))
        self._room.set()

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        at = lobby.wake_at(self.lobby)
        if at is not None:
            self._alarm = self._loop.call_at(at, self._tell_lobby, lobby.TimePassed())

    async def _engines(self) -> None:
        """Challenges wait until somebody can think about them."""
        waits = [asyncio.create_task(event.wait()) for event in self._table.pool.ready.values()]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        self._tell_lobby(lobby.EnginesReady(ready=True))

    async def _reconcile_for_ever(self) -> None:
        while True:
            await asyncio.sleep(min(RECONCILE_S, self._house.check_s))
            await self._reconcile()

    async def _reconcile(self) -> None:
        try:
            listed = await self._table.lichess.playing()
        except LichessError as error:
            self._trouble("list_of_games_failed", str(error))
            return
        in_hand, whole = self.games.in_hand, len(listed) < MOST_GAMES
        if self._loop.time() >= self._check_in_at:
            self._check_in_at = self._loop.time() + self._house.check_s
            self.games.check_in(listed)
        self.lobby, commands = lobby.reconcile(self.lobby, listed, in_hand, self._loop.time(), complete=whole)
        self._obey(commands)

    # --- odds and ends

    def _start(self, job: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(job, name=name)
        self._jobs.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._jobs.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        self._trouble(f"{task.get_name()}_failed", f"{type(error).__name__}: {error}")
        if self._is_leaving:
            return
        if task.get_name() == "listen":  # without it we are deaf
            self._start(self._listen(), "listen")
        elif task.get_name() == "reconcile":
            self._start(self._reconcile_for_ever(), "reconcile")

    def _trouble(self, what: str, detail: str) -> None:
        self._table.tell(facts.Trouble(what, detail, wall_ms()))
