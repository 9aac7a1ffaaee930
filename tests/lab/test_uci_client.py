"""The UCI client against engines that misbehave on request."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.lab.settings import Limit, engine_spec
from engine.lab.uci_client import Fault, Patience, StartError, Stopped, UciEngine

SCRIPT = Path(__file__).parent / "engines" / "scripted.py"
AGES_MS = 60_000.0  # longer than any answer of an engine that gives one
PATIENT, SHORT = Patience(60, 60, 60), Patience(60, 1.0, 0.05)

Start = Callable[..., UciEngine]


@pytest.fixture
def wake() -> Iterator[tuple[int, int]]:
    pipe = os.pipe()
    yield pipe
    for end in pipe:
        os.close(end)


@pytest.fixture
def start(wake: tuple[int, int]) -> Iterator[Start]:
    started: list[UciEngine] = []

    def begin(behaviour: str, patience: Patience = PATIENT, options: str = "") -> UciEngine:
        spec = engine_spec(
            f"name=it cmd='{sys.executable} {SCRIPT} {behaviour}' {options}", "", Limit(nodes=1)
        )
        started.append(UciEngine(spec, wake[0], patience))
        return started[-1]

    yield begin
    for engine in started:
        engine.close()


def fault(engine: UciEngine, allowed_ms: float | None = AGES_MS) -> Fault:
    with pytest.raises(Fault) as caught:
        engine.go("position startpos", "go nodes 1", allowed_ms)
    return caught.value


def test_an_engine_is_started_told_its_options_and_asked(start: Start) -> None:
    engine = start("random", options="option.Hash=32")
    engine.new_game()
    reply = engine.go("position startpos", "go nodes 1", AGES_MS)
    assert len(reply.move) == 4
    assert reply.info == f"info depth 3 score cp 0 nodes 1 pv {reply.move}"
    assert not engine.warnings


def test_a_slow_start_is_waited_for(start: Start) -> None:
    assert "hash" in start("slow").options


def test_a_program_that_is_not_there_is_named(wake: tuple[int, int]) -> None:
    with pytest.raises(StartError, match="no-such-engine"):
        UciEngine(engine_spec("cmd=./no-such-engine", "", Limit(nodes=1)), wake[0], PATIENT)


def test_a_program_that_ends_at_once_is_not_an_engine(wake: tuple[int, int]) -> None:
    spec = engine_spec(f"name=it cmd='{sys.executable} -c pass'", "", Limit(nodes=1))
    with pytest.raises(StartError, match="it: disconnect"):
        UciEngine(spec, wake[0], PATIENT)


@pytest.mark.parametrize(("behaviour", "complaint"), [("mute", "no uciok"), ("unready", "no readyok")])
def test_a_program_that_does_not_answer_is_not_an_engine(
    start: Start, behaviour: str, complaint: str
) -> None:
    with pytest.raises(StartError, match=complaint):
        start(behaviour, Patience(1.0, 1.0, 1.0))


def test_an_option_it_does_not_have_is_refused(start: Start) -> None:
    with pytest.raises(StartError, match="no option 'Contempt'"):
        start("random", options="option.Contempt=1")


@pytest.mark.parametrize("value", ["0", "65", "big"])
def test_an_option_out_of_its_range_is_refused(start: Start, value: str) -> None:
    with pytest.raises(StartError, match=r"Hash must be in 1\.\.64"):
        start("random", options=f"option.Hash={value}")


def test_an_option_it_complains_of_ends_the_match_before_it_begins(start: Start) -> None:
    with pytest.raises(StartError, match="it says: ERROR: the option was not taken"):
        start("choosy", options="option.Hash=32")


def test_a_crash_is_told_with_its_exit_code_and_last_words(start: Start) -> None:
    caught = fault(start("crash"))
    assert (caught.kind, caught.detail) == ("crash", "exit code 3: out of ideas")


@pytest.mark.parametrize("behaviour", ["leave", "close"])
def test_going_away_is_a_disconnect(start: Start, behaviour: str) -> None:
    assert fault(start(behaviour)).kind == "disconnect"


def test_an_engine_that_ignores_stop_hangs(start: Start) -> None:
    engine = start("hang")
    engine.patience = SHORT
    assert fault(engine, allowed_ms=None).kind == "hang"


def test_an_engine_out_of_time_is_told_to_stop_and_its_late_answer_is_measured(start: Start) -> None:
    reply = start("late").go("position startpos", "go nodes 1", 1.0)
    assert reply.elapsed_ms > 1.0


def test_a_second_bestmove_is_counted_as_one_without_go(start: Start) -> None:
    engine = start("babbler")
    engine.go("position startpos", "go nodes 1", AGES_MS)
    engine.new_game()
    assert engine.warnings == {"bestmove without go": 1}


def test_the_wake_pipe_ends_every_wait(start: Start, wake: tuple[int, int]) -> None:
    engine = start("hang")
    os.write(wake[1], b"!")
    with pytest.raises(Stopped):
        engine.go("position startpos", "go infinite", None)


def test_a_hanging_engine_is_killed_when_closed(start: Start) -> None:
    engine = start("hang")
    engine.patience = SHORT
    fault(engine, allowed_ms=None)
    engine.close()
    assert engine._process.returncode == -signal.SIGKILL
