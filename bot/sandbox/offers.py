"""Draws, takebacks and claims: what a player puts to the other, and what becomes of it. Pure.

Offers are never refused: Lichess answers 200 and ignores what is out of place. `Answer` says which it was.
"""

from enum import Enum, auto

import chess

from bot.sandbox.match import Match
from bot.sandbox.refusal import refuse
from bot.sandbox.variants import Status, can_win, is_threefold

DRAW_PAUSE_PLIES = 20  # a side that has offered waits so long before it may offer again
REFUSALS_COUNTED = 10  # after each refused takeback the next may be asked n² · 10 s later, n at most this


class Answer(Enum):
    """What became of an offer."""

    IGNORED = auto()
    OFFERED = auto()
    ACCEPTED = auto()
    DECLINED = auto()
    CANCELED = auto()
    CLAIMED = auto()  # the game ended without the other side being asked


def answer_draw(match: Match, side: chess.Color, accept: bool, now_ms: int) -> Answer:
    """`side` says yes or no to a draw; a yes with nothing on the table is an offer."""
    if not match.is_drawable:
        return Answer.IGNORED
    if not accept:
        if (not side) not in match.offers.draw:
            return Answer.IGNORED
        match.offers.draw.discard(not side)
        return Answer.DECLINED
    if is_threefold(match.board):
        match.finish(Status.DRAW, None, now_ms)
        return Answer.CLAIMED
    if (not side) in match.offers.draw:
        match.finish(Status.DRAW, None, now_ms)
        return Answer.ACCEPTED
    return _offer_draw(match, side, now_ms)


def _offer_draw(match: Match, side: chess.Color, now_ms: int) -> Answer:
    recent = match.offers.draw_ply.get(side, -DRAW_PAUSE_PLIES - 1) >= match.ply - DRAW_PAUSE_PLIES
    if side in match.offers.draw or recent or match.ply < 2 or match.seats[not side].ai_level is not None:
        return Answer.IGNORED
    if not can_win(match.board, not side):  # who cannot lose need not ask
        match.finish(Status.INSUFFICIENT_MATERIAL_CLAIM, None, now_ms)
        return Answer.CLAIMED
    match.offers.draw.add(side)
    match.offers.draw_ply[side] = match.ply
    return Answer.OFFERED


def claim_threefold(match: Match, now_ms: int) -> bool:
    """A threefold repetition is claimed for the players by themselves; True when it ended the game."""
    if not match.is_drawable or not is_threefold(match.board):
        return False
    match.finish(Status.DRAW, None, now_ms)
    return True


def answer_takeback(match: Match, side: chess.Color, accept: bool, now_ms: int, *, allowed: bool) -> Answer:
    """`side` says yes or no to a takeback; a yes with nothing on the table proposes one. The AI agrees.

    `allowed`: both players' preferences permit takebacks.
    """
    if match.is_over or match.is_mandatory:
        return Answer.IGNORED
    if not accept:
        return _drop_takeback(match, side, now_ms)
    if match.has_ai:
        plies = 1 if match.ai_to_move else 2
        return _take_back(match, plies, now_ms)
    if not allowed:
        return Answer.IGNORED
    proposed_at = match.offers.takeback.get(not side)
    if proposed_at is not None:
        undoes_one = proposed_at == match.ply and side is match.turn
        return _take_back(match, 1 if undoes_one else 2, now_ms)
    return _propose_takeback(match, side, now_ms)


def _propose_takeback(match: Match, side: chess.Color, now_ms: int) -> Answer:
    offers = match.offers
    pause_ms = min(offers.refused, REFUSALS_COUNTED) ** 2 * 10_000
    too_soon = offers.refused > 0 and now_ms <= offers.refused_at_ms + pause_ms
    if match.ply < 2 or offers.takeback or too_soon:
        return Answer.IGNORED
    offers.takeback[side] = match.ply
    return Answer.OFFERED


def _drop_takeback(match: Match, side: chess.Color, now_ms: int) -> Answer:
    by = next((by for by in (side, not side) if by in match.offers.takeback), None)
    if by is None:
        return Answer.IGNORED
    del match.offers.takeback[by]
    match.offers.refused += 1
    match.offers.refused_at_ms = now_ms
    return Answer.CANCELED if by is side else Answer.DECLINED


def _take_back(match: Match, plies: int, now_ms: int) -> Answer:
    if match.ply < plies:
        return Answer.IGNORED
    for _ in range(plies):
        _rewind(match)
    match.offers.takeback.clear()
    match.offers.refused = 0
    match.last_move_at_ms = now_ms
    if match.clock is not None and match.clock.ticking is not None:
        match.clock.run(match.turn, now_ms)
    return Answer.ACCEPTED


def _rewind(match: Match) -> None:
    """Undo one ply. The side that was to move has again what it had after its own last move.

    The side whose move is undone is charged for it all the same, as on Lichess; so of a takeback of two the
    side that answered gets its time back, and the side that asked does not.
    """
    thinking = match.turn
    match.board.pop()
    match.moves.pop()
    if match.clock is not None:
        if match.ply >= 1:
            match.clock.left[thinking] = match.clock_log[-2]
        match.clock_log.pop()


def settle_after_move(match: Match, mover: chess.Color, now_ms: int) -> bool:
    """A move says no to what was on the table. True when that is to be shown: a takeback was turned down."""
    match.offers.draw.discard(not mover)
    if (not mover) not in match.offers.takeback:
        return False
    _drop_takeback(match, mover, now_ms)
    return True


def claim(match: Match, side: chess.Color, now_ms: int, *, is_gone: bool, victory: bool) -> None:
    """`side` claims the game, or a draw, because the other has left.

    Without material to win with, the game is drawn, and a claim of victory refused all the same.
    """
    wish = "victory" if victory else "a draw"
    possible = match.is_forfeitable if victory else match.is_drawable and match.is_forfeitable
    if not possible or side is match.turn:
        raise refuse(f"This is not the time to claim {wish}")
    if not is_gone:
        raise refuse(f"You cannot claim {wish} in this game")
    wins = victory and can_win(match.board, side)
    match.finish(Status.TIMEOUT, side if wins else None, now_ms)
    if victory and not wins:
        raise refuse(f"You cannot claim {wish} in this game")
