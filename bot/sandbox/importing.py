"""A game out of a PGN, for `/api/import`: played over by our own rules, and over from the start. Pure."""

import io

import chess
import chess.pgn

from bot.sandbox.match import Match
from bot.sandbox.refusal import Refusal, refuse
from bot.sandbox.seats import Seat, both
from bot.sandbox.speeds import TimeControl
from bot.sandbox.variants import VARIANTS, Variant, checked_fen
from bot.sandbox.verdicts import Status

WINNERS = {"1-0": chess.WHITE, "0-1": chess.BLACK}
BIGGEST_PGN = 64 * 1024


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
