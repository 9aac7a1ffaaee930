"""The file in which a tuning run lives: what is saved comes back, what is damaged or another's is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.lab import tune, tune_plan, tune_state
from engine.lab.crew import Job, Played
from engine.lab.duel import Score
from engine.lab.settings import SettingError
from engine.lab.tune_state import StateError
from engine.params import PARAMS
from tests.lab.test_tune import driven, words_in


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    run = driven(words_in(tmp_path), 9)
    found = tune_state.load(tmp_path / "tune.json")
    assert found.walk.theta.tolist() == run.walk.theta.tolist()
    assert (found.walk.knobs, found.walk.schedule) == (run.walk.knobs, run.walk.schedule)
    assert (found.settings, found.shipped, found.games) == (run.settings, run.shipped, 54)
    assert found.path == run.path


class Two:
    """Players of whom the first never answers; the other answers `patience` times."""

    def __init__(self, patience: int) -> None:
        self._patience, self.given = patience, list[int]()
        self.idle = 2

    def give(self, job: Job) -> None:
        self.given.append(job.number)
        self.idle -= 1

    def hear(self) -> list[Played]:
        self._patience -= 1
        self.idle += 1
        return [Played(self.given[-1], (Score(2, 9, ("", "")),))] if self._patience >= 0 else []


def test_what_was_under_way_is_owed_and_played_first(tmp_path: Path) -> None:
    words = words_in(tmp_path)
    tune.drive(tune_plan.plan_of(words), words, Two(3), lambda _: None)
    found = tune_state.load(words.state)
    assert (found.walk.begun, found.walk.owed, found.walk.done) == (4, [1], 3)
    again = Two(0)
    tune.drive(tune_plan.plan_of(words), words, again, lambda _: None)
    assert again.given == [1, 5]


def test_a_kill_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = driven(words_in(tmp_path), 3)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(json, "dump", killed)
    run.games = 0
    with pytest.raises(KeyboardInterrupt):
        tune_state.save(tmp_path / "tune.json", run)
    assert tune_state.load(tmp_path / "tune.json").games == 18


def test_the_path_is_kept_from_time_to_time(tmp_path: Path) -> None:
    run = driven(words_in(tmp_path))
    for done in range(41, 10_000):
        run.walk.begun = done
        tune_state.note_path(run, 10_000)
    assert [done for done, _ in run.path[:4]] == [0, 1, 2, 3]
    assert len(run.path) < 250 + 40
    assert run.path[-1][0] - run.path[-2][0] == 50


def damaged(change: Callable[[dict[str, Any]], object]) -> Callable[[str], str]:
    def spoil(text: str) -> str:
        content = json.loads(text)
        change(content)
        return json.dumps(content)

    return spoil


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda text: text[:-100], "damaged, not JSON"),
        (lambda _: "", "damaged, not JSON"),
        (lambda _: "[]", "not the state of a tuning run"),
        (lambda text: text.replace("tune 1", "tune 2"), "not the state of a tuning run"),
        (damaged(lambda c: c.pop("theta")), "damaged, 'theta' is missing"),
        (damaged(lambda c: c["theta"].pop()), "damaged, zip"),
        (damaged(lambda c: c["theta"].__setitem__(0, 1e9)), "outside"),
        (damaged(lambda c: c["theta"].__setitem__(0, float("nan"))), "should be a number"),
        (damaged(lambda c: c["theta"].__setitem__(0, "7")), "should be a number"),
        (damaged(lambda c: c.__setitem__("begun", 2.5)), "should be a whole number"),
        (damaged(lambda c: c.__setitem__("owed", [99])), r"trials \[99\] are owed"),
        (damaged(lambda c: c["schedule"].pop("gain")), "gain"),
        (damaged(lambda c: c.__setitem__("knobs", [])), "damaged"),
        (damaged(lambda c: c.__setitem__("path", [])), "nothing"),
        (damaged(lambda c: c.__setitem__("settings", 3)), "damaged"),
        (damaged(lambda c: c.__setitem__("shipped", [])), "damaged"),
    ],
)
def test_a_damaged_file_is_refused_with_its_reason(
    tmp_path: Path, spoil: Callable[[str], str], reason: str
) -> None:
    words = words_in(tmp_path)
    driven(words, 2)
    words.state.write_text(spoil(words.state.read_text()))
    with pytest.raises(StateError, match=rf"tune\.json: .*{reason}"):
        tune_plan.plan_of(words)


def test_a_file_of_other_search_parameters_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driven(words_in(tmp_path), 2)
    other = [param._replace(value=81) if param.name == "rfp_margin" else param for param in PARAMS]
    monkeypatch.setattr(tune_plan, "PARAMS", other)
    with pytest.raises(StateError, match=r"other search parameters: rfp_margin was \d+, is 81"):
        tune_plan.plan_of(words_in(tmp_path))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"params": "rfp"}, "tunes other parameters: nmp_base was 2 to 6, is absent"),
        ({"pairs": 2}, "other settings: pairs was 3, is 2"),
        ({"nodes": 9}, "other settings: limit was 10000 nodes, is 9 nodes"),
        ({"tc": "1+0.01"}, r"limit was 10000 nodes, is 1\+0.01"),
        ({"rate": 0.5}, "rate was 0.02, is 0.5"),
    ],
)
def test_a_file_of_another_run_is_refused(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    driven(words_in(tmp_path), 2)
    with pytest.raises(StateError, match=reason):
        tune_plan.plan_of(words_in(tmp_path, **change))


def test_a_run_with_another_net_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driven(words_in(tmp_path), 2)
    (tmp_path / "other.nnue").write_bytes(b"another net")
    monkeypatch.setattr(tune_plan, "NET_FILE", tmp_path / "other.nnue")
    with pytest.raises(StateError, match="other settings: net was"):
        tune_plan.plan_of(words_in(tmp_path))


def test_another_seed_is_refused_and_none_is_the_one_there_is(tmp_path: Path) -> None:
    driven(words_in(tmp_path), 2)
    assert tune_plan.plan_of(words_in(tmp_path, seed=None)).run.walk.seed == 5
    with pytest.raises(SettingError, match="its seed is 5, not 6"):
        tune_plan.plan_of(words_in(tmp_path, seed=6))
