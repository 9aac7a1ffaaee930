"""A corridor between a client and a server: it counts the connections, and what is asked over each."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress


class Passage:
    def __init__(self, url: str) -> None:
        host, port = url.removeprefix("http://").split(":")
        self._behind = (host, int(port))
        self.url = ""
        self.asked: list[tuple[int, str]] = []  # number of the connection, method and path
        self.connections = 0
        self.stirred = asyncio.Event()
        self._inside: set[asyncio.Task[None]] = set()
        self._ends: list[asyncio.StreamWriter] = []

    def on(self, word: str) -> Counter[int]:
        """How often each connection was asked for a path with this word in it."""
        return Counter(number for number, line in self.asked if word in line)

    async def until(self, reached: Callable[[], bool]) -> None:
        while not reached():
            self.stirred.clear()
            await self.stirred.wait()

    async def enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._inside.add(task)
        self.connections += 1
        number = self.connections
        behind_reader, behind_writer = await asyncio.open_connection(*self._behind)
        self._ends += [writer, behind_writer]

        def note(data: bytes) -> None:
            head = data.split(b"\r\n", 1)[0].decode(errors="replace")
            if head.endswith("HTTP/1.1"):
                self.asked.append((number, head))
                self.stirred.set()

        await asyncio.gather(_pass(reader, behind_writer, note), _pass(behind_reader, writer))

    async def clear(self) -> None:
        """Send everybody out: a thread that was cut off in a call may keep its connection for good."""
        for end in self._ends:
            end.close()
        await asyncio.gather(*self._inside)


async def _pass(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, note: Callable[[bytes], None] = lambda _: None
) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            note(data)
            writer.write(data)
            await writer.drain()
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


@asynccontextmanager
async def corridor(url: str) -> AsyncIterator[Passage]:
    passage = Passage(url)
    server = await asyncio.start_server(passage.enter, "127.0.0.1", 0)
    passage.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield passage
    finally:
        server.close()
        await passage.clear()
