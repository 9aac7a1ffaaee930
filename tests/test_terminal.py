"""The game in the terminal: what a typed line means, how a board looks, and the course of a game."""

import datetime as dt
import io
from collections.abc import Callable, Iterable, Sequence

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.terminal.clocks import Clocks, TimeControl, parse_time_control
from bot.terminal.picture import Ink, board_picture, material_balance, move_lines
from bot.terminal.play import Rules, Table
from bot.terminal.record import Ending, ending_on_board, flag_fall, pgn, takeback
from bot.terminal.seating import Wishes, agree
from bot.terminal.thought import line_text, score_text, shown
from bot.terminal.words import MEANING, Order, Refused, interpret
from engine.driver import MATE, Answer, Info, Limits
from engine.strength import ELO_MAX, ELO_MIN, Strength

START = chess.Board()
CASTLES = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
PROMOTES = chess.Board("8/4P3/8/8/8/k7/8/4K3 w - - 0 1")


def refusal(line: str, board: chess.Board = START) -> str:
    typed = interpret(line, board)
    assert isinstance(typed, Refused), typed
    return typed.why


# What a line means


@pytest.mark.parametrize("line", ["e4", "e2e4", "E2E4", " e4 ", "e2-e4", "e4!", "e4?!"])
def test_a_move_may_be_written_in_many_ways(line: str) -> None:
    assert interpret(line, START) == chess.Move.from_uci("e2e4")


@pytest.mark.parametrize("line", ["Nf3", "nf3", "g1f3", "Ngf3"])
def test_a_small_letter_is_forgiven(line: str) -> None:
    assert interpret(line, START) == chess.Move.from_uci("g1f3")


def test_a_small_b_is_a_pawn_before_it_is_a_bishop() -> None:
    board = chess.Board("4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1")
    assert interpret("bxc3", board) == chess.Move.from_uci("b2c3")
    assert interpret("Bxc3", board) == chess.Move.from_uci("d2c3")


@pytest.mark.parametrize("line", ["O-O", "0-0", "o-o", "OO", "e1g1"])
def test_castling_may_be_written_with_zeros_or_letters(line: str) -> None:
    assert interpret(line, CASTLES) == chess.Move.from_uci("e1g1")


@pytest.mark.parametrize("line", ["O-O-O", "0-0-0", "ooo", "e1c1"])
def test_castling_long_too(line: str) -> None:
    assert interpret(line, CASTLES) == chess.Move.from_uci("e1c1")


@pytest.mark.parametrize("line", ["e8=Q", "e8q", "e8=q", "e7e8q", "e7e8=Q"])
def test_a_promotion_may_be_written_in_many_ways(line: str) -> None:
    assert interpret(line, PROMOTES) == chess.Move.from_uci("e7e8q")


@pytest.mark.parametrize("order", list(Order))
def test_every_order_is_understood_and_explained(order: Order) -> None:
    assert interpret(order.value.upper(), START) is order
    assert MEANING[order]


@pytest.mark.parametrize(("line", "order"), [("?", Order.HELP), ("q", Order.QUIT), ("/undo", Order.UNDO)])
def test_orders_have_short_forms(line: str, order: Order) -> None:
    assert interpret(line, START) is order


def test_a_blank_line_means_nothing() -> None:
    assert interpret("  ", START) is None


@pytest.mark.parametrize(
    ("line", "fen", "reason"),
    [
        ("e3e4", chess.STARTING_FEN, "nothing on e3"),
        ("e7e5", chess.STARTING_FEN, "the pawn on e7 is not yours"),
        ("a1a2", chess.STARTING_FEN, "your own pawn stands on a2"),
        ("e2e5", chess.STARTING_FEN, "a pawn on e2 cannot go to e5"),
        ("e2e2", chess.STARTING_FEN, "has to go somewhere"),
        ("g1f3q", chess.STARTING_FEN, "only a pawn"),
        ("Nd4", chess.STARTING_FEN, "no knight of yours can go to d4"),
        ("Ra2", chess.STARTING_FEN, "your own pawn stands on a2"),
        ("O-O", chess.STARTING_FEN, "something stands in the way"),
        ("e1g1", chess.STARTING_FEN, "your own knight stands on g1"),
        ("e7e8", PROMOTES.fen(), "say what the pawn becomes, as in e7e8q"),
        ("e8", PROMOTES.fen(), "say what the pawn becomes, as in e8=Q"),
        ("e2d3", "4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1", "the bishop is pinned to your king"),
        ("Bd3", "4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1", "the bishop is pinned to your king"),
        ("Kd1", "3r2k1/8/8/8/8/8/8/4K3 w - - 0 1", "the king would be in check on d1"),
        ("a2a3", "4r1k1/8/8/8/8/8/P7/4K3 w - - 0 1", "you are in check"),
        ("O-O", "4r1k1/8/8/8/8/8/8/4K2R w K - 0 1", "castle out of check"),
        ("O-O", "5rk1/8/8/8/8/8/8/4K2R w K - 0 1", "pass through check"),
        ("e1c1", "6k1/8/8/8/8/8/8/R3K3 w - - 0 1", "no longer allowed"),
        ("O-O-O", "6k1/8/8/8/8/8/8/RN2K3 w Q - 0 1", "something stands in the way"),
    ],
)
def test_a_refused_move_says_what_is_wrong_with_it(line: str, fen: str, reason: str) -> None:
    assert reason in refusal(line, chess.Board(fen))


def test_an_ambiguous_move_lists_what_it_could_be() -> None:
    board = chess.Board("6k1/8/8/8/8/8/4K3/R6R w - - 0 1")
    assert "Rad1 or Rhd1" in refusal("Rd1", board)


@pytest.mark.parametrize(("line", "near"), [("hlep", "help"), ("resing", "resign"), ("qiut", "quit")])
def test_a_misspelt_order_is_guessed(line: str, near: str) -> None:
    assert f"did you mean {near}?" in refusal(line)


@given(st.text(max_size=80))
def test_no_line_is_beyond_an_answer(line: str) -> None:
    typed = interpret(line, START)
    assert typed is None or isinstance(typed, Order | Refused) or typed in START.legal_moves


@given(st.integers(0, 959), st.from_regex(r"[a-h][1-8][a-h][1-8][qrbn]?|O-O(-O)?", fullmatch=True))
def test_chess960_refusals_have_reasons_too(number: int, line: str) -> None:
    board = chess.Board.from_chess960_pos(number)
    typed = interpret(line, board)
    assert isinstance(typed, Refused) or (isinstance(typed, chess.Move) and typed in board.legal_moves)


# How a board looks


def test_the_players_side_is_at_the_bottom() -> None:
    as_white = board_picture(START, chess.WHITE, Ink.LETTERS).plain.splitlines()
    as_black = board_picture(START, chess.BLACK, Ink.LETTERS).plain.splitlines()
    assert as_white[-2].split() == ["1", *"RNBQKBNR"]
    assert as_black[-2].split() == ["8", *"rnbkqbnr"]
    assert as_white[-1].split() == list("abcdefgh")
    assert as_black[-1].split() == list("hgfedcba")


def test_without_colour_the_outlined_pieces_are_white() -> None:
    ranks = board_picture(START, chess.WHITE, Ink.PLAIN).plain.splitlines()
    assert ranks[6].split() == ["2", *"♙♙♙♙♙♙♙♙"]
    assert ranks[1].split() == ["7", *"♟♟♟♟♟♟♟♟"]


def test_the_last_move_is_marked_with_and_without_colour() -> None:
    board = chess.Board()
    board.push_san("e4")
    assert "[P]" in board_picture(board, chess.WHITE, Ink.LETTERS).plain
    papers = {
        str(span.style).rpartition(" ")[2] for span in board_picture(board, chess.WHITE, Ink.COLOUR).spans
    }
    assert len(papers - {"dim"}) == 3  # light, dark, and the light square of e2 and e4 marked


def test_every_row_of_the_picture_is_equally_wide() -> None:
    for ink in Ink:
        assert {len(row) for row in board_picture(START, chess.WHITE, ink).plain.splitlines()} == {27}


def test_material_is_counted_as_beginners_are_taught() -> None:
    assert material_balance(START) == 0
    assert material_balance(chess.Board("4k3/8/8/8/8/8/P7/Q3K2n w - - 0 1")) == 9 + 1 - 3


def test_moves_are_listed_by_number_even_from_the_middle_of_a_game() -> None:
    board = chess.Board("4k3/p7/8/8/8/8/P7/4K3 b - - 0 30")
    for san in ("a5", "a4", "Kd7"):
        board.push_san(san)
    assert [line.split() for line in move_lines(board)] == [["30.", "…", "a5"], ["31.", "a4", "Kd7"]]


# Clocks, endings, records


@pytest.mark.parametrize(
    ("text", "control"),
    [("5+3", (300_000, 3000)), ("10", (600_000, 0)), ("0.5+0", (30_000, 0)), ("1+0.5", (60_000, 500))],
)
def test_a_time_control_is_minutes_and_seconds(text: str, control: tuple[int, int]) -> None:
    assert parse_time_control(text) == control


@pytest.mark.parametrize("text", ["", "5+", "fast", "-1+0", "0+5", "5 3", "99999"])
def test_a_time_control_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"5\+3"):
        parse_time_control(text)


def test_a_move_in_time_earns_the_increment_and_a_late_one_does_not() -> None:
    clocks = Clocks(TimeControl(1000, 500))
    assert clocks.spend(chess.WHITE, 999)
    assert clocks.left_ms == {chess.WHITE: 501, chess.BLACK: 1000}
    assert not clocks.spend(chess.BLACK, 1000)
    assert clocks.left_ms[chess.BLACK] == 0


def test_a_clock_shows_tenths_when_it_is_getting_late() -> None:
    clocks = Clocks(TimeControl(247_000, 0))
    assert clocks.face(chess.WHITE) == "4:07"
    clocks.spend(chess.WHITE, 237_700)
    assert clocks.face(chess.WHITE) == "0:09.3"


def test_a_draw_is_claimed_as_soon_as_it_may_be() -> None:
    board = chess.Board()
    for san in ("Nf3", "Nf6", "Ng1", "Ng8") * 2:
        assert ending_on_board(board) is None
        board.push_san(san)
        if ending_on_board(board):
            break
    assert ending_on_board(board) == Ending("1/2-1/2", "threefold repetition")


def test_no_time_left_is_a_draw_against_a_bare_king() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1")
    assert flag_fall(board, chess.WHITE).result == "1/2-1/2"
    assert flag_fall(board, chess.BLACK).result == "1-0"


def test_the_pgn_can_be_read_back() -> None:
    board = chess.Board()
    board.push_san("e4")
    text = pgn(board, "You", "Krait", Ending("0-1", "resignation"), dt.date(2030, 1, 2))
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert (game.headers["Result"], game.headers["Date"]) == ("0-1", "2030.01.02")
    assert list(game.mainline_moves()) == board.move_stack


@pytest.mark.parametrize(
    ("player", "moves", "left"), [("w", "e4 e5", 0), ("b", "e4 e5 d4", 1), ("w", "e4", 0)]
)
def test_a_takeback_returns_to_the_players_turn(player: str, moves: str, left: int) -> None:
    board = chess.Board()
    for san in moves.split():
        board.push_san(san)
    assert takeback(board, player == "w")
    assert len(board.move_stack) == left


def test_nothing_is_taken_back_before_the_players_first_move() -> None:
    board = chess.Board()
    assert not takeback(board, chess.WHITE)
    board.push_san("e4")
    assert not takeback(board, chess.BLACK)
    assert len(board.move_stack) == 1


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (34, "+0.34"),
        (-250, "-2.50"),
        (MATE - 1, "mate in 1"),
        (MATE - 5, "mate in 3"),
        (4 - MATE, "mated in 2"),
    ],
)
def test_a_score_is_told_in_pawns_or_in_moves_to_mate(score: int, text: str) -> None:
    assert score_text(score) == text


def test_the_same_score_of_the_search_is_told_as_less_when_few_men_are_left() -> None:
    assert shown(START, 60) > shown(chess.Board("8/5k2/8/8/8/8/r4PK1/1R6 w - - 0 1"), 60) > 0


def test_a_line_is_told_in_the_players_notation_as_far_as_it_is_legal() -> None:
    assert line_text(START, ("e2e4", "e7e5", "g1f3", "a1a8")) == "e4 e5 Nf3"


# Rules


def test_wishes_that_cannot_be_had_are_named() -> None:
    plain = Wishes("white", None, None, 1000, None, chess960=False)
    for wishes, word in (
        (plain._replace(elo=ELO_MIN - 1), str(ELO_MIN)),
        (plain._replace(elo=ELO_MAX + 1), str(ELO_MAX)),
        (plain._replace(fen="rubbish"), "FEN"),
        (plain._replace(fen="8/8/8/8/8/8/8/4K3 w - - 0 1"), "no black king"),
        (plain._replace(clock="soon"), "5+3"),
    ):
        with pytest.raises(ValueError, match=word.replace("+", r"\+")):
            agree(wishes)


def test_chess960_starts_from_one_of_its_positions() -> None:
    rules = agree(Wishes("random", ELO_MIN, None, 1000, "3+2", chess960=True))
    assert rules.start.chess960
    assert rules.start.chess960_pos() is not None
    assert rules.control == TimeControl(180_000, 2000)
    assert rules.engine_name == f"Krait ({ELO_MIN})"


# The course of a game


class Scripted:
    """An opponent that plays what it was told to, and remembers what it was asked."""

    def __init__(self, answers: Iterable[str]) -> None:
        self.answers = iter(answers)
        self.strength: Strength | None = Strength(ELO_MIN)
        self.strength_seen: list[Strength | None] = []
        self.positions: list[tuple[str, list[str]]] = []
        self.limits: list[Limits] = []
        self.stops = 0

    def new_game(self) -> None:
        self.positions.clear()

    def set_position(self, fen: str, moves: Sequence[str]) -> None:
        self.positions.append((fen, list(moves)))

    def search(self, limits: Limits, on_info: Callable[[Info], None] = lambda _: None) -> Answer:
        self.limits.append(limits)
        self.strength_seen.append(self.strength)
        move = next(self.answers)
        if move == "Ctrl-C":
            raise KeyboardInterrupt
        on_info(Info(7, 9, 1, 34, "", 1000, 1_900_000, 0, 0, 1, (move,)))
        return Answer(move, None, 34, 1000)

    def stop(self) -> None:
        self.stops += 1

    def breakdown(self) -> str:
        return "material  White 0  Black 0"


RULES = Rules(chess.Board(), chess.WHITE, 1000, None, "Krait")


def evening(
    lines: str,
    answers: str = "",
    rules: Rules = RULES,
    clock: Iterable[float] | None = None,
) -> tuple[str, Scripted, Table]:
    """Type `lines` (separated by `;`) at a table, then Ctrl-D; what was shown, the opponent, the table."""
    typed = iter(lines.split(";") if lines else ())
    ticks = iter(clock or ())
    screen = io.StringIO()

    def read(_prompt: str) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    opponent = Scripted(answers.split())
    console = Console(file=screen, width=100, highlight=False)
    table = Table(opponent, rules, console, read, now=lambda: next(ticks, 0.0))
    table.run()
    return screen.getvalue(), opponent, table


def test_a_whole_game_ends_with_its_result_and_its_pgn() -> None:
    shown, _, _ = evening("f3;g4;quit", "e7e5 d8h4")
    assert "Krait wins: checkmate." in shown
    assert "1. f3 e5 2. g4 Qh4# 0-1" in shown
    assert shown.rstrip().endswith("Good-bye.")


def test_the_player_wins_too() -> None:
    shown, _, _ = evening("e4;Qh5;Bc4;Qxf7", "e7e5 b8c6 g8f6")
    assert "You win: checkmate." in shown


def test_black_waits_for_the_first_move() -> None:
    shown, opponent, table = evening("e5", "e2e4 g1f3", RULES._replace(player=chess.BLACK))
    assert opponent.positions[-1] == (chess.STARTING_FEN, ["e2e4", "e7e5"])
    assert len(table.board.move_stack) == 3
    assert "You play Black" in shown


def test_leaving_in_the_middle_prints_the_game_so_far() -> None:
    shown, _, _ = evening("e4", "e7e5")
    assert "1. e4 e5 *" in shown
    assert "Good-bye." in shown


def test_ctrl_c_while_krait_thinks_stops_the_search_and_leaves_politely() -> None:
    shown, opponent, _ = evening("e4", "Ctrl-C")
    assert opponent.stops == 1
    assert "Good-bye." in shown


def test_an_illegal_move_changes_nothing() -> None:
    shown, opponent, table = evening("e5;e2e5;rubbish")
    assert not table.board.move_stack
    assert not opponent.limits
    assert "no pawn of yours can go to e5" in shown


def test_undo_gives_both_moves_back_and_krait_is_told() -> None:
    _, opponent, table = evening("e4;undo;d4", "e7e5 d7d5")
    assert [move.uci() for move in table.board.move_stack] == ["d2d4", "d7d5"]
    assert opponent.positions[-1][1] == ["d2d4"]


def test_undo_reopens_a_finished_game() -> None:
    shown, _, table = evening("f3;g4;undo;e3", "e7e5 d8h4 d7d5")
    assert table.ending is None
    assert "2. e3 d5 *" in shown


def test_resigning_ends_the_game_and_moves_are_no_longer_taken() -> None:
    shown, _, table = evening("e4;resign;d4;rubbish;hint", "e7e5")
    assert "Krait wins: resignation." in shown
    assert shown.count("The game is over") == 3
    assert len(table.board.move_stack) == 2


def test_new_begins_again_with_fresh_clocks() -> None:
    rules = RULES._replace(control=TimeControl(60_000, 0))
    _, _, table = evening("e4;new", "e7e5", rules, clock=(0.0, 5.0, 20.0))
    assert not table.board.move_stack
    assert table.clocks is not None
    assert table.clocks.left_ms == {chess.WHITE: 60_000, chess.BLACK: 60_000}


def test_a_hint_is_given_at_full_strength_and_plays_nothing() -> None:
    said, opponent, table = evening("hint", "e2e4")
    assert f"Krait would play e4 ({score_text(shown(START, 34))})" in said
    assert opponent.strength_seen == [None]
    assert opponent.strength == Strength(ELO_MIN)
    assert not table.board.move_stack


def test_every_other_order_answers() -> None:
    shown, _, table = evening("help;eval;moves;pgn;flip;undo")
    assert "take your last move back" in shown
    assert "material  White 0  Black 0" in shown
    assert "Nf3" in shown
    assert '[White "You"]' in shown
    assert "no move of yours to take back" in shown
    assert table.seen_by is chess.BLACK


def test_without_a_clock_krait_takes_its_move_time() -> None:
    _, opponent, _ = evening("e4", "e7e5")
    assert (opponent.limits[0].movetime_ms, opponent.limits[0].clock) == (1000, None)


def test_by_the_clock_krait_is_told_what_it_has_left() -> None:
    rules = RULES._replace(control=TimeControl(60_000, 2000))
    shown, opponent, table = evening("e4", "e7e5", rules, clock=(0.0, 5.0, 8.0))
    clock = opponent.limits[0].clock
    assert clock is not None
    assert (clock.left_ms, clock.inc_ms) == (60_000, 2000)
    assert table.clocks is not None
    assert table.clocks.left_ms == {chess.WHITE: 57_000, chess.BLACK: 59_000}
    assert "White 0:57   Black 0:59" in shown


def test_a_move_after_the_flag_does_not_count() -> None:
    rules = RULES._replace(control=TimeControl(1000, 0))
    shown, _, table = evening("e4;f4;d4", "e7e5", rules, clock=(0.0, 0.5, 0.6, 9.0))
    assert "Krait wins: time ran out." in shown
    assert len(table.board.move_stack) == 2


def test_a_refused_line_does_not_stop_the_clock() -> None:
    rules = RULES._replace(control=TimeControl(60_000, 0))
    _, _, table = evening("e5;rubbish;e4", "e7e5", rules, clock=(0.0, 30.0, 31.0))
    assert table.clocks is not None
    assert table.clocks.left_ms == {chess.WHITE: 30_000, chess.BLACK: 59_000}


def test_a_chess960_game_is_told_to_krait_with_its_rooks_named() -> None:
    start = chess.Board("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1", chess960=True)
    _, opponent, table = evening("O-O", "e8b8", RULES._replace(start=start))
    assert opponent.positions[0] == (start.shredder_fen(), ["e1g1"])
    assert table.board.king(chess.BLACK) == chess.C8


def test_a_position_that_is_already_over_is_not_played() -> None:
    mated = chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    shown, opponent, _ = evening("Kg8", "", RULES._replace(start=mated))
    assert "The game is over" in shown
    assert not opponent.limits
