"""What may be written on the command line, and how what may not is refused."""

from pathlib import Path

import pytest

from engine.lab.settings import Limit, SettingError, engine_spec, key_values, numbers

BLITZ = Limit(base_ms=10_000, inc_ms=100)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("10+0.1", BLITZ),
        ("60", Limit(base_ms=60_000)),
        ("40/60+0", Limit(base_ms=60_000, moves=40)),
        ("0.5+0.005", Limit(base_ms=500, inc_ms=5)),
    ],
)
def test_a_time_control_is_read_in_seconds(text: str, limit: Limit) -> None:
    assert Limit.parse(text, None, None, None) == limit


@pytest.mark.parametrize("text", ["", "x", "0+1", "-1", "10+-1", "0/60", "a/60", "10+0.1+2", "inf", "nan"])
def test_a_time_control_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(SettingError):
        Limit.parse(text, None, None, None)


def test_a_clock_and_a_time_per_move_exclude_each_other() -> None:
    with pytest.raises(SettingError, match="exclude"):
        Limit.parse("10+0.1", None, None, 100)


def test_a_limit_is_shown_as_it_was_written() -> None:
    assert str(Limit.parse("40/60+0.5", 1000, None, None)) == "40/60+0.5, 1000 nodes"
    assert str(Limit.parse(None, None, 7, 50)) == "50 ms/move, depth 7"


def test_quotes_protect_spaces_and_commas() -> None:
    assert key_values("cmd='a b,c' x=1,y=") == [("cmd", "a b,c"), ("x", "1"), ("y", "")]


@pytest.mark.parametrize("text", ["word", "=1", "a='open"])
def test_what_is_no_pair_is_refused(text: str) -> None:
    with pytest.raises(SettingError):
        key_values(text)


def test_numbers_keep_the_defaults_that_are_not_named() -> None:
    assert numbers("b=3", {"a": 1, "b": 2}) == {"a": 1, "b": 3}


def test_an_unknown_number_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingError, match="choose from elo0, elo1"):
        numbers("elo2=1", {"elo0": 0, "elo1": 5})


def test_an_engine_is_read_word_by_word() -> None:
    spec = engine_spec(
        "name=new cmd='./new -x \"a b\"' dir=/tmp option.Hash=16 option.Move\\ Overhead=5", "", BLITZ
    )
    assert spec.name == "new"
    assert spec.command == ("./new", "-x", "a b")
    assert spec.folder == Path("/tmp")  # noqa: S108 -- nothing is written there
    assert dict(spec.options) == {"Hash": "16", "Move Overhead": "5"}
    assert spec.limit == BLITZ


def test_an_engine_without_a_name_is_called_like_its_program() -> None:
    assert engine_spec("cmd=/usr/games/stockfish", "", BLITZ).name == "stockfish"


def test_its_own_words_override_those_for_both() -> None:
    spec = engine_spec("cmd=x option.Hash=32 tc=5+0", "option.Hash=16 option.Threads=1", BLITZ)
    assert dict(spec.options) == {"Hash": "32", "Threads": "1"}
    assert spec.limit == Limit(base_ms=5000)


@pytest.mark.parametrize("text", ["name=x", "cmd=x colour=red", "cmd=x nodes=many", "cmd=x tc=x"])
def test_an_engine_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(SettingError):
        engine_spec(text, "", BLITZ)


def test_an_engine_needs_a_limit() -> None:
    with pytest.raises(SettingError, match="no limit"):
        engine_spec("cmd=x", "", None)
