"""The options: what is offered is what is accepted."""

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import strength
from engine.net import NET_FILE
from engine.options import OPTIONS, OptionError, Settings, find, split

if TYPE_CHECKING:
    from pathlib import Path

    from tests.uci.conftest import Inside


LEAST, MOST = strength.ELO_MIN, strength.ELO_MAX


def test_every_option_of_the_issue_is_offered(talk: "Inside") -> None:
    talk.say("uci")
    offers = [line for line in talk.until("uciok") if line.startswith("option")]
    assert offers == [
        "option name Hash type spin default 16 min 1 max 32768",
        "option name Clear Hash type button",
        "option name Threads type spin default 1 min 1 max 256",
        "option name Ponder type check default false",
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name MoveOverhead type spin default 10 min 0 max 5000",
        "option name UCI_Chess960 type check default false",
        "option name UCI_ShowWDL type check default false",
        "option name UCI_LimitStrength type check default false",
        f"option name UCI_Elo type spin default {MOST} min {LEAST} max {MOST}",
        "option name SyzygyPath type string default <empty>",
        "option name EvalFile type string default <empty>",
    ]


def test_every_default_and_every_border_is_accepted(talk: "Inside") -> None:
    for option in OPTIONS:
        if option.name in {"Hash", "Threads"}:
            continue  # what their upper border does depends on the machine
        if isinstance(option.default, int) and not isinstance(option.default, bool):
            for value in (option.low, option.high, option.default):
                talk.say(f"setoption name {option.name} value {value}")
        elif option.default is None:
            talk.say(f"setoption name {option.name}")
        else:
            talk.say(f"setoption name {option.name} value {str(option.default).lower()}")
    assert talk.sync() == []


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("setoption name MultiPV value 3", "multipv", 3),
        ("setoption name multipv value +4", "multipv", 4),
        ("setoption name Move Overhead value 55", "overhead_ms", 55),
        ("setoption  name  MoveOverhead  value  56 ", "overhead_ms", 56),
        ("setoption name MOVEOVERHEAD value 57", "overhead_ms", 57),
        ("setoption name UCI_Chess960 value TRUE", "chess960", True),
        ("setoption name UCI_LimitStrength value true", "strength", strength.Strength(strength.ELO_MAX)),
        ("setoption name SyzygyPath value <empty>", "tables", None),
        ("setoption name SyzygyPath value", "tables", None),
    ],
)
def test_an_option_reaches_the_engine(talk: "Inside", line: str, field: str, value: object) -> None:
    talk.say(line)
    assert talk.sync() == []
    assert getattr(talk.engine, field) == value


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ("setoption name Hash value 64", "resize 64"),
        ("setoption name Threads value 2", "threads 2"),
        ("setoption name Clear Hash", "new game"),
        ("setoption name clearhash value now", "new game"),
        ("setoption name EvalFile value classical", "net unused"),
        ("setoption name EvalFile value <empty>", "net used"),
    ],
)
def test_an_option_moves_the_engine(talk: "Inside", line: str, entry: str) -> None:
    talk.say(line)
    assert talk.sync() == []
    assert talk.engine.diary == [entry]


def test_no_more_threads_are_used_than_pay(talk: "Inside", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0, 1, 2}, raising=False)
    talk.say("setoption name Threads value 6")
    assert talk.sync() == []
    talk.say("setoption name Threads value 256")
    assert talk.sync() == ["info string Threads: 6 are used, the most that pay on 3 cores"]
    assert talk.engine.diary == ["threads 6", "threads 6"]


def test_elo_counts_only_while_strength_is_limited(talk: "Inside") -> None:
    talk.say(f"setoption name UCI_Elo value {strength.ELO_MIN}")
    talk.sync()
    for limited, wanted in (("true", strength.Strength(LEAST)), ("false", None)):
        talk.say(f"setoption name UCI_LimitStrength value {limited}")
        talk.sync()
        assert talk.engine.strength == wanted


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("setoption name Hash value 0", "Hash is a number from 1 to 32768, not '0'"),
        ("setoption name Hash value 32769", "Hash is a number from 1 to 32768, not '32769'"),
        ("setoption name Hash value -1", "not '-1'"),
        ("setoption name Hash value 1e3", "not '1e3'"),
        ("setoption name Hash value", "not ''"),
        ("setoption name Hash value 32768", "Hash keeps its value: not enough memory"),
        ("setoption name Hash value " + "9" * 10_000, "Hash is a number"),
        ("setoption name Ponder value yes", "Ponder is true or false, not 'yes'"),
        ("setoption name SyzygyPath value /no/such folder", "SyzygyPath keeps its value"),
        (
            "setoption name EvalFile value /no/such.nnue",
            "EvalFile keeps its value: /no/such.nnue: No such file",
        ),
        ("setoption name EvalFile value README.md", "not a Krait net"),
        ("setoption name Hsah value 3", "no option is called 'Hsah'; the nearest is Hash"),
        ("setoption name Contempt value 3", "no option is called 'Contempt'"),
        ("setoption name " + "x" * 100_000, "no option is called"),
        ("setoption", "setoption reads"),
        ("setoption Hash 3", "setoption reads"),
        ("setoption name", "setoption reads"),
        ("setoption name value 3", "setoption reads"),
    ],
)
def test_a_refused_option_says_why_and_changes_nothing(talk: "Inside", line: str, said: str) -> None:
    talk.say(line)
    (remark,) = talk.sync()
    assert remark.startswith("info string error ")
    assert said in remark
    assert talk.engine.diary == []
    assert talk.engine.tables is None


def test_a_path_keeps_its_spaces() -> None:
    assert split("setoption name SyzygyPath value /a  b/value of c") == ("SyzygyPath", "/a  b/value of c")


def test_an_empty_folder_of_tables_is_refused(talk: "Inside", tmp_path: "Path") -> None:
    talk.say(f"setoption name SyzygyPath value {tmp_path}")
    (remark,) = talk.sync()
    assert "SyzygyPath keeps its value" in remark


def test_another_net_is_named_with_its_shape(talk: "Inside") -> None:
    talk.say(f"setoption name EvalFile value {NET_FILE}")
    (remark,) = talk.sync()
    assert remark.startswith("info string EvalFile: ")
    assert "x768->" in remark
    assert talk.engine.diary == ["net used"]


@given(st.text())
def test_any_name_is_found_or_refused_by_naming_a_known_one(name: str) -> None:
    try:
        found = find(name).name
    except OptionError as why:
        found = str(why).rsplit("the nearest is ", 1)[1]
    assert found in {option.name for option in OPTIONS}


@given(st.text())
def test_any_line_is_split_or_refused(line: str) -> None:
    try:
        name, _value = split(line)
    except OptionError:
        return
    assert name.strip()


def test_settings_start_at_the_defaults() -> None:
    assert Settings().values == {o.name: o.default for o in OPTIONS if o.default is not None}
