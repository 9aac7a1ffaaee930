"""`krait demo` as a person starts it: an address, a page, a bot that is ready, and Ctrl-C."""

import asyncio
import json
import re
import signal
import sys
import urllib.request

import pytest

PATIENCE_S = 110.0  # the first start on a machine compiles
COMMAND = (sys.executable, "-m", "bot", "demo", "--no-browser", "--port", "0")


async def line_with(words: str, reader: asyncio.StreamReader) -> str:
    while words not in (line := (await reader.readline()).decode()):
        assert line, f"it ended before it said {words!r}"
    return line


def read_json(url: str) -> dict[str, object]:
    with urllib.request.urlopen(url) as response:  # noqa: S310  our own address
        found = json.load(response)
    assert isinstance(found, dict)
    return found


@pytest.mark.e2e
def test_the_demo_names_its_page_gets_ready_and_leaves_when_it_is_told_to() -> None:
    async def story() -> None:
        process = await asyncio.create_subprocess_exec(*COMMAND, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        try:
            told = await line_with("http://", process.stdout)
            url = re.findall(r"http://[\d.:]+", told)[0]
            await line_with("is ready", process.stdout)
            status = await asyncio.to_thread(read_json, f"{url}/play/status")
            assert status["ready"] is True
            process.send_signal(signal.SIGINT)
            await line_with("Good-bye", process.stdout)
            assert await process.wait() == 0
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def in_time() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await story()

    asyncio.run(in_time())
