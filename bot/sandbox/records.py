"""Games written down and read back: our own JSON, a PGN from elsewhere, the exports. Pure."""

import datetime as dt
import io

import chess
import chess.pgn

from bot.sandbox.match import Match
from bot.sandbox.refusal import Json, Refusal, known, refuse
from bot.sandbox.seats import Offers, Seat, both, by_color, by_name, color_name, color_named
from bot.sandbox.spectators import DELAY_PLIES, position_at
from bot.sandbox.speeds import TimeControl
from bot.sandbox.variants import BY_LABEL, VARIANTS, Status, Variant, checked_fen, read_move
from bot.sandbox.views import winner_name

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
WINNERS = {"1-0": chess.WHITE, "0-1": chess.BLACK}
BIGGEST_PGN = 64 * 1024
_TERMINATIONS = {
    Status.STARTED: "Unterminated",
    Status.ABORTED: "Abandoned",
    Status.TIMEOUT: "Abandoned",
    Status.NO_START: "Abandoned",
    Status.OUT_OF_TIME: "Time forfeit",
    Status.CHEAT: "Rules infraction",
    Status.UNKNOWN_FINISH: "Unknown",
}


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


def read_pgn(text: str, game_id: str, now_ms: int) -> Match:
    """The game `text` holds, with how it ended; 400 for what is no game."""
    if len(text) > BIGGEST_PGN:
        raise refuse("The PGN is too long")
    game = chess.pgn.read_game(io.StringIO(text))
    if game is None or game.errors:
        raise refuse(f"Invalid PGN: {game.errors[0] if game else 'no game'}")
    try:
        match = _match(game, game_id, now_ms)
        for move in game.mainline_moves():
            match.play(match.turn, match.board.uci(move, chess960=True), now_ms)
    except (ValueError, Refusal) as error:
        raise refuse(f"Invalid PGN: {error}") from error
    if not match.is_over:
        _end(match, game.headers.get("Result", "*"), now_ms)
    return match


def _match(game: chess.pgn.Game, game_id: str, now_ms: int) -> Match:
    variant = _variant(game)
    fen = game.headers.get("FEN")
    return Match(
        game_id,
        variant,
        TimeControl(),
        both(_seat(game, color) for color in ("White", "Black")),
        now_ms,
        initial_fen=checked_fen(variant, fen),
        source="import",
    )


def _variant(game: chess.pgn.Game) -> Variant:
    name = game.headers.get("Variant", "Standard").lower()
    for variant in VARIANTS.values():
        if name in {variant.key.lower(), variant.name.lower()}:
            set_up = variant.key == "standard" and "FEN" in game.headers
            return VARIANTS["fromPosition"] if set_up else variant
    raise ValueError(f"no such variant: {name}")


def _seat(game: chess.pgn.Game, color: str) -> Seat:
    elo = game.headers.get(f"{color}Elo", "")
    rating = int(elo) if elo.isdecimal() and len(elo) < 5 else None
    return Seat(name=game.headers.get(color, "?"), title=game.headers.get(f"{color}Title"), rating=rating)


def _end(match: Match, result: str, now_ms: int) -> None:
    """As the PGN says, for the board does not."""
    if result in WINNERS:
        match.finish(Status.RESIGN, WINNERS[result], now_ms)
    else:
        match.finish(Status.DRAW if result == "1/2-1/2" else Status.UNKNOWN_FINISH, None, now_ms)


def visible_plies(match: Match) -> int:
    return match.ply if match.is_over else max(0, match.ply - DELAY_PLIES)


def result(match: Match) -> str:
    if not match.is_over or match.status is Status.ABORTED:
        return "*"
    if match.winner is None:
        return "1/2-1/2"
    return "1-0" if match.winner is chess.WHITE else "0-1"


def pgn(match: Match, site: str, *, tags: bool = True, moves: bool = True, clocks: bool = True) -> str:
    """The game as PGN, with what each side had left after its move where there was a clock."""
    game = chess.pgn.Game.from_board(position_at(match, visible_plies(match) if moves else 0))
    fens = {key: game.headers[key] for key in ("SetUp", "FEN") if key in game.headers}
    game.headers.clear()
    game.headers.update(_tags(match, site) | fens)
    if match.clock is not None and clocks:
        for node, left_ms in zip(game.mainline(), match.clock_log, strict=False):
            node.comment = f"[%clk {_clock_face(left_ms)}]"
    exporter = chess.pgn.StringExporter(columns=None, headers=tags, comments=clocks)
    return f"{game.accept(exporter)}\n"


def _clock_face(left_ms: int) -> str:
    seconds = -(-left_ms // 1000)  # a clock shows the second that is running
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _tags(match: Match, site: str) -> dict[str, str]:
    began = dt.datetime.fromtimestamp(match.created_at_ms / 1000, dt.UTC)
    white, black = match.seats[chess.WHITE], match.seats[chess.BLACK]
    control = match.control
    tags = {
        "Event": _event(match, site),
        "Site": f"{site}/{match.id}",
        "Date": began.strftime("%Y.%m.%d"),
        "Round": "-",
        "White": _pgn_name(white),
        "Black": _pgn_name(black),
        "Result": result(match),
        "GameId": match.id,
        "UTCDate": began.strftime("%Y.%m.%d"),
        "UTCTime": began.strftime("%H:%M:%S"),
    }
    for color, seat in (("White", white), ("Black", black)):
        tags[f"{color}Elo"] = "?" if seat.rating is None else str(seat.rating)
        tags |= {f"{color}RatingDiff": f"{seat.rating_diff:+d}"} if seat.rating_diff is not None else {}
        tags |= {f"{color}Title": seat.title} if seat.title else {}
    tags["Variant"] = match.variant.name
    tags["TimeControl"] = f"{control.limit_s}+{control.increment_s}" if control.is_clock else "-"
    tags["Termination"] = _TERMINATIONS.get(match.status, "Normal")
    return tags


def _event(match: Match, site: str) -> str:
    kind = f"{'rated' if match.rated else 'casual'} {match.control.speed}"
    if match.tournament_id is None:
        return f"{kind} game"
    return f"{kind} tournament {site}/tournament/{match.tournament_id}"


def _pgn_name(seat: Seat) -> str:
    return f"lichess AI level {seat.ai_level}" if seat.ai_level is not None else seat.name


def game_json(
    match: Match, site: str, *, moves: bool = True, clocks: bool = False, with_pgn: bool = False
) -> Json:
    """The game as the export writes it; moves are SAN, clocks hundredths of a second."""
    control = match.control
    plies = visible_plies(match)
    shown: Json = {
        "id": match.id,
        "rated": match.rated,
        "variant": match.variant.key,
        "speed": control.speed,
        "perf": match.perf,
        "createdAt": match.created_at_ms,
        "lastMoveAt": match.last_move_at_ms,
        "status": match.status.label,
        "source": match.source,
        "players": {color_name(side): _player(match.seats[side]) for side in (chess.WHITE, chess.BLACK)},
    }
    return shown | known(
        initialFen=match.initial_fen,
        winner=winner_name(match),
        moves=" ".join(_sans(match, plies)) if moves else None,
        pgn=pgn(match, site) if with_pgn else None,
        daysPerTurn=control.days,
        tournament=match.tournament_id,
        clock=_clock(control) if control.is_clock else None,
        clocks=[left_ms // 10 for left_ms in match.clock_log[:plies]] if clocks and match.clock else None,
    )


def _clock(control: TimeControl) -> Json:
    return {"initial": control.limit_s, "increment": control.increment_s, "totalTime": control.estimate_s}


def _sans(match: Match, plies: int) -> list[str]:
    board = position_at(match, 0)
    sans = []
    for move in match.board.move_stack[:plies]:
        sans.append(board.san(move))
        board.push(move)
    return sans


def _player(seat: Seat) -> Json:
    if seat.ai_level is not None:
        return {"aiLevel": seat.ai_level}
    if seat.is_anonymous:
        return {}
    if seat.user_id is None:
        return {"name": seat.name}
    user: Json = {"name": seat.name, "id": seat.user_id} | ({"title": seat.title} if seat.title else {})
    shown: Json = {"user": user, "rating": seat.rating}
    shown |= {"ratingDiff": seat.rating_diff} if seat.rating_diff is not None else {}
    return shown | ({"provisional": True} if seat.provisional else {})
