"""How we behave: words at the start and the end, draws, resignation, takebacks, patience. Pure decisions.

Everything that can be wrong with a rule is found when it is made, never in a game.
"""

import string
from dataclasses import dataclass, field, fields

from bot.game.nouns import GameInfo, Player

LINE_LENGTH = 140  # Lichess refuses longer lines of chat
_LONGEST_NAME = "n" * 20  # of an account on Lichess
_MAYBE_FLAGGING_MOVES = 10  # an increment helps a player for so many moves


def fitted(text: str) -> str:
    """`text` as one line of chat: no line breaks, and cut after a whole word where it is too long."""
    line = " ".join(text.split())
    if len(line) <= LINE_LENGTH:
        return line
    cut = line[: LINE_LENGTH - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What we thought of the game when we moved at `ply`; None where nobody said."""

    ply: int
    cp: int | None
    wdl: int | None = None  # what an endgame table says for us, -2 lost to 2 won


@dataclass(frozen=True, slots=True)
class Standing:
    """All that a decision looks at."""

    opponent: Player
    move: int  # of the game, from 1
    pieces: int
    history: tuple[Judgement, ...] = ()
    opponent_left_ms: int | None = None  # None: no clock
    opponent_inc_ms: int = 0
    opponent_can_win: bool = True

    @property
    def last(self) -> Judgement | None:
        return self.history[-1] if self.history else None

    def latest(self, moves: int) -> tuple[Judgement, ...]:
        """Our last `moves` judgements; none at all where there are not so many yet."""
        return self.history[-moves:] if len(self.history) >= moves else ()

    def opponent_may_flag(self, below_ms: int) -> bool:
        if self.opponent_left_ms is None:
            return False
        return self.opponent_left_ms + _MAYBE_FLAGGING_MOVES * self.opponent_inc_ms < below_ms


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise ValueError(complaint)


@dataclass(frozen=True, slots=True)
class DrawRule:
    """A draw is right late in a game whose last `moves` scores were within `score_cp` of nothing."""

    enabled: bool = True
    score_cp: int = 10
    moves: int = 6
    from_move: int = 35
    pieces: int | None = None  # only with so many on the board or fewer; None: always
    to_humans: bool = True  # whether humans are offered draws; theirs are judged anyway
    near_flag_ms: int = 10_000  # an opponent with less is not let off, unless we are worse

    def __post_init__(self) -> None:
        _require(self.score_cp >= 0, f"draw: score_cp is {self.score_cp}; give 0 or more")
        _require(self.moves >= 1, f"draw: moves is {self.moves}; give 1 or more")


@dataclass(frozen=True, slots=True)
class ResignRule:
    """Enough is enough after `moves` scores in a row of `score_cp` or more against us."""

    enabled: bool = False
    score_cp: int = 1000
    moves: int = 5
    to_humans: bool = True
    near_flag_ms: int = 10_000  # never to an opponent with less

    def __post_init__(self) -> None:
        _require(self.score_cp > 0, f"resign: score_cp is {self.score_cp}; give a positive number")
        _require(self.moves >= 1, f"resign: moves is {self.moves}; give 1 or more")


@dataclass(frozen=True, slots=True)
class TakebackRule:
    most: int = 3  # in one game
    humans_only: bool = True


@dataclass(frozen=True, slots=True)
class Manners:
    """Templates may hold {me}, {opponent}, {engine}, {variant}, {speed}, {clock}; an empty one is not said.

    ValueError names the template that no game could use.
    """

    greeting: str = "Hello {opponent}, good luck! I am {engine}; !help tells what I understand."
    greeting_spectators: str = "Welcome! {me} plays {opponent}. Ask me !eval, !depth or !help."
    goodbye: str = "Thank you for the game, {opponent}!"
    goodbye_spectators: str = "Thank you for watching!"
    engine: str = "Krait"
    draw: DrawRule = field(default_factory=DrawRule)
    resign: ResignRule = field(default_factory=ResignRule)
    takeback: TakebackRule = field(default_factory=TakebackRule)
    abort_after_human_s: float | None = 60.0  # None: never
    abort_after_bot_s: float | None = 30.0

    def __post_init__(self) -> None:
        for name in (one.name for one in fields(self) if one.name.startswith(("greeting", "goodbye"))):
            _check_template(name, getattr(self, name), self.engine)

    def words(self, template: str, info: GameInfo) -> str:
        return fitted(template.format(**_values(info.us.name, info.opponent.name, self.engine, info)))

    def patience_s(self, opponent: Player) -> float | None:
        """How long the first move of `opponent` is waited for; None: for ever."""
        return self.abort_after_human_s if opponent.is_human else self.abort_after_bot_s


def _values(me: str, opponent: str, engine: str, info: GameInfo | None = None) -> dict[str, str]:
    return {
        "me": me,
        "opponent": opponent,
        "engine": engine,
        "variant": info.variant if info else "kingOfTheHill",
        "speed": info.speed.value if info else "correspondence",
        "clock": str(info.control) if info else "correspondence 14",
    }


def _check_template(name: str, text: str, engine: str) -> None:
    """It must be filled in without an error, and fit into a line whatever the players' names are."""
    values = _values(_LONGEST_NAME, _LONGEST_NAME, engine)
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"{name}: {error}; a brace that is meant is written twice") from None
    for _, hole, spec, conversion in parts:
        known = hole is None or (hole in values and not spec and not conversion)
        _require(
            known, f"{name}: nobody knows {{{hole}}}; there are {', '.join(f'{{{one}}}' for one in values)}"
        )
    length = len(text.format(**values))
    _require(
        length <= LINE_LENGTH,
        f"{name}: with long names it has {length} characters; Lichess takes {LINE_LENGTH}, so write less",
    )


def _is_level(rule: DrawRule, standing: Standing) -> bool:
    late = standing.move >= rule.from_move and (rule.pieces is None or standing.pieces <= rule.pieces)
    row = standing.latest(rule.moves)
    return late and bool(row) and all(one.cp is not None and abs(one.cp) <= rule.score_cp for one in row)


def _is_worse(rule: DrawRule, last: Judgement) -> bool:
    if last.wdl is not None:
        return last.wdl < 0
    return last.cp is not None and last.cp < -rule.score_cp


def _may_draw(rule: DrawRule, standing: Standing, last: Judgement) -> bool:
    """Neither a table's win is given away nor an opponent who runs out of time let off."""
    if last.wdl is not None and last.wdl > 0:
        return False
    return _is_worse(rule, last) or not standing.opponent_may_flag(rule.near_flag_ms)


def offers_draw(rule: DrawRule, standing: Standing) -> bool:
    """By a table's word at once, else by level scores; never to the built-in AI, which does not listen."""
    last, opponent = standing.last, standing.opponent
    if not rule.enabled or last is None or opponent.ai_level is not None:
        return False
    if (opponent.is_human and not rule.to_humans) or not _may_draw(rule, standing, last):
        return False
    return last.wdl in {-1, 0} if last.wdl is not None else _is_level(rule, standing)


def accepts_draw(rule: DrawRule, standing: Standing) -> bool:
    """As for our own offers, and also whenever we have been worse for as many moves."""
    last = standing.last
    if not rule.enabled or last is None or not _may_draw(rule, standing, last):
        return False
    if last.wdl is not None:
        return True
    row = standing.latest(rule.moves)
    return _is_level(rule, standing) or (bool(row) and all(_is_worse(rule, one) for one in row))


def resigns(rule: ResignRule, standing: Standing) -> bool:
    """Never while a table sees at least a draw, the opponent cannot win, or its flag is about to fall."""
    if not rule.enabled or (standing.opponent.is_human and not rule.to_humans):
        return False
    if not standing.opponent_can_win or standing.opponent_may_flag(rule.near_flag_ms):
        return False
    row = standing.latest(rule.moves)
    return bool(row) and all(_is_hopeless(rule, one) for one in row)


def _is_hopeless(rule: ResignRule, one: Judgement) -> bool:
    if one.wdl is not None:
        return one.wdl == -2
    return one.cp is not None and one.cp <= -rule.score_cp


def gives_takeback(rule: TakebackRule, info: GameInfo, given: int) -> bool:
    welcome = info.opponent.is_human or not rule.humans_only
    return welcome and info.tournament is None and given < rule.most
