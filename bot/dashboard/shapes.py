"""How what is seen of the account is written for the page: JSON of its sections. Pure."""

from typing import Any

from bot.dashboard.results import Scores
from bot.dashboard.snapshot import Asked, Snapshot, Survived
from bot.dashboard.vitals import Vitals

Json = dict[str, Any]


def service(vitals: Vitals, seen: Snapshot) -> Json:
    account, connection = vitals.account, seen.connection
    return {
        "version": vitals.version,
        "site": vitals.site,
        "uptime_s": round(vitals.uptime_s),
        "draining": vitals.draining,
        "account": {
            "id": account.id,
            "name": account.name,
            "title": account.title,
            "games": account.games,
            "ratings": {**account.ratings, **seen.ratings},
        }
        if account
        else None,
        "connection": {
            "state": connection.state if connection else "starting",
            "detail": connection.detail if connection else "",
            "since_ms": connection.when_ms if connection else None,
            "age_s": None if vitals.stream_age_s is None else round(vitals.stream_age_s, 1),
        },
        "slots": vitals.slots._asdict(),
        "queue": [waiter._asdict() for waiter in vitals.queue],
        "engines": [
            {
                "name": each.name,
                "pid": each.pid,
                "state": each.state,
                "game": each.game,
                "depth": each.depth,
                "nps": each.nps,
                "memory": each.memory_bytes,
                "restarts": each.restarts,
            }
            for each in vitals.engines
        ],
        "budgets": [
            {
                "kind": str(each.kind),
                "most": each.budget.points,
                "window_s": each.budget.window_s,
                "left": each.left,
                "wait_s": round(each.wait_s, 1),
            }
            for each in vitals.budgets
        ],
        "limited": dict(vitals.limited),
    }


def results(seen: Snapshot, now_ms: int) -> Json:
    now = seen.results.at(now_ms)
    return {"day": now.day, "today": _scores(now.today), "ever": _scores(now.ever)}


def _scores(scores: Scores) -> list[Json]:
    return [
        {"speed": key.speed, "kind": key.kind, **score._asdict()} for key, score in sorted(scores.items())
    ]


def challenges(asked: tuple[Asked, ...]) -> list[Json]:
    return [each._asdict() for each in asked]


def troubles(survived: tuple[Survived, ...]) -> list[Json]:
    return [each._asdict() for each in survived]
