"""What is decided about draws, resignation and takebacks, and which words no game could use."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.game.manners import (
    LINE_LENGTH,
    DrawRule,
    Judgement,
    Manners,
    ResignRule,
    Standing,
    TakebackRule,
    accepts_draw,
    fitted,
    gives_takeback,
    offers_draw,
    resigns,
)
from bot.game.nouns import Score
from tests.game.stories import AI, BOT, HUMAN, an_info

DRAW = DrawRule(score_cp=10, moves=3, from_move=30)
RESIGN = ResignRule(enabled=True, score_cp=1000, moves=3)
ENDGAME = Standing(HUMAN, move=40, pieces=8)


def history(*scores: int | None, wdl: int | None = None) -> tuple[Judgement, ...]:
    """The table's word belongs to the last one."""
    judged = [Judgement(2 * number, cp) for number, cp in enumerate(scores)]
    return (*judged[:-1], replace(judged[-1], wdl=wdl))


def with_scores(*scores: int | None, wdl: int | None = None, base: Standing = ENDGAME) -> Standing:
    return replace(base, history=history(*scores, wdl=wdl))


LEVEL = with_scores(300, 5, -10, 0)
LOST = with_scores(-500, -1000, -1500, -99_990)


# --- draws


def test_a_level_row_of_scores_is_a_draw() -> None:
    assert offers_draw(DRAW, LEVEL)
    assert accepts_draw(DRAW, LEVEL)


@pytest.mark.parametrize(
    "standing",
    [
        ENDGAME,
        with_scores(0, 0),
        with_scores(0, 0, 11),
        with_scores(0, 11, 0),
        with_scores(0, None, 0),
        replace(LEVEL, move=29),
    ],
    ids=["no score", "short", "better now", "better before", "a move without a score", "early"],
)
def test_anything_less_is_none(standing: Standing) -> None:
    assert not offers_draw(DRAW, standing)
    assert not accepts_draw(DRAW, standing)


def test_many_pieces_may_forbid_a_draw() -> None:
    assert offers_draw(replace(DRAW, pieces=8), LEVEL)
    assert not offers_draw(replace(DRAW, pieces=7), LEVEL)


def test_who_is_worse_accepts_and_does_not_offer() -> None:
    worse = with_scores(-50, -60, -400, base=replace(ENDGAME, move=12))
    assert accepts_draw(DRAW, worse)
    assert not offers_draw(DRAW, worse)


@pytest.mark.parametrize("wdl", [-1, 0])
def test_a_draw_by_the_tables_needs_no_row(wdl: int) -> None:
    drawn = with_scores(250, wdl=wdl, base=replace(ENDGAME, move=5))
    assert offers_draw(DRAW, drawn)
    assert accepts_draw(DRAW, drawn)


@pytest.mark.parametrize("wdl", [1, 2])
def test_a_win_by_the_tables_is_never_given_away(wdl: int) -> None:
    won = with_scores(0, 0, 0, wdl=wdl)
    assert not offers_draw(DRAW, won)
    assert not accepts_draw(DRAW, won)


def test_a_loss_by_the_tables_is_not_offered_but_taken() -> None:
    lost = with_scores(0, 0, 0, wdl=-2)
    assert not offers_draw(DRAW, lost)
    assert accepts_draw(DRAW, lost)


def test_an_opponent_who_runs_out_of_time_is_not_let_off() -> None:
    hurried = replace(LEVEL, opponent_left_ms=4000)
    assert not offers_draw(DRAW, hurried)
    assert not accepts_draw(DRAW, hurried)
    assert not accepts_draw(DRAW, replace(with_scores(0, wdl=0), opponent_left_ms=4000))
    assert offers_draw(DRAW, replace(hurried, opponent_inc_ms=2000))
    assert accepts_draw(DRAW, replace(with_scores(-50, -50, -50), opponent_left_ms=4000))


def test_draws_can_be_switched_off_and_kept_from_humans_and_the_ai() -> None:
    off, bots_only = replace(DRAW, enabled=False), replace(DRAW, to_humans=False)
    assert not offers_draw(off, LEVEL)
    assert not accepts_draw(off, LEVEL)
    assert not offers_draw(bots_only, LEVEL)
    assert accepts_draw(bots_only, LEVEL)
    assert offers_draw(bots_only, replace(LEVEL, opponent=BOT))
    assert not offers_draw(DRAW, replace(LEVEL, opponent=AI))


# --- resignation


def test_a_hopeless_row_of_scores_resigns() -> None:
    assert resigns(RESIGN, LOST)
    assert resigns(RESIGN, with_scores(-1200, -1300, None, wdl=-2))


def test_nobody_resigns_by_default() -> None:
    assert not resigns(Manners().resign, LOST)


@pytest.mark.parametrize(
    "standing",
    [
        with_scores(-1000, -1000),
        with_scores(-1000, -999, -1000),
        with_scores(-1000, None, -1000),
        with_scores(-1000, -1000, -1000, wdl=-1),
        with_scores(-1000, -1000, -1000, wdl=0),
        with_scores(-1000, -1000, -1000, wdl=2),
        replace(LOST, opponent_left_ms=9000),
        replace(LOST, opponent_can_win=False),
    ],
    ids=["short", "a hope", "unknown", "blessed", "drawn", "won", "flagging", "bare king"],
)
def test_there_is_always_a_reason_to_play_on(standing: Standing) -> None:
    assert not resigns(RESIGN, standing)


def test_humans_may_be_given_the_mate() -> None:
    polite = replace(RESIGN, to_humans=False)
    assert not resigns(polite, LOST)
    assert resigns(polite, replace(LOST, opponent=BOT))


def test_being_mated_is_as_bad_as_it_gets() -> None:
    assert resigns(RESIGN, with_scores(*(Score(mate=number).as_cp for number in (-3, -1, 0))))


JUDGED = st.lists(
    st.builds(
        Judgement,
        st.just(0),
        st.none() | st.integers(-100_000, 100_000),
        st.sampled_from([None, None, -2, -1, 0, 1, 2]),
    ),
    max_size=6,
).map(tuple)


@given(JUDGED, st.none() | st.integers(0, 60_000), st.sampled_from([HUMAN, BOT, AI]))
def test_a_table_is_never_contradicted(
    judged: tuple[Judgement, ...], left_ms: int | None, opponent: object
) -> None:
    standing = Standing(HUMAN if opponent is HUMAN else BOT, 40, 6, judged, left_ms)
    wdl = judged[-1].wdl if judged else None
    if wdl is not None and wdl >= 0:
        assert not resigns(RESIGN, standing)
    if wdl is not None and wdl > 0:
        assert not offers_draw(DRAW, standing)
        assert not accepts_draw(DRAW, standing)


@given(JUDGED, st.none() | st.integers(0, 60_000))
def test_what_is_offered_would_be_accepted(judged: tuple[Judgement, ...], left_ms: int | None) -> None:
    standing = Standing(BOT, 40, 6, judged, left_ms)
    assert accepts_draw(DRAW, standing) or not offers_draw(DRAW, standing)


# --- takebacks


def test_takebacks_are_for_humans_outside_tournaments_and_not_for_ever() -> None:
    rule = TakebackRule(most=2)
    assert gives_takeback(rule, an_info(), 1)
    assert not gives_takeback(rule, an_info(), 2)
    assert not gives_takeback(rule, an_info(opponent=BOT), 0)
    assert gives_takeback(replace(rule, humans_only=False), an_info(opponent=BOT), 0)
    assert not gives_takeback(rule, an_info(tournament="arena"), 0)


# --- words


def test_templates_are_filled_in() -> None:
    words = Manners(engine="Krait 2").words("{me} {opponent} {engine} {variant} {speed} {clock}", an_info())
    assert words == "Krait Anna Krait 2 standard blitz 3+2"


@pytest.mark.parametrize("name", ["greeting", "greeting_spectators", "goodbye", "goodbye_spectators"])
@pytest.mark.parametrize("text", ["{oponent}", "{}", "{me.id}", "{me!r}", "{me:>200}", "{me", "}", "x" * 141])
def test_a_template_no_game_could_use_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        Manners(**{name: text})  # type: ignore[arg-type]  # only words are given


def test_a_template_must_fit_with_the_longest_names() -> None:
    Manners(greeting="x" * 120 + "{opponent}")
    with pytest.raises(ValueError, match="141 characters"):
        Manners(greeting="x" * 121 + "{opponent}")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: DrawRule(moves=0), "draw: moves is 0"),
        (lambda: DrawRule(score_cp=-1), "draw: score_cp is -1"),
        (lambda: ResignRule(score_cp=-1000), "resign: score_cp is -1000"),
        (lambda: ResignRule(moves=0), "resign: moves is 0"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(make: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()  # type: ignore[operator]  # a lambda


@given(st.text(max_size=400))
def test_a_line_of_chat_always_fits_and_keeps_its_first_words(text: str) -> None:
    line = fitted(text)
    assert len(line) <= LINE_LENGTH
    assert "\n" not in line
    assert " ".join(text.split()).startswith(line.removesuffix("…"))
