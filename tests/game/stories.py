"""Words to tell the story of a game in: what happened, and what was done about it."""

from collections.abc import Iterable
from typing import TypedDict, Unpack

from bot.game.commands import Command
from bot.game.events import Event, GameSeen, MoveFound, StateSeen
from bot.game.manners import Manners
from bot.game.nouns import GameId, GameInfo, Player, Score, Speed, State, Thought, TimeControl
from bot.game.session import Session, open_game, step

US = Player("krait", "Krait", "BOT", 2400)
HUMAN = Player("anna", "Anna", None, 1900)
BOT = Player("rival", "Rival", "BOT", 2300)
AI = Player(name="Stockfish level 3", ai_level=3)
QUIET = Manners(greeting="", greeting_spectators="", goodbye="", goodbye_spectators="")
BLITZ = TimeControl(180, 2)


def an_info(
    *,
    white: bool = True,
    opponent: Player = HUMAN,
    variant: str = "standard",
    fen: str | None = None,
    control: TimeControl = BLITZ,
    tournament: str | None = None,
) -> GameInfo:
    first, second = (US, opponent) if white else (opponent, US)
    game = GameId("abcdefgh")
    return GameInfo(
        game, first, second, variant, Speed.BLITZ, True, control, white, fen, tournament=tournament
    )


class Words(TypedDict, total=False):
    """What a state may say besides its moves; pairs are White's and Black's."""

    status: str
    left_ms: tuple[int, int]
    inc_ms: int
    draw: tuple[bool, bool]
    takeback: tuple[bool, bool]


def a_state(moves: str = "", **words: Unpack[Words]) -> State:
    played, inc_ms, no = tuple(moves.split()), words.get("inc_ms", 2000), (False, False)
    left_ms, status = words.get("left_ms", (180_000, 180_000)), words.get("status", "started")
    offers = (*words.get("draw", no), *words.get("takeback", no))
    return State(played, *left_ms, inc_ms, inc_ms, status, None, *offers)


def first_line(
    moves: str = "", at: float = 0.0, info: GameInfo | None = None, **words: Unpack[Words]
) -> GameSeen:
    return GameSeen(info or an_info(), a_state(moves, **words), at)


def seen(moves: str = "", at: float = 0.0, **words: Unpack[Words]) -> StateSeen:
    return StateSeen(a_state(moves, **words), at)


def found(
    ticket: int, uci: str, at: float = 0.0, *, cp: int | None = None, wdl: int | None = None
) -> MoveFound:
    score = None if cp is None else Score(cp)
    return MoveFound(ticket, Thought(uci, "test", score, tablebase_wdl=wdl), at)


def tell(game: Session, *events: Event) -> tuple[Session, list[Command]]:
    said: list[Command] = []
    for event in events:
        game, commands = step(game, event)
        said += commands
    return game, said


def story(*events: Event, manners: Manners = QUIET, resumed: bool = False) -> list[Command]:
    """Everything that is done about these events."""
    return tell(open_game(manners, resumed=resumed), *events)[1]


def after(*events: Event, manners: Manners = QUIET, resumed: bool = False) -> Session:
    return tell(open_game(manners, resumed=resumed), *events)[0]


def kinds(commands: Iterable[Command]) -> list[str]:
    return [type(command).__name__ for command in commands]
