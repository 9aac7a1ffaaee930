"""Single answers of Lichess, its refusals, and our wishes in its forms."""

import re
from collections.abc import Sequence

from bot.errors import BadToken, LichessError, RateLimited, Refused, Unreachable
from bot.game.nouns import GameId, TimeControl
from bot.lichess.lines import Account, ChatLine, TokenInfo, UserStatus
from bot.lichess.wire_values import SHORT, Json, id_of, millis, player, read, whole

_TAGS = re.compile(r"<(script|style).*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL | re.IGNORECASE)
WHERE = "lichess.org/account/oauth/token"
NEW_TOKEN = f"make a new one at {WHERE} with the scope bot:play and set it as KRAIT_TOKEN"
MOVE_WITH_OFFER = {"offeringDraw": "true"}  # Python's True would be written in upper case and refused
MOST_GAMES = 50  # Lichess lists no more
ALL_GAMES = {"nb": MOST_GAMES}


def account(data: Json) -> Account:
    perfs = data.get("perfs") or {}
    ratings = {key: int(perf["rating"]) for key, perf in perfs.items() if "rating" in perf}
    return Account(
        id=id_of(data),
        name=str(data.get("username") or data.get("name") or data["id"]),
        title=data.get("title") or None,
        ratings=ratings,
        games=whole((data.get("count") or {}).get("all")) or 0,
        disabled=data.get("disabled") is True or data.get("tosViolation") is True,
    )


def accounts(found: list[Json]) -> tuple[Account, ...]:
    people = (read(each, account) for each in found)
    return tuple(each for each in people if isinstance(each, Account))


def token_info(data: Json, token: str) -> TokenInfo | None:
    """None: Lichess knows no such token."""
    found = data.get(token)
    if not found:
        return None
    scopes = frozenset(each.strip() for each in str(found.get("scopes") or "").split(",") if each.strip())
    expires = found.get("expires")
    return TokenInfo(str(found["userId"]), scopes, None if expires is None else millis(expires))


def user_statuses(data: list[Json]) -> tuple[UserStatus, ...]:
    return tuple(
        UserStatus(player(each), each.get("online") is True, bool(each.get("playing"))) for each in data
    )


def teams(data: list[Json]) -> frozenset[str]:
    return frozenset(str(each["id"]) for each in data if each.get("id"))


def chat(data: list[Json]) -> tuple[ChatLine, ...]:
    return tuple(
        ChatLine(
            str(each.get("room") or "player"), str(each.get("user") or "Anonymous"), str(each.get("text", ""))
        )
        for each in data
    )


def challenge_form(
    control: TimeControl,
    *,
    rated: bool,
    color: str,
    variant: str,
    fen: str | None = None,
    keep_alive: bool = False,
) -> Json:
    """A challenge as Lichess wants to be asked for it."""
    form: Json = {"rated": rated, "color": color, "variant": variant}
    if control.limit_s is not None:
        form |= {"clock.limit": control.limit_s, "clock.increment": control.increment_s}
    if control.days is not None:
        form["days"] = control.days
    if fen is not None:
        form["fen"] = fen
    return form | ({"keepAliveStream": True} if keep_alive else {})


def ai_form(level: int, control: TimeControl, *, color: str, variant: str) -> Json:
    form = challenge_form(control, rated=False, color=color, variant=variant)
    del form["rated"]
    return form | {"level": level}


def game_id(data: Json) -> GameId:
    return GameId(id_of(data))


def chat_form(room: str, text: str) -> Json:
    return {"room": room, "text": text}


def answer(yes: bool) -> str:
    return "yes" if yes else "no"


def decline_form(reason: str) -> Json:
    return {"reason": reason}


def join_form(password: str) -> Json:
    return {"password": password} if password else {}


def statuses_query(ids: Sequence[str]) -> dict[str, str]:
    return {"ids": ",".join(ids)}


def refusal(status: int, body: object, text: str) -> LichessError:
    """What an answer of 400 or more means to us. `body` is the JSON of it, if any; `text` all of it."""
    found = body if isinstance(body, dict) else {}
    reason = _said(found.get("error")) or _prose(text) or "no reason given"
    limit = found.get("ratelimit")
    if status == 429 or isinstance(limit, dict):
        named = limit if isinstance(limit, dict) else {}
        return RateLimited(
            whole(named.get("seconds")) or 0, str(named.get("key") or ""), theirs=status == 400
        )
    if status == 401:
        return BadToken(status, f"{reason}: Lichess does not know this token; {NEW_TOKEN}")
    if status == 403:
        scope = "scope" in reason.lower()
        return BadToken(status, f"{reason}; {NEW_TOKEN}" if scope else reason)
    if status >= 500 or status == 408:
        return Unreachable(f"{status}: {reason}", status)
    return Refused(status, reason)


def _said(error: object) -> str:
    """`error` is text, or for a form the faults of each field."""
    if isinstance(error, dict):
        parts = (f"{name}: {_said(faults)}" if name else _said(faults) for name, faults in error.items())
        return "; ".join(parts)[:SHORT]
    if isinstance(error, list):
        return ", ".join(map(str, error))[:SHORT]
    return str(error)[:SHORT] if error else ""


def _prose(text: str) -> str:
    """A proxy answers with a page: its title, or else its words."""
    title = _TITLE.search(text)
    words = title[1] if title else _TAGS.sub(" ", text)
    return " ".join(words.split())[:SHORT]
