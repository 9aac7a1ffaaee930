"""A match written to JSON and read back: the whole of it, its board being the fold of its moves."""

from bot.sandbox.match import Match
from bot.sandbox.refusal import Json
from bot.sandbox.seats import Offers, Seat, by_color, by_name, color_name, color_named
from bot.sandbox.speeds import TimeControl
from bot.sandbox.variants import VARIANTS, read_move
from bot.sandbox.verdicts import BY_LABEL

_PLAIN = (
    "id",
    "created_at_ms",
    "initial_fen",
    "rated",
    "source",
    "moves",
    "clock_log",
    "rematch_id",
    "tournament_id",
)


def match_to_json(match: Match, now_ms: int) -> Json:
    """`match` as it stands now: what the running clock has counted so far is taken off."""
    written: Json = {name: getattr(match, name) for name in _PLAIN}
    written |= {
        "moves": list(match.moves),
        "clock_log": list(match.clock_log),
        "variant": match.variant.key,
        "control": list(match.control),
        "seats": {color_name(side): seat.to_json() for side, seat in match.seats.items()},
        "rules": sorted(match.rules),
        "status": match.status.label,
        "winner": None if match.winner is None else color_name(match.winner),
        "last_move_at_ms": match.last_move_at_ms,
        "offers": match.offers.to_json(),
    }
    if match.clock is not None:
        written["left_ms"] = by_name({side: match.clock.left_ms(side, now_ms) for side in match.clock.left})
        written["ticks"] = match.clock.ticking is not None
    return written


def match_from_json(data: Json, now_ms: int) -> Match:
    """The match `data` tells of; its clock goes on from now. KeyError, ValueError, Refusal for nonsense."""
    match = Match(
        data["id"],
        VARIANTS[data["variant"]],
        TimeControl(*data["control"]),
        {color_named(name): Seat(**seat) for name, seat in data["seats"].items()},
        data["created_at_ms"],
        initial_fen=data["initial_fen"],
        rated=data["rated"],
        source=data["source"],
        rules=frozenset(data["rules"]),
        tournament_id=data.get("tournament_id"),  # older files have none
        clock_log=list(data["clock_log"]),
        rematch_id=data["rematch_id"],
    )
    _replay(match, data, now_ms)
    match.status = BY_LABEL[data["status"]]
    match.winner = None if data["winner"] is None else color_named(data["winner"])
    return match


def _replay(match: Match, data: Json, now_ms: int) -> None:
    """What has happened in `match` so far."""
    for uci in data["moves"]:
        match.board.push(read_move(match.variant, match.board, uci))
        match.moves.append(uci)
    match.last_move_at_ms = data["last_move_at_ms"]
    match.offers = Offers.from_json(data["offers"])
    if match.clock is not None:
        match.clock.left = by_color(data["left_ms"])
        if data["ticks"]:
            match.clock.run(match.turn, now_ms)
