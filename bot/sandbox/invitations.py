"""Challenges as such: found, shown, told of, and left to expire. What is done with them is `lobby.py`."""

from collections.abc import Iterable, Sequence
from typing import Any

from bot.sandbox import views
from bot.sandbox.challenge import Challenge, Party
from bot.sandbox.core import EVERYTHING, Core
from bot.sandbox.people import Account
from bot.sandbox.profiles import challenge_user
from bot.sandbox.refusal import Json, not_found

MAX_REPLAYED, MAX_LISTED = 50, 300


def challenge_topic(challenge_id: str) -> tuple[str, str]:
    """What a stream that keeps a challenge alive listens to."""
    return ("challenge", challenge_id)


class Invitations:
    """All challenges by id, the closed ones too until they are forgotten."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._challenges: dict[str, Challenge] = {}

    def find(self, challenge_id: str) -> Challenge:
        challenge = self._challenges.get(challenge_id)
        if challenge is None:
            raise not_found()
        return challenge

    def shown(self, challenge: Challenge, direction: str | None = None) -> Json:
        return views.challenge_json(challenge, self._core.site, self._person, direction)

    def replayed(self, user_id: str) -> Sequence[Json]:
        """What a fresh event stream says of the challenges waiting for somebody: all but whom they suit."""
        waiting = self._waiting_for(user_id)[:MAX_REPLAYED]
        return [{"type": "challenge", "challenge": self.shown(each)} for each in waiting]

    def show(self, challenge_id: str, user_id: str) -> Json:
        """Also one that is over, as long as it is remembered."""
        challenge = self.find(challenge_id)
        if challenge.is_by(user_id):
            return self.shown(challenge, "out")
        if challenge.is_for(user_id):
            return self.shown(challenge, "in")
        raise not_found()

    def list(self, user_id: str) -> Json:
        mine = [each for each in self._created() if each.is_by(user_id)]
        return {
            "in": [self.shown(each, "in") for each in self._waiting_for(user_id)[:MAX_LISTED]],
            "out": [self.shown(each, "out") for each in mine],
        }

    def tick(self) -> None:
        """Real-time challenges nobody keeps alive go offline, without a word; the oldest are forgotten."""
        now_ms = self._core.now_ms()
        for challenge in tuple(self._challenges.values()):
            if self._core.hub.is_heard(challenge_topic(challenge.id)):
                challenge.seen_at_ms = now_ms
            elif challenge.offline_at_ms is not None and challenge.offline_at_ms <= now_ms:
                challenge.status = "offline"
            if challenge.tell_at_ms is not None and challenge.tell_at_ms <= now_ms:
                challenge.tell_at_ms = None
                if challenge.is_active:
                    self._publish("challenge", challenge)
            if challenge.expires_at_ms <= now_ms:
                del self._challenges[challenge.id]

    def next_deadline_ms(self) -> int | None:
        times = [
            at
            for each in self._challenges.values()
            for at in (each.offline_at_ms, each.expires_at_ms, each.tell_at_ms)
        ]
        return min((at_ms for at_ms in times if at_ms is not None), default=None)

    def to_json(self) -> Sequence[Json]:
        return [challenge.to_json() for challenge in self._challenges.values()]

    def fill(self, data: Any) -> None:
        """Take over what `to_json` wrote; none has faded while the sandbox was off."""
        self._challenges = {each["id"]: Challenge.from_json(each) for each in data}
        for challenge in self._created():
            challenge.seen_at_ms = self._core.now_ms()

    def _created(self) -> Sequence[Challenge]:
        return [each for each in self._challenges.values() if each.status == "created"]

    def _waiting_for(self, user_id: str) -> Sequence[Challenge]:
        return [each for each in self._created() if each.dest is not None and each.dest.user_id == user_id]

    def _person(self, party: Party) -> Json | None:
        account = self._core.accounts.require(party.user_id)
        if account.is_anonymous:
            return None
        online = self._core.presence.is_online(party.user_id)
        return challenge_user(account, party.rating, provisional=party.provisional, online=online)

    def _party(self, account: Account, perf: str) -> Party:
        return Party(account.id, account.perfs[perf].rating, account.perfs[perf].provisional)

    def _tell(self, kind: str, challenge: Challenge, *, to: Iterable[Party | None] | None = None) -> None:
        """News of a challenge for both sides, or those named, and for whoever watches."""
        self._publish(kind, challenge, to=to)
        self._note("challenge" if kind == "challenge" else "challengeDone", challenge)

    def _publish(self, kind: str, challenge: Challenge, *, to: Iterable[Party | None] | None = None) -> None:
        """The event of both sides, or those named. A new challenge says whom it suits."""
        event: Json = {"type": kind, "challenge": self.shown(challenge)}
        if kind == "challenge":
            event["compat"] = views.compat_json(challenge)
        for party in (challenge.challenger, challenge.dest) if to is None else to:
            if party is not None:
                self._core.hub.publish(("events", party.user_id), event)

    def _note(self, kind: str, challenge: Challenge) -> None:
        facts: Json = {"id": challenge.id, "status": challenge.status, "challenge": challenge}
        self._core.hub.publish(EVERYTHING, (kind, facts))
        self._core.touch()

    def _done(self, challenge: Challenge) -> None:
        """Whoever kept it alive hears what became of it, and that it is over."""
        self._core.hub.publish(challenge_topic(challenge.id), {"done": challenge.status})
        self._core.hub.end(challenge_topic(challenge.id))
