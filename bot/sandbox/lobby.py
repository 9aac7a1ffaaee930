"""Challenges: found, shown, told of and left to expire; made, accepted, declined, canceled.

Other ways to a game are `doors.py`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import chess

from bot.sandbox import views
from bot.sandbox.accounts import Account
from bot.sandbox.challenge import (
    ANONYMOUS_DELAY_MS,
    LIFE_MS,
    Challenge,
    Form,
    Party,
    Wish,
    denial,
    flattened,
    rated_for,
    read_flag,
    read_wish,
)
from bot.sandbox.core import EVERYTHING, Core
from bot.sandbox.games import Games
from bot.sandbox.match import Match
from bot.sandbox.refusal import Json, Refusal, not_found, refuse
from bot.sandbox.seats import color_name, color_named
from bot.sandbox.speeds import perf_key
from bot.sandbox.views import challenge_user

MAX_REPLAYED, MAX_LISTED = 50, 300
MAX_PLAYING = 200


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


class Lobby(Invitations):
    """The doors to a game. Limits on how often one may knock are the server's business."""

    def __init__(self, core: Core, games: Games) -> None:
        super().__init__(core)
        self._games = games

    def bot_games_today(self, user_id: str) -> int:
        return self._games.day_cap.games(user_id, self._core.now_ms())

    def create(self, challenger_id: str, username: str, form: Form) -> Json:
        """Challenge `username`, or the refusal Lichess would give; both sides hear of it."""
        challenger = self._core.accounts.require(challenger_id)
        if challenger.id == username.lower():
            raise refuse("You cannot challenge yourself")
        wish = read_wish(form, by_bot=challenger.is_bot)
        dest = self._core.accounts.get(username)
        if dest is None:
            raise refuse(f"No such user: {username}")
        if dest.is_bot and wish.rules:
            raise refuse("Rules not applicable for bots")
        if read_flag(flattened(form), "onlyIfOpponentFollowsMe") and challenger.id not in dest.follows:
            raise refuse(f"{username} does not follow you")
        self._games.day_cap.check(challenger, dest, self._core.now_ms())
        if (denied := denial(challenger, dest, wish)) is not None:
            raise denied
        if wish.control.is_clock and self._is_overbooked(challenger, dest):
            raise refuse("Challenge not created")
        challenge = self._made(wish, challenger, dest)
        if challenger.is_anonymous:
            challenge.rated = False
            challenge.tell_at_ms = self._core.now_ms() + ANONYMOUS_DELAY_MS
            self._note("challenge", challenge)
        else:
            self._tell("challenge", challenge)
        return self.shown(challenge, "out")

    def _is_overbooked(self, *accounts: Account) -> bool:
        return any(len(self._games.ongoing(account.id)) >= MAX_PLAYING for account in accounts)

    def _made(self, wish: Wish, challenger: Account | None, dest: Account | None) -> Challenge:
        now_ms = self._core.now_ms()
        perf = perf_key(wish.variant.key, wish.control.speed)
        drawn = self._core.rng.random() < 0.5
        challenge = Challenge(
            self._games.free_id(),
            wish.variant,
            wish.control,
            rated_for(wish),
            wish.color,
            drawn if wish.color == "random" else color_named(wish.color),
            self._party(challenger, perf) if challenger else None,
            self._party(dest, perf) if dest else None,
            now_ms,
            now_ms + LIFE_MS,
            now_ms,
            initial_fen=wish.initial_fen,
            rules=wish.rules,
        )
        self._challenges[challenge.id] = challenge
        return challenge

    def accept(self, challenge_id: str, user_id: str, color: str | None = None) -> None:
        """Begin the game. 404 unless the challenge is there for `user_id` and not accepted yet."""
        challenge = self.find(challenge_id)
        account = self._core.accounts.require(user_id)
        if challenge.status == "accepted" or not challenge.is_for(account.id):
            raise not_found()
        for status in ("canceled", "declined"):
            if challenge.status == status:
                raise refuse(f"The challenge has been {status}.")
        if account.is_bot and not challenge.suits_bots:
            raise refuse("Game incompatible with a BOT account")
        if challenge.open_to and account.id not in challenge.open_to:
            raise refuse("The challenge is not for you to accept.")
        if challenge.challenger is None:
            self._take_side(challenge, account, color)
            return
        host = self._core.accounts.require(challenge.challenger.user_id)
        self._games.day_cap.check(account, host, self._core.now_ms())
        self._begin(challenge, host, account)

    def _take_side(self, challenge: Challenge, account: Account, color: str | None) -> None:
        """The first to come to an open challenge takes a side; two who are named have theirs."""
        challenge.challenger = self._party(account, challenge.perf)
        if challenge.open_to:
            challenge.final_color = account.id == challenge.open_to[0]
        elif color in {"white", "black"}:
            challenge.final_color = color_named(color)
        challenge.color_choice = color_name(challenge.final_color)

    def _begin(self, challenge: Challenge, host: Account, guest: Account) -> Match:
        seats = [self._games.seat_for(account, challenge.perf) for account in (host, guest)]
        white, black = seats if challenge.final_color is chess.WHITE else seats[::-1]
        challenge.status = "accepted"
        self._done(challenge)
        self._note("challengeDone", challenge)
        return self._games.start(
            white,
            black,
            variant=challenge.variant.key,
            initial_fen=challenge.initial_fen,
            control=challenge.control,
            rated=challenge.rated,
            rules=challenge.rules,
            game_id=challenge.id,
        )

    def decline(self, challenge_id: str, user_id: str, reason: str = "generic") -> None:
        challenge = self.find(challenge_id)
        if not challenge.is_active or challenge.dest is None or not challenge.is_for(user_id):
            raise not_found()
        challenge.declined(reason)
        self._done(challenge)
        self._tell("challengeDeclined", challenge)

    def cancel(self, challenge_id: str, user_id: str, opponent_token: str | None = None) -> None:
        """Take back one's own challenge, decline another's, or abort the game that has come of it."""
        challenge = self._challenges.get(challenge_id)
        if challenge is not None and challenge.is_active:
            if challenge.is_by(user_id) or (challenge.is_open and challenge.maker_id == user_id):
                challenge.status = "canceled"
                self._done(challenge)
                self._tell("challengeCanceled", challenge)
                return
            if challenge.dest is not None and challenge.is_for(user_id):
                self.decline(challenge_id, user_id)
                return
        self._cancel_game(challenge_id, user_id, opponent_token)

    def _cancel_game(self, game_id: str, user_id: str, opponent_token: str | None) -> None:
        try:
            match = self._games.get(game_id)
        except Refusal as unknown:
            raise not_found() from unknown
        side = match.color_of(user_id)
        if side is None or match.is_over:
            raise not_found()
        if match.is_abortable_by_player:
            self._games.abort(game_id, user_id)
            return
        if not opponent_token:
            raise refuse("Missing opponentToken")
        other, _ = self._core.accounts.authenticate(opponent_token, ("challenge:write",))
        if match.seats[not side].user_id != other.id:
            raise refuse("Not the opponent token")
        self._games.abort_for_both(match)

    def start_clocks(self, game_id: str, secrets: Iterable[str]) -> None:
        """Let the clocks run before the first move, with a token of each player."""
        match = self._games.get(game_id)
        scope = ("challenge:write",)
        shown = {self._core.accounts.authenticate(secret, scope)[0].id for secret in secrets if secret}
        needed = {seat.user_id for seat in match.seats.values() if seat.ai_level is None}
        if shown != needed:
            raise not_found()
        self._games.start_clock(match)
