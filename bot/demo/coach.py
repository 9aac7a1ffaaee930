"""The coach: what the bot thinks while it thinks, and what the moves of a finished game were worth.

It hears the facts the service tells and asks the service's engines; it never touches a game.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from bot.demo.judgement import for_white, share, verdict
from bot.demo.rules import position_at, san_line
from bot.engines.orders import Order
from bot.engines.pool import Pool
from bot.engines.process import LINES
from bot.engines.spec import OptionValue
from bot.game.boards import board_of
from bot.game.clockwork import Allowance
from bot.game.facts import Fact, GameClosed, GameOpened, MovePlayed, PliesSeen, ThoughtGrew
from bot.game.nouns import GameId, GameInfo, Position, Score, Speed, Thought

Json = dict[str, Any]
KEPT = 64  # games; the oldest are forgotten
REVIEW_MS = 120  # for each position
PATIENCE_MS = 60_000  # a review waits for everybody who plays
LINES_SHOWN = 3
WAITING = 64  # what a page has not fetched; it wants the newest only


class Notes:
    """Of one game: its moves so far, and what was thought in the position at hand."""

    def __init__(self, info: GameInfo) -> None:
        self.info = info
        self.moves: tuple[str, ...] = ()
        self.over = False

    def position(self, ply: int) -> Position:
        whole = Position(self.info.variant, self.info.initial_fen, self.moves)
        return position_at(whole, ply)

    def heard(self, ply: int, thought: Thought, *, final: bool) -> Json:
        """One line for the page: the best so far, and what else was looked at."""
        numbers = {"depth": thought.depth, "nodes": thought.nodes, "nps": thought.nps}
        others = [self._line(ply, other) for other in thought.others]
        line = {"ply": ply, "final": final, "source": thought.source, "others": others}
        return line | numbers | self._line(ply, thought)

    def _line(self, ply: int, thought: Thought) -> Json:
        score = None if thought.score is None else for_white(thought.score, self.info.we_are_white)
        pv = thought.pv or (thought.uci,)
        return {"uci": thought.uci, "pv": san_line(self.position(ply), pv), **shown(score)}


def shown(score: Score | None) -> Json:
    """White's score for the page: its text, and the share of a point it promises White."""
    if score is None:
        return {"score": None, "share": None}
    over = {100_000: "1-0", -100_000: "0-1"}
    return {"score": over.get(score.as_cp, str(score)), "share": round(share(score), 4)}


class Coach:
    """A witness of the service."""

    def __init__(self) -> None:
        self._games: dict[GameId, Notes] = {}
        self._ears: dict[GameId, set[asyncio.Queue[Json]]] = {}

    def __call__(self, fact: Fact) -> None:
        match fact:
            case GameOpened(info=info, state=state):
                self._games.setdefault(info.id, Notes(info)).moves = state.moves
                while len(self._games) > KEPT:
                    self._games.pop(next(iter(self._games)))
            case PliesSeen(game=game, state=state) | GameClosed(game=game, state=state):
                if notes := self._games.get(game):
                    notes.moves, notes.over = state.moves, state.is_over
            case ThoughtGrew(game=game, ply=ply, thought=thought):
                self._tell(game, ply, thought, final=False)
            case MovePlayed(game=game, ply=ply, thought=thought):
                self._tell(game, ply, thought, final=True)

    def options(self, info: GameInfo) -> Mapping[str, OptionValue]:
        """For the engine in this game: somebody who looks on wants to see more than the best line."""
        return {LINES: LINES_SHOWN} if self._ears.get(info.id) else {}

    def notes(self, game: str) -> Notes | None:
        return self._games.get(GameId(game))

    async def follow(self, game: str) -> AsyncIterator[Json]:
        """What is thought in a game, for ever; whoever listens slowly misses the older of it."""
        ear: asyncio.Queue[Json] = asyncio.Queue(WAITING)
        ears = self._ears.setdefault(GameId(game), set())
        ears.add(ear)
        try:
            while True:
                yield await ear.get()
        finally:
            ears.discard(ear)

    def _tell(self, game: GameId, ply: int, thought: Thought, *, final: bool) -> None:
        notes, ears = self._games.get(game), self._ears.get(game)
        if notes is None or not ears or ply > len(notes.moves):
            return
        line = notes.heard(ply, thought, final=final)
        for ear in ears:
            if ear.full():
                ear.get_nowait()
            ear.put_nowait(line)


async def review(notes: Notes, pool: Pool) -> AsyncIterator[Json]:
    """Each position of a game with its score and, from the first move on, what the move to it was worth."""
    game = GameId(f"review of {notes.info.id}")
    before, best = None, ""
    try:
        for ply in range(len(notes.moves) + 1):
            position = notes.position(ply)
            white = board_of(position).turn
            thought = await _judged(position, game, notes.info.speed, pool)
            score = for_white(thought.score or Score(cp=0), white)
            line: Json = {"ply": ply, **shown(score), "best": best, "verdict": ""}
            if before is not None:
                line["verdict"] = verdict(before, score, not white).word
            yield line
            before, best = score, next(iter(san_line(position, (thought.uci,))), "")
    finally:
        await pool.forget(game)


async def _judged(position: Position, game: GameId, speed: Speed, pool: Pool) -> Thought:
    """By an engine at full strength, or by the rules where the game is over."""
    board = board_of(position)
    if board.is_game_over():
        return Thought("0000", "rules", _by_the_rules(board.result(), board.turn))
    order = Order(
        game=game,
        position=position,
        we_are_white=board.turn,
        speed=speed,
        allowance=Allowance(None, None, 0, 0, REVIEW_MS, PATIENCE_MS, None),
        asked_at=asyncio.get_running_loop().time(),
    )
    return await pool.think(order, lambda _: None)


def _by_the_rules(result: str, white: bool) -> Score:
    if result not in {"1-0", "0-1"}:
        return Score(cp=0)
    return Score(cp=100_000) if (result == "1-0") is white else Score(mate=0)
