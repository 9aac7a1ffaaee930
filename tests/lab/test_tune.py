"""The tuner: what is tuned, how a run goes, what a person is told, and one small run for real."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine import params
from engine.lab import tune, tune_plan, tune_report, tune_state
from engine.lab.cli import lab
from engine.lab.crew import Job, Played
from engine.lab.duel import Score
from engine.lab.openings import OpeningError
from engine.lab.settings import SettingError
from engine.lab.tune_plan import Words
from engine.lab.tune_state import Run
from engine.params import PARAMS, Param

ROOT = Path(__file__).parents[2]
BOOK = """rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1
"""


def words_in(folder: Path, **changes: Any) -> Words:
    book = folder / "book.epd"
    book.write_text(BOOK)
    words = Words(folder / "tune.json", book, params="rfp,nmp_base", iterations=40, pairs=3, seed=5)
    return words._replace(**changes)


class Oracle:
    """Players that need no chess: the larger rfp_margin wins. They are woken after `patience` jobs."""

    def __init__(self, patience: int = 10**6) -> None:
        self._patience, self._jobs = patience, list[Job]()

    @property
    def idle(self) -> int:
        return 1 - len(self._jobs)

    def give(self, job: Job) -> None:
        self._jobs.append(job)

    def hear(self) -> list[Played]:
        self._patience -= 1
        if self._patience < 0:
            return []
        job = self._jobs.pop()
        better = job.plus["rfp_margin"] > job.minus["rfp_margin"]
        return [Played(job.number, tuple(Score(4 if better else 0, 9, ("", "")) for _ in job.openings))]


def driven(words: Words, patience: int = 10**6) -> Run:
    plan = tune_plan.plan_of(words)
    tune.drive(plan, words, Oracle(patience), lambda _: None)
    return plan.run


# What is tuned


def test_everything_is_tuned_but_switches() -> None:
    switches = {param.name for param in PARAMS if (param.low, param.high) == (0, 1)}
    assert "tt_cutoffs" in switches
    assert {knob.name for knob in tune_plan.knobs_of("all")} == {p.name for p in PARAMS} - switches


def test_names_and_groups_are_chosen_in_the_order_of_the_table() -> None:
    names = [knob.name for knob in tune_plan.knobs_of("see_quiet, razor,tt_cutoffs")]
    assert names == ["tt_cutoffs", "razor_depth", "razor_base", "razor_slope", "see_quiet"]


def test_a_name_that_means_nothing_is_refused() -> None:
    with pytest.raises(SettingError, match=r"'lnr'; groups are all, tt, razor"):
        tune_plan.knobs_of("lmr,lnr")


def test_the_whole_table_can_be_tuned_from_where_it_stands() -> None:
    assert all(knob.low <= knob.start <= knob.high for knob in tune_plan.knobs_of("all"))


# Driving


def test_a_run_goes_towards_the_winner_and_counts_its_games(tmp_path: Path) -> None:
    run = driven(words_in(tmp_path))
    assert run.walk.steps()["rfp_margin"] > 0.3
    assert (run.walk.done, run.games) == (40, 40 * 3 * 2)


def test_a_run_resumed_is_the_run_uninterrupted(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole, parts = words_in(tmp_path / "a"), words_in(tmp_path / "b")
    driven(whole)
    for patience in (0, 7, 1, 10**6):
        driven(parts, patience)
    assert parts.state.read_bytes() == whole.state.read_bytes()


def test_the_file_is_never_behind_the_run(tmp_path: Path) -> None:
    words = words_in(tmp_path)
    plan = tune_plan.plan_of(words)
    done: list[int] = []
    tune.drive(plan, words, Oracle(), lambda _: done.append(tune_state.load(words.state).walk.done))
    assert done == list(range(1, 41))


def test_openings_are_drawn_by_the_seed_and_the_iteration(tmp_path: Path) -> None:
    plans = [tune_plan.plan_of(words_in(tmp_path, seed=seed)) for seed in (5, 5, 6)]
    trials = [plan.run.walk.begin(1) for plan in plans]
    assert all(trials)
    drawn = [tune._job(trial, plan, 40).openings for trial, plan in zip(trials, plans, strict=True) if trial]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == 2


def test_more_iterations_than_planned_go_on_with_the_same_schedule(tmp_path: Path) -> None:
    first = driven(words_in(tmp_path))
    longer = driven(words_in(tmp_path, iterations=50))
    assert longer.walk.done == 50
    assert longer.walk.schedule == first.walk.schedule


# What a person is told


def test_the_lines_to_paste_are_those_of_the_table_when_nothing_has_changed() -> None:
    source = Path(params.__file__).read_text(encoding="utf-8").splitlines()
    lines = tune_report.paste({param.name: param.value for param in PARAMS}, PARAMS).splitlines()
    assert len(lines) == len(PARAMS)
    for line in lines:
        assert any(written.startswith(line) for written in source)


def test_only_what_was_tuned_is_to_be_pasted() -> None:
    table = (Param("lmr_base", 780, 200, 1_500, 0), Param("nmp_depth", 3, 1, 8, params.NEVER))
    pasted = tune_report.paste({"nmp_depth": 4}, table)
    assert pasted == '    Param("nmp_depth", 4, 1, 8, NEVER),'


def test_the_table_shows_what_was_what_is_and_how_far_it_came(tmp_path: Path) -> None:
    run = driven(words_in(tmp_path))
    rows = {row.split()[0]: row.split() for row in tune_report.table(run).splitlines()}
    now = run.walk.values()["rfp_margin"]
    knob = next(knob for knob in run.walk.knobs if knob.name == "rfp_margin")
    shown = [str(knob.start), str(now), f"{now - knob.start:+d}", f"{run.walk.steps()['rfp_margin']:+.2f}"]
    assert rows["rfp_margin"][1:5] == shown


def test_a_number_at_the_end_of_its_range_is_pointed_out(tmp_path: Path) -> None:
    run = driven(words_in(tmp_path), 1)
    run.walk.theta[:] = [knob.high for knob in run.walk.knobs]
    assert "at its end" in tune_report.table(run)


def test_the_paths_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the lab's extra is not installed")
    tune_report.draw(tmp_path / "paths.png", driven(words_in(tmp_path)))
    assert (tmp_path / "paths.png").read_bytes().startswith(b"\x89PNG")


# The command line


def command(*options: object) -> tuple[int, str]:
    run = CliRunner().invoke(lab, ["tune", *map(str, options)])
    return run.exit_code, " ".join(run.output.split())


def refused(*options: object) -> str:
    code, said = command(*options)
    assert code == 2
    return said


def test_words_that_make_no_run_are_refused(tmp_path: Path) -> None:
    words = words_in(tmp_path)
    book = ("-o", words.openings, "--state", words.state)
    assert "a book is needed" in refused("--state", words.state)
    assert "nothing is called 'nonsense'" in refused(*book, "--params", "nonsense")
    assert "time control 'x'" in refused(*book, "--tc", "x")
    assert "unknown key 'mvs'" in refused(*book, "--resign", "mvs=3")
    assert "no-such-book" in refused("-o", tmp_path / "no-such-book.epd", "--state", words.state)
    assert "No such file" in refused(*book[:2], "--state", tmp_path / "nowhere" / "tune.json")
    assert not words.state.exists()


def test_a_file_can_be_shown(tmp_path: Path) -> None:
    run = driven(words_in(tmp_path))
    code, said = command("--show", tmp_path / "tune.json")
    assert code == 0
    assert "40 iterations, 240 games, seed 5" in said
    assert f'Param("rfp_margin", {run.walk.values()["rfp_margin"]},' in said
    (tmp_path / "tune.json").write_text("{")
    assert "damaged" in refused("--show", tmp_path / "tune.json")


# For real


@pytest.mark.e2e
def test_a_small_run_plays_and_goes_on(tmp_path: Path) -> None:
    words = words_in(tmp_path)
    options = (
        "-o", words.openings, "--state", words.state, "--params", "lmr", "--nodes", 60, "--max-plies", 16,
        "--pairs", 1, "--hash", 1, "--seed", 3, "--report", 1,
    )  # fmt: skip
    code, said = command(*options, "--iterations", 2)
    assert code == 0
    assert "2/2 4 games" in said
    code, said = command(*options, "--iterations", 4, "-p", 2)
    assert code == 0
    assert "goes on after 2 iterations, 4 games" in said
    assert "4 iterations, 8 games, seed 3" in said
    assert 'Param("lmr_base"' in said
    assert tune_state.load(words.state).walk.owed == []


@pytest.mark.e2e
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_run_that_is_ended_loses_nothing_it_has_counted(tmp_path: Path, number: int, code: int) -> None:
    words = words_in(tmp_path)
    options = [
        "-o", str(words.openings), "--state", str(words.state), "--params", "lmr", "--nodes", "60",
        "--max-plies", "16", "--pairs", "1", "--hash", "1", "--report", "1", "--iterations", "100000",
    ]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "engine.lab", "tune", *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        while not process.stdout.readline().startswith("2/100000"):
            assert process.poll() is None
        process.send_signal(number)
        rest = process.stdout.read()
    assert process.returncode == code
    assert tune_state.load(words.state).walk.done >= 2
    assert code < 0 or "For engine/params.py" in rest


def test_a_bad_opening_is_named_when_it_is_drawn(tmp_path: Path) -> None:
    words = words_in(tmp_path)
    words.openings.write_text("nonsense\n")
    with pytest.raises(OpeningError, match=r"book\.epd:1"):
        driven(words)
