"""A UCI engine that answers at once with some legal move, and misbehaves on request.

    instant_engine.py crash-once FILE   dies at its first `go` ever; FILE remembers that it did
    instant_engine.py crash             dies at every `go`
    instant_engine.py hang              never answers a `go`
    instant_engine.py slow MS           takes its time
    instant_engine.py score CP          thinks so of every position
    instant_engine.py castle            castles as soon as it may
    instant_engine.py ponder UCI        after that move of the opponent it thinks until it is told to stop

The move depends on the position alone.
"""

import sys
import time
from pathlib import Path

import chess

HELLO = "id name Instant\noption name UCI_Chess960 type check default false\nuciok"


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


def misbehave(how: str, extra: str, last: str) -> bool:
    """True: no answer is to be given yet."""
    if how == "crash" or (how == "crash-once" and not Path(extra).exists()):
        if extra:
            Path(extra).touch()
        sys.exit(3)
    if how == "slow":
        time.sleep(int(extra) / 1000)
    return how == "hang" or (how == "ponder" and last == extra)


def set_up(words: list[str], chess960: bool) -> chess.Board:
    split = words.index("moves") if "moves" in words else len(words)
    fen = " ".join(words[1:split]) if words[0] == "fen" else chess.STARTING_FEN
    board = chess.Board(fen, chess960=chess960)
    for uci in words[split + 1 :]:
        board.push_uci(uci)
    return board


def say(board: chess.Board, score: str, *, castles: bool) -> None:
    castling = next(board.generate_castling_moves(), None) if castles else None
    move = board.uci(castling or choose(board))
    print(f"info depth 1 score cp {score} nodes 20 nps 1000 pv {move}\nbestmove {move}", flush=True)


def main(how: str = "", extra: str = "") -> None:
    board, chess960, thinking = chess.Board(), False, False
    score = extra if how == "score" else "10"
    for line in sys.stdin:
        name, *words = line.split() or [""]
        if name == "uci":
            print(HELLO, flush=True)
        elif name == "isready":
            print("readyok", flush=True)
        elif name == "setoption" and "UCI_Chess960" in words:
            chess960 = words[-1] == "true"
        elif name == "position":
            board = set_up(words, chess960)
        elif name == "go":
            thinking = misbehave(how, extra, board.peek().uci() if board.move_stack else "")
            if not thinking:
                say(board, score, castles=how == "castle")
        elif name == "stop" and thinking and how == "ponder":
            say(board, score, castles=how == "castle")
            thinking = False
        elif name == "quit":
            return
    time.sleep(600)  # some engines do not notice that nobody is there any more


if __name__ == "__main__":
    main(*sys.argv[1:])
