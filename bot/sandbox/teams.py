"""Teams: open ones, which anybody may join and leave. In memory; the time is the world's."""

import re
from dataclasses import asdict, dataclass, field

from bot.sandbox.accounts import Account
from bot.sandbox.core import Core
from bot.sandbox.refusal import Json, known, not_found, refuse
from bot.sandbox.views import light_user, user_json

MOST_SHOWN_IN_FULL = 1000


@dataclass
class Team:
    id: str
    name: str
    description: str = ""
    leader_id: str | None = None
    members: dict[str, int] = field(default_factory=dict)  # user id: when they joined, in ms


def team_id(name: str) -> str:
    """The name as an address: small letters and digits, all else a hyphen. ValueError: nothing is left."""
    made = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not made:
        raise ValueError(f"{name!r} is no name for a team: it needs a letter or a digit")
    return made


class Teams:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._teams: dict[str, Team] = {}

    def create(self, name: str, *, description: str = "", leader_id: str | None = None) -> Team:
        """ValueError for a name that is none or taken. The leader, if there is one, is its first member."""
        team = Team(team_id(name), name, description, leader_id)
        if team.id in self._teams:
            raise ValueError(f"there is a team {team.id} already")
        self._teams[team.id] = team
        if leader_id is not None:
            self.join(team.id, leader_id)
        return team

    def get(self, team: str) -> Team:
        if team not in self._teams:
            raise not_found()
        return self._teams[team]

    def has(self, team: str, user_id: str) -> bool:
        return user_id in self.get(team).members

    def join(self, team: str, user_id: str) -> None:
        """Who is in stays in, since when they joined."""
        account = self._core.accounts.require(user_id)
        self.get(team).members.setdefault(account.id, self._core.now_ms())

    def quit(self, team: str, user_id: str) -> None:
        if self.get(team).members.pop(user_id, None) is None:
            raise not_found()

    def kick(self, team: str, user_id: str) -> None:
        """As the leader would; 400 for the leader."""
        if self.get(team).leader_id == user_id:
            raise refuse("A team does not throw out its leader")
        self.quit(team, user_id)

    def of(self, username: str, viewer_id: str | None = None) -> list[Json]:
        """The teams of somebody; a name nobody has is in none."""
        mine = [team for team in self._teams.values() if username.lower() in team.members]
        return [self.shown(team, viewer_id) for team in mine]

    def show(self, team: str, viewer_id: str | None = None) -> Json:
        return self.shown(self.get(team), viewer_id)

    def users(self, team: str, *, full: bool = False) -> list[Json]:
        """The members, whoever joined last first."""
        members = sorted(self.get(team).members.items(), key=lambda each: each[1], reverse=True)
        found = [(self._core.accounts.require(user), at_ms) for user, at_ms in members]
        if full:
            found = found[:MOST_SHOWN_IN_FULL]
        return [{**self._person(account, full=full), "joinedTeamAt": at_ms} for account, at_ms in found]

    def _person(self, account: Account, *, full: bool) -> Json:
        if not full:
            return light_user(account)
        return user_json(account, self._core.presence.seen_at_ms(account.id)) | {"name": account.name}

    def shown(self, team: Team, viewer_id: str | None) -> Json:
        leader = self._core.accounts.get(team.leader_id or "")
        light = None if leader is None else light_user(leader)
        joined = None if viewer_id is None else viewer_id in team.members
        shown: Json = {
            "id": team.id,
            "name": team.name,
            "description": team.description,
            "open": True,
            "leaders": [] if light is None else [light],
            "nbMembers": len(team.members),
        }
        return shown | known(leader=light, joined=joined, requested=None if joined is None else False)

    def to_json(self) -> list[Json]:
        return [asdict(team) for team in self._teams.values()]

    def fill(self, data: list[Json]) -> None:
        self._teams = {each["id"]: Team(**each) for each in data}
