"""How a game is written for the page, as a board, in a list, or with all that is known of it. Pure.

Scores are always White's.
"""

from functools import lru_cache
from typing import Any

from bot.dashboard.watched import GameView, Said
from bot.game.boards import start_board
from bot.game.nouns import NO_CLOCK_MS, GameInfo, Player, State
from bot.store.rows import GameRow, MoveRow, kind_of, perf_of

Json = dict[str, Any]
LINE_PLIES = 6  # of a variation that are shown


def row(game: GameRow) -> Json:
    """A game in a list."""
    return _kept(
        {
            **_info(game.info),
            "began_ms": game.began_ms,
            "ended_ms": game.ended_ms,
            "status": game.status,
            "winner": _side(game.winner),
            "result": game.result,
            "plies": game.plies,
            "eco": game.eco,
            "opening": game.opening,
            "rating_diff": game.rating_diff,
        }
    )


def board(view: GameView) -> Json:
    """A game as a small live board: where it stands, how it went, what is thought."""
    state, info = view.state, view.info
    last = next((move for move in reversed(view.moves) if move.source), None)
    return _kept(
        {
            **row(view.row),
            "plies": len(state.moves),
            "fen": view.fens[-1],
            "last": state.moves[-1] if state.moves else None,
            "san": view.moves[-1].san if view.moves else None,
            "check": view.check,
            "clocks": _clocks(state, info),
            "ticking": ticking(view),
            "seen_ms": view.seen_ms,
            "scores": [score(move.cp, move.mate, info.we_are_white) for move in view.moves],
            "spent": [move.spent_ms for move in view.moves],
            "lag_ms": view.lag_ms,
            "thought": _thought(view),
            "depth": last.depth if last else None,
            "nps": last.nps if last else None,
        }
    )


def detail(view: GameView) -> Json:
    """A game with all that is known of it."""
    return {
        **board(view),
        "fens": view.fens,
        "moves": moves(view.info, view.moves, view.fens),
        "chat": chat(view.chat),
    }


def chat(said: tuple[Said, ...]) -> list[Json]:
    return [each._asdict() for each in said]


def moves(info: GameInfo, rows: tuple[MoveRow, ...], fens: tuple[str, ...]) -> list[Json]:
    return [_move(info, each, fen) for each, fen in zip(rows, fens, strict=False)]


def _move(info: GameInfo, move: MoveRow, fen: str) -> Json:
    return _kept(
        {
            "san": move.san,
            "uci": move.uci,
            "ours": move.ours,
            "clock_ms": move.clock_ms,
            "spent_ms": move.spent_ms,
            "score": score(move.cp, move.mate, info.we_are_white),
            "depth": move.depth or None,
            "nodes": move.nodes or None,
            "nps": move.nps or None,
            "think_ms": move.think_ms,
            "lag_ms": move.lag_ms,
            "source": move.source,
            "line": san_line(info.variant, fen, tuple((move.pv or "").split()[:LINE_PLIES])) or None,
        }
    )


def score(cp: int | None, mate: int | None, we_are_white: bool) -> Json | None:
    """White's; a mate of 0 says whose king is mated by its sign."""
    sign = 1 if we_are_white else -1
    if mate is not None:
        return {"mate": sign * mate, "won": (mate > 0) == we_are_white}
    return None if cp is None else {"cp": sign * cp}


def ticking(view: GameView) -> str | None:
    """Whose clock runs: nobody's before both have moved."""
    is_timed = view.info.control.is_clock
    if not is_timed or view.row.result is not None or view.state.is_over or view.state.ply < 2:
        return None
    return to_move(view)


def to_move(view: GameView) -> str:
    words = (view.info.initial_fen or "").split()
    white_first = words[1:2] != ["b"]
    return "white" if white_first == (view.state.ply % 2 == 0) else "black"


def _thought(view: GameView) -> Json | None:
    thought = view.thought
    if thought is None:
        return None
    found = thought.score
    line = thought.pv[:LINE_PLIES] or (thought.uci,)
    return _kept(
        {
            "depth": thought.depth,
            "nps": thought.nps,
            "nodes": thought.nodes,
            "source": thought.source,
            "score": score(found.cp, found.mate, view.info.we_are_white) if found else None,
            "line": san_line(view.info.variant, view.fens[-1], line),
        }
    )


@lru_cache(maxsize=4096)
def san_line(variant: str, fen: str, ucis: tuple[str, ...]) -> str:
    """As far as it can be read; the same lines are asked for again with every move of a game."""
    found: list[str] = []
    if not fen or not ucis:
        return ""
    try:
        board_ = start_board(variant, fen)
        for uci in ucis:
            found.append(board_.san_and_push(board_.parse_uci(uci)))  # noqa: PERF401  a part of it is good
    except ValueError:
        pass
    return " ".join(found)


def _clocks(state: State, info: GameInfo) -> Json | None:
    if info.control.is_unlimited or NO_CLOCK_MS in {state.white_ms, state.black_ms}:
        return None
    return {"white": state.white_ms, "black": state.black_ms}


def _info(info: GameInfo) -> Json:
    return {
        "id": info.id,
        "white": _player(info.white),
        "black": _player(info.black),
        "we": _side(info.we_are_white),
        "variant": info.variant,
        "speed": str(info.speed),
        "perf": perf_of(info.variant, info.speed),
        "rated": info.rated,
        "control": str(info.control),
        "tournament": info.tournament,
    }


def _player(player: Player) -> Json:
    name = player.name if player.ai_level is None else f"AI level {player.ai_level}"
    found = {"name": name, "title": player.title, "rating": player.rating, "kind": kind_of(player)}
    return _kept({**found, "provisional": player.provisional or None})


def _side(white: bool | None) -> str | None:
    return None if white is None else ("white" if white else "black")


def _kept(values: Json) -> Json:
    return {name: value for name, value in values.items() if value is not None}
