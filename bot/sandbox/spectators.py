"""Watching a game one does not play: every move, three plies late while it runs."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import chess

from bot.sandbox.core import EVERYTHING, Hub, Listener, Unsubscribe
from bot.sandbox.match import Match
from bot.sandbox.refusal import Json
from bot.sandbox.seats import Seat, color_name
from bot.sandbox.variants import last_move_keys, new_board, shown_fen
from bot.sandbox.views import status_json, variant_json

DELAY_PLIES = 3


def topic(game_id: str) -> tuple[str, str]:
    return ("spectator", game_id)


@dataclass(eq=False)
class Watch:
    """Which games one stream of many is of: those between `users`, or those named under a `name`."""

    name: str = ""
    users: frozenset[str] = frozenset()
    ids: set[str] = field(default_factory=set)

    def wants(self, match: Match) -> bool:
        players = {seat.user_id for seat in match.seats.values()}
        return match.id in self.ids or (bool(self.users) and players <= self.users)


class Gallery:
    """Everybody who looks on, and how far each game has been shown."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._shown: dict[str, int] = {}  # plies told, for games that are watched
        self._watches: dict[str, tuple[Watch, Listener]] = {}  # those that can be added to

    def enter(self, match: Match, listener: Listener) -> Unsubscribe:
        """The game, then a line for the position shown so far; over already: all of it, and the end."""
        if match.is_over:
            lines = [position_line(match, ply) for ply in range(match.ply + 1)]
            return self._hub.subscribe(topic(match.id), listener, description(match), *lines, None)
        shown = self._shown.setdefault(match.id, max(0, match.ply - DELAY_PLIES))
        lines = [position_line(match, ply) for ply in range(shown + 1)]
        return self._hub.subscribe(topic(match.id), listener, description(match), *lines)

    def watch(self, watch: Watch, matches: Iterable[Match], listener: Listener) -> Unsubscribe:
        """Many games on one stream: those of `matches` it is of, then each that begins or ends."""
        if watch.name:
            self._watches[watch.name] = (watch, listener)
        found = list(matches)
        watch.ids.update(match.id for match in found if watch.name)

        def on_news(news: tuple[str, Json]) -> None:
            kind, facts = news
            if kind in {"gameStart", "gameFinish"} and watch.wants(facts["match"]):
                listener(stream_line(facts["match"]))

        def leave() -> None:
            unsubscribe()
            if self._watches.get(watch.name) == (watch, listener):
                del self._watches[watch.name]

        for match in found:
            if watch.wants(match):
                listener(stream_line(match))
        unsubscribe = self._hub.subscribe(EVERYTHING, on_news)
        return leave

    def add(self, name: str, matches: Iterable[Match]) -> bool:
        """More games for the watch of that name; False when there is none."""
        watch, listener = self._watches.get(name, (None, None))
        if watch is None or listener is None:
            return False
        for match in matches:
            if match.id not in watch.ids:
                watch.ids.add(match.id)
                listener(stream_line(match))
        return True

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


def stream_line(match: Match) -> Json:
    """A game as a stream of many shows it, when it begins and when it is over."""
    control = match.control
    shown: Json = {
        "id": match.id,
        "rated": match.rated,
        "variant": match.variant.key,
        "speed": control.speed,
        "perf": match.perf,
        "createdAt": match.created_at_ms,
        "status": match.status.id,
        "statusName": match.status.label,
        "players": {color_name(side): _rated(match.seats[side]) for side in (chess.WHITE, chess.BLACK)},
    }
    if control.is_clock:
        times = {"initial": control.limit_s, "increment": control.increment_s}
        shown["clock"] = times | {"totalTime": control.estimate_s}
    return shown | ({"winner": color_name(match.winner)} if match.winner is not None else {})


def _rated(seat: Seat) -> Json:
    return {"userId": seat.user_id, "rating": seat.rating} if seat.is_rated else {}


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
    if seat.is_anonymous or seat.user_id is None:
        return {}
    user: Json = {"id": seat.user_id, "name": seat.name}
    return {"user": user | ({"title": seat.title} if seat.title else {}), "rating": seat.rating}
