"""Which games are meant: what a person chooses on the page, as conditions on the table."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement

from bot.store.schema import GAMES


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which games; None is any. Words are looked for inside names, whatever their case."""

    opponent: str | None = None
    kind: str | None = None  # human, bot, ai, anonymous
    speed: str | None = None
    variant: str | None = None
    perf: str | None = None
    result: str | None = None  # win, loss, draw, aborted
    rated: bool | None = None
    opening: str | None = None  # part of its name, or how its ECO code begins
    since_ms: int | None = None
    until_ms: int | None = None  # not included
    over: bool | None = None


def conditions(wanted: Wanted | None) -> list[ColumnElement[bool]]:
    if wanted is None:
        return []
    columns = GAMES.c
    equals = {name: getattr(wanted, name) for name in ("speed", "variant", "perf", "result", "rated")}
    equals["opponent_kind"] = wanted.kind
    found = [columns[name] == value for name, value in equals.items() if value is not None]
    if wanted.opponent is not None:
        found.append(columns.opponent_name.icontains(wanted.opponent, autoescape=True))
    if wanted.opening is not None:
        named = columns.opening.icontains(wanted.opening, autoescape=True)
        found.append(named | columns.eco.istartswith(wanted.opening, autoescape=True))
    if wanted.since_ms is not None:
        found.append(columns.began_ms >= wanted.since_ms)
    if wanted.until_ms is not None:
        found.append(columns.began_ms < wanted.until_ms)
    if wanted.over is not None:
        found.append(columns.result.is_not(None) if wanted.over else columns.result.is_(None))
    return found
