"""An engine for self-play whose move and score follow from the position: `reckoner.py [BEHAVIOUR [FILE]]`.

even        scores between -90 and 90
lopsided    every position is worth 5000 to the side to move
wordless    moves without any info
crash       dies at its tenth move
stumble     the same, but only the process that can create FILE
murder      kills its parent at its tenth move, if it can create FILE
tell        writes a byte to FILE for each new game, and holds FILE open as long as it lives
"""

import contextlib
import os
import signal
import sys
from pathlib import Path
from zlib import crc32

import chess


class Reckoner:
    def __init__(self, behaviour: str, file: Path | None) -> None:
        self.behaviour, self.file = behaviour, file
        self.told = open(file, "wb", buffering=0) if file and behaviour == "tell" else None  # noqa: PTH123, SIM115
        self.position, self.board = "", chess.Board()
        self.moves = 0

    def hear(self, line: str) -> None:
        match line.split(" ", 1):
            case ["uci"]:
                print(
                    "id name reckoner\noption name Hash type spin default 16 min 1 max 64\nuciok", flush=True
                )
            case ["isready"]:
                print("readyok", flush=True)
            case ["ucinewgame"] if self.told:
                self.told.write(b".")
            case ["position", text]:
                self.position = text
            case ["go", _]:
                self.go()

    def go(self) -> None:
        self.moves += 1
        if self.moves == 10:
            self.misbehave()
        start, _, moves = self.position.partition(" moves ")
        board = chess.Board(chess.STARTING_FEN if start == "startpos" else start.removeprefix("fen "))
        for move in moves.split():
            board.push_uci(move)
        number = crc32(board.fen().encode())
        legal = sorted(move.uci() for move in board.legal_moves)
        if self.behaviour != "wordless":
            print(f"info depth 1 score cp {number % 181 - 90} nodes 1 pv {legal[number % len(legal)]}")
        print(f"bestmove {legal[number % len(legal)]}", flush=True)

    def misbehave(self) -> None:
        if self.behaviour == "crash" or (self.behaviour == "stumble" and self.is_first()):
            sys.exit(3)
        if self.behaviour == "murder" and self.is_first():
            os.kill(os.getppid(), signal.SIGKILL)

    def is_first(self) -> bool:
        with contextlib.suppress(FileExistsError):
            assert self.file
            self.file.touch(exist_ok=False)
            return True
        return False


def main() -> None:
    engine = Reckoner(
        sys.argv[1] if len(sys.argv) > 1 else "even", Path(sys.argv[2]) if len(sys.argv) > 2 else None
    )
    for line in sys.stdin:
        if line.strip() == "quit":
            return
        engine.hear(line.strip())


if __name__ == "__main__":
    main()
