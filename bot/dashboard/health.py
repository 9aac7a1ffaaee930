"""Whether the service can play now, and if not, why. Pure."""

from bot.dashboard.vitals import Vitals
from bot.game.facts import ConnectionChanged

SILENCE_S = 30.0  # Lichess says something every seven seconds


def reasons(vitals: Vitals, connection: ConnectionChanged | None) -> tuple[str, ...]:
    """What stands in the way of a game; nothing: ready."""
    return (*_engines(vitals), *_stream(vitals, connection), *_leaving(vitals))


def _engines(vitals: Vitals) -> list[str]:
    if not vitals.answering:
        return ["engines: none has been started yet"]
    found = []
    for name, answers in vitals.answering.items():
        if not answers:
            is_starting = any(each.name == name and each.state == "starting" for each in vitals.engines)
            what = "starts, and compiles its kernels if need be" if is_starting else "does not answer"
            found.append(f"engine {name}: {what}")
    return found


def _stream(vitals: Vitals, connection: ConnectionChanged | None) -> list[str]:
    if connection is None:
        return ["stream: not asked for yet"]
    if connection.state != "online":
        return [f"stream: {connection.state}{f' ({connection.detail})' if connection.detail else ''}"]
    if vitals.stream_age_s is None:
        return ["stream: not open"]
    if vitals.stream_age_s > SILENCE_S:
        return [f"stream: silent for {vitals.stream_age_s:.0f} s"]
    return []


def _leaving(vitals: Vitals) -> list[str]:
    return ["draining: no new games are begun"] if vitals.draining else []
