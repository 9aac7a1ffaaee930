"""The rules of the conversation, with a scripted engine."""

from typing import TYPE_CHECKING

import pytest

from engine.driver import Answer
from engine.uci import LONGEST_LINE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.uci.conftest import Inside


def test_the_greeting_does_not_wait_for_the_kernels(inside: "Callable[..., Inside]") -> None:
    talk = inside(closed=True)
    greeting = talk.ask("uci", "uciok")
    assert greeting == "uciok"


def test_isready_waits_for_the_kernels(inside: "Callable[..., Inside]") -> None:
    talk = inside(closed=True)
    talk.say("isready", "uci")
    assert "readyok" not in talk.until("uciok")
    talk.door.set()
    talk.until("readyok")


@pytest.mark.parametrize("leave", ["quit", "hang up"])
def test_nobody_waits_for_a_compilation_to_leave(inside: "Callable[..., Inside]", leave: str) -> None:
    talk = inside(cold=True, closed=True)
    talk.say("isready", "go infinite")
    if leave == "quit":
        talk.say("quit")
    else:
        talk.hang_up()
    assert talk.exit_code() == 0
    assert not talk.door.is_set()


def test_what_was_asked_before_the_end_of_input_is_answered(inside: "Callable[..., Inside]") -> None:
    talk = inside(closed=True)
    talk.say("go perft 2", "go infinite", "d")
    talk.hang_up()
    talk.door.set()
    assert talk.exit_code() == 0
    assert talk.engine.diary[:2] == ["perft 2", "search"]
    talk.close()
    assert talk.rest()[-2:] == ["a board", "of several lines"]


def test_kernels_that_cannot_be_compiled_end_the_program_with_an_exit_code(
    inside: "Callable[..., Inside]",
) -> None:
    talk = inside(broken=RuntimeError("no LLVM\nhere"))
    assert talk.until("info string")[-1] == "info string error cannot go on: RuntimeError: no LLVM here"
    assert talk.exit_code() == 1


def test_isready_during_a_search_is_answered_at_once(talk: "Inside") -> None:
    talk.say("go infinite")
    talk.until("info depth")
    assert talk.sync() == []
    assert talk.ask("stop", "bestmove") == "bestmove e2e4"


def test_isready_behind_a_search_that_has_not_begun_is_answered_when_it_begins(
    inside: "Callable[..., Inside]",
) -> None:
    talk = inside(closed=True)
    talk.say("go infinite", "isready", "uci")
    talk.until("uciok")
    talk.door.set()
    talk.until("readyok")
    talk.ask("stop", "bestmove")


def test_every_isready_is_answered_exactly_once(inside: "Callable[..., Inside]") -> None:
    talk = inside(closed=True)
    talk.say("isready", "go infinite", "isready", "isready", "stop", "isready", "quit")
    talk.door.set()
    assert talk.exit_code() == 0
    talk.close()
    assert talk.rest().count("readyok") == 4


def test_position_during_a_search_is_for_the_next(talk: "Inside") -> None:
    talk.say("go infinite")
    talk.until("info depth")
    talk.say("position startpos moves e2e4", "setoption name Hash value 64", "ucinewgame")
    talk.sync()
    assert talk.engine.diary == ["search"]
    talk.ask("stop", "bestmove")
    talk.sync()
    assert talk.engine.diary == ["search", "stop", "found", "position e2e4", "resize 64", "new game"]


def test_go_during_a_search_ends_it_first(talk: "Inside") -> None:
    talk.say("go infinite")
    talk.until("info depth")
    talk.say("go infinite")
    assert talk.until("info depth")[0] == "bestmove e2e4"
    talk.ask("stop", "bestmove")


def test_a_stop_without_a_search_is_ignored(talk: "Inside") -> None:
    talk.say("stop", "ponderhit", "go depth 3", "stop")
    talk.until("bestmove")
    talk.say("stop", "ponderhit", "go infinite")
    talk.until("info depth")
    assert talk.sync() == []
    talk.ask("stop", "bestmove")


def test_a_stop_that_overtakes_its_search_still_stops_it(inside: "Callable[..., Inside]") -> None:
    talk = inside(closed=True)
    talk.say("go infinite", "stop", "uci")
    talk.until("uciok")
    talk.door.set()
    talk.until("bestmove")
    assert talk.engine.limits[0].depth == 1


def test_pondering_ends_by_ponderhit_or_stop_and_not_before(talk: "Inside") -> None:
    for word in ("ponderhit", "stop"):
        talk.say("go ponder wtime 1000 btime 1000")
        talk.until("info depth")
        assert talk.sync() == []
        assert talk.ask(word, "bestmove") == "bestmove e2e4"
    assert talk.engine.diary == ["search", "ponderhit", "found", "search", "stop", "found"]


def test_a_ponderhit_that_overtakes_its_search_makes_it_an_ordinary_one(
    inside: "Callable[..., Inside]",
) -> None:
    talk = inside(closed=True)
    talk.say("go ponder wtime 1000 btime 1000", "ponderhit", "uci")
    talk.until("uciok")
    talk.door.set()
    talk.until("bestmove")
    assert talk.engine.diary == ["search", "found"]
    assert not talk.engine.limits[0].ponder


def test_a_second_ponderhit_does_not_start_the_clock_again(talk: "Inside") -> None:
    talk.say("go ponder infinite wtime 1000 btime 1000")
    talk.until("info depth")
    talk.say("ponderhit", "ponderhit", "stop")
    talk.until("bestmove")
    assert talk.engine.diary.count("ponderhit") == 1


def test_the_expected_reply_is_named_only_if_there_is_one(talk: "Inside") -> None:
    talk.engine.answer = Answer("e2e4", "e7e5", 30, 400)
    assert talk.ask("go depth 1", "bestmove") == "bestmove e2e4 ponder e7e5"
    talk.engine.answer = Answer(None, None, 0, 0)
    assert talk.ask("go depth 1", "bestmove") == "bestmove (none)"


def test_a_search_that_breaks_plays_the_best_it_had_seen(
    talk: "Inside", capsys: pytest.CaptureFixture[str]
) -> None:
    talk.engine.breaks_with = IndexError("ply 128\nis out of range")
    talk.say("go infinite")
    assert talk.until("bestmove")[-2:] == [
        "info string error IndexError: ply 128 is out of range",
        "bestmove e2e4",
    ]
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fen", "best"),
    [
        ("7k/8/8/8/8/8/6q1/K7 w - - 0 1", "bestmove a1b1"),
        ("7k/8/8/8/8/8/1q6/K7 w - - 0 1", "bestmove a1b2"),
        ("7k/8/8/8/8/1r6/1q6/K7 w - - 0 1", "bestmove (none)"),
    ],
)
def test_a_search_that_breaks_at_once_plays_any_legal_move(talk: "Inside", fen: str, best: str) -> None:
    talk.engine.lines, talk.engine.breaks_with = [], MemoryError()
    talk.say(f"position fen {fen}")
    assert talk.ask("go depth 9", "bestmove") == best


def test_a_command_that_breaks_does_not_end_the_program(talk: "Inside") -> None:
    def broken() -> str:
        raise ZeroDivisionError("eval")

    talk.engine.breakdown = broken  # type: ignore[method-assign]
    assert talk.ask("eval", "info string") == "info string error ZeroDivisionError: eval"
    assert talk.sync() == []


def test_perft_ends_with_an_empty_line_and_the_sum(talk: "Inside") -> None:
    talk.say("go perft 2")
    assert talk.until("Nodes") == ["a2a3: 380", "b2b3: 420", "", "Nodes searched: 800"]


@pytest.mark.parametrize(
    "line",
    [
        "position",
        "position startpos e2e4",
        "position fen",
        "position fen rubbish w - - 0 1",
        "position startpos moves d2d4 e1e8",
        "position moves e2e4",
    ],
)
def test_a_position_that_makes_no_sense_leaves_the_last_good_one(talk: "Inside", line: str) -> None:
    talk.say("position startpos moves e2e4", line)
    (remark,) = talk.sync()
    assert remark.startswith("info string position")
    assert talk.engine.diary == ["position e2e4"]


@pytest.mark.parametrize(
    "line", ["hello", "UCI", "goinfinite", b"\xff\xfe\x00go", b"\x00", b"\x00uci", "(go)", "\x1b[A"]
)
def test_what_is_not_understood_is_answered_with_one_remark(talk: "Inside", line: str | bytes) -> None:
    talk.say(line)
    (remark,) = talk.sync()
    assert remark.startswith("info string unknown command")


@pytest.mark.parametrize("line", ["", "   ", "\t", "\r", "debug on", "debug off", "register later"])
def test_some_lines_are_taken_without_a_word(talk: "Inside", line: str) -> None:
    talk.say(line)
    assert talk.sync() == []


@pytest.mark.parametrize("line", ["  isready  ", "isready\r", "\tisready\t", "\ufeffisready", "isready now"])
def test_blanks_around_a_command_do_not_matter(talk: "Inside", line: str) -> None:
    talk.ask(line, "readyok")


@pytest.mark.parametrize("word", ["x", "x ", "go ", "position startpos moves e2e4 ", "setoption name "])
def test_a_line_of_megabytes_is_answered_with_few_words(talk: "Inside", word: str) -> None:
    talk.say(word * (LONGEST_LINE // len(word)), word * LONGEST_LINE)
    lines = talk.sync()
    assert sum(map(len, lines)) < 10_000


def test_the_last_line_needs_no_newline(talk: "Inside") -> None:
    talk._to.write(b"uci")
    talk.hang_up()
    talk.until("uciok")
    assert talk.exit_code() == 0


def test_the_end_of_input_stops_the_search(talk: "Inside") -> None:
    talk.say("go infinite")
    talk.until("info depth")
    talk.hang_up()
    talk.until("bestmove")
    assert talk.exit_code() == 0


def test_quit_stops_the_search(talk: "Inside") -> None:
    talk.say("go infinite", "quit")
    talk.until("bestmove")
    assert talk.exit_code() == 0


def test_a_listener_who_has_gone_ends_the_program(talk: "Inside") -> None:
    talk.ask("uci", "uciok")
    talk._output.close()
    talk.say("uci")
    assert talk.exit_code() == 0
