"""What a state of a game means for us: where we are, what is legal, what stands on the table. Pure."""

import chess

from bot.game.boards import start_board
from bot.game.manners import Judgement, Manners, Standing
from bot.game.nouns import GameInfo, Position, State

FIRST_MOVES = 2  # plies during which a game can be aborted and no draw is heard
LICHESS = "lichess"  # who says the system's lines in a chat


def position(info: GameInfo, state: State) -> Position:
    return Position(info.variant, info.initial_fen, state.moves)


def board(
    info: GameInfo, state: State, known: chess.Board | None = None, plies: int = 0
) -> chess.Board | None:
    """Where we are; None: these moves are not legal by the rules we know. It has no memory of the way.

    `known` is the board after the first `plies` of these moves, where there is one: from it the fold of a
    long game costs two moves on our clock instead of all.
    """
    try:
        here = known.copy(stack=False) if known else start_board(info.variant, info.initial_fen)
        for uci in state.moves[plies if known else 0 :]:
            here.push_uci(uci)
    except ValueError:
        return None
    return here


def spelt(here: chess.Board, uci: str) -> str | None:
    """The move as Lichess writes it in this variant; None if it is not legal here."""
    try:
        move = here.parse_uci(uci)
    except ValueError:
        return None
    return here.uci(move) if move else None  # python-chess takes a null move for a legal one


def standing(
    info: GameInfo, state: State, here: chess.Board | None, history: tuple[Judgement, ...]
) -> Standing:
    """What draws and resignation are decided by."""
    they = not info.we_are_white
    return Standing(
        opponent=info.opponent,
        move=state.ply // 2 + 1,
        pieces=chess.popcount(here.occupied) if here else 32,
        history=history,
        opponent_left_ms=state.left_ms(they) if info.control.is_clock else None,
        opponent_inc_ms=state.inc_ms(they),
        opponent_can_win=here is None or not here.has_insufficient_material(they),
    )


def draw_offered(info: GameInfo, state: State | None) -> bool:
    """By the opponent."""
    return state is not None and (state.black_draw if info.we_are_white else state.white_draw)


def takeback_asked(info: GameInfo, state: State | None) -> bool:
    """By the opponent."""
    return state is not None and (state.black_takeback if info.we_are_white else state.white_takeback)


def abort_at(manners: Manners, info: GameInfo, state: State, at: float) -> float | None:
    """When the opponent, whose turn it is since `at`, has not begun for too long; None: it may take its time.

    Where days may pass between moves nobody is late, and a tournament aborts by itself.
    """
    patience_s = manners.patience_s(info.opponent)
    if patience_s is None or state.ply >= FIRST_MOVES or info.tournament or not info.control.is_clock:
        return None
    return at + patience_s


def is_for_us(info: GameInfo, name: str, text: str) -> bool:
    """Whether a line of chat is a command of somebody else: our own lines come back to us."""
    ourselves = {info.us.name.lower(), (info.us.id or info.us.name).lower(), LICHESS}
    return text.startswith("!") and name.lower() not in ourselves


def lines(
    manners: Manners, info: GameInfo, to_players: str, to_spectators: str
) -> tuple[tuple[str, str], ...]:
    """(room, text) of two templates; none where chat is closed (tournaments) or nobody reads (the AI)."""
    if info.tournament:
        return ()
    rooms = (("player", to_players if info.opponent.ai_level is None else ""), ("spectator", to_spectators))
    return tuple((room, manners.words(template, info)) for room, template in rooms if template)
