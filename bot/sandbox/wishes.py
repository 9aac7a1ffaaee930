"""What a user asks of `krait sandbox`, read from words. Pure."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bot.sandbox.challenge import read_wish
from bot.sandbox.faults import Fault, parse_fault
from bot.sandbox.movers import Spec, parse_specs
from bot.sandbox.player import Pace
from bot.sandbox.refusal import Refusal
from bot.sandbox.variants import VARIANTS

UNITS_S = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
DEFAULT_BOT = "SandboxBot"
DEFAULT_TOKEN = "lip_sandbox"  # noqa: S105  - opens nothing but a sandbox


BOT_SCOPES = (  # all that a bot could use
    "bot:play",
    "board:play",
    "challenge:read",
    "challenge:write",
    "follow:write",
    "msg:write",
    "team:write",
)


class WishError(Exception):
    """What was asked for cannot be had; the message is one line for the user."""


class Guest(NamedTuple):
    """A bot account that is made for the user, and the token that opens it."""

    name: str
    token: str


@dataclass(frozen=True)
class Wishes:
    """The command line, as it was typed."""

    opponents: str = "random"
    challenge_every: str = "10s"
    host: str = "127.0.0.1"
    port: int = 8080
    time_control: str = "3+2"
    variant: str = "standard"
    rated: bool = False
    tokens: tuple[str, ...] = ()
    control: bool = False
    state: Path | None = None
    faults: tuple[str, ...] = ()
    pace: str = "instant"
    as_bots: bool = False


@dataclass(frozen=True)
class Plan:
    """The same, understood."""

    wishes: Wishes
    specs: list[Spec]
    every_s: float | None  # None: opponents wait to be challenged
    form: dict[str, Any]  # of the challenges they send
    guests: list[Guest]
    faults: list[Fault]
    pace: Pace

    @classmethod
    def of(cls, wishes: Wishes) -> "Plan":
        """WishError: one of them cannot be read."""
        try:
            return cls(
                wishes,
                parse_specs(wishes.opponents),
                parse_every(wishes.challenge_every),
                challenge_form(wishes),
                parse_guests(wishes.tokens),
                [_fault(text) for text in wishes.faults],
                parse_pace(wishes.pace),
            )
        except ValueError as error:
            raise WishError(str(error)) from error


def parse_pace(text: str) -> Pace:
    try:
        return Pace(text)
    except ValueError:
        raise ValueError(f"{text!r} is no pace: {' or '.join(Pace)}") from None


def parse_every(text: str) -> float | None:
    """`10s`, `500ms`, `2m`, `10`; `never` is None."""
    if text == "never":
        return None
    read = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|)", text)
    if read is None or not float(read[1]):
        raise ValueError(f"{text!r} is no time between challenges: 10s, 500ms, 2m or never")
    return float(read[1]) * UNITS_S[read[2]]


def challenge_form(wishes: Wishes) -> dict[str, Any]:
    """What opponents ask for, checked by the rules every challenge is checked by."""
    if wishes.variant not in VARIANTS or wishes.variant == "fromPosition":
        known = ", ".join(key for key in VARIANTS if key != "fromPosition")
        raise ValueError(f"{wishes.variant!r} is no variant: {known}")
    form = {"variant": wishes.variant, "rated": wishes.rated, **read_clock(wishes.time_control)}
    try:
        read_wish(form, by_bot=True)
    except Refusal as refusal:
        raise ValueError(f"no bot can play {wishes.time_control} here: {_said(refusal)}") from refusal
    return form


def read_clock(text: str) -> dict[str, Any]:
    """`3+2`, `0.5+0`, `2d`, `unlimited` as the fields of a challenge. ValueError for anything else."""
    if text == "unlimited":
        return {}
    if days := re.fullmatch(r"(\d+)d", text):
        return {"days": int(days[1])}
    read = re.fullmatch(r"(\d+(?:\.\d+)?)\+(\d+)", text)
    if read is None:
        raise ValueError(f"{text!r} is no time control: minutes+seconds (3+2), days (2d) or unlimited")
    return {"clock.limit": round(float(read[1]) * 60), "clock.increment": int(read[2])}


def parse_guests(tokens: tuple[str, ...]) -> list[Guest]:
    """`TOKEN` or `NAME=TOKEN` each; without any, one bot with a token that is always the same."""
    guests = []
    for number, text in enumerate(tokens or (DEFAULT_TOKEN,), start=1):
        name, named, token = text.rpartition("=")
        if not re.fullmatch(r"[A-Za-z0-9_]+", token) or (named and not name):
            raise ValueError(f"{text!r} is no token: letters, digits and _, or NAME=TOKEN")
        guests.append(Guest(name or DEFAULT_BOT + (str(number) if number > 1 else ""), token))
    return guests


def _fault(text: str) -> Fault:
    try:
        return parse_fault(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no fault: {error}") from error


def _said(refusal: Refusal) -> str:
    """A refusal in one line: the fields of a form error, or the error itself."""
    error = refusal.body.get("error")
    if isinstance(error, dict):
        return "; ".join(f"{name}: {', '.join(texts)}" for name, texts in error.items())
    return str(error)
