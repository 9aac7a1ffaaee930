"""A small world for tests: a clock that stands until pushed, two players, and what they hear."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from bot.sandbox.match import Match
from bot.sandbox.refusal import Refusal
from bot.sandbox.seats import Seat, both
from bot.sandbox.speeds import TimeControl
from bot.sandbox.variants import VARIANTS
from bot.sandbox.world import World

START_MS = 1_700_000_000_000
BLITZ = TimeControl(180, 2)
FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")  # the same position again
Line = dict[str, Any]


def patient(examples: int) -> settings:
    """So many examples, and no failure because a busy machine was slow to think them up."""
    return settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow])


class Scene:
    """`numbarine` is a bot, `opal` a person; nobody is at the board until told so."""

    def __init__(self, *, takebacks: bool | None = None, other_is_bot: bool = False) -> None:
        self.now_ms = START_MS
        self.world = World(now_ms=lambda: self.now_ms, rng=random.Random(7))
        self.bot = self.world.accounts.create("Numbarine", title="BOT", takebacks=takebacks, games=30)
        self.opal = self.world.accounts.create("Opal", title="BOT" if other_is_bot else None, games=30)

    def wait(self, ms: int) -> None:
        """Time passes, and what falls due meanwhile is done when it is due."""
        until_ms = self.now_ms + ms
        while (due_ms := self.world.next_deadline_ms()) is not None and due_ms <= until_ms:
            self.now_ms = max(self.now_ms, due_ms)
            self.world.tick()
        self.now_ms = until_ms

    def events(self, user_id: str = "numbarine") -> list[Line]:
        heard: list[Line] = []
        self.world.subscribe_events(user_id, heard.append)  # type: ignore[arg-type]  # None never comes here
        return heard

    def challenge(self, **form: Any) -> str:
        """Opal challenges the bot, with White unless another colour is wished."""
        wish = {"clock.limit": 180, "clock.increment": 2, "color": "white"} | form
        challenge_id = self.world.lobby.create("opal", "Numbarine", wish)["id"]
        assert isinstance(challenge_id, str)
        return challenge_id

    def game(self, **form: Any) -> Match:
        game_id = self.challenge(**form)
        self.world.lobby.accept(game_id, "numbarine")
        return self.world.games.get(game_id)

    def game_stream(self, match: Match, user_id: str = "numbarine") -> list[Line | None]:
        heard: list[Line | None] = []
        self.world.subscribe_game(match.id, user_id, heard.append)
        self.world.stream_opened(user_id, match.id)
        return heard

    def play(self, match: Match, *moves: str, each_ms: int = 0) -> None:
        """Whoever is to move plays the next of `moves`."""
        for uci in moves:
            self.wait(each_ms)
            mover = match.seats[match.turn].user_id
            assert mover is not None
            self.world.games.move(match.id, mover, uci)


def a_match(
    variant: str = "standard",
    fen: str | None = None,
    *,
    control: TimeControl = BLITZ,
    source: str = "friend",
    rules: tuple[str, ...] = (),
    ai: int | None = None,
) -> Match:
    """A match by itself; Black is the AI if `ai` gives its level."""
    black = Seat(name="Stockfish", ai_level=ai) if ai else Seat("black", "Black", "BOT", 1600)
    seats = both((Seat("white", "White", None, 1500), black))
    return Match(
        "abcdefgh",
        VARIANTS[variant],
        control,
        seats,
        START_MS,
        initial_fen=fen,
        source=source,
        rules=frozenset(rules),
    )


def play(match: Match, *moves: str, from_ms: int = START_MS, each_ms: int = 0) -> int:
    """Play `moves` in turn and return the time it is then."""
    now_ms = from_ms
    for uci in moves:
        now_ms += each_ms
        match.play(match.turn, uci, now_ms)
    return now_ms


def refused(act: Callable[..., object], *args: Any, **kwargs: Any) -> Refusal:
    """What `act` is refused with."""
    with pytest.raises(Refusal) as caught:
        act(*args, **kwargs)
    return caught.value


def error_of(act: Callable[..., object], *args: Any, **kwargs: Any) -> object:
    """The `error` of a refusal that is a 400."""
    refusal = refused(act, *args, **kwargs)
    assert refusal.status == 400
    return refusal.body["error"]


def kinds(lines: list[Line | None]) -> list[str | None]:
    return [line["type"] if line else None for line in lines]


def states(lines: list[Line | None]) -> list[Line]:
    return [line for line in lines if line and line["type"] == "gameState"]


def moved(scene: Scene, **form: Any) -> Match:
    match = scene.game(**form)
    scene.play(match, "e2e4", "e7e5")
    return match
