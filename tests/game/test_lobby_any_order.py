"""The front desk under events in any order: what holds after each step, whatever came before."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.game.ledger import fits
from bot.game.lobby import (
    AbortSurplus,
    AcceptChallenge,
    AcceptFailed,
    Capacity,
    ChallengeArrived,
    ChallengeRefused,
    ChallengeSent,
    ChallengeWithdrawn,
    DeclineChallenge,
    Draining,
    EnginesReady,
    ForgetChallenge,
    GameBegan,
    GameEnded,
    Lobby,
    LobbyCommand,
    LobbyEvent,
    PlayGame,
    Sort,
    TimePassed,
    free,
    held_by,
    reconcile,
    step,
    wake_at,
)
from bot.game.nouns import Challenge, ChallengeId, GameBrief, GameId, Player, TimeControl
from bot.game.policy import DeclineReason, Verdict

IDS = "abcdefgh"
AT_ONCE = 2
CONTROLS = (
    TimeControl(limit_s=60),
    TimeControl(limit_s=600, increment_s=5),
    TimeControl(days=3),
    TimeControl(),
)


@dataclass(frozen=True)
class Reconciled:
    server: tuple[GameBrief, ...]
    in_hand: frozenset[GameId]
    complete: bool


def traits(id_: str) -> tuple[Player | None, TimeControl]:
    """A challenge and its game agree on who plays and on the clock, so both follow from the id."""
    number = IDS.index(id_)
    title = (None, "BOT", "GM")[number % 3]
    user = f"user{number % 4}"
    player = Player(id=user, name=user, title=title, rating=1000 + 137 * number) if number % 5 else None
    return player, CONTROLS[number % 7 % 4]


def challenge(id_: str) -> Challenge:
    player, control = traits(id_)
    return Challenge(ChallengeId(id_), player, player, "standard", id_ > "c", control, "random")


def brief(id_: str, has_moved: bool, tournament: str | None, for_bots: bool, status: str) -> GameBrief:
    player, control = traits(id_)
    return GameBrief(
        GameId(id_),
        we_are_white=True,
        speed=control.speed,
        variant="standard",
        rated=False,
        opponent=player or Player(),
        is_my_turn=True,
        has_moved=has_moved,
        tournament=tournament,
        for_bots=for_bots,
        status=status,
    )


ids = st.sampled_from(IDS)
challenge_ids = ids.map(ChallengeId)
verdicts = st.sampled_from(
    [
        Verdict(accept=True, at_once=AT_ONCE),
        Verdict(accept=True, at_once=AT_ONCE),
        Verdict(False, DeclineReason.NO_BOT),
    ]
)
briefs = st.builds(
    brief,
    ids,
    st.booleans(),
    st.sampled_from([None, None, "arena"]),
    st.sampled_from([True, True, True, False]),
    st.sampled_from(["started", "started", "created", "mate"]),
)
arrivals = st.builds(ChallengeArrived, ids.map(challenge), verdicts)
events = st.one_of(
    arrivals,
    arrivals,
    st.builds(ChallengeWithdrawn, challenge_ids),
    st.builds(AcceptFailed, challenge_ids, st.just("404")),
    st.builds(ChallengeSent, ids.map(challenge)),
    st.builds(ChallengeRefused, challenge_ids),
    st.builds(GameBegan, briefs, st.booleans()),
    st.builds(GameEnded, ids.map(GameId)),
    st.builds(EnginesReady, st.sampled_from([True, True, False])),
    st.builds(Draining, st.sampled_from([True, False, False])),
    st.just(TimePassed()),
    st.builds(
        Reconciled,
        st.lists(briefs, max_size=4, unique_by=lambda brief: brief.id).map(tuple),
        st.frozensets(ids.map(GameId), max_size=4),
        st.booleans(),
    ),
)
capacities = st.builds(
    Capacity,
    max_games=st.integers(1, 3),
    max_correspondence=st.integers(0, 2),
    reserved_for_humans=st.integers(0, 2),
    queue_length=st.integers(0, 3),
    sort=st.sampled_from(Sort),
)
stories = st.lists(
    st.tuples(events, st.sampled_from([0.0, 0.1, 1.0, 10.0, 20.0, 30.0, 200.0])), min_size=5, max_size=40
)
Told = LobbyEvent | Reconciled
in_any_order = settings(deadline=None, max_examples=60)


@dataclass
class Seen:
    """One step: what was, what was told, what came of it."""

    before: Lobby
    event: Told
    at: float
    after: Lobby
    said: tuple[LobbyCommand, ...]


@dataclass
class Books:
    """A second account of who is owed an answer, kept only from what goes in and out."""

    owed: set[str] = field(default_factory=set)

    def enter(self, seen: Seen) -> None:
        arrival = seen.event.challenge.id if isinstance(seen.event, ChallengeArrived) else None
        promised = {id_ for id_, seat in seen.before.promised.items() if (seat.until or 0) > seen.at}
        if arrival and arrival not in {*promised, *seen.before.playing}:
            self.owed.add(arrival)
        for command in seen.said:
            match command:
                case AcceptChallenge(id=id_) | DeclineChallenge(id=id_) | ForgetChallenge(id=id_):
                    assert id_ in self.owed
                    self.owed.remove(id_)
                case PlayGame(brief=game):
                    self.owed.discard(game.id)
                case AbortSurplus():
                    pass
        if isinstance(seen.event, Reconciled):
            self.owed -= {game.id for game in seen.event.server} & set(seen.after.playing)


def told(capacity: Capacity, story: list[tuple[Told, float]]) -> Iterator[Seen]:
    lobby, at = Lobby(capacity, ready=True), 0.0
    for event, later in story:
        at += later
        if isinstance(event, Reconciled):
            after, said = reconcile(lobby, event.server, event.in_hand, at, complete=event.complete)
        else:
            after, said = step(lobby, event, at)
        yield Seen(lobby, event, at, after, said)
        lobby = after


def accepts(seen: Seen) -> list[Challenge]:
    return [challenge(command.id) for command in seen.said if isinstance(command, AcceptChallenge)]


@given(capacities, stories)
@in_any_order
def test_an_accept_of_ours_never_takes_more_than_there_is(
    capacity: Capacity, story: list[tuple[Told, float]]
) -> None:
    for seen in told(capacity, story):
        seats = [*seen.after.playing.values(), *seen.after.promised.values()]
        for accepted in accepts(seen):
            timed = accepted.control.is_clock
            most = capacity.max_games if timed else capacity.max_correspondence
            assert sum(seat.timed is timed for seat in seats) <= most
            if timed and accepted.challenger and accepted.challenger.is_bot:
                bots = sum(seat.timed and seat.is_bot for seat in seats)
                assert bots <= capacity.max_games - capacity.reserved_for_humans


@given(capacities, stories)
@in_any_order
def test_every_challenge_is_answered_exactly_once_or_waits(
    capacity: Capacity, story: list[tuple[Told, float]]
) -> None:
    books = Books()
    for seen in told(capacity, story):
        books.enter(seen)
        assert books.owed == {waiting.challenge.id for waiting in seen.after.queue}


@given(capacities, stories)
@in_any_order
def test_nothing_outlives_its_expiry_and_the_next_one_lies_ahead(
    capacity: Capacity, story: list[tuple[Told, float]]
) -> None:
    for seen in told(capacity, story):
        wake = wake_at(seen.after)
        assert wake is None or wake > seen.at
        untils = [seat.until for seat in seen.after.promised.values()]
        assert all(until is not None and until > seen.at for until in untils)
        assert (wake is not None) is bool(untils or seen.after.queue)


@given(capacities, stories)
@in_any_order
def test_nothing_is_accepted_while_draining_or_without_an_engine(
    capacity: Capacity, story: list[tuple[Told, float]]
) -> None:
    for seen in told(capacity, story):
        if seen.after.draining or not seen.after.ready:
            assert not accepts(seen)
        assert not (seen.after.draining and seen.after.queue)


@given(capacities, stories)
@in_any_order
def test_nobody_waits_who_could_play(capacity: Capacity, story: list[tuple[Told, float]]) -> None:
    for seen in told(capacity, story):
        if seen.after.ready and not seen.after.draining:
            assert not any(fits(seen.after, waiting.seat) for waiting in seen.after.queue)
        assert len(seen.after.queue) <= capacity.queue_length


@given(capacities, stories)
@in_any_order
def test_a_game_is_begun_once_and_no_id_stands_in_two_books(
    capacity: Capacity, story: list[tuple[Told, float]]
) -> None:
    for seen in told(capacity, story):
        after = seen.after
        begun = [command.brief.id for command in seen.said if isinstance(command, PlayGame)]
        surplus = [command.brief for command in seen.said if isinstance(command, AbortSurplus)]
        assert len(begun) == len(set(begun))
        assert set(begun) <= set(after.playing)
        if not isinstance(seen.event, Reconciled):  # it begins anew what nobody has in hand
            assert not set(begun) & set(seen.before.playing)
        assert not any(game.has_moved or game.tournament or game.id in after.playing for game in surplus)
        assert not set(after.playing) & {*after.promised, *after.surplus}
        assert not {waiting.challenge.id for waiting in after.queue} & {*after.playing, *after.promised}


@given(capacities, stories)
@in_any_order
def test_an_arrival_never_gives_one_opponent_more_than_allowed(
    capacity: Capacity, story: list[tuple[Told, float]]
) -> None:
    for seen in told(capacity, story):
        if isinstance(seen.event, ChallengeArrived) and (player := seen.event.challenge.challenger):
            held = held_by(seen.after, player.id)
            assert held <= max(AT_ONCE, held_by(seen.before, player.id))


@given(capacities, stories)
@in_any_order
def test_when_all_games_have_ended_and_all_promises_too_every_slot_is_free(
    capacity: Capacity, story: list[tuple[Told, float]]
) -> None:
    lobby, at = Lobby(capacity, ready=True), 0.0
    for seen in told(capacity, story):
        lobby, at = seen.after, seen.at
    lobby, _ = step(lobby, Draining(draining=True), at)
    for game in lobby.playing:
        lobby, _ = step(lobby, GameEnded(game), at)
    for _ in range(len(lobby.promised)):
        lobby, _ = step(lobby, TimePassed(), wake_at(lobby) or at)
    assert lobby.is_idle
    assert (free(lobby), free(lobby, timed=False)) == (capacity.max_games, capacity.max_correspondence)


@given(capacities, stories)
@in_any_order
def test_time_alone_changes_nothing_before_it_is_due(
    capacity: Capacity, story: list[tuple[Told, float]]
) -> None:
    for seen in told(capacity, story):
        assert step(seen.after, TimePassed(), seen.at) == (seen.after, ())
