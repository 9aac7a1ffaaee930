"""No order of events breaks a game, and whatever Lichess does to it, the game goes on."""

from collections.abc import Callable

import chess
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.game.commands import Command, PlayMove, Say, Think
from bot.game.events import (
    ChatSeen,
    Event,
    Failure,
    GameSeen,
    MoveFailed,
    MoveFound,
    MoveSent,
    OpponentCameBack,
    OpponentLeft,
    StateSeen,
    StreamLost,
    TimePassed,
)
from bot.game.manners import DrawRule, Manners, ResignRule
from bot.game.nouns import GameInfo, Score, State, Thought
from bot.game.session import Phase, Session, open_game, step, wake_at
from tests.game.rough_server import STEPS, Chances, RoughServer
from tests.game.stories import AI, BOT, HUMAN, an_info

LINES = (
    ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6"],
    ["e2e4", "e7e5", "g1f3", "g8f6", "f3e5", "d7d6"],
    ["d2d4", "d7d5", "c2c4", "e7e6"],
)
RULES = Manners(draw=DrawRule(moves=1, from_move=1), resign=ResignRule(enabled=True, moves=2))
Telling = Callable[[Session, float], Event]  # what happens, given how the game stands and when
Tellings = list[tuple[Telling, float]]  # each after a pause
Step = tuple[Session, Event, Session, tuple[Command, ...]]  # before, event, after, commands


def _moves(line: int, plies: int) -> tuple[str, ...]:
    return tuple(LINES[line][:plies])


def _found(index: int, ticket: int, cp: int | None, wdl: int | None) -> Telling:
    def tell(game: Session, at: float) -> Event:
        board = _board(game)
        legal = sorted(move.uci() for move in board.legal_moves)
        uci = legal[index % len(legal)] if index < 300 else "a1a1"
        score = None if cp is None else Score(cp)
        return MoveFound(game.ticket + ticket, Thought(uci, "any", score, tablebase_wdl=wdl), at)

    return tell


def _board(game: Session) -> chess.Board:
    """The slow way, from the start, and by nobody else's code."""
    board = chess.Board()
    for uci in game.state.moves if game.state else ():
        board.push_uci(uci)
    return board


FLAGS = st.sampled_from([False, False, False, True])
STATUSES = st.sampled_from(["started"] * 19 + ["mate"])
STATES = st.builds(
    lambda moves, status, flags, left: State(moves, left, left, 0, 0, status, None, *flags),
    st.builds(_moves, st.integers(0, 2), st.integers(0, 8)),
    STATUSES,
    st.tuples(FLAGS, FLAGS, FLAGS, FLAGS),
    st.sampled_from([500, 60_000]),
)
INFOS = st.builds(
    lambda white, opponent, tournament: an_info(white=white, opponent=opponent, tournament=tournament),
    st.booleans(),
    st.sampled_from([HUMAN, BOT, AI]),
    st.sampled_from([None, None, "arena"]),
)
TICKETS = st.sampled_from([0, 0, 0, 0, -1, 1])
FOUND = st.builds(
    _found,
    st.integers(0, 320),
    TICKETS,
    st.sampled_from([None, 0, 50, -2000]),
    st.sampled_from([None, None, -2, 0, 2]),
)
FAILED = st.builds(
    lambda failure, ticket: lambda game, at: MoveFailed(game.ticket + ticket, failure, "", at),
    st.sampled_from(Failure),
    TICKETS,
)
SENT = TICKETS.map(lambda ticket: lambda game, at: MoveSent(game.ticket + ticket, at))
OTHERS = st.sampled_from(
    [
        lambda _, at: StreamLost("any", at),
        lambda _, at: OpponentCameBack(at),
        lambda _, at: ChatSeen("player", "Anna", "!eval", at),
        lambda _, at: TimePassed(at),
        lambda game, at: StateSeen(game.state or State((), 1, 1), at),  # a replay
        lambda game, at: GameSeen(game.info or an_info(), game.state or State((), 1, 1), at),
        lambda game, at: TimePassed(max(at, wake_at(game) or at)),
        lambda game, at: TimePassed(max(at, wake_at(game) or at)),
    ]
)
SEEN = STATES.map(lambda state: lambda _, at: StateSeen(state, at))
FIRST = st.builds(lambda info, state: lambda _, at: GameSeen(info, state, at), INFOS, STATES)
LEFT = st.sampled_from([None, 0, 3]).map(lambda s: lambda _, at: OpponentLeft(s, at))
TELLINGS = st.lists(
    st.tuples(st.one_of(FOUND, FOUND, FAILED, SENT, OTHERS, SEEN, FIRST, LEFT), st.floats(0, 6)),
    min_size=25,  # short stories do not get far
    max_size=60,
)


class Judge:
    """Follows a game from outside and objects to whatever must not be."""

    def __init__(self) -> None:
        self.under_way: set[int] = set()
        self.asked: list[int] = []
        self.thoughts: dict[int, str] = {}
        self.sent_here: set[str] = set()
        self.said: set[Say] = set()

    def hear(self, before: Session, event: Event) -> None:
        match event:
            case MoveFound(ticket=ticket, thought=thought) if ticket in self.asked:
                self.thoughts.setdefault(ticket, thought.uci)  # a question has one answer
            case MoveSent(ticket=ticket):
                self.under_way.discard(ticket)
            case MoveFailed(ticket=ticket, failure=failure):
                if failure is Failure.REFUSED and ticket in self.under_way:
                    self.sent_here.clear()
                self.under_way.discard(ticket)
            case GameSeen(state=state) | StateSeen(state=state):
                if before.state is None or state.moves != before.state.moves:
                    self.sent_here.clear()

    def see(self, game: Session, commands: tuple[Command, ...]) -> None:
        for command in commands:
            match command:
                case Think(ticket=ticket):
                    assert ticket not in self.asked
                    assert _is_our_turn(game)
                    self.asked.append(ticket)
                case PlayMove():
                    self._judge_move(game, command)
                case Say():
                    assert command not in self.said
                    self.said.add(command)

    def _judge_move(self, game: Session, move: PlayMove) -> None:
        assert move.ticket not in self.under_way
        assert _is_our_turn(game)
        assert chess.Move.from_uci(move.uci) in _board(game).legal_moves
        assert move.uci == self.thoughts[move.ticket]
        assert self.sent_here <= {move.uci}
        self.sent_here.add(move.uci)
        self.under_way.add(move.ticket)


def _is_our_turn(game: Session) -> bool:
    assert game.info is not None
    return _board(game).turn is game.info.we_are_white


def _told(info: GameInfo, tellings: Tellings) -> list[Step]:
    game, at = open_game(RULES), 0.0
    steps: list[Step] = []
    first: Telling = lambda _, at: GameSeen(info, State((), 60_000, 60_000), at)  # noqa: E731  one of many
    for telling, pause in [(first, 0.0), *tellings]:
        event = telling(game, at + pause)
        at = event.at
        after, commands = step(game, event)
        steps.append((game, event, after, commands))
        game = after
    return steps


@settings(max_examples=200, deadline=None)
@given(INFOS, TELLINGS)
def test_every_move_is_ours_legal_thought_of_and_under_way_once(info: GameInfo, tellings: Tellings) -> None:
    judge = Judge()
    for before, event, after, commands in _told(info, tellings):
        judge.hear(before, event)
        judge.see(after, commands)


@given(INFOS, TELLINGS)
def test_the_board_carried_along_is_the_board_folded_from_the_start(
    info: GameInfo, tellings: Tellings
) -> None:
    for _, _, after, _ in _told(info, tellings):
        if after.phase is not Phase.OVER:
            assert after.board == _board(after)


@given(INFOS, TELLINGS)
def test_nothing_comes_after_the_end(info: GameInfo, tellings: Tellings) -> None:
    for before, _, after, commands in _told(info, tellings):
        if before.phase is Phase.OVER:
            assert (after, commands) == (before, ())


@given(INFOS, TELLINGS)
def test_the_next_instant_is_never_now_or_past(info: GameInfo, tellings: Tellings) -> None:
    for _, event, after, _ in _told(info, tellings):
        woken = wake_at(after)
        assert woken is None or woken > event.at


@given(INFOS, TELLINGS)
def test_time_that_passes_before_its_instant_changes_nothing(info: GameInfo, tellings: Tellings) -> None:
    for _, event, after, _ in _told(info, tellings):
        assert step(after, TimePassed(event.at)) == (after, ())


@given(INFOS, TELLINGS)
def test_a_replayed_state_does_nothing_at_all(info: GameInfo, tellings: Tellings) -> None:
    for _, event, after, _ in _told(info, tellings):
        if after.state is not None and after.phase is not Phase.OVER:
            assert step(after, StateSeen(after.state, event.at))[1] == ()


@given(INFOS, TELLINGS)
def test_on_our_turn_something_is_always_going_on(info: GameInfo, tellings: Tellings) -> None:
    """A question is open, an answer is awaited, or an alarm is set: no game falls asleep on our clock."""
    for _, _, after, _ in _told(info, tellings):
        if after.phase is not Phase.OVER and _is_our_turn(after):
            busy = after.errand is not None and (after.errand.under_way or after.errand.due_at is not None)
            assert after.phase is Phase.THINKING or (after.phase is Phase.SENDING and busy)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32),
    st.builds(Chances, st.floats(0, 0.8), st.floats(0, 0.7), st.floats(0, 0.5)),
    st.booleans(),
)
def test_no_move_is_lost_and_none_is_played_twice_whatever_the_server_does(
    seed: int, chances: Chances, white: bool
) -> None:
    server = RoughServer(seed, chances, white=white)
    assert server.run() < STEPS
    positions = [moves for moves, _ in server.played]
    assert len(positions) == len(set(positions)) == len(server.moves[0 if white else 1 :: 2])
    assert all(uci in server.thoughts[moves] for moves, uci in server.played)
    assert server.game.state is not None
    assert server.game.state.moves == server.moves
