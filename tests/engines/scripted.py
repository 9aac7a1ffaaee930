"""An engine that misbehaves on request: `scripted.py MODE [FOLDER]`. What it is told goes to FOLDER/log.

Modes: good, crash-once, crash-always, hang-once, hang, illegal-once, garbage, flood, deaf, slow-start, mute,
ponder, until-stop, likes, likes-deaf, no-960, undead. Plays the first legal move in the order of UCI text.
"""

import os
import signal
import sys
import time
from pathlib import Path

import chess
import chess.variant

OFFER = """id name Scripted
option name Hash type spin default 16 min 1 max 1024
option name Threads type spin default 1 min 1 max 4
option name Move Overhead type spin default 300 min 0 max 5000
option name Ponder type check default false
option name Style type combo default Solid var Solid var Wild
option name UCI_Opponent type string default <empty>
"""
VARIANTS = "option name UCI_Variant type combo default chess var chess var atomic var crazyhouse\n"
CHESS960 = "option name UCI_Chess960 type check default false\n"


def say(text: str) -> None:
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


class Scripted:
    def __init__(self, mode: str, folder: Path | None) -> None:
        self.mode, self.folder = mode, folder
        self.board = chess.Board()
        self.kind: type[chess.Board] = chess.Board
        self.chess960 = False
        self.is_pondering = False

    def once(self, name: str) -> bool:
        """Whether nobody in this folder has done `name` before."""
        assert self.folder
        try:
            (self.folder / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def hear(self, line: str) -> None:
        if self.folder:
            with (self.folder / "log").open("a", encoding="utf-8") as log:
                log.write(f"{os.getpid()} {line}\n")
        word, _, rest = line.partition(" ")
        match word:
            case "uci":
                if self.mode == "slow-start":
                    time.sleep(3600)
                extra = "" if self.mode == "no-960" else VARIANTS + CHESS960
                say(OFFER + extra + "uciok")
            case "isready":
                say("readyok")
            case "setoption":
                self.option(rest)
            case "position":
                self.position(rest)
            case "go":
                self.go(rest)
            case "ponderhit":
                self.is_pondering = False
                say("info depth 9 score cp 90 nodes 900 nps 9000 pv " + self.best())
                self.answer()
            case "stop":
                if self.mode not in {"deaf", "hang", "likes-deaf"}:
                    if self.is_pondering or self.mode in {"until-stop", "likes"}:
                        self.answer()
                    self.is_pondering = False
            case "quit":
                sys.exit(0)

    def option(self, rest: str) -> None:
        name, _, value = rest.removeprefix("name ").partition(" value ")
        if name == "UCI_Variant":
            self.kind = chess.variant.find_variant(value)
        if name == "UCI_Chess960":
            self.chess960 = value == "true"

    def position(self, rest: str) -> None:
        where, _, moves = rest.partition("moves")
        fen = where.removeprefix("fen ").strip()
        self.board = self.kind(fen if fen != "startpos" else self.kind.starting_fen, chess960=self.chess960)
        for uci in moves.split():
            self.board.push_uci(uci)

    def best(self) -> str:
        return min(self.board.uci(move) for move in self.board.legal_moves)

    def go(self, rest: str) -> None:
        if rest.startswith("ponder"):
            self.is_pondering = True
            say("info depth 7 score cp 70 nodes 700 nps 7000 pv " + self.best())
            return
        match self.mode:
            case "crash-always":
                print("out of luck", file=sys.stderr, flush=True)
                os._exit(3)
            case "crash-once" if self.once("crashed"):
                os._exit(3)
            case "hang":
                return
            case "hang-once" if self.once("hung"):
                time.sleep(3600)
            case "illegal-once" if self.once("erred"):
                say("bestmove a1a8")
                return
            case "garbage":
                sys.stdout.buffer.write(b"\xff\xfe nonsense\ninfo depth x score cp y pv zz\n\n")
                say("info score\ninfo depth\nreadyok\nuciok\ninfo string pv e2e4")
            case "until-stop" | "deaf":
                return
            case "likes" | "likes-deaf":
                say("info depth 5 score cp 33 nodes 50 nps 500 pv d2d4 d7d5")
                return
            case "flood":
                line = "info depth 12 score cp 21 nodes 123 nps 456 pv " + self.best()
                say("\n".join([line] * 5000))
        say("info depth 3 seldepth 4 multipv 1 score cp 12 nodes 77 nps 1000 time 5 pv " + self.best())
        self.answer()

    def answer(self) -> None:
        best = self.best()
        self.board.push_uci(best)
        hope = f" ponder {self.best()}" if self.mode == "ponder" and any(self.board.legal_moves) else ""
        self.board.pop()
        say(f"bestmove {best}{hope}")


def main() -> None:
    engine = Scripted(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    if engine.mode == "mute":
        sys.exit("no licence")
    for line in sys.stdin:
        engine.hear(line.strip())
    while engine.mode == "undead":
        signal.pause()


if __name__ == "__main__":
    main()
