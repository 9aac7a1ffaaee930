"""Chat commands: what is answered to a line that begins with `!`. All are pure, built in or plugged in."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.game.manners import fitted
from bot.game.nouns import GameInfo, Thought

PREFIX = "!"
_HELP = ("help", "commands")
NO_THOUGHT = "I have not thought yet."


@dataclass(frozen=True, slots=True)
class ChatContext:
    """What a command may know. `thought` is our last one, also while we think."""

    room: str  # player or spectator
    asker: str
    is_player: bool  # the asker plays in this game, whichever room it is typed in
    info: GameInfo
    engine: str
    version: str
    thought: Thought | None = None
    is_over: bool = False
    players_may_see_eval: bool = False
    queue_position: int | None = None  # of the asker's challenge, from 1; None: it has none
    queue_length: int = 0
    games_now: int = 1
    uptime_s: float = 0.0
    lag_ms: int = 0


class ChatCommand(Protocol):
    """Also the plug-in protocol `krait.commands`. `name` is written without the exclamation mark."""

    @property
    def name(self) -> str: ...

    @property
    def help(self) -> str: ...

    def answer(self, context: ChatContext, words: Sequence[str]) -> str | None:
        """What to say, in the room it was asked in; None: nothing. `words` follow the command's name."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A command that tells one thing, whatever words follow it."""

    name: str
    help: str
    tell: Callable[[ChatContext], str]

    def answer(self, context: ChatContext, words: Sequence[str]) -> str | None:
        del words
        return self.tell(context)


def _eval(context: ChatContext) -> str:
    watches = context.room == "spectator" and not context.is_player
    if not (watches or context.is_over or context.players_may_see_eval):
        return "I keep that to myself while we play. Ask me after the game!"
    thought = context.thought
    if thought is None:
        return NO_THOUGHT
    if thought.score is None:
        return f"My last move came from {thought.source}, without a score."
    side = "White" if context.info.we_are_white else "Black"
    return f"{thought.score} for me ({side}), depth {thought.depth}, from {thought.source}."


def _depth(context: ChatContext) -> str:
    thought = context.thought
    if thought is None:
        return NO_THOUGHT
    if not thought.depth:
        return f"My last move came from {thought.source}: no search was needed."
    return f"Depth {thought.depth}, {thought.nodes:,} nodes at {thought.nps:,} a second."


def _engine(context: ChatContext) -> str:
    return f"{context.engine} plays this game."


def _name(context: ChatContext) -> str:
    return f"{context.info.us.name}, a bot run by Krait {context.version} with {context.engine}."


def _queue(context: ChatContext) -> str:
    playing, waiting = context.games_now, context.queue_length
    now = f"{playing} {'game' if playing == 1 else 'games'} now"
    if context.queue_position is not None:
        return f"{now}; your challenge is number {context.queue_position} of {waiting}."
    return f"{now}; {waiting or 'no'} {'challenge waits' if waiting == 1 else 'challenges wait'}."


def _ping(context: ChatContext) -> str:
    return f"{context.lag_ms} ms is what I reserve for the way; I have run for {_span(context.uptime_s)}."


def _span(seconds: float) -> str:
    minutes = int(seconds) // 60
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // 1440} days"


BUILT_IN: tuple[ChatCommand, ...] = (
    Fact("eval", "what I think of the position", _eval),
    Fact("depth", "how deep I looked for my last move", _depth),
    Fact("engine", "which engine plays", _engine),
    Fact("motor", "which engine plays", _engine),
    Fact("name", "who I am", _name),
    Fact("queue", "who waits for a game with me", _queue),
    Fact("ping", "how long a move takes from me to Lichess and back", _ping),
)


def answer(text: str, context: ChatContext, commands: Iterable[ChatCommand] = BUILT_IN) -> str | None:
    """What to say to `text`, at most a line of chat; None for anything that is no command we know.

    Of two commands with one name the first is asked. `!help` belongs to all of them and cannot be replaced.
    """
    if not text.startswith(PREFIX):
        return None
    name, *words = text.removeprefix(PREFIX).lower().split() or [""]
    known: dict[str, ChatCommand] = {}
    for command in commands:
        known.setdefault(command.name.lower(), command)
    if name in _HELP and known:
        said: str | None = _help(known, words)
    else:
        said = known[name].answer(context, words) if name in known else None
    return (fitted(said) or None) if said else None


def _help(known: dict[str, ChatCommand], words: Sequence[str]) -> str:
    asked = words[0].removeprefix(PREFIX) if words else ""
    if asked in known:
        return f"{PREFIX}{asked}: {known[asked].help}"
    return "I understand " + " ".join(f"{PREFIX}{name}" for name in ("help", *known))
