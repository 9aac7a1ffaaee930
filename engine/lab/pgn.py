"""A played game as PGN, with score, depth and time behind each move: `{+0.31/12 0.512s}`."""

import time

import chess
import chess.pgn

from engine.lab.adjudicate import MATE_CP
from engine.lab.game import Played, Ply
from engine.lab.settings import EngineSpec


def to_pgn(played: Played, number: int, white: EngineSpec, black: EngineSpec, chess960: bool) -> str:
    board = chess.Board(played.opening.fen, chess960=chess960)
    game = chess.pgn.Game()
    game.setup(board)
    day = time.localtime(played.started)
    headers = {
        "Event": "krait lab match",
        "Site": "local",
        "Date": time.strftime("%Y.%m.%d", day),
        "Round": f"{number // 2 + 1}.{number % 2 + 1}",
        "White": white.name,
        "Black": black.name,
        "Result": played.ending.result,
        "Time": time.strftime("%H:%M:%S", day),
        "TimeControl": str(white.limit),
        "PlyCount": str(len(played.opening.moves) + len(played.plies)),
        "Termination": _termination(played),
    }
    if white.limit != black.limit:
        headers |= {"WhiteTimeControl": str(white.limit), "BlackTimeControl": str(black.limit)}
    for key, value in headers.items():
        game.headers[key] = value
    node: chess.pgn.GameNode = game
    for text in played.opening.moves:
        node = node.add_variation(node.board().parse_uci(text))
    _add(node, played)
    return str(game.accept(chess.pgn.StringExporter(columns=110))) + "\n\n"


def _add(node: chess.pgn.GameNode, played: Played) -> None:
    board = node.board()
    for ply in played.plies:
        move = board.parse_uci(ply.move)
        board.push(move)
        node = node.add_variation(move, comment=comment(ply))
    node.comment = ", ".join(filter(None, (node.comment, played.ending.reason.replace("}", ")"))))


def comment(ply: Ply) -> str:
    if ply.score_cp is None:
        return f"{ply.elapsed_ms / 1000:.3f}s"
    return f"{score(ply.score_cp)}/{ply.depth} {ply.elapsed_ms / 1000:.3f}s"


def score(cp: int) -> str:
    """`+0.31`, or `+M5` with the mate in moves, `-M0` for a side that is mated."""
    sign = "+" if cp >= 0 else "-"
    if abs(cp) > MATE_CP - 2000:
        return f"{sign}M{(MATE_CP - abs(cp)) // 2}"
    return f"{sign}{abs(cp) / 100:.2f}"


def _termination(played: Played) -> str:
    if played.fault:
        return "time forfeit" if played.fault[1].kind == "time forfeit" else "rules infraction"
    return "adjudication" if played.ending.reason.startswith("adjudication") else "normal"
