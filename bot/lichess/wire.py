"""Lichess's JSON in, our words out, and our wishes into its forms. No other file knows a key of it.

Whatever the spec does not model is met with the mildest reading: a player without an id is anonymous, what is
left out has its usual value, and an object that makes no sense at all becomes `Unknown`, never an exception.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from bot.errors import BadToken, LichessError, RateLimited, Refused, Unreachable
from bot.game.events import ChatSeen, GameSeen, OpponentCameBack, OpponentLeft, StateSeen
from bot.game.nouns import (
    NO_CLOCK_MS,
    Challenge,
    ChallengeId,
    GameBrief,
    GameId,
    GameInfo,
    Player,
    Speed,
    State,
    TimeControl,
)
from bot.lichess.lines import (
    Account,
    AccountEvent,
    ChallengeCanceled,
    ChallengeClosed,
    ChallengeDeclined,
    ChallengeLine,
    ChallengeSeen,
    ChatLine,
    GameFinished,
    GameLine,
    GameStarted,
    TokenInfo,
    Unknown,
    UserStatus,
)

Json = dict[str, Any]
T = TypeVar("T")
SHORT = 160  # letters of somebody else's prose that we repeat
_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
_TAGS = re.compile(r"<(script|style).*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL | re.IGNORECASE)
NEW_TOKEN = (
    "make a new one at lichess.org/account/oauth/token with the scope bot:play and set it as KRAIT_TOKEN"  # noqa: S105  advice, not a secret
)


def account_event(data: object) -> AccountEvent:
    """One line of the account's stream."""
    return _read(data, _account_event)


def game_line(data: object, me: str, at: float) -> GameLine:
    """One line of a game's stream; `me` is our user id, `at` the instant the line arrived."""
    return _read(data, lambda line: _game_line(line, me, at))


def challenge_line(data: object) -> ChallengeLine:
    """One line of a challenge that is kept alive."""
    return _read(data, lambda line: ChallengeClosed(str(line["done"])) if "done" in line else challenge(line))


def _read(data: object, reading: Callable[[Json], T]) -> T | Unknown:
    if not isinstance(data, dict):
        return Unknown("", f"not an object: {str(data)[:SHORT]}")
    try:
        return reading(data)
    except _UNREADABLE as error:
        return Unknown(str(data.get("type", "")), f"{type(error).__name__}: {error}"[:SHORT])


def _account_event(line: Json) -> AccountEvent:
    match line.get("type"):
        case "gameStart":
            return GameStarted(brief(line["game"]))
        case "gameFinish":
            return GameFinished(brief(line["game"]))
        case "challenge":
            compat = line.get("compat") or line["challenge"].get("compat") or {}
            return ChallengeSeen(challenge(line["challenge"]), for_bots=compat.get("bot") is not False)
        case "challengeCanceled":
            return ChallengeCanceled(ChallengeId(_id(line["challenge"])))
        case "challengeDeclined":
            found = line["challenge"]
            key, reason = found.get("declineReasonKey") or "generic", found.get("declineReason") or ""
            return ChallengeDeclined(ChallengeId(_id(found)), str(key).lower(), str(reason))
        case kind:
            return Unknown(str(kind or ""), "no such event is known")


def _game_line(line: Json, me: str, at: float) -> GameLine:
    match line.get("type"):
        case "gameFull":
            return GameSeen(_info(line, me), _state(line["state"]), at)
        case "gameState":
            return StateSeen(_state(line), at)
        case "chatLine":
            name = line.get("username") or "Anonymous"
            return ChatSeen(str(line.get("room") or "player"), str(name), str(line["text"]), at)
        case "opponentGone" if line.get("gone") is False:
            return OpponentCameBack(at)
        case "opponentGone":
            claim_in_s = line.get("claimWinInSeconds")
            return OpponentLeft(None if claim_in_s is None else int(claim_in_s), at)
        case kind:
            return Unknown(str(kind or ""), "no such line is known")


def _id(data: Json) -> str:
    found = data.get("gameId") or data["id"]
    if not isinstance(found, str):
        raise TypeError(f"id is {found!r}")
    return found


def millis(value: object) -> int:
    """The models of berserk make timedeltas of some clocks and leave others; nobody timed is NO_CLOCK_MS."""
    if isinstance(value, timedelta):
        return max(0, round(value / timedelta(milliseconds=1)))
    if isinstance(value, datetime):
        return round(value.timestamp() * 1000)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return max(0, int(value))
    raise TypeError(f"{value!r} is no time")


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _side(value: object) -> bool | None:
    return {"white": True, "black": False}.get(str(value))


def _key(value: object, default: str) -> str:
    """Variants and statuses come as a word, or as an object that has the word in it."""
    if isinstance(value, dict):
        value = value.get("key") or value.get("name")
    return value if isinstance(value, str) and value else default


def _speed(value: object, default: Speed = Speed.CLASSICAL) -> Speed:
    return next((speed for speed in Speed if speed.value == value), default)


def player(data: object) -> Player:
    """A side of a game or of a challenge: a person, the AI, or nobody in particular."""
    found = data if isinstance(data, dict) else {}
    level = _whole(found.get("aiLevel", found.get("ai")))
    if level is not None:
        return Player(name=f"Stockfish level {level}", ai_level=level)
    shown = found.get("name") or found.get("username") or found.get("id")
    if not shown or not found.get("id"):
        return Player(rating=_whole(found.get("rating")))
    prefix, _, name = str(shown).rpartition(" ")  # the account's stream writes the title before the name
    return Player(
        id=str(found["id"]),
        name=name,
        title=found.get("title") or prefix or None,
        rating=_whole(found.get("rating")),
        provisional=found.get("provisional") is True,
    )


def _control(data: Json) -> TimeControl:
    match data.get("type"):
        case "clock":
            return TimeControl(limit_s=int(data["limit"]), increment_s=int(data.get("increment") or 0))
        case "correspondence":
            return TimeControl(days=_whole(data.get("daysPerTurn")))
        case "unlimited":
            return TimeControl()
        case kind:
            raise ValueError(f"time control {kind!r}")


def challenge(data: Json) -> Challenge:
    """A challenge as streams and answers show it; some answers wrap it once more."""
    found = data.get("challenge", data)
    rules = found.get("rules") or ()
    final = found.get("finalColor")
    return Challenge(
        id=ChallengeId(_id(found)),
        challenger=player(found["challenger"]) if found.get("challenger") else None,
        dest=player(found["destUser"]) if found.get("destUser") else None,
        variant=_key(found.get("variant"), "standard"),
        rated=found.get("rated") is True,
        control=_control(found["timeControl"]),
        color=str(found.get("color") or "random"),
        final_color=final if final in {"white", "black"} else None,
        initial_fen=_fen(found.get("initialFen")),
        rematch_of=GameId(found["rematchOf"]) if found.get("rematchOf") else None,
        rules=frozenset(rules.split(",") if isinstance(rules, str) else map(str, rules)),
    )


def _fen(value: object) -> str | None:
    return value if isinstance(value, str) and value != "startpos" else None


def brief(data: Json) -> GameBrief:
    """A game as the account's stream and the list of games played show it."""
    opponent = data.get("opponent")
    compat = data.get("compat") or {}
    return GameBrief(
        id=GameId(_id(data)),
        we_are_white=data["color"] == "white",
        speed=_speed(data.get("speed")),
        variant=_key(data.get("variant"), "standard"),
        rated=data.get("rated") is True,
        opponent=player(opponent),
        is_my_turn=data.get("isMyTurn") is True,
        has_moved=data.get("hasMoved") is True,
        seconds_left=_whole(data.get("secondsLeft")),
        tournament=data.get("tournamentId") or data.get("swissId") or None,
        source=str(data.get("source") or "friend"),
        for_bots=compat.get("bot") is not False,
        status=_key(data.get("status"), "started"),
        winner=_side(data.get("winner")),
        rating_diff=_whole(data.get("ratingDiff")),
    )


def briefs(data: Json) -> tuple[GameBrief, ...]:
    """The games played now; one that cannot be read is left out, for the others must be found."""
    found = (_read(each, brief) for each in data.get("nowPlaying") or ())
    return tuple(each for each in found if isinstance(each, GameBrief))


def _info(line: Json, me: str) -> GameInfo:
    white, black = player(line.get("white")), player(line.get("black"))
    if me not in {white.id, black.id}:
        raise ValueError(f"{me} plays neither side")
    clock = line.get("clock")
    control = TimeControl(days=_whole(line.get("daysPerTurn")))
    if isinstance(clock, dict):
        control = TimeControl(millis(clock["initial"]) // 1000, millis(clock.get("increment", 0)) // 1000)
    return GameInfo(
        id=GameId(_id(line)),
        white=white,
        black=black,
        variant=_key(line.get("variant"), "standard"),
        speed=_speed(line.get("speed"), control.speed),
        rated=line.get("rated") is True,
        control=control,
        we_are_white=white.id == me,
        initial_fen=_fen(line.get("initialFen")),
        created_at_ms=millis(line.get("createdAt", 0)),
        tournament=line.get("tournamentId") or None,
    )


def _state(line: Json) -> State:
    rematch = line.get("rematch")
    return State(
        moves=tuple(line["moves"].split()),
        white_ms=millis(line.get("wtime", NO_CLOCK_MS)),
        black_ms=millis(line.get("btime", NO_CLOCK_MS)),
        white_inc_ms=millis(line.get("winc", 0)),
        black_inc_ms=millis(line.get("binc", 0)),
        status=_key(line.get("status"), "started"),
        winner=_side(line.get("winner")),
        white_draw=line.get("wdraw") is True,
        black_draw=line.get("bdraw") is True,
        white_takeback=line.get("wtakeback") is True,
        black_takeback=line.get("btakeback") is True,
        rematch=GameId(rematch) if isinstance(rematch, str) else None,
    )


def account(data: Json) -> Account:
    perfs = data.get("perfs") or {}
    ratings = {key: int(perf["rating"]) for key, perf in perfs.items() if "rating" in perf}
    return Account(
        id=_id(data),
        name=str(data.get("username") or data.get("name") or data["id"]),
        title=data.get("title") or None,
        ratings=ratings,
        games=_whole((data.get("count") or {}).get("all")) or 0,
        disabled=data.get("disabled") is True or data.get("tosViolation") is True,
    )


def accounts(found: list[Json]) -> tuple[Account, ...]:
    read = (_read(each, account) for each in found)
    return tuple(each for each in read if isinstance(each, Account))


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
    return GameId(_id(data))


MOVE_WITH_OFFER = {"offeringDraw": "true"}  # Python's True would be written in upper case and refused


def chat_form(room: str, text: str) -> Json:
    return {"room": room, "text": text}


def answer(yes: bool) -> str:
    return "yes" if yes else "no"


def decline_form(reason: str) -> Json:
    return {"reason": reason}


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
            _whole(named.get("seconds")) or 0, str(named.get("key") or ""), theirs=status == 400
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
