"""Opening books in Polyglot's format, opened once and mapped into memory."""

import math
import random
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import chess
import chess.polyglot

from bot.errors import ConfigError
from bot.game.nouns import Thought
from bot.sources.source import Question
from bot.sources.variety import History, Memory

ENTRY = struct.Struct(">QHHI")  # position, move, weight, learn
FADE = 0.1  # a move played before against the same opponent counts for a tenth, twice for a hundredth
SAMPLES = 256  # keys looked at to see that they are in order

# What a file that changed under us may raise.
UNREADABLE = (OSError, ValueError, IndexError, struct.error)


@dataclass(frozen=True, slots=True)
class BookRules:
    """`exponent` shapes the weights: 1 as they are, 0 all alike, 2 the popular ones even more often."""

    selection: Literal["weighted", "uniform", "best"] = "weighted"
    min_weight: int = 1
    exponent: float = 1.0
    max_ply: int = 24
    variety: bool = True


class Book:
    """`files`: for each variant its books, the first that knows a position is believed."""

    name = "book"

    def __init__(
        self,
        files: Mapping[str, Sequence[str | Path]],
        rules: BookRules | None = None,
        *,
        rng: random.Random | None = None,
        history: History | None = None,
    ) -> None:
        """ConfigError names a file that is missing or no Polyglot book."""
        self._books = {
            variant: tuple(_opened(Path(file)) for file in names) for variant, names in files.items()
        }
        self._rules = rules or BookRules()
        self._rng = rng or random.Random()
        self._history, self._memory = history, Memory()

    async def find(self, question: Question) -> Thought | None:
        """Never a move that brings a position back, and rather one this opponent has not seen."""
        if question.position.ply >= self._rules.max_ply:
            return None
        try:
            weights = self._weights(question)
            if not weights:
                return None
            key = chess.polyglot.zobrist_hash(question.board)
            move = self._choice(self._faded(weights, question, key))
        except UNREADABLE:
            return None
        self._memory.note(_opponent(question), key, question.game.id, move)
        return Thought(move, self.name, pv=(move,))

    def close(self) -> None:
        for books in self._books.values():
            for book in books:
                book.close()

    def _weights(self, question: Question) -> dict[str, float]:
        """Of the moves that may be played, by the first book that has any."""
        for book in self._books_for(question.position.variant):
            found: Counter[chess.Move] = Counter()
            for entry in book.find_all(question.board, minimum_weight=self._rules.min_weight):
                found[entry.move] += entry.weight
            fresh = {move: weight for move, weight in found.items() if not _repeats(question.board, move)}
            if fresh:
                return {question.board.uci(move): self._shaped(weight) for move, weight in fresh.items()}
        return {}

    def _books_for(self, variant: str) -> tuple[chess.polyglot.MemoryMappedReader, ...]:
        """A game from a set position is played by the rules of chess, so chess books may know it."""
        own = self._books.get(variant, ())
        return own or (self._books.get("standard", ()) if variant == "fromPosition" else ())

    def _shaped(self, weight: int) -> float:
        if self._rules.selection == "uniform":
            return 1.0
        return math.pow(max(weight, 1), self._rules.exponent)

    def _faded(self, weights: dict[str, float], question: Question, key: int) -> dict[str, float]:
        if not self._rules.variety:
            return weights
        opponent = _opponent(question)
        times = self._memory.times(opponent, key, question.game.id)
        if self._history is not None:
            times.update(self._history(opponent).get(key, ()))
        return {move: weight * FADE ** min(times[move], 9) for move, weight in weights.items()}

    def _choice(self, weights: dict[str, float]) -> str:
        if self._rules.selection == "best":
            return max(weights, key=lambda move: weights[move])
        return self._rng.choices(tuple(weights), tuple(weights.values()))[0]


def _opponent(question: Question) -> str:
    return question.game.opponent.id or question.game.opponent.name


def _repeats(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    try:
        return board.is_repetition(2)
    finally:
        board.pop()


def _opened(file: Path) -> chess.polyglot.MemoryMappedReader:
    try:
        book = chess.polyglot.open_reader(file)
    except OSError as error:
        raise ConfigError(f"opening book {file} cannot be read: {error.strerror or error}") from None
    if not len(book):
        book.close()
        raise ConfigError(f"opening book {file} is empty; take it out of the configuration")
    step = max(1, len(book) // SAMPLES)
    keys = [book[index].key for index in range(0, len(book), step)]
    if keys != sorted(keys):
        book.close()
        raise ConfigError(f"opening book {file} is no Polyglot book, or damaged: its keys are not in order")
    return book
