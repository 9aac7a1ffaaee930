"""The lines of Lichess's streams in, our words out.

This file, `wire_values` for the small things and `wire_rest` for single answers and forms are the only ones
that know a key of its JSON. A line that makes no sense becomes `Unknown`, never an exception.
"""

from bot.game.events import ChatSeen, GameSeen, OpponentCameBack, OpponentLeft, StateSeen
from bot.game.nouns import (
    NO_CLOCK_MS,
    Challenge,
    ChallengeId,
    GameBrief,
    GameId,
    GameInfo,
    State,
    TimeControl,
)
from bot.lichess.lines import (
    AccountEvent,
    ChallengeCanceled,
    ChallengeClosed,
    ChallengeDeclined,
    ChallengeLine,
    ChallengeSeen,
    GameFinished,
    GameLine,
    GameStarted,
    Unknown,
)
from bot.lichess.wire_values import (
    Json,
    control_of,
    fen_of,
    id_of,
    key_of,
    millis,
    player,
    read,
    side,
    speed_of,
    whole,
)


def account_event(data: object) -> AccountEvent:
    """One line of the account's stream."""
    return read(data, _account_event)


def game_line(data: object, me: str, at: float) -> GameLine:
    """One line of a game's stream; `me` is our user id, `at` the instant the line arrived."""
    return read(data, lambda line: _game_line(line, me, at))


def challenge_line(data: object) -> ChallengeLine:
    """One line of a challenge that is kept alive."""
    return read(data, lambda line: ChallengeClosed(str(line["done"])) if "done" in line else challenge(line))


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
            return ChallengeCanceled(ChallengeId(id_of(line["challenge"])))
        case "challengeDeclined":
            found = line["challenge"]
            key, reason = found.get("declineReasonKey") or "generic", found.get("declineReason") or ""
            return ChallengeDeclined(ChallengeId(id_of(found)), str(key).lower(), str(reason))
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


def challenge(data: Json) -> Challenge:
    """A challenge as streams and answers show it; some answers wrap it once more."""
    found = data.get("challenge", data)
    rules = found.get("rules") or ()
    final = found.get("finalColor")
    return Challenge(
        id=ChallengeId(id_of(found)),
        challenger=player(found["challenger"]) if found.get("challenger") else None,
        dest=player(found["destUser"]) if found.get("destUser") else None,
        variant=key_of(found.get("variant"), "standard"),
        rated=found.get("rated") is True,
        control=control_of(found["timeControl"]),
        color=str(found.get("color") or "random"),
        final_color=final if final in {"white", "black"} else None,
        initial_fen=fen_of(found.get("initialFen")),
        rematch_of=GameId(found["rematchOf"]) if found.get("rematchOf") else None,
        rules=frozenset(rules.split(",") if isinstance(rules, str) else map(str, rules)),
    )


def brief(data: Json) -> GameBrief:
    """A game as the account's stream and the list of games played show it."""
    opponent = data.get("opponent")
    compat = data.get("compat") or {}
    return GameBrief(
        id=GameId(id_of(data)),
        we_are_white=data["color"] == "white",
        speed=speed_of(data.get("speed")),
        variant=key_of(data.get("variant"), "standard"),
        rated=data.get("rated") is True,
        opponent=player(opponent),
        is_my_turn=data.get("isMyTurn") is True,
        has_moved=data.get("hasMoved") is True,
        seconds_left=whole(data.get("secondsLeft")),
        tournament=data.get("tournamentId") or data.get("swissId") or None,
        source=str(data.get("source") or "friend"),
        for_bots=compat.get("bot") is not False,
        status=key_of(data.get("status"), "started"),
        winner=side(data.get("winner")),
        rating_diff=whole(data.get("ratingDiff")),
    )


def briefs(data: Json) -> tuple[GameBrief, ...]:
    """The games played now; one that cannot be read is left out, for the others must be found."""
    found = (read(each, brief) for each in data.get("nowPlaying") or ())
    return tuple(each for each in found if isinstance(each, GameBrief))


def _info(line: Json, me: str) -> GameInfo:
    white, black = player(line.get("white")), player(line.get("black"))
    if me not in {white.id, black.id}:
        raise ValueError(f"{me} plays neither side")
    clock = line.get("clock")
    control = TimeControl(days=whole(line.get("daysPerTurn")))
    if isinstance(clock, dict):
        control = TimeControl(millis(clock["initial"]) // 1000, millis(clock.get("increment", 0)) // 1000)
    return GameInfo(
        id=GameId(id_of(line)),
        white=white,
        black=black,
        variant=key_of(line.get("variant"), "standard"),
        speed=speed_of(line.get("speed"), control.speed),
        rated=line.get("rated") is True,
        control=control,
        we_are_white=white.id == me,
        initial_fen=fen_of(line.get("initialFen")),
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
        status=key_of(line.get("status"), "started"),
        winner=side(line.get("winner")),
        white_draw=line.get("wdraw") is True,
        black_draw=line.get("bdraw") is True,
        white_takeback=line.get("wtakeback") is True,
        black_takeback=line.get("btakeback") is True,
        rematch=GameId(rematch) if isinstance(rematch, str) else None,
    )
