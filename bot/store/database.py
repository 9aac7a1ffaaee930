"""Which database, and how it is opened: an SQLite file by default, PostgreSQL by URL."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.errors import ConfigError
from bot.store.schema import prepare

_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+asyncpg",
    "postgres": "postgresql+asyncpg",
}


def read_url(url: str) -> URL:
    """With the driver that we speak through; ConfigError for what is none of the two."""
    try:
        read = make_url(url)
    except (ArgumentError, ValueError):  # the text is not shown: it may hold a password
        raise ConfigError(
            "database: not a URL; write sqlite:///krait.db or postgresql://user@host/krait"
        ) from None
    if read.drivername not in {*_DRIVERS, *_DRIVERS.values()}:
        raise ConfigError(f"database: {read.drivername} is not known; use sqlite or postgresql")
    if read.get_backend_name() == "sqlite" and read.database in {None, "", ":memory:"}:
        raise ConfigError("database: name a file, as in sqlite:///krait.db")
    return read.set(drivername=_DRIVERS.get(read.drivername, read.drivername))


async def open_database(url: URL, *, busy_ms: int) -> AsyncEngine:
    """Folder and tables are made if need be. ConfigError, in one line, if it cannot be used."""
    where = url.render_as_string(hide_password=True)
    try:
        engine = await asyncio.to_thread(_make_engine, url, busy_ms)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"database {where}: {error.name} is missing; pip install 'krait[postgres]'"
        ) from None
    except (SQLAlchemyError, OSError) as error:
        raise _refused(where, error) from None
    try:
        async with engine.begin() as connection:
            await connection.run_sync(prepare, where)
    except (SQLAlchemyError, OSError) as error:
        await engine.dispose()
        raise _refused(where, error) from None
    except BaseException:
        await engine.dispose()
        raise
    return engine


def reason(error: Exception) -> str:
    """The driver's own words, in one line, without the statement that SQLAlchemy adds."""
    words = str(getattr(error, "orig", None) or error).strip()
    return words.partition("\n")[0] or type(error).__name__


def _refused(where: str, error: Exception) -> ConfigError:
    return ConfigError(f"database {where}: {reason(error)}; is it there, and may we write to it?")


def _make_engine(url: URL, busy_ms: int) -> AsyncEngine:
    if url.get_backend_name() != "sqlite":
        return create_async_engine(url, pool_size=2, max_overflow=2, pool_pre_ping=True)
    if url.database and not url.database.startswith("file:"):
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_async_engine(url, pool_size=2, max_overflow=2)
    event.listen(engine.sync_engine, "connect", _pragmas(busy_ms))
    return engine


def _pragmas(busy_ms: int) -> Callable[[Any, Any], None]:
    """Readers never wait for the writer (WAL), and a killed process loses nothing that was committed."""

    def set_pragmas(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={busy_ms}")
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return set_pragmas
