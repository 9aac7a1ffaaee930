"""An engine that misbehaves on request: `scripted.py BEHAVIOUR [SCORE]`.

It plays random legal moves, the same in every run, and does one thing wrong when it is told to move:

    random      nothing
    crash       dies with exit code 3 and a word on stderr
    leave       exits with code 0
    close       closes its output and stays
    hang        never answers, not even `stop` or `quit`
    late        answers only when it is told to stop
    illegal     plays a move that is none
    silent      plays `bestmove` without a move
    liar        shows a line that cannot be played
    babbler     says `bestmove` twice
    mumbler     gives a score that is no number
    unready     does not answer the `isready` after `uci`
    slow        does nothing wrong, after a long start
    wordless    moves without any info
    mute        never says `uciok`
    choosy      offers options and takes none
"""

import os
import random
import signal
import sys
import time

import chess

START_S = 0.3  # longer than an engine takes that is not slow


class Scripted:
    def __init__(self, behaviour: str, score: int) -> None:
        self.behaviour, self.score = behaviour, score
        self.board = chess.Board()
        self.random = random.Random(1)

    def say(self, line: str) -> None:
        print(line, flush=True)

    def hear(self, line: str) -> None:
        command, _, rest = line.partition(" ")
        match command:
            case "uci":
                self.introduce()
            case "isready" if self.behaviour != "unready":
                self.say("readyok")
            case "setoption" if rest == "name UCI_Chess960 value true":
                self.board.chess960 = True
            case "setoption" if self.behaviour == "choosy":
                self.say("info string ERROR: the option was not taken")
            case "position":
                self.set_up(rest)
            case "go":
                self.go()
            case "stop" if self.behaviour == "late":
                self.move()

    def introduce(self) -> None:
        if self.behaviour == "mute":
            return
        if self.behaviour == "slow":
            time.sleep(START_S)
        self.say("id name scripted")
        self.say("option name Hash type spin default 16 min 1 max 64")
        self.say("option name UCI_Chess960 type check default false")
        self.say("uciok")

    def set_up(self, text: str) -> None:
        where, _, moves = text.partition("moves ")
        where = where.strip()
        fen = chess.STARTING_FEN if where == "startpos" else where.removeprefix("fen ")
        self.board = chess.Board(fen, chess960=self.board.chess960)
        for move in moves.split():
            self.board.push_uci(move)

    def go(self) -> None:
        match self.behaviour:
            case "crash":
                print("out of ideas", file=sys.stderr)
                sys.exit(3)
            case "leave":
                sys.exit(0)
            case "close":
                os.close(1)
            case "illegal":
                self.say("bestmove e2e5")
            case "silent":
                self.say("bestmove")
            case "hang":
                while True:
                    signal.pause()
            case "late":
                pass
            case _:
                self.move()

    def move(self) -> None:
        move = self.random.choice(list(self.board.legal_moves)).uci()
        line = f"{move} {move}" if self.behaviour == "liar" else move
        if self.behaviour != "wordless":
            score = "many" if self.behaviour == "mumbler" else self.score
            self.say(f"info depth 3 score cp {score} nodes 1 pv {line}")
        self.say(f"bestmove {move}")
        if self.behaviour == "babbler":
            self.say(f"bestmove {move}")


def main() -> None:
    engine = Scripted(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for line in sys.stdin:
        if line.strip() == "quit":
            return
        engine.hear(line.strip())


if __name__ == "__main__":
    main()
