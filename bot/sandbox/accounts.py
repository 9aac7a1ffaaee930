"""Accounts, their ratings and tokens, and what a token may do. In memory; the time is handed in."""

import random
import re
import string
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Literal

from bot.sandbox.clock import Now
from bot.sandbox.refusal import Json, Refusal, not_found, refuse
from bot.sandbox.speeds import PERF_NAMES

PROVISIONAL_GAMES = 10  # a rating is `provisional` until so many rated games
BOT_START = 3000  # where the ratings of an upgraded account begin
FLOOR, CEILING = 400, 4000
COUNTED = ("all", "rated", "ai", "draw", "loss", "win")
Admits = Literal["always", "registered", "rating", "friends", "never"]
SCOPES = frozenset(
    f"{room}:{right}"
    for room, rights in {
        "bot": ("play",),
        "board": ("play",),
        "challenge": ("read", "write", "bulk"),
        "email": ("read",),
        "engine": ("read", "write"),
        "follow": ("read", "write"),
        "msg": ("write",),
        "preference": ("read", "write"),
        "puzzle": ("read", "write"),
        "racer": ("write",),
        "study": ("read", "write"),
        "team": ("read", "write", "lead"),
        "tournament": ("write",),
        "web": ("mobile", "mod"),
    }.items()
    for right in rights
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,28}[A-Za-z0-9]")
_SECRET = re.compile(r"[A-Za-z0-9_]+")
_LETTERS = string.ascii_letters + string.digits
__all__ = ["SCOPES", "Account", "Accounts", "Perf", "Token"]
NO_TOKEN = "No such token"  # noqa: S105  a message, not a secret
ONLY_BOTS = "This endpoint can only be used with a Bot account. See https://lichess.org/api#operation/botAccountUpgrade"
Verb = Literal["block", "unblock", "follow", "unfollow"]


@dataclass
class Perf:
    """A rating in one category. An Elo with a fixed K stands in for Glicko-2: enough to see ratings move."""

    rating: int = 1500
    games: int = 0
    prog: int = 0

    @property
    def provisional(self) -> bool:
        return self.games < PROVISIONAL_GAMES

    @property
    def rd(self) -> int:
        """A deviation that shrinks with games; it is shown and never used."""
        return max(45, 300 - 19 * self.games)

    @property
    def k(self) -> int:
        return 40 if self.provisional else 10

    def diff(self, opponent: int, score: float) -> int:
        """What a game against `opponent` with `score` (0, ½ or 1) changes."""
        expected = 1 / (1 + 10 ** ((opponent - self.rating) / 400))
        moved = self.rating + round(self.k * (score - expected))
        return min(CEILING, max(FLOOR, moved)) - self.rating

    def count(self, diff: int) -> None:
        self.rating += diff
        self.games += 1
        self.prog += diff


@dataclass
class Account:
    """Somebody with a name. `id` is the name in small letters."""

    id: str
    name: str
    title: str | None
    created_at_ms: int
    bio: str = ""
    perfs: dict[str, Perf] = field(default_factory=lambda: {key: Perf() for key in PERF_NAMES})
    blocks: set[str] = field(default_factory=set)
    follows: set[str] = field(default_factory=set)
    takebacks: bool = True  # preference: may the other side ask for one
    challenges_from: Admits = "always"
    flair: str | None = None
    patron: bool = False
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    seen_at_ms: int = 0
    is_anonymous: bool = False  # somebody without an account: known here, and shown to nobody

    @property
    def is_bot(self) -> bool:
        return self.title == "BOT"

    @property
    def games_played(self) -> int:
        return self.counts["all"]

    @property
    def display(self) -> str:
        """The name with its title before it, as texts show it."""
        return f"{self.title} {self.name}" if self.title else self.name

    def upgrade(self) -> None:
        """Become a bot, for good."""
        self.title = "BOT"
        self.takebacks = False
        self.perfs = {key: Perf(BOT_START) for key in PERF_NAMES}

    def count_game(self, *, rated: bool, ai: bool, score: float) -> None:
        result = {0.0: "loss", 0.5: "draw", 1.0: "win"}[score]
        for key in ("all", result, *(("rated",) if rated else ()), *(("ai",) if ai else ())):
            self.counts[key] += 1

    def to_json(self) -> Json:
        data = asdict(self)
        return {**data, "blocks": sorted(self.blocks), "follows": sorted(self.follows)}

    @classmethod
    def from_json(cls, data: Json) -> "Account":
        known = {each.name for each in fields(cls)}
        account = cls(**{key: value for key, value in data.items() if key in known})
        account.perfs = {key: Perf(**perf) for key, perf in data["perfs"].items()}
        account.blocks, account.follows = set(data["blocks"]), set(data["follows"])
        return account


@dataclass(frozen=True)
class Token:
    secret: str
    user_id: str
    scopes: frozenset[str]
    expires_at_ms: int | None = None

    def to_json(self) -> Json:
        return {**asdict(self), "scopes": sorted(self.scopes)}

    @classmethod
    def from_json(cls, data: Json) -> "Token":
        return cls(data["secret"], data["user_id"], frozenset(data["scopes"]), data["expires_at_ms"])


class Accounts:
    """Everybody in the world, and the tokens they hold."""

    def __init__(self, now_ms: Now, rng: random.Random) -> None:
        self._now_ms = now_ms
        self._rng = rng
        self._accounts: dict[str, Account] = {}
        self._tokens: dict[str, Token] = {}

    def create(
        self,
        name: str,
        *,
        title: str | None = None,
        rating: int = 1500,
        bio: str | None = None,
        games: int = 0,
        takebacks: bool | None = None,
    ) -> Account:
        """A new account. ValueError for a bad or taken name. `title="BOT"` makes it a bot.

        A bot takes nothing back unless `takebacks` says so, and has a bio, for without one no list shows it.
        """
        if _NAME.fullmatch(name) is None:
            raise ValueError(f"“{name}” is no name: 2 to 30 letters, digits, - or _")
        if name.lower() in self._accounts:
            raise ValueError(f"the name {name} is taken")
        is_bot = title == "BOT"
        words = bio if bio is not None else "A bot." if is_bot else ""
        account = Account(name.lower(), name, title, self._now_ms(), words)
        account.takebacks = not is_bot if takebacks is None else takebacks
        account.perfs = {key: Perf(rating, games) for key in account.perfs}
        self._accounts[account.id] = account
        return account

    def create_anonymous(self, name: str) -> Account:
        """Somebody who has no account; an id that is no name keeps them apart from those who have one."""
        account = Account(f"~{name.lower()}", "Anonymous", None, self._now_ms(), is_anonymous=True)
        return self._accounts.setdefault(account.id, account)

    def get(self, username: str) -> Account | None:
        return self._accounts.get(username.lower())

    def require(self, username: str) -> Account:
        account = self.get(username)
        if account is None:
            raise not_found()
        return account

    def require_bot(self, user_id: str) -> Account:
        account = self.require(user_id)
        if not account.is_bot:
            raise refuse(ONLY_BOTS)
        return account

    def all(self) -> list[Account]:
        return list(self._accounts.values())

    def issue_token(
        self,
        user_id: str,
        scopes: Iterable[str] = ("bot:play",),
        *,
        secret: str | None = None,
        expires_at_ms: int | None = None,
    ) -> Token:
        """A token for `user_id`. ValueError: an unknown user or scope, a malformed secret or one in use."""
        wanted = frozenset(scopes)
        if self.get(user_id) is None:
            raise ValueError(f"there is no account {user_id}")
        if unknown := wanted - SCOPES:
            raise ValueError(f"no such scope: {', '.join(sorted(unknown))}")
        made = secret if secret is not None else "lip_" + "".join(self._rng.choices(_LETTERS, k=20))
        if _SECRET.fullmatch(made) is None or made in self._tokens:
            raise ValueError("a token is made of letters, digits and _, and belongs to one account")
        self._tokens[made] = Token(made, user_id.lower(), wanted, expires_at_ms)
        return self._tokens[made]

    def authenticate(self, secret: str | None, any_of: Iterable[str] = ()) -> tuple[Account, Token]:
        """Who speaks, if the token is good and holds one of the scopes `any_of`; none named: any will do."""
        token = self._live(secret or "")
        if token is None:
            raise refuse(NO_TOKEN, 401)
        accepted = list(any_of)
        if accepted and not token.scopes.intersection(accepted):
            headers = {
                "X-OAuth-Scopes": ", ".join(sorted(token.scopes)),
                "X-Accepted-OAuth-Scopes": ", ".join(accepted),
            }
            raise Refusal(403, {"error": f"Missing scope: {', '.join(accepted)}"}, headers)
        return self._accounts[token.user_id], token

    def _live(self, secret: str) -> Token | None:
        token = self._tokens.get(secret)
        if token is None or (token.expires_at_ms is not None and token.expires_at_ms <= self._now_ms()):
            return None
        return token

    def revoke(self, secret: str) -> None:
        """Forget a token; one that is not known is forgotten already."""
        self._tokens.pop(secret, None)

    def tokens_of(self, user_id: str) -> list[Token]:
        return [token for token in self._tokens.values() if token.user_id == user_id.lower()]

    def test_tokens(self, body: str) -> Json:
        """What each token of a comma list is good for, null for those that are good for nothing."""
        secrets = [secret.strip() for secret in body.split(",") if secret.strip()]
        if len(secrets) > 1000:
            raise refuse("Too many tokens: 1000 at most")
        return {secret: self._tested(self._live(secret)) for secret in secrets}

    def _tested(self, token: Token | None) -> Json | None:
        if token is None:
            return None
        scopes = ",".join(sorted(token.scopes))
        return {"userId": token.user_id, "scopes": scopes, "expires": token.expires_at_ms}

    def relate(self, user_id: str, username: str, verb: Verb) -> None:
        """Block, follow, or undo either."""
        other = self.require(username).id
        account = self.require(user_id)
        circle = account.blocks if verb.endswith("block") else account.follows
        if verb.startswith("un"):
            circle.discard(other)
        else:
            circle.add(other)

    def to_json(self) -> Json:
        return {
            "accounts": [account.to_json() for account in self._accounts.values()],
            "tokens": [token.to_json() for token in self._tokens.values()],
        }

    def fill(self, data: Json) -> None:
        """Take over what `to_json` wrote."""
        self._accounts = {each["id"]: Account.from_json(each) for each in data["accounts"]}
        self._tokens = {each["secret"]: Token.from_json(each) for each in data["tokens"]}
