"""One game as a pure state machine: `step` is the only door, and every order of events is legal to it.

    SEEKING --first line--> THINKING --answer--> SENDING --the stream shows it--> WAITING --> THINKING ...

The position is folded from the whole move list of the newest state, so replays, takebacks and reconnects need
no case of their own. A question is known by its ticket; an answer of another ticket is stale. That a stream
ended says nothing about the game.
"""

from dataclasses import dataclass, field, replace
from enum import Enum, auto

import chess

from bot.game import errand as errands
from bot.game import manners as rules
from bot.game import outlook
from bot.game.commands import (
    Abort,
    AnswerChat,
    AnswerDraw,
    AnswerTakeback,
    ClaimDraw,
    ClaimVictory,
    Command,
    PlayMove,
    Reconnect,
    Resign,
    Say,
    StopThinking,
    Think,
)
from bot.game.errand import Aim, Errand
from bot.game.events import (
    ChatSeen,
    Event,
    GameSeen,
    MoveFailed,
    MoveFound,
    MoveSent,
    OpponentCameBack,
    OpponentLeft,
    StateSeen,
    StreamLost,
)
from bot.game.manners import Judgement, Manners
from bot.game.nouns import GameInfo, State, Thought
from bot.game.outlook import FIRST_MOVES

CLAIM_AGAIN_S = 5.0
ABORT_AGAIN_S = 30.0
OFFER_EVERY_PLIES = 20  # Lichess does not hear more
WASTED_MOVES = 3  # refused or impossible ones; after so many this position is left alone

Commands = tuple[Command, ...]
NOTHING: Commands = ()


class Phase(Enum):
    SEEKING = auto()  # no first line yet
    THINKING = auto()  # our turn: the question `ticket` is open
    SENDING = auto()  # our turn: an errand is to be shown by the stream
    WAITING = auto()  # their turn
    OVER = auto()


@dataclass(frozen=True, slots=True)
class Session:
    manners: Manners
    resumed: bool = False
    takebacks_given: int = 0
    phase: Phase = Phase.SEEKING
    info: GameInfo | None = None
    state: State | None = None
    seen_at: float = 0.0  # when the clocks of `state` were true
    board: chess.Board | None = field(default=None, compare=False, repr=False)  # of `state`; never changed
    ticket: int = 0
    errand: Errand | None = None
    wasted: int = 0  # moves for this position that were refused or impossible
    history: tuple[Judgement, ...] = ()
    offered_at_ply: int | None = None
    abort_at: float | None = None
    claim_at: float | None = None  # the opponent is gone: when we may claim
    claimed_at: float | None = None
    said: frozenset[tuple[str, str]] = frozenset()

    @property
    def known(self) -> tuple[GameInfo, State]:
        """Of a game whose first line was seen."""
        assert self.info is not None
        assert self.state is not None
        return self.info, self.state


def open_game(manners: Manners, *, resumed: bool = False, takebacks_given: int = 0) -> Session:
    return Session(manners, resumed, takebacks_given)


def wake_at(game: Session) -> float | None:
    """The next instant at which TimePassed is wanted; later than the last event the session has heard."""
    claim_at = game.claim_at if game.phase is Phase.WAITING else None
    instants = (game.errand.due_at if game.errand else None, game.abort_at, claim_at)
    return min((one for one in instants if one is not None), default=None)


def step(game: Session, event: Event) -> tuple[Session, Commands]:
    """What `event` makes of the game, and what is to be done, in order. Nothing any more once it is over."""
    if game.phase is Phase.OVER:
        return game, ()
    after, commands = _hear(game, event)
    after, late = _due(after, event.at)
    return after, (*commands, *late)


def _hear(game: Session, event: Event) -> tuple[Session, Commands]:
    match event:
        case GameSeen(info=info, state=state, at=at):
            return _see(replace(game, info=game.info or info), state, at, first_line=True)
        case StateSeen(state=state, at=at):
            return _see(game, state, at, first_line=False)
        case ChatSeen(room=room, name=name, text=text) if game.info and outlook.is_for_us(
            game.info, name, text
        ):
            return game, (AnswerChat(room, name, text),)
        case OpponentLeft(claim_in_s=seconds, at=at) if seconds is not None:
            earliest = at if game.claimed_at is None else game.claimed_at + CLAIM_AGAIN_S
            return replace(game, claim_at=max(at + seconds, earliest)), ()
        case OpponentCameBack() | StreamLost():  # a new stream does not say who came back meanwhile
            return replace(game, claim_at=None), ()
        case MoveFound(ticket=ticket, thought=thought, at=at) if game.phase is Phase.THINKING:
            return _decide(game, thought, at) if ticket == game.ticket else (game, ())
        case MoveSent() | MoveFailed() if game.errand and game.errand.under_way:
            return _answered(game, game.errand, event) if event.ticket == game.ticket else (game, ())
        case _:
            return game, ()


# --- the stream


def _see(game: Session, state: State, at: float, *, first_line: bool) -> tuple[Session, Commands]:
    before, commands = game.state, NOTHING
    if state.is_over:
        return _finish(game, state)
    if game.info is None:
        return game, ()  # without its first line a game cannot be played
    game = replace(game, state=state, seen_at=at)
    if before is None or before.moves != state.moves:
        game, commands = _moved(game, before, at)
    elif first_line and game.errand is not None:
        game, commands = _still_there(game, game.errand, at)
    game, answers = _answer_offers(game, before)
    if before is not None or game.resumed or state.ply >= FIRST_MOVES:
        return game, (*commands, *answers)
    game, greetings = _say(game, game.manners.greeting, game.manners.greeting_spectators)
    return game, (*commands, *answers, *greetings)


def _finish(game: Session, state: State) -> tuple[Session, Commands]:
    """Good-bye is for games that were played while we looked."""
    seen = game.phase is not Phase.SEEKING
    game = replace(game, state=state, phase=Phase.OVER, errand=None, abort_at=None, claim_at=None)
    if not seen or state.ply < FIRST_MOVES:
        return game, (StopThinking(),) if seen else ()
    game, goodbyes = _say(game, game.manners.goodbye, game.manners.goodbye_spectators)
    return game, (StopThinking(), *goodbyes)


def _moved(game: Session, before: State | None, at: float) -> tuple[Session, Commands]:
    """Other moves than we knew: more, fewer or different ones."""
    info, state = game.known
    known = before.moves if before else ()
    grew = state.moves[: len(known)] == known
    stop = game.phase is Phase.THINKING or not grew  # after a takeback a ponder search is of no use either
    commands: Commands = (StopThinking(),) if stop else ()
    history = tuple(one for one in game.history if one.ply < state.ply)
    claim_at = game.claim_at if grew and state.ply == len(known) + 1 else None
    board = outlook.board(info, state, game.board if grew else None, len(known))
    game = replace(game, board=board, errand=None, wasted=0, abort_at=None, claim_at=None, history=history)
    if board is None or (board.turn is info.we_are_white and not any(board.legal_moves)):
        watch = errands.watch(Aim.LOOK, at)  # no position to think about: only another line can help
        return replace(game, phase=Phase.WAITING, errand=watch), commands
    if board.turn is info.we_are_white:  # whoever has moved is there: no claim
        game, think = _ask(game)
        return game, (*commands, *think)
    abort_at = outlook.abort_at(game.manners, info, state, at)
    return replace(game, phase=Phase.WAITING, claim_at=claim_at, abort_at=abort_at), commands


def _still_there(game: Session, errand: Errand, at: float) -> tuple[Session, Commands]:
    """A new stream shows the position we knew: what we asked for has not happened."""
    if errand.aim is Aim.RETHINK:
        return _ask(game)
    errand, commands = errands.not_there(errand, at)
    return replace(game, errand=errand), commands


def _answer_offers(game: Session, before: State | None) -> tuple[Session, Commands]:
    """An offer is answered when its flag rises: once, whatever we are doing."""
    info, state = game.known
    answers: Commands = ()
    if outlook.draw_offered(info, state) and not outlook.draw_offered(info, before):
        standing = outlook.standing(info, state, game.board, game.history)
        answers = (AnswerDraw(rules.accepts_draw(game.manners.draw, standing)),)
    if not outlook.takeback_asked(info, state) or outlook.takeback_asked(info, before):
        return game, answers
    gives = rules.gives_takeback(game.manners.takeback, info, game.takebacks_given)
    given = game.takebacks_given + gives
    return replace(game, takebacks_given=given), (*answers, AnswerTakeback(gives))


def _say(game: Session, to_players: str, to_spectators: str) -> tuple[Session, Commands]:
    """Never the same line twice in a room."""
    lines = outlook.lines(game.manners, game.info, to_players, to_spectators) if game.info else ()
    new = [line for line in lines if line not in game.said]
    return replace(game, said=game.said | frozenset(new)), tuple(Say(room, text) for room, text in new)


# --- our move


def _ask(game: Session) -> tuple[Session, Commands]:
    info, state = game.known
    ticket = game.ticket + 1
    think = Think(ticket, outlook.position(info, state), state, game.seen_at, info.we_are_white)
    return replace(game, phase=Phase.THINKING, ticket=ticket, errand=None), (think,)


def _decide(game: Session, thought: Thought, at: float) -> tuple[Session, Commands]:
    info, state = game.known
    ply, uci = state.ply, outlook.spelt(game.board, thought.uci) if game.board else None
    if uci is None:
        return _wasted(game, at, at_once=not game.wasted)
    cp = thought.score.as_cp if thought.score else None
    earlier = tuple(one for one in game.history if one.ply < ply)
    game = replace(game, history=(*earlier, Judgement(ply, cp, thought.tablebase_wdl)), phase=Phase.SENDING)
    standing = outlook.standing(info, state, game.board, game.history)
    if rules.resigns(game.manners.resign, standing):
        return replace(game, errand=errands.carry_resignation(at)), (Resign(),)
    may_offer = game.offered_at_ply is None or ply >= game.offered_at_ply + OFFER_EVERY_PLIES
    offers = ply >= FIRST_MOVES and may_offer and rules.offers_draw(game.manners.draw, standing)
    move = PlayMove(game.ticket, uci, offers)
    offered_at_ply = ply if offers else game.offered_at_ply
    return replace(game, errand=errands.carry_move(move), offered_at_ply=offered_at_ply), (move,)


def _answered(game: Session, errand: Errand, event: MoveSent | MoveFailed) -> tuple[Session, Commands]:
    if isinstance(event, MoveSent):
        return replace(game, errand=errands.confirmed(errand, event.at)), ()
    after = errands.failed(errand, event.failure, event.at)
    return (replace(game, errand=after), ()) if after else _wasted(game, event.at, at_once=False)


def _wasted(game: Session, at: float, *, at_once: bool) -> tuple[Session, Commands]:
    """A move that cannot be played: think again, now or when a new stream shows where we are."""
    game = replace(game, wasted=game.wasted + 1)
    if at_once:
        return _ask(game)
    aim = Aim.RETHINK if game.wasted < WASTED_MOVES else Aim.LOOK
    return replace(game, phase=Phase.SENDING, errand=errands.watch(aim, at)), (Reconnect(),)


# --- the clock


def _due(game: Session, at: float) -> tuple[Session, Commands]:
    """What the time has brought by `at`; each of it again only later."""
    commands: Commands = ()
    if game.errand is not None:
        errand, commands = errands.due(game.errand, at)
        game = replace(game, errand=errand)
    if game.abort_at is not None and at >= game.abort_at:
        game, commands = replace(game, abort_at=at + ABORT_AGAIN_S), (*commands, Abort())
    if game.phase is Phase.WAITING and game.claim_at is not None and at >= game.claim_at:
        game, commands = replace(game, claim_at=at + CLAIM_AGAIN_S, claimed_at=at), (*commands, _claim(game))
    return game, commands


def _claim(game: Session) -> ClaimDraw | ClaimVictory:
    """The most that our pieces can win."""
    we_are_white = game.known[0].we_are_white
    bare = game.board is not None and game.board.has_insufficient_material(we_are_white)
    return ClaimDraw() if bare else ClaimVictory()
