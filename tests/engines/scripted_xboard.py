"""A well-behaved XBoard engine: plays the first legal move in the order of UCI text."""

import sys

import chess


def main() -> None:
    board = chess.Board()
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        match word:
            case "protover":
                print('feature ping=1 setboard=1 usermove=1 san=0 variants="normal" myname="X"', flush=True)
                print('feature option="Style -combo Solid /// Wild" done=1', flush=True)
            case "ping":
                print("pong", rest, flush=True)
            case "new":
                board = chess.Board()
            case "setboard":
                board = chess.Board(rest)
            case "usermove":
                board.push_uci(rest)
            case "undo":
                board.pop()
            case "remove":
                board.pop()
                board.pop()
            case "go":
                best = min(move.uci() for move in board.legal_moves)
                board.push_uci(best)
                print(f"6 45 12 3456 {best}", flush=True)
                print("move", best, flush=True)
            case "quit":
                return


if __name__ == "__main__":
    main()
