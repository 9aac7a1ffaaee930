"""What the shell tells, in few and rich lines: one a move, one a game; challenges, connection and engines as
they change; a warning for whatever was survived.
"""

import logging
from dataclasses import dataclass
from typing import Any

import structlog

from bot.game import facts
from bot.game.nouns import NO_CLOCK_MS, GameId, GameInfo


@dataclass(slots=True)
class _Tally:
    """What the one line at the end of a game sums up."""

    info: GameInfo
    moves: int = 0
    spent_ms: int = 0
    worst_lag_ms: int = 0
    least_left_ms: int | None = None

    def add(self, move: facts.MovePlayed) -> None:
        self.moves += 1
        self.spent_ms += move.spent_ms
        self.worst_lag_ms = max(self.worst_lag_ms, move.lag_ms)
        left_ms = move.left_ms if self.least_left_ms is None else min(self.least_left_ms, move.left_ms)
        self.least_left_ms = left_ms


def log_facts() -> facts.Witness:
    """A witness for the whole service; it keeps the sums of the games that are being played."""
    log, tallies = structlog.get_logger("krait"), dict[GameId, _Tally]()

    def tell(fact: facts.Fact) -> None:
        match fact:
            case facts.GameOpened():
                tallies[fact.info.id] = _Tally(fact.info)
            case facts.MovePlayed() if tally := tallies.get(fact.game):
                tally.add(fact)
            case _:
                pass
        line = _line(fact, tallies)
        if line is not None:
            level, event, values = line
            log.log(level, event, **{key: value for key, value in values.items() if value not in {None, ""}})

    return tell


_Line = tuple[int, str, dict[str, Any]]


def _line(fact: facts.Fact, tallies: dict[GameId, _Tally]) -> _Line | None:
    match fact:
        case facts.GameOpened():
            return _opened(fact)
        case facts.MovePlayed():
            return logging.INFO, "move_played", _move(fact)
        case facts.GameClosed():
            return logging.INFO, "game_over", _game(fact, tallies.pop(fact.game, None))
        case facts.GameRated():
            return logging.INFO, "game_rated", {"game": fact.game, "rating_diff": fact.rating_diff}
        case facts.ChallengeJudged():
            return logging.INFO, f"challenge_{fact.verdict}", _challenge(fact)
        case facts.ChallengeGone():
            return logging.INFO, "challenge_gone", {"challenge": fact.challenge, "why": fact.why}
        case facts.ConnectionChanged():
            level = logging.WARNING if fact.state in {"lost", "elsewhere"} else logging.INFO
            return level, "connection_changed", {"state": fact.state, "detail": fact.detail}
        case facts.EngineChanged():
            level = logging.INFO if fact.state in {"ready", "restarted"} else logging.WARNING
            engine = {"engine": fact.name, "pid": fact.pid or None, "state": fact.state}
            return level, "engine_changed", {**engine, "detail": fact.detail}
        case facts.Trouble():
            return logging.WARNING, fact.what, {"game": fact.game, "detail": fact.detail}
        case facts.ChatHeard():
            said = {"game": fact.game, "room": fact.room, "name": fact.name, "text": fact.text}
            return logging.DEBUG, "chat_heard", said
        case facts.TakebackGiven():
            return logging.INFO, "takeback_given", {"game": fact.game}
        case facts.PliesSeen() | facts.ThoughtGrew():
            return None  # the line of the move says it


def _opened(fact: facts.GameOpened) -> _Line:
    """A fresh game was announced by its challenge; one that is taken up again was not."""
    level = logging.INFO if fact.resumed else logging.DEBUG
    ply = {"ply": fact.state.ply}
    return level, "game_resumed" if fact.resumed else "game_opened", _names(fact.info) | ply


def _names(info: GameInfo) -> dict[str, Any]:
    return {
        "game": info.id,
        "opponent": info.opponent.name,
        "rating": info.opponent.rating,
        "color": "white" if info.we_are_white else "black",
        "clock": str(info.control),
        "variant": info.variant if info.variant != "standard" else None,
        "rated": info.rated,
    }


def _move(fact: facts.MovePlayed) -> dict[str, Any]:
    thought = fact.thought
    return {
        "game": fact.game,
        "ply": fact.ply,
        "uci": thought.uci,
        "source": thought.source,
        "score": str(thought.score) if thought.score else None,
        "depth": thought.depth or None,
        "nodes": thought.nodes or None,
        "spent_ms": fact.spent_ms,
        "left_ms": _shown_ms(fact.left_ms),
        "lag_ms": fact.lag_ms,
        "draw_offered": fact.offered_draw or None,
    }


def _game(fact: facts.GameClosed, tally: _Tally | None) -> dict[str, Any]:
    end = {"game": fact.game, "result": fact.result, "by": fact.state.status, "plies": fact.state.ply}
    if tally is None:
        return end
    sums = {"moves": tally.moves, "spent_ms": tally.spent_ms, "worst_lag_ms": tally.worst_lag_ms}
    return _names(tally.info) | end | sums | {"least_left_ms": _shown_ms(tally.least_left_ms)}


def _shown_ms(left_ms: int | None) -> int | None:
    return None if left_ms is None or left_ms >= NO_CLOCK_MS else left_ms


def _challenge(fact: facts.ChallengeJudged) -> dict[str, Any]:
    asked = fact.challenge
    return {
        "challenge": asked.id,
        "challenger": asked.challenger.name if asked.challenger else "Anonymous",
        "rating": asked.challenger.rating if asked.challenger else None,
        "clock": str(asked.control),
        "variant": asked.variant if asked.variant != "standard" else None,
        "rated": asked.rated,
        "reason": fact.reason if fact.verdict == "declined" else None,
        "why": fact.why,
    }
