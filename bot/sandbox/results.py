"""What a finished game does to its players: ratings and counts. An aborted one does nothing."""

import chess

from bot.sandbox.accounts import Accounts
from bot.sandbox.match import Match
from bot.sandbox.people import Account
from bot.sandbox.verdicts import Status


def settle(match: Match, accounts: Accounts) -> None:
    """Count the game for each account, and move the ratings of both if it was rated."""
    if match.status is Status.ABORTED or not match.is_over:
        return
    players = {side: accounts.get(seat.user_id or "") for side, seat in match.seats.items()}
    if match.rated:
        _rate(match, players)
    for side, account in players.items():
        if account is not None:
            account.count_game(rated=match.rated, ai=match.has_ai, score=_score(match, side))


def _rate(match: Match, players: dict[chess.Color, Account | None]) -> None:
    white, black = players[chess.WHITE], players[chess.BLACK]
    if white is None or black is None:
        return
    perfs = {chess.WHITE: white.perfs[match.perf], chess.BLACK: black.perfs[match.perf]}
    ratings = {side: perf.rating for side, perf in perfs.items()}  # both move from where they were
    for side, perf in perfs.items():
        diff = perf.diff(ratings[not side], _score(match, side))
        perf.count(diff)
        match.seats[side].rating_diff = diff


def score_of(match: Match, side: chess.Color) -> float | None:
    """1, ½ or 0 for a game that is over; None for one that was aborted."""
    return None if match.status is Status.ABORTED else _score(match, side)


def _score(match: Match, side: chess.Color) -> float:
    return 0.5 if match.winner is None else float(match.winner is side)
