"""A world on disk, so that stopping the sandbox does not end its games."""

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from bot.sandbox.wishes import Guest
from bot.sandbox.world import World

SCOPES = (  # all that a bot could use
    "bot:play",
    "board:play",
    "challenge:read",
    "challenge:write",
    "follow:write",
    "msg:write",
    "team:write",
)


def open_world(path: Path | None, now_ms: Callable[[], int], rng: random.Random) -> World:
    """The world saved in `path`, or a new one where there is none. ValueError: it cannot be read."""
    if path is None:
        return World(now_ms=now_ms, rng=rng)
    if not path.parent.is_dir():
        raise ValueError(f"{path.parent} is no folder to keep {path.name} in")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return World.load(data, now_ms=now_ms, rng=rng)
    except FileNotFoundError:
        return World(now_ms=now_ms, rng=rng)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} holds no saved world: {error}") from error


def save_world(path: Path, world: World) -> None:
    """Whole or not at all: a crash while writing leaves the last good file."""
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(json.dumps(world.save()), encoding="utf-8")
    draft.replace(path)


def seat_guests(world: World, guests: Sequence[Guest]) -> None:
    """Every guest has a bot account and its token; a world that was saved may know them already.

    ValueError: a name or a token that belongs to somebody else.
    """
    for guest in guests:
        account = world.accounts.get(guest.name) or world.accounts.create(guest.name, title="BOT")
        if guest.token not in {token.secret for token in world.accounts.tokens_of(account.id)}:
            world.accounts.issue_token(account.id, SCOPES, secret=guest.token)
