"""The queue: who waits and how long, who is let in, who is told to come later."""

from dataclasses import replace

from bot.game.ledger import Lobby, Waiting, fits, ranked
from bot.game.notices import AcceptChallenge, DeclineChallenge, ForgetChallenge, LobbyCommand
from bot.game.nouns import Challenge, ChallengeId
from bot.game.verdict import DeclineReason

Step = tuple[Lobby, tuple[LobbyCommand, ...]]


def expire(lobby: Lobby, at: float, alive: ChallengeId | None = None) -> Step:
    """Promises and waiting end at their instant; not for the challenge that shows itself alive just now."""
    kept = {id_: seat for id_, seat in lobby.promised.items() if seat.until is None or seat.until > at}
    due = [each for each in lobby.queue if each.until <= at and each.challenge.id != alive]
    queue = tuple(waiting for waiting in lobby.queue if waiting not in due)
    return replace(lobby, promised=kept, queue=queue), tuple(map(_give_up, due))


def _give_up(waiting: Waiting) -> LobbyCommand:
    """A bot's challenge has died by now; whoever may still be there is told."""
    if waiting.seat.timed and waiting.seat.is_bot:
        return ForgetChallenge(waiting.challenge.id, "no slot became free in time")
    return DeclineChallenge(waiting.challenge.id, DeclineReason.LATER, "no slot became free in time")


def admit(lobby: Lobby, at: float) -> Step:
    """Whoever fits, in rank order; one who does not fit does not stand in the way of the next."""
    accepted: list[LobbyCommand] = []
    if not lobby.ready or lobby.draining:
        return lobby, ()
    for waiting in ranked(lobby):
        if fits(lobby, waiting.seat):
            seat = replace(waiting.seat, until=at + lobby.capacity.promise_s)
            queue = tuple(each for each in lobby.queue if each is not waiting)
            lobby = replace(lobby, queue=queue, promised={**lobby.promised, waiting.challenge.id: seat})
            accepted.append(AcceptChallenge(waiting.challenge.id))
    return lobby, tuple(accepted)


def trim(lobby: Lobby) -> Step:
    """The queue keeps its best; while draining it keeps nobody."""
    length, why = lobby.capacity.queue_length, f"{lobby.capacity.queue_length} wait already"
    if lobby.draining:
        length, why = 0, "no new games: about to stop"
    surplus = ranked(lobby)[length:]
    queue = tuple(waiting for waiting in lobby.queue if waiting not in surplus)
    told = (DeclineChallenge(waiting.challenge.id, DeclineReason.LATER, why) for waiting in surplus)
    return replace(lobby, queue=queue), tuple(told)


def waiting_from(lobby: Lobby, challenge: Challenge, at: float) -> Waiting:
    capacity, waiting = lobby.capacity, Waiting(challenge, at)
    if not waiting.seat.timed:
        return replace(waiting, until=at + capacity.correspondence_waits_s)
    return replace(
        waiting, until=at + (capacity.bot_waits_s if waiting.seat.is_bot else capacity.human_waits_s)
    )
