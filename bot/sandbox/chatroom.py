"""What is said in games, and what is dropped without a word: spam, floods, the same thing again."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from bot.sandbox.accounts import Account
from bot.sandbox.refusal import Json, refuse_form

MAX_TEXT = 140
MAX_LINES = 150
FLOOD_LINES, FLOOD_MS = 4, 10_000  # the fifth line within so long is one too many
SYSTEM = "lichess"
ROOMS = ("player", "spectator")
GREETINGS = frozenset(  # what everybody says may be said again
    {
        "Hello",
        "Good luck",
        "Have fun!",
        "You too!",
        "Good game",
        "Well played",
        "Thank you",
        "I've got to go",
        "Bye!",
    }
)
_LINKS = ("http://", "https://", "www.")


class Line(NamedTuple):
    room: str
    username: str
    text: str


def read_line(form: Mapping[str, Any], username: str) -> Line:
    """The line a request wants to say, or the form error Lichess answers with."""
    room, text = form.get("room"), form.get("text")
    if room not in ROOMS:
        raise refuse_form(room="Invalid value" if room else "This field is required")
    if not isinstance(text, str) or not text:
        raise refuse_form(text="This field is required")
    if len(text) > MAX_TEXT:
        raise refuse_form(text=f"Maximum length is {MAX_TEXT}")
    return Line(str(room), username, text)


class Chatroom:
    """Every line of every game, and what each user said lately."""

    def __init__(self) -> None:
        self._lines: dict[str, list[Line]] = {}
        self._lately: dict[str, list[tuple[str, int]]] = {}

    def admit(self, account: Account, line: Line, now_ms: int) -> Line | None:
        """The line as it will be heard; None when it is dropped, which nobody is told."""
        text = " ".join(line.text.split())
        lately = self._lately.setdefault(account.id, [])
        flood = [at_ms for _, at_ms in lately if at_ms > now_ms - FLOOD_MS]
        repeats = text not in GREETINGS and any(_alike(text, said) for said, _ in lately[-2:])
        if not text or _is_spam(account, text) or repeats or len(flood) >= FLOOD_LINES:
            return None
        self._lately[account.id] = [*lately[-FLOOD_LINES:], (text, now_ms)]
        return line._replace(text=text)

    def keep(self, game_id: str, line: Line) -> None:
        lines = self._lines.setdefault(game_id, [])
        lines.append(line)
        del lines[:-MAX_LINES]

    def read(self, game_id: str, room: str) -> list[Json]:
        spoken = [line for line in self._lines.get(game_id, ()) if line.room == room]
        return [{"text": line.text, "user": line.username} for line in spoken]

    def to_json(self) -> Json:
        return {game_id: [list(line) for line in lines] for game_id, lines in self._lines.items()}

    def fill(self, data: Json) -> None:
        self._lines = {game_id: [Line(*line) for line in lines] for game_id, lines in data.items()}


def _is_spam(account: Account, text: str) -> bool:
    return account.is_bot and any(link in text.lower() for link in _LINKS)


def _alike(one: str, other: str) -> bool:
    """Whether two lines are too few letters apart to be two."""
    return _distance(one, other) < max(2, min(len(one), len(other)) // 8)


def _distance(one: str, other: str) -> int:
    """How many letters must be put in, taken out or changed (Levenshtein)."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, against in enumerate(other, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (letter != against))
    return row[-1]
