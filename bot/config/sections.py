"""The tables of `krait.toml`, one class each, but for challenges. The defaults make a well-behaved bot."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator

from bot.config.values import (
    CHESS,
    CommandLine,
    Count,
    Seconds,
    Section,
    Server,
    Speeds,
    Variants,
    Words,
)
from bot.game.chatter import BUILT_IN
from bot.game.manners import Manners

_WORDS = Manners()


def _built_in(names: tuple[str, ...]) -> tuple[str, ...]:
    known = [command.name for command in BUILT_IN]
    for name in names:
        if name.removeprefix("!") not in {*known, "help"}:
            raise ValueError(f"there is no chat command {name!r}, only {', '.join(known)}")
    return tuple(name.removeprefix("!") for name in names)


Commands = Annotated[Words, AfterValidator(_built_in)]


class Lichess(Section):
    url: Server = "https://lichess.org"
    """The server to play on; `KRAIT_LICHESS_URL` for short."""


class Games(Section):
    max_games: Annotated[int, Field(ge=1, le=256)] = 2
    """Games with a clock played at once."""
    max_correspondence: Annotated[int, Field(ge=0, le=200)] = 5
    """Correspondence games at once; they have their own places."""
    correspondence_check_s: Annotated[Seconds, Field(ge=5)] = 60
    """How often sleeping correspondence games are looked at, in seconds."""
    reserved_for_humans: Count = 0
    """How many of `max_games` a bot cannot take."""
    drain: Literal["finish", "leave"] = "finish"
    """When asked to stop: finish the games first, or leave them to be taken up at the next start."""
    drain_timeout_s: Seconds = 3600
    """How long finishing may take; what is not over then is left. A second signal leaves at once."""
    abort_after_human_s: Seconds = 60
    """Abort when a human has not made the first move in so many seconds; 0: never."""
    abort_after_bot_s: Seconds = 30
    """The same for a bot."""

    @model_validator(mode="after")
    def _reserve_is_within_the_games(self) -> Self:
        if self.reserved_for_humans > self.max_games:
            raise ValueError(
                f"reserved_for_humans ({self.reserved_for_humans}) is more than max_games ({self.max_games})"
            )
        return self


class Engine(Section):
    name: Annotated[str, Field(min_length=1, max_length=40)] = "Krait"
    """What logs and `!engine` call it."""
    command: CommandLine = ()
    """The program and its arguments; nothing: Krait's own engine, or for variants its textbook."""
    options: dict[str, str | bool | int | float] = Field(default_factory=dict)
    """Options for the engine by name, such as { Hash = 64, Threads = 1 }."""
    protocol: Literal["uci", "xboard"] = "uci"
    """The language it speaks."""
    variants: Variants = CHESS
    """Variants it may be asked to play."""
    speeds: Speeds = ()
    """Speeds it may be asked to play, such as "bullet"; nothing: all. The most specific engine plays."""
    processes: Annotated[int, Field(ge=0, le=256)] = 0
    """Processes kept warm; 0: one a game, but no more than there are cores."""
    ponder: bool = True
    """Think on the opponent's time while cores are free."""
    cwd: str = ""
    """The folder it is started in; nothing: where Krait was started."""
    start_s: Annotated[float, Field(gt=0, le=3600)] = 180
    """Patience for its start, in seconds; the first start of Krait's own engine compiles it."""


class Chat(Section):
    greeting: str = _WORDS.greeting
    """Said to the opponent first; nothing: silence. {me}, {opponent}, {engine}, {variant}, {clock} work."""
    greeting_spectators: str = _WORDS.greeting_spectators
    """Said to spectators first."""
    goodbye: str = _WORDS.goodbye
    """Said to the opponent when the game is over."""
    goodbye_spectators: str = _WORDS.goodbye_spectators
    """Said to spectators when the game is over."""
    commands: Commands = tuple(command.name for command in BUILT_IN)
    """Chat commands that are answered; nothing: none at all. `!help` and plug-ins need no mention."""
    eval_for_players: bool = False
    """Whether the opponent, too, may ask for the evaluation while the game goes on."""


class Pgn(Section):
    enabled: bool = True
    """Write each game, with clocks, evaluations and depths as comments."""
    folder: str = ""
    """Where to; nothing: `pgn` in the state directory."""
    per: Literal["day", "game"] = "day"
    """One file a day or one a game."""


class Database(Section):
    url: str = ""
    """SQLAlchemy address, such as postgresql+asyncpg://…; nothing: an SQLite file in the state directory."""


class Log(Section):
    style: Literal["auto", "console", "json"] = "auto"
    """For people or for programs; auto: console on a terminal, else JSON."""
    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least important lines that are shown."""


class Web(Section):
    enabled: bool = True
    """Serve the page, the metrics and the health checks."""
    host: str = "127.0.0.1"
    """The address to listen on; another than this machine's own needs a password."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    """The port to listen on; 0: any that is free."""
    password: SecretStr = SecretStr("")
    """What the page asks for; nothing: no password."""

    @model_validator(mode="after")
    def _strangers_need_a_password(self) -> Self:
        is_local = self.host in {"127.0.0.1", "::1", "localhost"}
        if self.enabled and not is_local and not self.password.get_secret_value():
            raise ValueError(f"others can reach host {self.host}: set web.password, or host 127.0.0.1")
        return self
