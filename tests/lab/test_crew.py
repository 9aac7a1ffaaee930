"""Playing processes: they answer, name their faults, are missed when they die, and end with their tuner."""

import multiprocessing
import signal

import chess
import pytest

from engine.lab import crew
from engine.lab.adjudicate import Rules
from engine.lab.crew import Crew, CrewError, Job
from engine.lab.duel import Terms
from engine.lab.openings import Opening
from engine.lab.settings import Limit

TERMS = Terms(Limit(nodes=50), Rules(max_plies=6), hash_mb=1)
START = Opening(chess.STARTING_FEN, ())


def job(number: int, plus: dict[str, int] | None = None) -> Job:
    return Job(number, plus or {}, {}, (START,))


@pytest.mark.e2e
def test_processes_answer_name_their_faults_and_are_missed_when_they_die() -> None:
    with Crew(1, TERMS) as players:
        players.give(job(7))
        assert [played.number for played in players.hear()] == [7]
        assert players.idle == 1
        players.give(job(8, plus={"no_such_number": 1}))
        with pytest.raises(CrewError, match="iteration 8: ValueError: unknown search parameter"):
            players.hear()
    with Crew(1, TERMS) as players:
        players._processes[0].kill()
        players.give(job(1))
        with pytest.raises(CrewError, match="has died"):
            players.hear()


@pytest.mark.e2e
def test_a_wake_ends_the_wait_and_drops_the_games() -> None:
    with Crew(1, TERMS._replace(limit=Limit(nodes=10**9))) as players:
        players.give(job(1))
        players.wake()
        assert players.hear() == []


def test_a_process_ends_with_its_tuner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    ours, theirs = multiprocessing.Pipe()
    ours.send(job(1))
    ours.close()
    crew._serve(theirs, TERMS)
    theirs.close()
