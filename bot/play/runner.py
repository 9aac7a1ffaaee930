"""One game, from its first line to its last: what happened goes into `session.step`, what comes out is done.

Nothing here decides anything about the game. Every command runs as a task of its own, so that no chat, no
engine and no slow answer can keep a line of the stream, or our next move, waiting.
"""

import asyncio
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any

from bot.errors import LichessError, RateLimited, Refused
from bot.game import commands as do
from bot.game import events as on
from bot.game import facts
from bot.game.nouns import GameBrief, State, Thought
from bot.game.session import Phase, Session, open_game, step, wake_at
from bot.lichess.lines import Unknown
from bot.play.following import follow
from bot.play.inbox import Inbox
from bot.play.table import Table
from bot.play.thinker import Thinker
from bot.play.walltime import wall_ms

LAST_ANSWER_S = 2.0  # the line that ends a game may overtake the answer to our last move
LEAVING_S = 0.5  # the same for a move that is under way when we are told to leave
UNKNOWN = 1_000_000  # takebacks given before a restart: until somebody says how many, none is left to give
TICKETS_KEPT = 4  # a move may be confirmed after the next question was asked


def result_of(state: State, we_are_white: bool) -> str:
    """For us: win, loss, draw or aborted."""
    if state.status in {"aborted", "noStart"} and state.winner is None:
        return "aborted"
    if state.winner is None:
        return "draw"
    return "win" if state.winner is we_are_white else "loss"


class Runner:
    """Runs until the game is over or has vanished; a visit, also when it is the opponent's turn."""

    def __init__(self, table: Table, brief: GameBrief, *, resumed: bool, visit: bool = False) -> None:
        self.brief = brief
        self.game: Session = open_game(
            table.manners_for(brief), resumed=resumed, takebacks_given=UNKNOWN if resumed else 0
        )
        self.lag = table.clock.first_lag
        self.last_thought: Thought | None = None
        self.vanished = False
        self._table, self._resumed, self._visit = table, resumed, visit
        self._thinker = Thinker(table, self._grew)
        self._inbox = Inbox()
        self._jobs: set[asyncio.Task[None]] = set()
        self._search: asyncio.Task[None] | None = None
        self._stream: asyncio.Task[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._asked: dict[int, do.Think] = {}
        self._found: dict[int, Thought] = {}

    async def run(self) -> None:
        """Play. Cancelled, it leaves the game as it is: whoever runs it next goes on with it."""
        self._loop = asyncio.get_running_loop()
        self._reconnect()
        try:
            while not self._is_done:
                self._handle(await self._inbox.get())
        finally:
            await self._clear()
        await self._table.pool.forget(self.brief.id)

    def recall_takebacks(self, given: int) -> None:
        """How many were given in this game before we took it up."""
        self.game = replace(self.game, takebacks_given=given)

    @property
    def is_over(self) -> bool:
        return self.vanished or self.game.phase is Phase.OVER

    @property
    def _is_done(self) -> bool:
        return self.is_over or (self._visit and self.game.phase is Phase.WAITING and not self._jobs)

    def _handle(self, event: on.Event) -> None:
        """One event inside its own guard: a fault of ours must not make this game deaf."""
        before = self.game
        try:
            self.game, commands = step(before, event)
            self._witness(before, event)
            for command in commands:
                self._obey(command)
        except Exception as error:  # noqa: BLE001  the boundary: told, and the game goes on
            self._trouble("event_failed", f"{type(event).__name__}: {type(error).__name__}: {error}")
        self._set_alarm()

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        at = wake_at(self.game)
        if at is not None:
            self._alarm = self._loop.call_at(at, self._ring, at)

    def _ring(self, at: float) -> None:
        self._inbox.put(on.TimePassed(max(at, self._loop.time())))

    async def _clear(self) -> None:
        """A move that is on its way may be seen and told; everything else stops where it is."""
        if self._alarm is not None:
            self._alarm.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_ANSWER_S if self.is_over else LEAVING_S):
                while not self.is_over and self.game.phase is Phase.SENDING:
                    self._handle(await self._inbox.get())
                if moves := {task for task in self._jobs if task.get_name() == "move"}:
                    await asyncio.wait(moves)
        if self._alarm is not None:
            self._alarm.cancel()
        tasks = [*self._jobs, *([self._stream] if self._stream else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- doing

    def _obey(self, command: do.Command) -> None:
        lichess, game = self._table.lichess, self.brief.id
        match command:
            case do.Think():
                self._stop_search()
                self._search = self._start(self._think(command), "think")
            case do.StopThinking():
                self._stop_search()
            case do.PlayMove():
                self._start(self._send(command), "move")
            case do.Reconnect():
                self._reconnect()
            case do.Abort():
                self._start(self._attempt(lichess.abort(game)), "abort")
            case do.Resign():
                self._start(self._attempt(lichess.resign(game)), "resign")
            case do.AnswerDraw(accept=accept):
                self._start(self._attempt(lichess.draw(game, accept)), "draw")
            case do.AnswerTakeback(accept=accept):
                self._start(self._attempt(lichess.takeback(game, accept)), "takeback")
                if accept:
                    self._table.tell(facts.TakebackGiven(game, wall_ms()))
            case do.ClaimVictory():
                self._start(self._attempt(lichess.claim_victory(game)), "claim_victory")
            case do.ClaimDraw():
                self._start(self._attempt(lichess.claim_draw(game)), "claim_draw")
            case do.Say(room=room, text=text):
                self._table.desk.say(game, room, text)
            case do.AnswerChat(room=room, name=name, text=text):
                self._table.desk.answer(self, room, name, text)

    def _start(self, job: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(job, name=name)
        self._jobs.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._jobs.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._trouble(f"{task.get_name()}_failed", f"{type(error).__name__}: {error}")
        if self._visit and not self._jobs:
            self._ring(0.0)  # the loop looks whether this visit is done

    def _stop_search(self) -> None:
        if self._search is not None:
            self._search.cancel()
            self._search = None

    def _reconnect(self) -> None:
        if self._stream is not None:
            self._stream.cancel()
        self._stream = asyncio.create_task(self._follow(), name=f"stream {self.brief.id}")

    async def _follow(self) -> None:
        def unread(line: Unknown) -> None:
            self._trouble("line_unread", f"{line.kind}: {line.why}")

        await follow(self._table.lichess, self.brief.id, self._inbox.put, unread)
        self.vanished = True
        self._trouble("game_vanished", "Lichess does not know it any more")
        self._ring(0.0)

    async def _attempt(self, call: Awaitable[object]) -> None:
        """A command whose refusal changes nothing: the stream tells what is true."""
        try:
            await call
        except LichessError as error:
            task = asyncio.current_task()
            self._trouble(f"{task.get_name() if task else 'command'}_refused", str(error))

    async def _think(self, think: do.Think) -> None:
        assert self.game.info is not None  # a question is asked of a game that was seen
        self._asked[think.ticket] = think
        thought = await self._thinker.find(think, self.game.info, self.lag.estimate_ms)
        self.last_thought = self._found[think.ticket] = thought
        for kept in (self._asked, self._found):
            kept.pop(think.ticket - TICKETS_KEPT, None)
        self._inbox.put(on.MoveFound(think.ticket, thought, self._loop.time()))

    async def _send(self, command: do.PlayMove) -> None:
        try:
            trip_ms = await self._table.lichess.move(
                self.brief.id, command.uci, offer_draw=command.offer_draw
            )
        except RateLimited as error:
            self._failed(command, on.Failure.LIMITED, error)
        except Refused as error:
            self._failed(command, on.Failure.REFUSED, error)
        except LichessError as error:
            self._failed(command, on.Failure.UNSURE, error)
        else:
            self._inbox.put(on.MoveSent(command.ticket, self._loop.time()))
            self.lag = self.lag.heard(trip_ms)
            self._tell_move(command)

    def _failed(self, command: do.PlayMove, failure: on.Failure, error: LichessError) -> None:
        self._inbox.put(on.MoveFailed(command.ticket, failure, str(error), self._loop.time()))
        self._trouble(f"move_{failure.value}", f"{command.uci}: {error}")

    # --- telling

    def _tell_move(self, command: do.PlayMove) -> None:
        think, thought = self._asked.get(command.ticket), self._found.get(command.ticket)
        if think is None or thought is None:
            return
        spent_ms = round((self._loop.time() - think.seen_at) * 1000)
        left_ms = max(0, think.state.left_ms(think.we_are_white) - spent_ms)
        ply, lag_ms, drawn = think.position.ply, self.lag.estimate_ms, command.offer_draw
        self._table.tell(
            facts.MovePlayed(self.brief.id, ply, thought, spent_ms, left_ms, lag_ms, drawn, wall_ms())
        )

    def _grew(self, thought: Thought) -> None:
        self.last_thought = thought
        ply = self.game.state.ply if self.game.state else 0
        self._table.tell(facts.ThoughtGrew(self.brief.id, ply, thought, wall_ms()))

    def _witness(self, before: Session, event: on.Event) -> None:
        tell, game, state = self._table.tell, self.brief.id, self.game.state
        if isinstance(event, on.ChatSeen):
            tell(facts.ChatHeard(game, event.room, event.name, event.text, wall_ms()))
        if isinstance(event, on.GameSeen) and before.state is None:
            tell(facts.GameOpened(event.info, event.state, self._resumed, wall_ms()))
        elif state is not None and before.state is not None and before.state.moves != state.moves:
            tell(facts.PliesSeen(game, state, wall_ms()))
        if self.game.phase is Phase.OVER and before.phase is not Phase.OVER and state is not None:
            tell(facts.GameClosed(game, state, result_of(state, self.brief.we_are_white), wall_ms()))

    def _trouble(self, what: str, detail: str) -> None:
        self._table.tell(facts.Trouble(what, detail, wall_ms(), self.brief.id))
