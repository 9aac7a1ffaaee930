"""What the database holds of a game and of a move, and how it lies there: one flat mapping a row. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from bot.game.nouns import GameId, GameInfo, Player, Speed, TimeControl

_SIDES = ("white", "black")
_PLAYER = tuple(field.name for field in fields(Player))
_CONTROL = tuple(field.name for field in fields(TimeControl))
_PLAYED_BY_SPEED = {"standard", "fromPosition"}  # every other variant has a rating of its own


@dataclass(frozen=True, slots=True)
class GameRow:
    """`result` is for us (win, loss, draw, aborted) and None while the game runs, as is `ended_ms`."""

    info: GameInfo
    began_ms: int
    version: str = ""  # of the bot that played
    ended_ms: int | None = None
    status: str = "started"
    winner: bool | None = None
    result: str | None = None
    plies: int = 0
    eco: str | None = None
    opening: str | None = None
    takebacks: int = 0
    rating_diff: int | None = None

    @property
    def id(self) -> GameId:
        return self.info.id


@dataclass(frozen=True, slots=True)
class MoveRow:
    """`ply` counts from 0: the moves before it. Scores are for us; None is what nobody told us."""

    ply: int
    uci: str  # as Lichess wrote it
    san: str
    ours: bool
    when_ms: int
    clock_ms: int | None = None  # what the mover had left
    spent_ms: int | None = None
    cp: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    nps: int | None = None
    think_ms: int | None = None  # of `spent_ms`, what the source says it took
    lag_ms: int | None = None
    source: str | None = None
    pv: str | None = None
    position: int | None = None  # key of the position it was played in, for our first moves


def kind_of(player: Player) -> str:
    """human, bot, ai or anonymous."""
    if player.ai_level is not None:
        return "ai"
    if player.is_bot:
        return "bot"
    return "human" if player.id else "anonymous"


def perf_of(variant: str, speed: str) -> str:
    """The name of the rating that a game counts for."""
    return speed if variant in _PLAYED_BY_SPEED else variant


def plain(text: str) -> str:
    """`text` as every database takes it: no half characters, no NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def game_values(game: GameRow) -> dict[str, Any]:
    info = game.info
    values: dict[str, Any] = {
        name: getattr(game, name) for name in (field.name for field in fields(GameRow)) if name != "info"
    }
    values |= {"id": info.id, "variant": info.variant, "speed": str(info.speed), "rated": info.rated}
    values |= {"we_are_white": info.we_are_white, "initial_fen": info.initial_fen}
    values |= {"created_at_ms": info.created_at_ms, "tournament": info.tournament}
    values |= asdict(info.control)
    for side, player in zip(_SIDES, (info.white, info.black), strict=True):
        values |= {f"{side}_{name}": getattr(player, name) for name in _PLAYER}
    them = info.opponent
    values |= {"opponent": them.id or "", "opponent_name": them.name, "opponent_kind": kind_of(them)}
    values |= {"perf": perf_of(info.variant, info.speed), "our_rating": info.us.rating}
    return {name: plain(value) if isinstance(value, str) else value for name, value in values.items()}


def game_row(values: Mapping[Any, Any]) -> GameRow:
    white, black = (Player(**{name: values[f"{side}_{name}"] for name in _PLAYER}) for side in _SIDES)
    info = GameInfo(
        id=GameId(values["id"]),
        white=white,
        black=black,
        variant=values["variant"],
        speed=Speed(values["speed"]),
        rated=values["rated"],
        control=TimeControl(**{name: values[name] for name in _CONTROL}),
        we_are_white=values["we_are_white"],
        initial_fen=values["initial_fen"],
        created_at_ms=values["created_at_ms"],
        tournament=values["tournament"],
    )
    rest = {field.name: values[field.name] for field in fields(GameRow) if field.name != "info"}
    return GameRow(info=info, **rest)


def move_values(game: GameId, move: MoveRow) -> dict[str, Any]:
    values = {"game": game} | asdict(move)
    return {name: plain(value) if isinstance(value, str) else value for name, value in values.items()}


def move_row(values: Mapping[Any, Any]) -> MoveRow:
    return MoveRow(**{field.name: values[field.name] for field in fields(MoveRow)})
