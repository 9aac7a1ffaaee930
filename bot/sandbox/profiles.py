"""People as Lichess shows them: accounts, users, who is online, and who beat whom. Pure."""

from collections.abc import Iterable

import chess

from bot.sandbox.match import Match
from bot.sandbox.people import Account, Perf
from bot.sandbox.refusal import Json

SIGNAL = 4  # bars of lag shown for whoever is online: everybody is near here


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
