"""The whole configuration as one frozen object, and the rules that no table can check alone."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bot.config.challenges import Challenges
from bot.config.playing import Book, Clock, Draw, Resign, Tablebase, Takeback
from bot.config.sections import Chat, Database, Engine, Games, Lichess, Log, Pgn, Web
from bot.config.values import Folder
from bot.errors import ConfigError
from bot.game.manners import Manners

HOW_TO_GET_ONE = (
    "there is no token: make one with the scope bot:play at {url}/account/oauth/token and put it into .env "
    "as KRAIT_TOKEN=…, into the environment, or into a file that KRAIT_TOKEN_FILE names"
)


class Config(BaseSettings):
    """What it is made with is what it holds: files and variables are read by `load` alone."""

    model_config = SettingsConfigDict(
        env_prefix="KRAIT_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        hide_input_in_errors=True,
    )

    token: SecretStr = SecretStr("")
    """The account's token, with the scope bot:play. Never in `krait.toml`."""
    token_file: str = ""
    """A file that holds the token and nothing else: a Docker secret, a systemd credential."""
    state_dir: Folder = Path("~/.local/state/krait")
    """Where the database, the games, the lock and the limits are kept; `XDG_STATE_HOME` is respected."""
    lichess: Lichess = Lichess()
    games: Games = Games()
    challenges: Challenges = Challenges()
    engines: Annotated[tuple[Engine, ...], Field(min_length=1)] = (Engine(),)
    clock: Clock = Clock()
    book: Book = Book()
    tablebase: Tablebase = Tablebase()
    chat: Chat = Chat()
    draw: Draw = Draw()
    resign: Resign = Resign()
    takeback: Takeback = Takeback()
    pgn: Pgn = Pgn()
    database: Database = Database()
    log: Log = Log()
    web: Web = Web()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  - the signature is pydantic's
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003  - as above
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  - as above
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003  - as above
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)

    @model_validator(mode="after")
    def _engines_have_names_of_their_own(self) -> Self:
        names = [engine.name for engine in self.engines]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two engines are called {', '.join(twice)}: give each a name of its own")
        return self

    @model_validator(mode="after")
    def _every_variant_has_an_engine(self) -> Self:
        played = {variant for engine in self.engines for variant in engine.variants}
        for kind in self.challenges.accept:
            for variant in self.challenges.rules_for(kind).variants:
                if variant not in played:
                    raise ValueError(
                        f"challenges.variants accepts {variant}, which no engine plays: "
                        "take it out, or add an engine for it ([[engines]] with a name and `variants`: the "
                        "textbook of Krait plays them all)"
                    )
        return self

    @model_validator(mode="after")
    def _every_line_of_chat_can_be_said(self) -> Self:
        chat = self.chat
        lines = (chat.greeting, chat.greeting_spectators, chat.goodbye, chat.goodbye_spectators)
        try:
            for engine in self.engines:
                Manners(*lines, engine=engine.name)
        except ValueError as error:
            raise ValueError(f"chat.{error}") from None
        return self

    @property
    def pgn_folder(self) -> Path:
        return Path(self.pgn.folder).expanduser() if self.pgn.folder else self.state_dir / "pgn"

    @property
    def database_url(self) -> str:
        return self.database.url or f"sqlite+aiosqlite:///{self.state_dir / 'krait.db'}"


def require_token(config: Config) -> str:
    """The one place where the token leaves its wrapping."""
    if token := config.token.get_secret_value():
        return token
    raise ConfigError(HOW_TO_GET_ONE.format(url=config.lichess.url))
