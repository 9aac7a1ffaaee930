"""Watching a game one does not play: every move, three plies late while it runs."""

import chess

from bot.sandbox.hub import Hub, Listener, Unsubscribe
from bot.sandbox.match import Match
from bot.sandbox.refusal import Json
from bot.sandbox.seats import Seat, color_name
from bot.sandbox.variants import last_move_keys, new_board, shown_fen
from bot.sandbox.views import status_json, variant_json

DELAY_PLIES = 3


def topic(game_id: str) -> tuple[str, str]:
    return ("spectator", game_id)


class Gallery:
    """Everybody who looks on, and how far each game has been shown."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._shown: dict[str, int] = {}  # plies told, for games that are watched

    def enter(self, match: Match, listener: Listener) -> Unsubscribe:
        """The game, then a line for the position shown so far; over already: all of it, and the end."""
        if match.is_over:
            lines = [position_line(match, ply) for ply in range(match.ply + 1)]
            return self._hub.subscribe(topic(match.id), listener, description(match), *lines, None)
        shown = self._shown.setdefault(match.id, max(0, match.ply - DELAY_PLIES))
        lines = [position_line(match, ply) for ply in range(shown + 1)]
        return self._hub.subscribe(topic(match.id), listener, description(match), *lines)

    def follow(self, match: Match) -> None:
        """Something happened in `match`: show what may be seen of it by now."""
        if not self._hub.is_heard(topic(match.id)):
            self._shown.pop(match.id, None)
            return
        visible = match.ply if match.is_over else max(0, match.ply - DELAY_PLIES)
        for ply in range(self._shown.get(match.id, 0) + 1, visible + 1):
            self._hub.publish(topic(match.id), position_line(match, ply))
        self._shown[match.id] = min(visible, match.ply)
        if match.is_over:
            self._hub.publish(topic(match.id), description(match))
            self._hub.end(topic(match.id))
            self._shown.pop(match.id, None)


def position_at(match: Match, ply: int) -> chess.Board:
    """The board after `ply` moves."""
    board = new_board(match.variant, match.initial_fen)
    for move in match.board.move_stack[:ply]:
        board.push(move)
    return board


def position_line(match: Match, ply: int) -> Json:
    board = position_at(match, ply)
    line: Json = {"fen": shown_fen(board)}
    if ply:
        line["lm"] = last_move_keys(match.variant, board)
    if match.clock is not None:
        clocks = [match.clock.initial_ms, match.clock.initial_ms, *match.clock_log[:ply]]
        mover, other = clocks[-1] // 1000, clocks[-2] // 1000
        white_moved = board.turn is chess.BLACK
        line |= {"wc": mover if white_moved else other, "bc": other if white_moved else mover}
    return line


def description(match: Match) -> Json:
    """The first line of a spectator's stream, and its last."""
    ply = match.ply if match.is_over else max(0, match.ply - DELAY_PLIES)
    board = position_at(match, ply)
    shown: Json = {
        "id": match.id,
        "variant": variant_json(match.variant),
        "speed": match.control.speed,
        "perf": match.perf,
        "rated": match.rated,
        "fen": shown_fen(board),
        "turns": board.ply(),
        "source": match.source,
        "status": status_json(match.status),
        "createdAt": match.created_at_ms,
        "player": color_name(board.turn),
        "players": {color_name(side): _player(match.seats[side]) for side in (chess.WHITE, chess.BLACK)},
    }
    shown |= {"initialFen": match.initial_fen} if match.initial_fen else {}
    shown |= {"lastMove": last_move_keys(match.variant, board)} if ply else {}
    return shown | ({"winner": color_name(match.winner)} if match.winner is not None else {})


def _player(seat: Seat) -> Json:
    if seat.ai_level is not None:
        return {"aiLevel": seat.ai_level}
    if seat.is_anonymous:
        return {}
    user: Json = {"id": seat.user_id, "name": seat.name}
    return {"user": user | ({"title": seat.title} if seat.title else {}), "rating": seat.rating}
