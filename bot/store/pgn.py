"""A game as PGN text, from its rows alone: every variant, for files and for downloads. Pure.

The SAN is in the rows, so no board is set up: a download of a hundred games must not stop the clocks.
"""

import datetime as dt
from collections.abc import Iterator, Sequence

from bot.game.nouns import GameInfo, Player, TimeControl
from bot.store.rows import GameRow, MoveRow

_VARIANTS = {
    "standard": "Standard",
    "chess960": "Chess960",
    "fromPosition": "From Position",
    "crazyhouse": "Crazyhouse",
    "antichess": "Antichess",
    "atomic": "Atomic",
    "horde": "Horde",
    "kingOfTheHill": "King of the Hill",
    "racingKings": "Racing Kings",
    "threeCheck": "Three-check",
}
_TERMINATIONS = {
    "aborted": "Abandoned",
    "noStart": "Abandoned",
    "timeout": "Abandoned",
    "outoftime": "Time forfeit",
    "cheat": "Rules infraction",
    "unknownFinish": "Unknown",
}


def pgn_of(game: GameRow, moves: Sequence[MoveRow], *, site: str = "https://lichess.org") -> str:
    """Headers, an empty line, the moves in one line, and an empty line to keep the next game apart."""
    headers = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in _headers(game, site))
    return f"{headers}\n{' '.join([*_movetext(game, moves), result_of(game)])}\n\n"


def result_of(game: GameRow) -> str:
    if game.result in {None, "aborted"}:
        return "*"
    if game.result == "draw":
        return "1/2-1/2"
    return "1-0" if (game.result == "win") == game.info.we_are_white else "0-1"


def began(game: GameRow) -> dt.datetime:
    return dt.datetime.fromtimestamp(game.began_ms / 1000, dt.UTC)


def _headers(game: GameRow, site: str) -> Iterator[tuple[str, str]]:
    info, start = game.info, began(game)
    yield (
        "Event",
        f"{'Rated' if info.rated else 'Casual'} {info.speed} {'arena game' if info.tournament else 'game'}",
    )
    yield "Site", f"{site.rstrip('/')}/{info.id}"
    yield "Date", f"{start:%Y.%m.%d}"
    yield "Round", "-"
    yield "White", player_name(info.white)
    yield "Black", player_name(info.black)
    yield "Result", result_of(game)
    yield "GameId", info.id
    yield "UTCDate", f"{start:%Y.%m.%d}"
    yield "UTCTime", f"{start:%H:%M:%S}"
    yield from _players(game)
    yield "Variant", _VARIANTS.get(info.variant, info.variant)
    yield "TimeControl", _time_control(info.control)
    if info.initial_fen is not None:
        yield "SetUp", "1"
        yield "FEN", info.initial_fen
    if game.opening:
        yield "ECO", game.eco or "?"
        yield "Opening", game.opening
    yield "Termination", _termination(game)
    yield from [("BotVersion", game.version)] if game.version else []


def _players(game: GameRow) -> Iterator[tuple[str, str]]:
    info = game.info
    for side, player, is_us in (
        ("White", info.white, info.we_are_white),
        ("Black", info.black, not info.we_are_white),
    ):
        yield f"{side}Elo", "?" if player.rating is None else str(player.rating)
        if player.title:
            yield f"{side}Title", player.title
        if is_us and game.rating_diff is not None:
            yield f"{side}RatingDiff", f"{game.rating_diff:+d}"


def player_name(player: Player) -> str:
    return player.name if player.ai_level is None else f"lichess AI level {player.ai_level}"


def _time_control(control: TimeControl) -> str:
    if control.limit_s is not None:
        return f"{control.limit_s}+{control.increment_s}"
    return "-" if control.days is None else f"1/{control.days * 86_400}"


def _termination(game: GameRow) -> str:
    return "Unterminated" if game.result is None else _TERMINATIONS.get(game.status, "Normal")


def _movetext(game: GameRow, moves: Sequence[MoveRow]) -> Iterator[str]:
    number, white = _first(game.info)
    needs_number = True
    for move in moves:
        if white or needs_number:
            yield f"{number}." if white else f"{number}..."
        yield move.san
        comment = _comment(move, game.info)
        if comment:
            yield f"{{ {comment} }}"
        needs_number = bool(comment)
        number, white = number + (not white), not white


def _first(info: GameInfo) -> tuple[int, bool]:
    """Number and side of the first move. Three-check writes its checks among the fields of a FEN."""
    fields = (info.initial_fen or "").split()
    numbers = [int(field) for field in fields[4:] if field.isdecimal()]
    return (numbers[1] if len(numbers) > 1 else 1) or 1, fields[1:2] != ["b"]


def _comment(move: MoveRow, info: GameInfo) -> str:
    parts = []
    if score := _score(move, info.we_are_white):
        parts.append(f"[%eval {score}]")
    if move.depth:
        parts.append(f"[%depth {move.depth}]")
    if move.clock_ms is not None:
        parts.append(f"[%clk {_clock_face(move.clock_ms)}]")
    if move.spent_ms is not None:
        parts.append(f"[%emt {_clock_face(move.spent_ms)}]")
    return " ".join(parts)


def _score(move: MoveRow, we_are_white: bool) -> str:
    """As everybody writes it: for White, in pawns, or `#` and the moves to mate."""
    sign = 1 if we_are_white else -1
    if move.mate is not None:
        return f"#{sign * move.mate}"
    return "" if move.cp is None else f"{sign * move.cp / 100:.2f}"


def _clock_face(ms: int) -> str:
    """`0:02:59.3`; whole seconds have no fraction."""
    tenths = max(0, ms) // 100
    seconds, tenth = divmod(tenths, 10)
    face = f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{face}.{tenth}" if tenth else face


def _quoted(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
