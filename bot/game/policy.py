"""Whether to accept a challenge, and if not, the reason Lichess has for it and the words for our log.

Reasons that last are told before reasons that pass: who is not welcome is not told to come back later.
Anonymous challengers are humans without a name and a rating.
"""

from collections.abc import Callable, Iterable
from typing import Protocol

import chess

from bot.game import opponents
from bot.game.hours import is_open
from bot.game.names import NameList, parse_names
from bot.game.nouns import Challenge, Speed
from bot.game.terms import Case, Kind, Policy, Rules, Situation, kind_of, named, user_of
from bot.game.timecontrol import accepts, misfit
from bot.game.verdict import DeclineReason, Verdict, declined

__all__ = [
    "ChallengeFilter",
    "DeclineReason",
    "Kind",
    "NameList",
    "Policy",
    "Rules",
    "Situation",
    "Verdict",
    "is_own",
    "judge",
    "judge_all",
    "parse_names",
]

_UNPLAYABLE = (
    chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_TOO_MANY_WHITE_PAWNS
    | chess.STATUS_TOO_MANY_BLACK_PAWNS
    | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_TOO_MANY_WHITE_PIECES
    | chess.STATUS_TOO_MANY_BLACK_PIECES
    | chess.STATUS_OPPOSITE_CHECK
)


class ChallengeFilter(Protocol):
    """The plug-in protocol `krait.filters`: asked about each challenge that the policy accepts.

    It may decline; it cannot accept what the policy declines. None: no opinion. It must be quick and do no
    I/O. The shell guards it: one that raises is reported and declines nothing.
    """

    name: str

    def judge(self, challenge: Challenge, situation: Situation) -> Verdict | None: ...


def is_own(challenge: Challenge, our_id: str) -> bool:
    """The echo of a challenge that we sent: it is not to be judged."""
    return user_of(challenge.challenger) == our_id.lower()


def judge(challenge: Challenge, policy: Policy, situation: Situation) -> Verdict:
    kind, user = kind_of(challenge.challenger), user_of(challenge.challenger)
    case = Case(challenge, policy, situation, policy.rules_for(kind), kind, user)
    checks = _BINDING if user in policy.welcome else _BINDING + _FILTERS
    no = next((verdict for check in checks if (verdict := check(case))), None)
    return no or Verdict(
        accept=True, why="welcome" if user in policy.welcome else "", at_once=case.rules.at_once
    )


def judge_all(
    challenge: Challenge, policy: Policy, situation: Situation, filters: Iterable[ChallengeFilter]
) -> Verdict:
    """The policy first, then the filters in their order; whoever declines first is heard."""
    verdict = judge(challenge, policy, situation)
    if not verdict.accept:
        return verdict
    opinions = (each.judge(challenge, situation) for each in filters)
    return next((opinion for opinion in opinions if opinion is not None and not opinion.accept), verdict)


def _impossible(case: Case) -> Verdict | None:
    """What Lichess or our engines cannot do, whoever asks."""
    asked, playable = case.challenge, case.situation.playable
    if asked.control.speed is Speed.ULTRA_BULLET:
        return declined(DeclineReason.TOO_FAST, f"{asked.control} is ultraBullet, which no bot may play")
    if playable is not None and asked.variant not in playable:
        return declined(_no_variant(playable), f"no engine plays {asked.variant}")
    if asked.variant == "fromPosition" and asked.initial_fen and not _is_playable(asked.initial_fen):
        return declined(DeclineReason.VARIANT, f"the position {asked.initial_fen} cannot be played")
    return None


def _is_playable(fen: str) -> bool:
    try:
        board = chess.Board(fen, chess960=True)
    except ValueError:
        return False
    return not board.status() & _UNPLAYABLE and any(board.legal_moves)


def _variant(case: Case) -> Verdict | None:
    variant, accepted = case.challenge.variant, case.rules.variants
    if variant in accepted:
        return None
    return declined(_no_variant(accepted), f"variant {variant} is not accepted ({named(accepted)})")


def _no_variant(accepted: frozenset[str]) -> DeclineReason:
    only_standard = "standard" in accepted <= {"standard", "fromPosition"}
    return DeclineReason.STANDARD if only_standard else DeclineReason.VARIANT


def _time(case: Case) -> Verdict | None:
    control, rules = case.challenge.control, case.rules
    if not accepts(rules.time_controls, control):
        words = ", ".join(map(str, rules.time_controls)) or "none"
        return declined(
            misfit(rules.time_controls, control), f"time control {control} is not accepted ({words})"
        )
    if control.limit_s is None:
        return None
    minutes = 2 * (control.limit_s + 40 * control.increment_s) / 60
    if rules.min_minutes is not None and minutes < rules.min_minutes:
        return declined(
            DeclineReason.TOO_FAST, f"{minutes:g} minutes of {control} are below {rules.min_minutes:g}"
        )
    if rules.max_minutes is not None and minutes > rules.max_minutes:
        return declined(
            DeclineReason.TOO_SLOW, f"{minutes:g} minutes of {control} are above {rules.max_minutes:g}"
        )
    return None


def _mode(case: Case) -> Verdict | None:
    """Lichess's keys name what we would rather have: `casual` answers a rated challenge."""
    rated, rules = case.challenge.rated, case.rules
    if rules.rated if rated else rules.casual:
        return None
    mode, wanted = ("rated", DeclineReason.CASUAL) if rated else ("casual", DeclineReason.RATED)
    neither = not rules.rated and not rules.casual
    return declined(DeclineReason.GENERIC if neither else wanted, f"{mode} games are not accepted")


def _color(case: Case) -> Verdict | None:
    theirs = case.challenge.final_color or case.challenge.color
    ours = {"white": "black", "black": "white"}.get(theirs)
    if ours is None or ours in case.rules.colors:
        return None
    return declined(DeclineReason.GENERIC, f"we would play {ours} ({named(case.rules.colors)} is accepted)")


def _game_rules(case: Case) -> Verdict | None:
    refused = case.challenge.rules & case.rules.refused_rules
    return declined(DeclineReason.GENERIC, f"rule {named(refused)} is not accepted") if refused else None


def _hours(case: Case) -> Verdict | None:
    if is_open(case.policy.hours, case.situation.now):
        return None
    words = ", ".join(map(str, case.policy.hours))
    return declined(DeclineReason.LATER, f"{case.situation.now:%a %H:%M} is outside the hours ({words})")


_Check = Callable[[Case], Verdict | None]
_BINDING: tuple[_Check, ...] = (opponents.blocked_by_operator, _impossible)
_FILTERS: tuple[_Check, ...] = (
    opponents.kind_accepted,
    opponents.listed,
    _variant,
    _time,
    _mode,
    _color,
    _game_rules,
    opponents.title_accepted,
    opponents.rating_fits,
    opponents.team,
    opponents.rematch,
    opponents.counts,
    _hours,
)
