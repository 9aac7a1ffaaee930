"""The account's front desk: who may play now, who waits, who is told to come later.

Rules. `playing` and `promised` together never exceed the capacity by an accept of ours. A promise (an
accepted challenge, or one of our own) becomes a game when that game begins, and ends by itself when it does
not. A game that has begun is begun once, however often Lichess says so. Every event order is legal.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from bot.game.ledger import (
    Capacity,
    Lobby,
    Sort,
    free,
    held_by,
    queue_position,
    seat_for,
    seat_of,
)
from bot.game.notices import (
    AbortSurplus,
    AcceptChallenge,
    AcceptFailed,
    ChallengeArrived,
    ChallengeRefused,
    ChallengeSent,
    ChallengeWithdrawn,
    DeclineChallenge,
    Draining,
    EnginesReady,
    ForgetChallenge,
    GameBegan,
    GameEnded,
    LobbyCommand,
    LobbyEvent,
    PlayGame,
    TimePassed,
)
from bot.game.nouns import Challenge, ChallengeId, GameBrief, GameId
from bot.game.verdict import DeclineReason
from bot.game.waitingroom import Step, admit, expire, trim, waiting_from

__all__ = [
    "AbortSurplus",
    "AcceptChallenge",
    "AcceptFailed",
    "Capacity",
    "ChallengeArrived",
    "ChallengeRefused",
    "ChallengeSent",
    "ChallengeWithdrawn",
    "DeclineChallenge",
    "Draining",
    "EnginesReady",
    "ForgetChallenge",
    "GameBegan",
    "GameEnded",
    "Lobby",
    "LobbyCommand",
    "LobbyEvent",
    "PlayGame",
    "Sort",
    "TimePassed",
    "free",
    "held_by",
    "queue_position",
    "reconcile",
    "step",
    "wake_at",
]

REMEMBERED = 100  # challenges of ours that nobody told us the end of


def step(lobby: Lobby, event: LobbyEvent, at: float) -> Step:
    """`at` is an instant of the monotonic clock; what has expired by then goes first."""
    alive = event.challenge.id if isinstance(event, ChallengeArrived) else None
    lobby, gone = expire(lobby, at, alive)
    lobby, done = _take(lobby, event, at)
    lobby, more = admit(lobby, at)
    lobby, last = trim(lobby)
    return lobby, gone + done + more + last


def wake_at(lobby: Lobby) -> float | None:
    """The next instant at which something expires; later than the `at` of the last step."""
    instants = [seat.until for seat in lobby.promised.values() if seat.until is not None]
    return min([*instants, *(waiting.until for waiting in lobby.queue)], default=None)


def reconcile(
    lobby: Lobby,
    server: Iterable[GameBrief],
    in_hand: Collection[GameId],
    at: float,
    *,
    complete: bool = True,
) -> Step:
    """Hold the books against what Lichess lists and what our tasks hold (sleeping correspondence included).

    A game in neither is dropped, and its slot is free. A game on the server that nobody has in hand is
    played. `complete` is False where Lichess cut its list (50 rows): then nothing is dropped.
    """
    listed = {brief.id: brief for brief in server if _is_ours_to_play(brief)}
    dropped = {game for game in lobby.playing if game not in in_hand and (complete or game in listed)}
    kept = {game: seat for game, seat in lobby.playing.items() if game not in dropped}
    lobby = replace(lobby, playing=kept, surplus=frozenset() if complete else lobby.surplus)
    commands: tuple[LobbyCommand, ...] = ()
    for brief in listed.values():
        lobby, orders = _on_begun(lobby, brief, live=False)
        commands += () if brief.id in in_hand else orders
    lobby, more = step(lobby, TimePassed(), at)
    return lobby, commands + more


def _take(lobby: Lobby, event: LobbyEvent, at: float) -> Step:
    match event:
        case ChallengeArrived():
            return _on_arrival(lobby, event, at)
        case ChallengeWithdrawn(id=id_):
            lobby, gone = _leave_queue(lobby, id_, "withdrawn")
            return _without_promises(lobby, {id_} & set(lobby.ours)), gone
        case ChallengeRefused(id=id_):
            lobby, gone = _leave_queue(lobby, id_, "declined elsewhere")
            return _without_promises(lobby, (id_,)), gone
        case AcceptFailed(id=id_):
            return _without_promises(lobby, (id_,)), ()
        case ChallengeSent(challenge=challenge):
            return _on_sent(lobby, challenge, at), ()
        case GameBegan(brief=brief, live=live):
            return _on_begun(lobby, brief, live=live)
        case GameEnded(id=id_):
            playing = {game: seat for game, seat in lobby.playing.items() if game != id_}
            lobby = replace(lobby, playing=playing, surplus=lobby.surplus - {id_})
            return _without_promises(lobby, (ChallengeId(id_),)), ()
        case EnginesReady(ready=ready):
            return replace(lobby, ready=ready), ()
        case Draining(draining=draining):
            return replace(lobby, draining=draining), ()
        case TimePassed():
            return lobby, ()


def _on_arrival(lobby: Lobby, event: ChallengeArrived, at: float) -> Step:
    challenge, verdict = event.challenge, event.verdict
    if challenge.id in lobby.promised or GameId(challenge.id) in lobby.playing:
        return lobby, ()
    waiting = waiting_from(lobby, challenge, at)
    if any(each.challenge.id == challenge.id for each in lobby.queue):  # replayed: alive, and keeps its place
        queue = tuple(waiting if each.challenge.id == challenge.id else each for each in lobby.queue)
        return replace(lobby, queue=queue), ()
    if not verdict.accept:
        return lobby, (DeclineChallenge(challenge.id, verdict.reason, verdict.why),)
    held = held_by(lobby, waiting.seat.user)
    if verdict.at_once is not None and held >= verdict.at_once:
        why = f"{waiting.seat.user} has {held} games or challenges, and {verdict.at_once} are accepted"
        return lobby, (DeclineChallenge(challenge.id, DeclineReason.LATER, why),)
    return replace(lobby, queue=(*lobby.queue, waiting)), ()


def _on_sent(lobby: Lobby, challenge: Challenge, at: float) -> Lobby:
    """Our own word takes a slot until it is answered; whoever sends asks `free` first."""
    if GameId(challenge.id) in lobby.playing or challenge.id in lobby.ours:
        return lobby
    seat = seat_for(challenge, challenge.dest)
    lasts_s = lobby.capacity.promise_s if seat.timed else lobby.capacity.correspondence_waits_s
    promised = {**lobby.promised, challenge.id: replace(seat, until=at + lasts_s)}
    return replace(lobby, promised=promised, ours=(*lobby.ours, challenge.id)[-REMEMBERED:])


def _on_begun(lobby: Lobby, brief: GameBrief, *, live: bool) -> Step:
    if brief.id in lobby.playing or not _is_ours_to_play(brief):
        return lobby, ()
    challenge = ChallengeId(brief.id)
    promise = lobby.promised.get(challenge)  # a challenge tells a bot from a human better than a brief does
    seat = replace(promise, until=None) if promise else seat_of(brief)
    expected = promise or challenge in lobby.ours or brief.tournament is not None
    has_room = not lobby.draining and free(lobby, timed=seat.timed) > 0
    if live and not (expected or brief.has_moved or has_room):
        known = brief.id in lobby.surplus
        return replace(lobby, surplus=lobby.surplus | {brief.id}), () if known else (AbortSurplus(brief),)
    queue = tuple(waiting for waiting in lobby.queue if waiting.challenge.id != challenge)
    playing = {**lobby.playing, brief.id: seat}
    lobby = replace(lobby, playing=playing, queue=queue, surplus=lobby.surplus - {brief.id})
    return _without_promises(lobby, (challenge,)), (PlayGame(brief),)


def _leave_queue(lobby: Lobby, id_: ChallengeId, why: str) -> Step:
    queue = tuple(waiting for waiting in lobby.queue if waiting.challenge.id != id_)
    gone = (ForgetChallenge(id_, why),) if len(queue) < len(lobby.queue) else ()
    return replace(lobby, queue=queue), gone


def _is_ours_to_play(brief: GameBrief) -> bool:
    return brief.for_bots and brief.status in {"created", "started"}


def _without_promises(lobby: Lobby, ids: Iterable[ChallengeId]) -> Lobby:
    """These are promises no longer: they became games, or came to nothing."""
    gone = frozenset(ids)
    kept = {id_: seat for id_, seat in lobby.promised.items() if id_ not in gone}
    return replace(lobby, promised=kept, ours=tuple(id_ for id_ in lobby.ours if id_ not in gone))
