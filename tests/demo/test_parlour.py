"""The parlour's doors: what the page may ask, and what it may not."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from bot.demo.house import OTHERS, Parlour
from bot.demo.parlour import opened
from bot.sandbox.variants import VARIANTS

PATIENCE_S = 60.0
Story = Callable[[aiohttp.ClientSession], Awaitable[None]]


def visit(story: Story, parlour: Parlour | None = None) -> None:
    """Tell a story of a visitor to a parlour in which nobody plays yet."""

    async def whole() -> None:
        async with (
            asyncio.timeout(PATIENCE_S),
            opened(parlour or Parlour(), 0) as box,
            aiohttp.ClientSession(box.url) as http,
        ):
            await story(http)

    asyncio.run(whole())


async def guest(http: aiohttp.ClientSession) -> dict[str, str]:
    async with http.post("/play/guest") as response:
        return {"Authorization": f"Bearer {(await response.json())['token']}"}


def test_a_taken_port_gives_way_to_the_next() -> None:
    async def story() -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            async with opened(Parlour(), port) as box:
                assert box.url != f"http://127.0.0.1:{port}"

    asyncio.run(story())


def test_before_the_service_is_there_the_page_is_and_says_that_it_is_not_ready() -> None:
    async def story(http: aiohttp.ClientSession) -> None:
        async with http.get("/") as response:
            assert response.status == 200
            assert "default-src 'self'" in response.headers["Content-Security-Policy"]
        async with http.get("/play/status") as response:
            status = await response.json()
        assert (status["ready"], status["progress"]) == (False, None)
        assert {variant["key"] for variant in status["variants"]} == set(VARIANTS)
        assert {variant["key"] for variant in status["variants"] if not variant["levels"]} == set(OTHERS)

    visit(story)


def test_the_board_api_is_open_to_a_guest_and_closed_to_others() -> None:
    async def story(http: aiohttp.ClientSession) -> None:
        async with http.get("/api/account", headers=await guest(http)) as response:
            assert (await response.json())["id"] == "guest1"
        async with http.get("/api/account") as response:
            assert response.status == 401

    visit(story)


@pytest.mark.parametrize(("body", "status"), [({"elo": 1500}, 200), ({"elo": None}, 200), ({"elo": 1}, 400)])
def test_a_guest_says_how_strong_the_bot_shall_be(body: dict[str, Any], status: int) -> None:
    async def story(http: aiohttp.ClientSession) -> None:
        async with http.post("/play/strength", json=body, headers=await guest(http)) as response:
            assert response.status == status
        async with http.post("/play/strength", json=body) as response:
            assert response.status == 401

    visit(story)


@pytest.mark.parametrize(
    "body", [{}, [], {"variant": "chaturanga"}, {"variant": "standard", "moves": "e2e5"}, {"variant": 1}]
)
def test_rules_for_what_is_no_game_are_refused_in_a_line(body: object) -> None:
    async def story(http: aiohttp.ClientSession) -> None:
        async with http.post("/play/rules", json=body) as response:
            assert response.status == 400
            assert "Traceback" not in await response.text()

    visit(story)


def test_another_sites_page_is_not_served() -> None:
    async def story(http: aiohttp.ClientSession) -> None:
        async with http.post("/play/guest", headers={"Origin": "https://elsewhere.example"}) as response:
            assert response.status == 403

    visit(story)


def test_there_is_no_review_of_a_game_nobody_played() -> None:
    async def story(http: aiohttp.ClientSession) -> None:
        async with http.get("/play/review/nothing") as response:
            assert response.status == 404

    visit(story)


def test_pieces_are_kept_for_long_and_files_are_asked_for_again() -> None:
    async def story(http: aiohttp.ClientSession) -> None:
        async with http.get("/static/pieces/bN.svg") as response:
            assert response.content_type == "image/svg+xml"
            assert "immutable" in response.headers["Cache-Control"]
            assert (await response.text()).startswith("<svg")
        async with http.get("/static/js/board.js") as response:
            assert response.content_type == "text/javascript"
            known = {"If-None-Match": response.headers["ETag"]}
        async with http.get("/static/js/board.js", headers=known) as response:
            assert response.status == 304

    visit(story)


@pytest.mark.parametrize("path", ["pieces/wX.svg", "nothing.css", "..%2fassets.py", "../assets.py", "js"])
def test_nothing_but_our_files_is_served(path: str) -> None:
    async def story(http: aiohttp.ClientSession) -> None:
        async with http.get(f"/static/{path}") as response:
            assert response.status == 404

    visit(story)
