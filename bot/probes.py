"""What `krait check` tries: everything the configuration names that may not be there."""

import asyncio
from contextlib import AsyncExitStack

from bot.config.cli import Probe
from bot.config.model import Config, require_token
from bot.config.slices import engine_specs_of
from bot.engines.process import Engine
from bot.engines.spec import EngineSpec
from bot.introduction import check_account
from bot.lichess.client import Lichess
from bot.lists import Roster
from bot.plugins import discover
from bot.sources.book import Book
from bot.sources.tablebase import Tablebase
from bot.version import version


async def _token(config: Config) -> str:
    url = config.lichess.url
    async with Lichess(url, require_token(config), version=version(), lanes=1) as lichess:
        account = await check_account(lichess, url)
    ratings = ", ".join(f"{perf} {rating}" for perf, rating in sorted(account.ratings.items())[:4])
    return f"{account.name} on {url}{f' ({ratings})' if ratings else ''}"


async def _engines(config: Config) -> str:
    return "; ".join([await _engine(spec) for spec in engine_specs_of(config)])


async def _engine(spec: EngineSpec) -> str:
    """Started, set up with its options and asked whether it is ready."""
    remarks: list[str] = []
    engine = await Engine.start(spec, remarks.append)
    try:
        return " ".join([f"{spec.name} is {engine.name}", *(f"({remark})" for remark in remarks)])
    finally:
        await engine.quit()


async def _book(config: Config) -> str:
    if not config.book.files:
        return "none"
    await asyncio.to_thread(Book, dict(config.book.files.items()))
    return ", ".join(f"{variant}: {len(files)}" for variant, files in config.book.files.items())


async def _tables(config: Config) -> str:
    if not config.tablebase.paths:
        return "none"
    tables = await asyncio.to_thread(Tablebase, config.tablebase.paths, config.tablebase.max_pieces)
    tables.close()
    return ", ".join(map(str, config.tablebase.paths))


async def _database(config: Config) -> str:
    from bot.store.store import Store  # noqa: PLC0415  SQLAlchemy takes a while, and the other trials need it not

    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(Store(config.database_url))
        return f"{await store.ask.count()} games"


async def _lists(config: Config) -> str:
    asked = config.challenges
    troubles: list[str] = []
    told = (asked.block, asked.only, asked.welcome)
    rosters = [Roster(names, lambda fact: troubles.append(str(fact))) for names in told]
    for roster in rosters:
        await roster.refresh()
    if troubles:
        raise ValueError("; ".join(troubles))
    block, only, welcome = (len(roster.names) for roster in rosters)
    return f"{block} blocked, {only} exclusive, {welcome} always welcome"


async def _plugins(_: Config) -> str:
    found = discover()
    if found.skipped:
        raise ValueError("; ".join(map(str, found.skipped)))
    counts = {"sources": found.sources, "filters": found.filters, "commands": found.commands}
    return ", ".join(f"{len(each)} {name}" for name, each in counts.items())


PROBES = (
    Probe("account", _token),
    Probe("engines", _engines),
    Probe("book", _book),
    Probe("endgame tables", _tables),
    Probe("database", _database),
    Probe("lists", _lists),
    Probe("plug-ins", _plugins),
)
