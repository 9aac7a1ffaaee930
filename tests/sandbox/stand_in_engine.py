"""A UCI engine that does as it is told on its command line: words such as `elo`, `dies`, `hangs`, `mute`.

It plays the first legal move it knows, writes what it was sent to the file named first, and never thinks.
"""

import os
import sys

import chess

heard = sys.argv[1]
habits = set(sys.argv[2:])


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def remember(line: str) -> None:
    with open(heard, "a", encoding="utf-8") as file:  # noqa: PTH123  - the path is one word of the command
        file.write(f"{line}\n")


def introduce() -> None:
    if "mute" in habits:
        return
    say("id name Stand-in")
    say("option name Hash type spin default 1 min 1 max 64")
    if "elo" in habits:
        say("option name UCI_LimitStrength type check default false")
        say("option name UCI_Elo type spin default 1600 min 1300 max 2000")
    if "variants" in habits:
        say("option name UCI_Variant type combo default chess var chess var atomic")
    say("uciok")


def answer(board: chess.Board) -> None:
    with open(heard, encoding="utf-8") as file:  # noqa: PTH123  - as above
        asked = sum(line.startswith("go") for line in file)
    if "dies" in habits or ("dies-once" in habits and asked == 1):
        os._exit(3)
    if "hangs" in habits:
        return
    say("info depth 1 score cp 30")
    say(f"bestmove {min(move.uci() for move in board.legal_moves)}")


def main() -> None:
    board = chess.Board()
    for raw in sys.stdin:
        line = raw.strip()
        remember(line)
        match line.split():
            case ["uci"]:
                introduce()
            case ["isready"]:
                say("readyok")
            case ["position", "startpos", *rest]:
                board = chess.Board()
                for move in rest[1:]:
                    board.push_uci(move)
            case ["go", *_]:
                answer(board)
            case ["quit"]:
                return


main()
