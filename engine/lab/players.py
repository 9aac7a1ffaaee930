"""Who plays the games of `krait lab datagen`: our own engine in this process, or any UCI engine over pipes.

Both are told where the end of the run shows: `wake`, a descriptor that is silent while a game is wanted.
"""

import os
import select
import time

from engine import params
from engine.core import order
from engine.core.jit import Record
from engine.core.layout import INFINITE
from engine.core.layout import MATE as ENGINE_MATE
from engine.core.layout import MATE_BOUND as ENGINE_MATE_BOUND
from engine.driver import ASPIRATION_DELTA, ASPIRATION_DEPTH, DEEPEST, WIDEST_DELTA
from engine.lab.selfplay import CP_MOST, MATE, Game, Thought, file_move, move_name, move_named
from engine.lab.settings import EngineSpec
from engine.lab.uci_client import LINE_MAX, Fault, Patience, Stopped, UciEngine
from engine.notation import LETTERS, legal_moves, square_name
from engine.workers import Table, make_worker

BOUNDS = ([b"lowerbound"], [b"upperbound"])
_MEN = f"{LETTERS}."
_GAPS = tuple(("." * width, str(width)) for width in range(8, 0, -1))
HARD_FACTOR = 20  # times the soft limit: a depth that grows beyond is given up


def fen(board: Record) -> str:
    """What `engine.notation.to_fen` says, of standard chess and a good deal sooner."""
    row = "".join([_MEN[man] for man in board["squares"].tolist()])
    placement = "/".join([row[i : i + 8] for i in range(56, -1, -8)])
    for gap, digit in _GAPS:
        placement = placement.replace(gap, digit)
    rights, ep, ply = int(board["castling"]), int(board["ep"]), int(board["ply"])
    castling = "".join([letter for i, letter in enumerate("KQkq") if rights >> i & 1]) or "-"
    passed = square_name(ep) if ep >= 0 else "-"
    return f"{placement} {'wb'[ply % 2]} {castling} {passed} {int(board['rule50'])} {ply // 2 + 1}"


class UciPlayer(UciEngine):
    """A UCI engine for many short searches: one write and as few reads as the engine's flushes allow."""

    title = ""  # what it calls itself

    def __init__(self, spec: EngineSpec, wake: int, patience: Patience) -> None:
        super().__init__(spec, wake, patience)
        self._patience_ms = patience.search_s * 1000
        self._anchor: tuple[Game | None, int, str] = None, 0, ""  # a position, when it stood and its FEN

    def think(self, game: Game, nodes: int) -> Thought:
        self._send(f"position {self._place(game)}\ngo nodes {nodes}")
        said = self._hear_out()
        at = said.rindex(b"bestmove")
        words = said[at:].split()
        return Thought(
            move_named(words[1].decode("utf-8", "replace") if len(words) > 1 else ""), score_said(said[:at])
        )

    def _place(self, game: Game) -> str:
        """The position from the last move on that cannot be taken back: nothing before it can be repeated,
        and replaying a whole game costs Stockfish as much as a hundred nodes.
        """
        begin = len(game.moves) - int(game.board["rule50"])
        if begin == len(game.moves):
            self._anchor = game, begin, f"fen {fen(game.board)}"
        known, ply, text = self._anchor
        if known is not game or ply != begin:  # it was an opening's move
            text, begin = "startpos", 0
        moves = " ".join(map(move_name, game.moves[begin:]))
        return f"{text} moves {moves}" if moves else text

    def _hear_out(self) -> bytes:
        """Everything up to the end of the line with `bestmove`."""
        said, deadline_s = self._buffer, time.monotonic() + self.patience.search_s
        self._buffer = b""
        while True:
            ready = self._poll.poll(self._patience_ms)
            if any(descriptor == self._wake for descriptor, _ in ready):
                raise Stopped
            if not ready or time.monotonic() > deadline_s:
                raise Fault("hang", "no bestmove")
            chunk = os.read(self._out, 1 << 16)
            if not chunk:
                raise self._death()
            said += chunk
            if said.endswith(b"\n") and (said.startswith(b"bestmove") or b"\nbestmove" in said):
                return said
            if len(said) > LINE_MAX:
                raise Fault("disconnect", "it talks without end")

    def _line(self, deadline_ns: int, complaint: str) -> str:
        line = super()._line(deadline_ns, complaint)
        if line.startswith("id name "):
            self.title = line.removeprefix("id name ")
        return line


def score_said(said: bytes) -> int | None:
    """Of the last line that has one, on the file's scale.

    Every fourth search of 500 nodes ends while Stockfish's window fails, and all it says is a bound. Half-way
    between that and the score of the depth before is nearest to what 30,000 nodes say: squared error of the
    winning chance 0.0048, against 0.0079 for the bound and 0.0080 for the older score.
    """
    bound: int | None = None
    at = len(said)
    while (at := said.rfind(b" score ", 0, at)) >= 0:
        words = said[at + 7 : at + 60].split(maxsplit=3)[:3]
        score = _file_scale(words)
        if score is None:
            continue
        if words[2:] not in BOUNDS:
            return score if bound is None else _between(bound, score)
        bound = score if bound is None else bound
    return bound


def _file_scale(words: list[bytes]) -> int | None:
    """Of `cp 12` or `mate -3`; None: neither."""
    match words:
        case [b"cp" | b"mate" as kind, value, *_]:
            try:
                number = int(value)
            except ValueError:
                return None
            if kind == b"cp":
                return max(-CP_MOST, min(CP_MOST, number))
            return MATE - (2 * number - 1) if number > 0 else -(MATE + 2 * number)
    return None


def _between(bound: int, score: int) -> int:
    """A mate has no middle: the newer word counts."""
    if max(abs(bound), abs(score)) > CP_MOST:
        return bound
    return (bound + score) // 2


class OwnPlayer:
    """Our engine without its clockwork: deepen until the nodes are spent, and finish the depth begun."""

    def __init__(self, hash_mb: int, wake: int | None = None) -> None:
        self._worker, self._table = make_worker(), Table(hash_mb)
        self._numbers = params.record()
        self._ticket = 0
        self._poll = select.poll()
        if wake is not None:
            self._poll.register(wake, select.POLLIN)

    @property
    def nodes(self) -> int:
        """Of the last search."""
        return int(self._worker.state["nodes"])

    def new_game(self) -> None:
        self._table.clear()
        self._table.age = 0
        order.forget(self._worker.state)

    def think(self, game: Game, nodes: int) -> Thought:
        if self._poll.poll(0):
            raise Stopped
        worker, state = self._worker, self._worker.state
        roots = legal_moves(game.board)
        self._ticket += 1
        self._table.grow_older()
        worker.prepare(game.board, self._table, self._ticket, roots)
        best, score = roots[0], 0
        for depth in range(1, DEEPEST):
            found = self._aspirate(depth, score)
            if worker.is_stopped():
                break
            best, score = worker.line()[0], found
            if state["nodes"] >= nodes:
                break
            state["node_limit"] = HARD_FACTOR * nodes  # not before there is a score
        return Thought(int(file_move(best)), _file_score(score))

    def _aspirate(self, depth: int, guess: int) -> int:
        """As the engine's driver does: a narrow window around the last score, widened where it fails."""
        delta, alpha, beta = ASPIRATION_DELTA, -INFINITE, INFINITE
        if depth >= ASPIRATION_DEPTH and abs(guess) < ENGINE_MATE_BOUND:
            alpha, beta = guess - delta, guess + delta
        while True:
            score = self._worker.search(self._numbers, depth, alpha, beta)
            if self._worker.is_stopped() or alpha < score < beta:
                return score
            wide = delta > WIDEST_DELTA or abs(score) >= ENGINE_MATE_BOUND
            if score <= alpha:
                alpha, beta = -INFINITE if wide else score - delta, (alpha + beta) // 2
            else:
                beta = INFINITE if wide else score + delta
            delta *= 2

    def close(self) -> None:
        """There is no process to end."""


def _file_score(score: int) -> int:
    if abs(score) < ENGINE_MATE_BOUND:
        return max(-CP_MOST, min(CP_MOST, score))
    plies = ENGINE_MATE - abs(score)
    return MATE - plies if score > 0 else plies - MATE
