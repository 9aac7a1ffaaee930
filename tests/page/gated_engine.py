"""A UCI engine for the page's tests: `gated_engine.py FOLDER`. It answers at once, as instant_engine does,
but holds its answer as long as FOLDER/held exists. What it is told goes to FOLDER/log.
"""

import sys
import time
from pathlib import Path

import chess

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.service.instant_engine import choose

OFFER = """id name Gated
option name UCI_Chess960 type check default false
option name UCI_LimitStrength type check default false
option name UCI_Elo type spin default 2800 min 800 max 2800
option name MultiPV type spin default 1 min 1 max 8
uciok"""


def board_of(words: list[str]) -> chess.Board:
    split = words.index("moves") if "moves" in words else len(words)
    fen = " ".join(words[1:split]) if words[0] == "fen" else chess.STARTING_FEN
    board = chess.Board(fen)
    for uci in words[split + 1 :]:
        board.push_uci(uci)
    return board


def answer(board: chess.Board, folder: Path, lines: int) -> None:
    move = choose(board).uci()
    others = [other.uci() for other in board.legal_moves if other.uci() != move][: lines - 1]
    for number, other in enumerate(others, 2):
        print(f"info depth 7 multipv {number} score cp {-number} nodes 2000 nps 100000 pv {other}")
    print(f"info depth 7 multipv 1 score cp 35 nodes 2000 nps 100000 pv {move}", flush=True)
    while (folder / "held").exists():
        time.sleep(0.01)
    print(f"bestmove {move}", flush=True)


def main(folder: Path) -> None:
    board, lines = chess.Board(), 1
    for line in sys.stdin:
        with (folder / "log").open("a", encoding="utf-8") as log:
            log.write(line)
        name, *words = line.split() or [""]
        match name:
            case "uci":
                print(OFFER, flush=True)
            case "isready":
                print("readyok", flush=True)
            case "position":
                board = board_of(words)
            case "go":
                answer(board, folder, lines)
            case "setoption" if words[1] == "MultiPV":
                lines = int(words[-1])
            case "quit":
                return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
