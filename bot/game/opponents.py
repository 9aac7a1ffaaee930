"""What is asked of the opponent: who it is, how strong, how often we have met. None: nothing against it."""

from bot.game.terms import Case, Kind, named, perf_key
from bot.game.verdict import DeclineReason, Verdict, declined

FIRST_RATING = 1500  # Lichess's for whoever has not played a variant yet


def blocked_by_operator(case: Case) -> Verdict | None:
    blocked = case.user is not None and case.user in case.policy.block
    return declined(DeclineReason.GENERIC, f"{case.user} is blocked") if blocked else None


def kind_accepted(case: Case) -> Verdict | None:
    kinds = case.policy.kinds
    if case.kind in kinds:
        return None
    if case.kind is Kind.BOT:
        return declined(DeclineReason.NO_BOT, "bots are not accepted")
    reason = DeclineReason.ONLY_BOT if kinds == {Kind.BOT} else DeclineReason.GENERIC
    return declined(reason, f"{case.kind} opponents are not accepted")


def listed(case: Case) -> Verdict | None:
    if case.policy.only and case.user not in case.policy.only:
        return declined(
            DeclineReason.GENERIC, f"{case.user or 'anonymous'} is not on the list of those who may play"
        )
    if case.user is not None and case.user in case.situation.blocked:
        return declined(DeclineReason.GENERIC, f"{case.user} is on a block list")
    return None


def team(case: Case) -> Verdict | None:
    if not case.policy.teams_only:
        return None
    if case.situation.team_mates is None:
        return declined(DeclineReason.LATER, "only members of our teams may play, and they are not known yet")
    if case.user in case.situation.team_mates:
        return None
    return declined(DeclineReason.GENERIC, f"{case.user or 'anonymous'} is in none of our teams")


def title_accepted(case: Case) -> Verdict | None:
    if case.kind is Kind.BOT:
        return None
    title = (case.challenge.challenger.title if case.challenge.challenger else None) or ""
    if title in case.rules.refused_titles:
        return declined(DeclineReason.GENERIC, f"title {title} is refused")
    if case.rules.titles and title not in case.rules.titles:
        return declined(
            DeclineReason.GENERIC, f"title {title or 'none'} is not one of {named(case.rules.titles)}"
        )
    return None


def rating_fits(case: Case) -> Verdict | None:
    low, high = _rating_bounds(case)
    player, established_only = case.challenge.challenger, not case.rules.provisional
    rating = player.rating if player else None
    if rating is None:
        asked = low is not None or high is not None or established_only
        return declined(DeclineReason.GENERIC, "no rating, and one is asked for") if asked else None
    if low is not None and rating < low:
        return declined(DeclineReason.GENERIC, f"rating {rating} is below {low}")
    if high is not None and rating > high:
        return declined(DeclineReason.GENERIC, f"rating {rating} is above {high}")
    if established_only and player and player.provisional:
        return declined(DeclineReason.GENERIC, f"rating {rating} is provisional")
    return None


def _rating_bounds(case: Case) -> tuple[int | None, int | None]:
    """The absolute and the relative bounds together, whichever is narrower."""
    rules, ours = case.rules, case.situation.ratings.get(perf_key(case.challenge), FIRST_RATING)
    weakest = None if rules.max_weaker is None else ours - rules.max_weaker
    strongest = None if rules.max_stronger is None else ours + rules.max_stronger
    lows = [low for low in (rules.min_rating, weakest) if low is not None]
    highs = [high for high in (rules.max_rating, strongest) if high is not None]
    return max(lows, default=None), min(highs, default=None)


def rematch(case: Case) -> Verdict | None:
    limit, played = case.rules.rematches, case.situation.rematches_in_a_row
    if case.challenge.rematch_of is None or limit is None or played < limit:
        return None
    if limit == 0:
        return declined(DeclineReason.GENERIC, "rematches are not accepted")
    return declined(DeclineReason.LATER, f"{played} rematches in a row, and {limit} are accepted")


def counts(case: Case) -> Verdict | None:
    if case.user is None:
        return None
    rules, now = case.rules, case.situation
    for played, cap, when in (
        (now.games_running, rules.at_once, "running"),
        (now.games_this_hour, rules.games_an_hour, "within an hour"),
        (now.games_today, rules.games_a_day, "today"),
    ):
        if cap is not None and played >= cap:
            return declined(
                DeclineReason.LATER, f"{played} games with {case.user} {when}, and {cap} are accepted"
            )
    return None
