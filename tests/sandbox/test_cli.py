"""`krait sandbox`: what it prints, what it refuses, how it stops, and what it keeps."""

import asyncio
import json
import random
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main
from bot.sandbox.cli import open_world, save_world, seat_guests
from bot.sandbox.opponents import in_each_world
from bot.sandbox.wishes import (
    DEFAULT_TOKEN,
    Guest,
)
from bot.sandbox.world import World
from tests.sandbox.serving import Box, run

ROOT = Path(__file__).parents[2]


def complaint(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run `krait sandbox` with something wrong; the one line it says about it."""
    assert main(["sandbox", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("krait: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--opponents", "stockfish:strong"), "stockfish:strong"),
        (("--opponents", "no-such-engine:1500"), "no-such-engine"),
        (("--challenge-every", "soon"), "10s"),
        (("--challenge-every", "0s"), "never"),
        (("--time-control", "fast"), "3+2"),
        (("--time-control", "0.25+0"), "Invalid speed"),
        (("--time-control", "7.7+0"), "clock.limit"),
        (("--time-control", "4d"), "days"),
        (("--time-control", "2d", "--rated", "--variant", "atomic"), "rated"),
        (("--variant", "bughouse"), "crazyhouse"),
        (("--pace", "slow"), "human"),
        (("--token", "no spaces"), "no spaces"),
        (("--token", "=abc"), "NAME=TOKEN"),
        (("--token", "x=abc"), "x"),
        (("--token", "A1=abc", "--token", "B2=abc"), "token"),
        (("--fault", "explode@move"), "explode@move"),
        (("--port", "70000"), "--port"),
        (("--host", "192.0.2.1", "--port", "0"), "192.0.2.1"),
        (("--state", "no-such-folder/world.json"), "no-such-folder"),
    ],
)
def test_what_the_user_got_wrong_is_one_line(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], reason: str
) -> None:
    assert reason in complaint(capsys, *words)


def test_a_port_that_is_taken_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert f"port {port} is taken" in complaint(capsys, "--port", port)


@pytest.mark.parametrize("text", ["not JSON", "[]", '{"format": 99}'])
def test_a_state_that_cannot_be_read_is_left_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    file = tmp_path / "world.json"
    file.write_text(text, encoding="utf-8")
    assert "world.json" in complaint(capsys, "--state", str(file))
    assert file.read_text(encoding="utf-8") == text


def test_a_world_survives_on_disk_with_its_guests(tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    first = open_world(file, lambda: 0, random.Random(1))
    seat_guests(first, [Guest("Mine", "abc")])
    save_world(file, first)
    second = open_world(file, lambda: 0, random.Random(1))
    seat_guests(second, [Guest("Mine", "abc"), Guest("New", "def")])
    assert second.accounts.authenticate("abc")[0].is_bot
    assert [account.name for account in second.accounts.all()] == ["Mine", "New"]
    assert list(tmp_path.iterdir()) == [file]


def test_a_token_of_somebody_else_is_not_taken_over(tmp_path: Path) -> None:
    world = open_world(None, lambda: 0, random.Random(1))
    seat_guests(world, [Guest("Mine", "abc")])
    with pytest.raises(ValueError, match="token"):
        seat_guests(world, [Guest("Thief", "abc")])


def test_whoever_lives_in_the_world_moves_over_when_it_is_replaced() -> None:
    async def story(box: Box) -> None:
        seen: asyncio.Queue[World] = asyncio.Queue()

        async def live(world: World) -> None:
            seen.put_nowait(world)
            await asyncio.Event().wait()

        task = asyncio.ensure_future(in_each_world(box.site, live))
        assert await seen.get() is box.world
        other = World.load(box.world.save(), now_ms=box.world.now_ms, rng=random.Random(1))
        box.site.replace_world(other)
        assert await seen.get() is other
        task.cancel()

    run(story)


@contextmanager
def krait_sandbox(*words: str) -> Iterator["Running"]:
    """The real program on a free port; killed if the test leaves it running."""
    command = [sys.executable, "-m", "bot", "sandbox", "--port", "0", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as process:
        try:
            yield Running(process)
        finally:
            process.kill()


class Running:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.first = self.read_until("listens on")
        found = re.search(r"http://[\d.:]+", self.first)
        assert found
        self.url = found[0]

    def read_until(self, words: str) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if words in line:
                return line
        raise AssertionError(
            f"{words!r} was never said; {self.process.stderr and self.process.stderr.read()}"
        )

    def get(self, path: str, token: str = DEFAULT_TOKEN) -> Any:
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {token}"})  # noqa: S310
        with urllib.request.urlopen(request) as answer:  # noqa: S310  - our own loopback address
            return json.load(answer)

    def stop(self, how: signal.Signals) -> tuple[int, str, str]:
        self.process.send_signal(how)
        out, err = self.process.communicate()
        return self.process.returncode, out, err


@pytest.mark.e2e
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly_and_saves_the_world(tmp_path: Path, how: signal.Signals) -> None:
    file = tmp_path / "world.json"
    with krait_sandbox("--state", str(file), "--opponents", "random,random") as sandbox:
        assert sandbox.get("/api/account")["username"] == "SandboxBot"
        code, out, err = sandbox.stop(how)
    assert (code, err) == (0, "")
    assert "saved in" in out
    with krait_sandbox("--state", str(file), "--token", "lip_two") as sandbox:
        assert sandbox.get("/api/account")["id"] == sandbox.get("/api/account", "lip_two")["id"]


@pytest.mark.e2e
def test_an_opponent_challenges_a_bot_that_comes_online() -> None:
    with krait_sandbox(
        "--challenge-every", "50ms", "--time-control", "1+0", "--variant", "atomic"
    ) as sandbox:
        headers = {"Authorization": "Bearer lip_sandbox"}
        request = urllib.request.Request(f"{sandbox.url}/api/stream/event", headers=headers)  # noqa: S310
        with urllib.request.urlopen(request) as events:  # noqa: S310  - as above
            line = next(json.loads(raw) for raw in events if raw.strip())
    assert line["type"] == "challenge"
    assert line["challenge"]["challenger"]["name"] == "RandomMover"
    assert line["challenge"]["variant"]["key"] == "atomic"
    assert line["challenge"]["timeControl"]["show"] == "1+0"


@pytest.mark.e2e
def test_the_control_api_is_shut_unless_asked_for() -> None:
    with krait_sandbox("--control") as sandbox:
        assert sandbox.get("/sandbox")["accounts"] == 2
    with krait_sandbox() as sandbox, pytest.raises(urllib.error.HTTPError) as refused:
        sandbox.get("/sandbox")
    refused.value.close()
