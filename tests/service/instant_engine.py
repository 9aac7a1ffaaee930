"""A UCI engine that answers at once with some legal move, and misbehaves on request.

    instant_engine.py crash-once FILE   dies at its first `go` ever; FILE remembers that it did
    instant_engine.py crash             dies at every `go`
    instant_engine.py hang              never answers a `go`
    instant_engine.py slow MS           takes its time

The move depends on the position alone.
"""

import sys
import time
from pathlib import Path

import chess


def choose(board: chess.Board) -> chess.Move:
    """A mate if there is one, else captures before quiet moves, in the order of their names."""
    moves = sorted(board.legal_moves, key=lambda move: (not board.is_capture(move), move.uci()))
    for move in moves:
        board.push(move)
        mates = board.is_checkmate()
        board.pop()
        if mates:
            return move
    return moves[0]


def misbehave(how: str, extra: str) -> bool:
    """True: no answer is to be given."""
    if how == "crash" or (how == "crash-once" and not Path(extra).exists()):
        if extra:
            Path(extra).touch()
        sys.exit(3)
    if how == "slow":
        time.sleep(int(extra) / 1000)
    return how == "hang"


def main(how: str = "", extra: str = "") -> None:
    board = chess.Board()
    for line in sys.stdin:
        name, *words = line.split() or [""]
        if name == "uci":
            print("id name Instant\noption name UCI_Chess960 type check default false\nuciok", flush=True)
        elif name == "isready":
            print("readyok", flush=True)
        elif name == "position":
            split = words.index("moves") if "moves" in words else len(words)
            fen = " ".join(words[1:split]) if words[0] == "fen" else chess.STARTING_FEN
            board = chess.Board(fen)
            for uci in words[split + 1 :]:
                board.push_uci(uci)
        elif name == "go" and not misbehave(how, extra):
            move = choose(board).uci()
            print(f"info depth 1 score cp 10 nodes 20 nps 1000 pv {move}\nbestmove {move}", flush=True)
        elif name == "quit":
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
