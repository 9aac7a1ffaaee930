"""People, games and challenges as Lichess writes them. Pure."""

from collections.abc import Callable, Iterable

import chess

from bot.sandbox.accounts import Account, Perf
from bot.sandbox.challenge import REASONS, Challenge, Party
from bot.sandbox.chatroom import Line
from bot.sandbox.match import Match
from bot.sandbox.refusal import Json, known
from bot.sandbox.seats import Seat, color_name
from bot.sandbox.speeds import PERF_NAMES, TimeControl, is_slower, perf_icon
from bot.sandbox.variants import Status, Variant, last_move_keys, shown_fen

SIGNAL = 4  # bars of lag shown for whoever is online: everybody is near here
BOT_SOURCES = frozenset({"friend", "api", "ai", "arena"})
OUR_SOURCE = "sandbox"  # two players the sandbox put together, without a challenge
Person = Callable[[Party], Json | None]  # how a side of a challenge is shown now


def light_user(account: Account) -> Json:
    shown: Json = {"id": account.id, "name": account.name}
    if account.title:
        shown["title"] = account.title
    if account.flair:
        shown["flair"] = account.flair
    return shown | ({"patron": True} if account.patron else {})


def challenge_user(account: Account, rating: int, *, provisional: bool, online: bool) -> Json:
    shown = {**light_user(account), "rating": rating}
    shown |= {"provisional": True} if provisional else {}
    return shown | ({"online": True, "lag": SIGNAL} if online else {})


def user_json(account: Account, seen_at_ms: int) -> Json:
    """A user in a list."""
    shown: Json = {
        "id": account.id,
        "username": account.name,
        "perfs": {key: _perf(perf) for key, perf in account.perfs.items()},
        "createdAt": account.created_at_ms,
        "seenAt": max(account.created_at_ms, seen_at_ms),
        "playTime": {"total": 0, "tv": 0},
    }
    shown |= {"title": account.title} if account.title else {}
    shown |= {"flair": account.flair} if account.flair else {}
    shown |= {"patron": True} if account.patron else {}
    return shown | ({"profile": {"bio": account.bio}} if account.bio else {})


def _perf(perf: Perf) -> Json:
    shown: Json = {"games": perf.games, "rating": perf.rating, "rd": perf.rd, "prog": perf.prog}
    return shown | ({"prov": True} if perf.provisional else {})


def extended_json(
    account: Account, seen_at_ms: int, site: str, playing: Match | None, nb_playing: int
) -> Json:
    """A user on a page of their own."""
    counts = account.counts
    count = {
        **counts,
        "drawH": counts["draw"],
        "lossH": counts["loss"],
        "winH": counts["win"],
        "bookmark": 0,
        "playing": nb_playing,
        "import": 0,
        "me": 0,
    }
    shown = user_json(account, seen_at_ms) | {"url": f"{site}/@/{account.name}", "count": count}
    if playing is not None:
        color = "white" if playing.color_of(account.id) is chess.WHITE else "black"
        shown["playing"] = f"{site}/{playing.id}/{color}"
    return shown | {"followable": True, "following": False, "blocking": False}


def status_of(account: Account, playing: Match | None, *, online: bool, wants: Iterable[str]) -> Json:
    """One line of `users/status`; what is false is not there. `wants`: signal, ids, metas."""
    wanted = set(wants)
    shown = light_user(account)
    if online:
        shown |= {"online": True} | ({"signal": SIGNAL} if "signal" in wanted else {})
    if playing is None:
        return shown
    shown["playing"] = True
    if "ids" in wanted:
        shown["playingId"] = playing.id
    if "metas" in wanted:
        clock = playing.control.show if playing.control.is_clock else None
        meta: Json = {"id": playing.id, "variant": playing.variant.key, "clock": clock}
        shown["playing"] = {key: value for key, value in meta.items() if value is not None}
    return shown


def crosstable(one: Account, other: Account, matches: Iterable[Match]) -> Json:
    """The score of two players against each other over their finished games."""
    score = {one.id: 0.0, other.id: 0.0}
    games = 0
    for match in matches:
        sides = {match.color_of(one.id): one.id, match.color_of(other.id): other.id}
        if None in sides or len(sides) < 2 or match.status.id < 30:
            continue
        games += 1
        for side, user_id in sides.items():
            score[user_id] += 0.5 if match.winner is None else float(match.winner is side)
    return {"users": score, "nbGames": games}


def variant_json(variant: Variant) -> Json:
    return {"key": variant.key, "name": variant.name, "short": variant.short}


def status_json(status: Status) -> Json:
    return {"id": status.id, "name": status.label}


def suits_bots(match: Match) -> bool:
    """As lila has it; but a game the sandbox itself arranged may be as fast as it likes."""
    if match.source == OUR_SOURCE:
        return True
    return match.source in BOT_SOURCES and match.control.speed != "ultraBullet"


def suits_boards(match: Match) -> bool:
    return match.source in BOT_SOURCES and is_slower(match.control.speed, "bullet")


def winner_name(match: Match) -> str | None:
    return None if match.winner is None else color_name(match.winner)


def full_id(match: Match, side: chess.Color) -> str:
    return match.id + match.seats[side].player_id


def game_info(match: Match, side: chess.Color, now_ms: int) -> Json:
    """The game as `side` sees it: in the event stream, and but for the last two among the games played."""
    seat = match.seats[side]
    info: Json = {
        "fullId": full_id(match, side),
        "gameId": match.id,
        "fen": shown_fen(match.board),
        "color": color_name(side),
        "lastMove": last_move_keys(match.variant, match.board),
        "source": match.source,
        "status": status_json(match.status),
        "variant": {"key": match.variant.key, "name": match.variant.name},
        "speed": match.control.speed,
        "perf": match.perf,
        "rated": match.rated,
        "hasMoved": match.has_moved(side),
        "opponent": opponent_json(match.seats[not side]),
        "isMyTurn": not match.is_over and match.turn is side,
    }
    info |= known(
        secondsLeft=None if match.control.is_unlimited else match.left_ms(side, now_ms) // 1000,
        winner=winner_name(match),
        rating=seat.rating,
        ratingDiff=seat.rating_diff,
        tournamentId=match.tournament_id,
    )
    return info | {"compat": {"bot": suits_bots(match), "board": suits_boards(match)}, "id": match.id}


def opponent_json(seat: Seat) -> Json:
    if seat.ai_level is not None:
        return {"id": None, "username": f"Stockfish level {seat.ai_level}", "ai": seat.ai_level}
    if seat.is_anonymous:
        return {"id": None, "username": seat.name}
    shown: Json = {"id": seat.user_id, "username": f"{seat.title} {seat.name}" if seat.title else seat.name}
    return shown | known(rating=seat.rating, ratingDiff=seat.rating_diff)


def game_full(match: Match, now_ms: int) -> Json:
    """The first line of a game stream, whenever it is opened."""
    full: Json = {
        "type": "gameFull",
        "id": match.id,
        "variant": variant_json(match.variant),
        "speed": match.control.speed,
        "perf": {"name": PERF_NAMES[match.perf]},
        "rated": match.rated,
        "createdAt": match.created_at_ms,
        "white": _player(match.seats[chess.WHITE]),
        "black": _player(match.seats[chess.BLACK]),
        "initialFen": match.initial_fen or "startpos",
    }
    if match.control.limit_s is not None:
        full["clock"] = {
            "initial": round(match.control.limit_s * 1000),
            "increment": match.control.increment_ms,
        }
    if match.control.days is not None:
        full["daysPerTurn"] = match.control.days
    full |= known(tournamentId=match.tournament_id)
    return full | {"state": game_state(match, now_ms)}


def _player(seat: Seat) -> Json:
    if seat.ai_level is not None:
        return {"aiLevel": seat.ai_level}
    if seat.user_id is None or seat.is_anonymous:
        return {}
    shown: Json = {"id": seat.user_id, "name": seat.name, "title": seat.title, "rating": seat.rating}
    return shown | ({"provisional": True} if seat.provisional else {})


def game_state(match: Match, now_ms: int) -> Json:
    """How the game stands at this moment; flags are there only when they are up."""
    increment_ms = match.control.increment_ms if match.control.is_clock else 0
    state: Json = {
        "type": "gameState",
        "moves": " ".join(match.moves),
        "wtime": match.left_ms(chess.WHITE, now_ms),
        "btime": match.left_ms(chess.BLACK, now_ms),
        "winc": increment_ms,
        "binc": increment_ms,
        "status": match.status.label,
    }
    state |= known(winner=winner_name(match), rematch=match.rematch_id)
    for side, letter in ((chess.WHITE, "w"), (chess.BLACK, "b")):
        state |= {f"{letter}draw": True} if side in match.offers.draw else {}
        state |= {f"{letter}takeback": True} if side in match.offers.takeback else {}
    if match.first_move_ms is not None:
        idle_ms = max(0, now_ms - match.last_move_at_ms)
        state["expiration"] = {"idleMillis": idle_ms, "millisToMove": match.first_move_ms}
    return state


def chat_line(line: Line) -> Json:
    return {"type": "chatLine", "room": line.room, "username": line.username, "text": line.text}


def opponent_gone(claim_in_ms: int | None) -> Json:
    """None: the opponent is back."""
    if claim_in_ms is None:
        return {"type": "opponentGone", "gone": False}
    return {"type": "opponentGone", "gone": True, "claimWinInSeconds": max(0, claim_in_ms) // 1000}


def challenge_json(challenge: Challenge, site: str, person: Person, direction: str | None = None) -> Json:
    """A challenge; `direction` is said over REST and never on a stream."""
    shown: Json = {
        "id": challenge.id,
        "url": f"{site}/{challenge.id}",
        "status": challenge.status,
        "challenger": person(challenge.challenger) if challenge.challenger else None,
        "destUser": person(challenge.dest) if challenge.dest else None,
        "variant": variant_json(challenge.variant),
        "rated": challenge.rated,
        "speed": challenge.control.speed,
        "timeControl": control_json(challenge.control),
        "color": challenge.color_choice,
        "finalColor": color_name(challenge.final_color),
        "perf": {"icon": perf_icon(challenge.perf), "name": PERF_NAMES[challenge.perf]},
    }
    reason = challenge.decline_reason
    return shown | known(
        rematchOf=challenge.rematch_of,
        direction=direction,
        initialFen=challenge.initial_fen,
        rules=sorted(challenge.rules) or None,
        open=_open_json(challenge) if challenge.is_open else None,
        declineReason=REASONS[reason] if reason else None,
        declineReasonKey=reason.lower() if reason else None,
    )


def _open_json(challenge: Challenge) -> Json:
    return {"userIds": list(challenge.open_to)} if challenge.open_to else {}


def control_json(control: TimeControl) -> Json:
    if control.is_clock:
        shown: Json = {"limit": control.limit_s, "increment": control.increment_s, "show": control.show}
        return {"type": "clock"} | shown
    if control.is_correspondence:
        return {"type": "correspondence", "daysPerTurn": control.days}
    return {"type": "unlimited"}


def compat_json(challenge: Challenge) -> Json:
    return {"bot": challenge.suits_bots, "board": challenge.suits_boards}
