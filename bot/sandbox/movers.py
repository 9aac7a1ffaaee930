"""Where an opponent's moves come from: dice, a script, or a UCI engine."""

import asyncio
import random
import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import chess

from bot.sandbox.uci_engine import ELO, NoEngineError, Options, Tell, Thought, UciEngine, find_engine

LONGEST_THINK_MS = 100  # an opponent is there to be played against, not to win the machine
SHORTEST_THINK_MS = 5
SHARE_OF_CLOCK = 60
RANDOM_RATING = 700
ENGINE_RATING = 2600
LONGEST_NAME = 20
PLAIN_NAMES = {"random": "RandomMover", "script": "Scripted", "silent": "Silent", "leaver": "Leaver"}
IDLE_AFTER = {"silent": 0, "leaver": 1}  # moves of its own, unless said


class Turn(NamedTuple):
    game_id: str
    board: chess.Board
    left_ms: int | None  # on the mover's clock; None: no clock


class Mover(Protocol):
    def can_play(self, board: chess.Board) -> bool: ...

    async def choose(self, turn: Turn) -> Thought:
        """A legal move of `turn.board`, which is not over."""

    async def close(self) -> None: ...


class RandomMover:
    """Any legal move, all alike; plays every variant."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def can_play(self, board: chess.Board) -> bool:  # noqa: ARG002  - it knows every board
        return True

    async def choose(self, turn: Turn) -> Thought:
        return Thought(self._rng.choice(list(turn.board.legal_moves)), None)

    async def close(self) -> None:
        """Nothing is held."""


class ScriptedMover:
    """Plays its side of a line, ply by ply, in UCI or SAN; where the line ends or does not fit, at random."""

    def __init__(self, line: Sequence[str], rng: random.Random) -> None:
        self._line = line
        self._off_the_line = RandomMover(rng)

    def can_play(self, board: chess.Board) -> bool:
        return self._off_the_line.can_play(board)

    async def choose(self, turn: Turn) -> Thought:
        ply = len(turn.board.move_stack)
        move = read_move(turn.board, self._line[ply]) if ply < len(self._line) else None
        return await self._off_the_line.choose(turn) if move is None else Thought(move, None)

    async def close(self) -> None:
        """Nothing is held."""


class GoneAway(Exception):  # noqa: N818  what a player does, not a failure
    """The mover closes the page instead of moving."""


class IdleMover:
    """Some moves at random, and then none: it sits there, or it leaves."""

    def __init__(self, moves: int, rng: random.Random, *, leaves: bool) -> None:
        self._moves = moves
        self._leaves = leaves
        self._before = RandomMover(rng)

    def can_play(self, board: chess.Board) -> bool:
        return self._before.can_play(board)

    async def choose(self, turn: Turn) -> Thought:
        """GoneAway: it has left. One that stays never returns, and waits to be cancelled."""
        if len(turn.board.move_stack) // 2 < self._moves:
            return await self._before.choose(turn)
        if self._leaves:
            raise GoneAway
        await asyncio.Event().wait()
        raise AssertionError

    async def close(self) -> None:
        """Nothing is held."""


class EngineMover:
    """A UCI engine, thinking for a moment; should it fail for good, the game goes on at random."""

    def __init__(self, engine: UciEngine, options: Options, rng: random.Random, tell: Tell) -> None:
        self._engine = engine
        self._options = options
        self._stand_in = RandomMover(rng)
        self._tell = tell

    def can_play(self, board: chess.Board) -> bool:
        return self._engine.can_play(board)

    async def choose(self, turn: Turn) -> Thought:
        try:
            return await self._engine.think(turn.board, think_ms(turn.left_ms), turn.game_id, self._options)
        except NoEngineError as error:
            self._tell(f"{turn.game_id}: a random move, because {error}")
            return await self._stand_in.choose(turn)

    async def close(self) -> None:
        await self._engine.close()


class Spec(NamedTuple):
    """One word of `--opponents`."""

    kind: str  # random, script, silent, leaver or engine
    text: str = ""  # the line of a script, how many moves before idling, the name or path of an engine
    elo: int | None = None

    @property
    def account_name(self) -> str:
        if self.kind != "engine":
            return PLAIN_NAMES[self.kind]
        program = re.split(r"[/\\]", self.text)[-1].removesuffix(".exe")
        strength = "" if self.elo is None else str(self.elo)
        plain = re.sub(r"[^A-Za-z0-9_-]", "", program)[: LONGEST_NAME - len(strength)].strip("-_")
        return (plain if len(plain) > 1 else "engine").capitalize() + strength

    @property
    def rating(self) -> int:
        if self.kind == "engine":
            return self.elo or ENGINE_RATING
        return 1500 if self.kind == "script" else RANDOM_RATING


def parse_specs(text: str) -> list[Spec]:
    """`random,stockfish:1500,script:e4 e5 Nf3,silent:3,leaver`; ValueError says what cannot be read."""
    return [_parse_spec(word.strip()) for word in text.split(",") if word.strip()]


def _parse_spec(word: str) -> Spec:
    if word == "random":
        return Spec("random")
    if word.startswith("script:"):
        line = word.removeprefix("script:").split()
        wrong = [move for move in line if not re.fullmatch(r"[A-Za-z0-9@=+#-]{2,8}", move)]
        if wrong or not line:
            raise ValueError(f"a script is a line of moves (script:e4 e5 Nf3), and {word!r} is none")
        return Spec("script", " ".join(line))
    kind, _, moves = word.partition(":")
    if kind in IDLE_AFTER:
        if moves and not moves.isdecimal():
            raise ValueError(f"{kind}:3 idles after three moves, and {word!r} says no number")
        return Spec(kind, moves or str(IDLE_AFTER[kind]))
    engine, colon, strength = word.rpartition(":")
    if not colon or re.search(r"[/\\]", strength):  # the colon of C:\engines is no strength
        return Spec("engine", word)
    if not strength.isdecimal() or not engine:
        raise ValueError(f"an engine's strength is an Elo number (stockfish:1500), and {word!r} has none")
    return Spec("engine", engine, int(strength))


async def make_mover(spec: Spec, rng: random.Random, tell: Tell) -> Mover:
    """The mover `spec` asks for, its engine running. NoEngineError: there is no such engine."""
    match spec.kind:
        case "random":
            return RandomMover(rng)
        case "script":
            return ScriptedMover(spec.text.split(), rng)
        case "silent" | "leaver":
            return IdleMover(int(spec.text), rng, leaves=spec.kind == "leaver")
    engine = UciEngine(find_engine(spec.text), tell)
    await engine.start()
    return EngineMover(engine, strength_options(engine, spec.elo, tell), rng, tell)


def strength_options(engine: UciEngine, elo: int | None, tell: Tell) -> Options:
    """The UCI options for playing at `elo`, or as near as the engine offers; what was bent is told."""
    if elo is None:
        return {}
    offered = engine.elo_range()
    if offered is None:
        tell(f"{engine.name} cannot be told a strength: it plays as well as it can, not at {elo}")
        return {}
    nearest = min(max(elo, offered[0]), offered[1])
    if nearest != elo:
        tell(f"{engine.name} offers {offered[0]} to {offered[1]}: it plays at {nearest}, not at {elo}")
    return {"UCI_LimitStrength": True, ELO: nearest}


def think_ms(left_ms: int | None) -> int:
    if left_ms is None:
        return LONGEST_THINK_MS
    return max(SHORTEST_THINK_MS, min(LONGEST_THINK_MS, left_ms // SHARE_OF_CLOCK))


def read_move(board: chess.Board, text: str) -> chess.Move | None:
    """A legal move written in UCI or SAN; None when it is neither."""
    for read in (board.parse_uci, board.parse_san):
        try:
            move = read(text)
        except ValueError:
            continue
        if move:  # `0000` and `--` are read as passing
            return move
    return None
