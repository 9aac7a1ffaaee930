"""The tables, and the version they have. Core tables, no mapped classes: rows are our own frozen nouns.

A change of the tables is a new `VERSION` and, in `MIGRATIONS`, the statements that lead to it.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    select,
    text,
)

from bot.errors import ConfigError

VERSION = 1
MIGRATIONS: dict[int, tuple[str, ...]] = {}  # from the version named to the next
METADATA = MetaData()


def _whole(name: str) -> Column[int]:
    return Column(name, BigInteger)  # a foreign engine may count further than 32 bits


def _needed(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False)


def _yes_no(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def _words(name: str) -> Column[str]:
    return Column(name, Text)


def _of_game(*, key: bool = False) -> Column[str]:
    return Column("game", String, ForeignKey("games.id", ondelete="CASCADE"), nullable=False, primary_key=key)


def _player(side: str) -> tuple[Column[str] | Column[int] | Column[bool], ...]:
    words = tuple(_words(f"{side}_{name}") for name in ("id", "name", "title"))
    return (*words, _whole(f"{side}_rating"), _yes_no(f"{side}_provisional"), _whole(f"{side}_ai_level"))


META = Table("meta", METADATA, Column("key", String, primary_key=True), _words("value"))

GAMES = Table(
    "games",
    METADATA,
    Column("id", String, primary_key=True),
    *_player("white"),
    *_player("black"),
    *(_words(name) for name in ("opponent", "opponent_name", "opponent_kind")),
    *(_words(name) for name in ("variant", "speed", "perf", "initial_fen", "tournament")),
    *(_yes_no(name) for name in ("rated", "we_are_white")),
    *(_whole(name) for name in ("our_rating", "limit_s", "increment_s", "days")),
    *(_needed(name) for name in ("created_at_ms", "began_ms", "plies", "takebacks")),
    *(_whole(name) for name in ("ended_ms", "rating_diff")),
    Column("winner", Boolean),
    *(_words(name) for name in ("status", "result", "eco", "opening", "version")),
    Index("games_by_time", "began_ms"),
    Index("games_by_opponent", "opponent", "began_ms"),
)

MOVES = Table(
    "moves",
    METADATA,
    _of_game(key=True),
    Column("ply", Integer, primary_key=True, autoincrement=False),
    *(_words(name) for name in ("uci", "san", "source", "pv")),
    _yes_no("ours"),
    _needed("when_ms"),
    *(_whole(name) for name in ("clock_ms", "spent_ms", "think_ms", "lag_ms")),
    *(_whole(name) for name in ("cp", "mate", "depth", "nodes", "nps", "position")),
    Index("moves_by_position", "position"),
)

CHATS = Table(
    "chats",
    METADATA,
    Column("id", Integer, primary_key=True),
    _of_game(),
    *(_words(name) for name in ("room", "name", "text")),
    _needed("when_ms"),
    Index("chats_by_game", "game"),
)

RATINGS = Table(  # ours, after each rated game
    "ratings",
    METADATA,
    _of_game(key=True),
    _words("perf"),
    *(_needed(name) for name in ("rating", "diff", "when_ms")),
    Index("ratings_by_perf", "perf", "when_ms"),
)

CHALLENGES = Table(  # a row for each judgement: one that was queued first and accepted later has two
    "challenges",
    METADATA,
    Column("id", Integer, primary_key=True),
    *(_words(name) for name in ("challenge", "challenger", "challenger_name", "kind")),
    *(_words(name) for name in ("variant", "control", "color", "verdict", "reason", "why", "gone")),
    _whole("rating"),
    _yes_no("rated"),
    _needed("when_ms"),
    Index("challenges_by_time", "when_ms"),
    Index("challenges_by_challenge", "challenge"),
)


def prepare(connection: Connection, where: str) -> None:
    """Make the tables, or bring those of an earlier version up; ConfigError for any that are not ours.

    It always writes a little: a database that cannot be written is better found now than after a game.
    """
    tables = set(inspect(connection).get_table_names())
    if not tables or _is_unfinished(connection, tables):
        META.create(connection, checkfirst=True)  # the first table made, so that it tells ours from others
        METADATA.create_all(connection)
        connection.execute(META.insert().values(key="version", value=str(VERSION)))
        return
    if "meta" not in tables or "games" not in tables:
        raise ConfigError(f"database {where}: it holds something else already; name an empty one")
    found = int(connection.scalar(select(META.c.value).where(META.c.key == "version")) or 0)
    if found > VERSION:
        raise ConfigError(
            f"database {where}: written by a newer Krait (version {found}, this one knows {VERSION}); update"
        )
    for version in range(found, VERSION):
        _migrate(connection, where, version)
    connection.execute(META.update().where(META.c.key == "version").values(value=str(VERSION)))


def _is_unfinished(connection: Connection, tables: set[str]) -> bool:
    """Whether somebody was stopped while making them: SQLite keeps each table, the version comes last."""
    if "meta" not in tables or not tables <= set(METADATA.tables):
        return False
    return connection.scalar(select(META.c.value).where(META.c.key == "version")) is None


def _migrate(connection: Connection, where: str, version: int) -> None:
    if version not in MIGRATIONS:
        raise ConfigError(
            f"database {where}: its version {version} is too old for this Krait; move it away to start anew"
        )
    for statement in MIGRATIONS[version]:
        connection.execute(text(statement))
