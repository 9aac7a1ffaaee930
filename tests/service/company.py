"""The other people of a story: an opponent whose hand the test leads, and an ear for what is said."""

from typing import Any

from bot.sandbox import chatroom
from bot.sandbox.embed import Sandbox
from bot.sandbox.match import Match

PUPPET = "silent"  # it sits there and never moves, so that we can move for it


class Hand:
    """Does in a game what its opponent would do at the board."""

    def __init__(self, box: Sandbox, game: str, user: str = PUPPET) -> None:
        self.box, self.game, self.user = box, game, user

    @property
    def match(self) -> Match:
        return self.box.world.games.get(self.game)

    def move(self, uci: str) -> None:
        self.box.world.games.move(self.game, self.user, uci)

    async def plays(self, *moves: str) -> Match:
        """One after the other, each when it is our turn, and then until the bot has answered the last."""
        for uci in moves:
            await self.turn()
            self.move(uci)
        return await self.turn()

    async def turn(self) -> Match:
        """Until it is the opponent's turn, or the game is over."""

        def look(_: object) -> Match | None:
            match = self.match
            return match if match.is_over or match.turn is match.color_of(self.user) else None

        return await self.box.until(look)

    def say(self, text: str, room: str = "player") -> None:
        assert self.box.world.games.say(self.game, self.user, {"room": room, "text": text})

    def draw(self, *, accept: bool = True) -> None:
        self.box.world.games.draw(self.game, self.user, accept)

    def takeback(self) -> None:
        self.box.world.games.takeback(self.game, self.user, accept=True)


class Ear:
    """Every line that is said in the sandbox from now on, also after the end of a game."""

    def __init__(self, box: Sandbox) -> None:
        self._box = box
        self.lines: list[tuple[str, str, str, str]] = []  # game, room, name, text
        room = box.world.games.chatroom
        keep = room.keep

        def overheard(game: str, line: chatroom.Line) -> None:
            keep(game, line)
            self.lines.append((game, line.room, line.username, line.text))
            box._stir()

        monkey: Any = room  # an ear at the door
        monkey.keep = overheard

    def of(self, name: str, room: str | None = None) -> list[str]:
        return [text for _, where, who, text in self.lines if who == name and room in {None, where}]

    async def hears(self, part: str, *, name: str | None = None, room: str | None = None) -> str:
        """The first line with such words in it, said already or yet to be said."""

        def look(_: object) -> str | None:
            fitting = (
                text
                for _, where, who, text in self.lines
                if part in text and name in {None, who} and room in {None, where}
            )
            return next(fitting, None)

        return await self._box.until(look)


def watcher_says(box: Sandbox, game: str, text: str) -> None:
    """A line of somebody who only watches: the sandbox's own people all play."""
    body = f'{{"type":"chatLine","room":"spectator","username":"Watcher","text":"{text}"}}'
    box.faults.add("line", on="game", game=game, body=body)
