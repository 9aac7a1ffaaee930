"""Our gateway at the door of a sandbox."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeVar

from bot.lichess.client import Lichess, Patience
from tests.sandbox.serving import ALL, PATIENCE_S, Box

T = TypeVar("T")
QUICK = Patience(retry_s=5.0)


def secret_of(
    box: Box, name: str = "Krait", *, scopes: tuple[str, ...] = ALL, title: str | None = "BOT"
) -> str:
    """The token of an account, which is made if there is none of this name."""
    accounts = box.world.accounts
    account = accounts.get(name) or accounts.create(name, title=title)
    return accounts.issue_token(account.id, scopes).secret


@asynccontextmanager
async def entered(box: Box, name: str = "Krait", **options: Any) -> AsyncIterator[Lichess]:
    token = options.pop("token", None) or secret_of(box, name)
    wishes: dict[str, Any] = {"patience": QUICK, "url": box.url} | options
    async with (
        asyncio.timeout(PATIENCE_S),
        Lichess(token=token, version="test", name=name, **wishes) as lichess,
    ):
        yield lichess


async def collect(stream: AsyncGenerator[T, None], most: int = 1000) -> list[T]:
    """The next items, to the end of the stream if there are fewer."""
    found: list[T] = []
    while len(found) < most:
        try:
            found.append(await anext(stream))
        except StopAsyncIteration:
            break
    return found


async def whole(stream: AsyncGenerator[T, None]) -> list[T]:
    async with aclosing(stream) as items:
        return [item async for item in items]
