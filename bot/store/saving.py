"""The statements that write. Each writes the whole of what it is about, so doing it again is harmless."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.game.facts import ChallengeGone, ChallengeJudged, ChatHeard, GameRated
from bot.store.record import Record
from bot.store.rows import game_values, kind_of, move_values, plain
from bot.store.schema import CHALLENGES, CHATS, GAMES, MOVES, RATINGS


async def write_game(connection: AsyncConnection, record: Record) -> None:
    """The game's row, and the rows of its plies from the first that is unsaved: those of before are gone.

    Update or insert, delete and insert: plain statements that every database has.
    """
    values, game = game_values(record.game), record.game.id
    updated = await connection.execute(GAMES.update().where(GAMES.c.id == game).values(values))
    if not updated.rowcount:
        await connection.execute(GAMES.insert().values(values))
    if record.unsaved_from is not None:
        later = (MOVES.c.game == game) & (MOVES.c.ply >= record.unsaved_from)
        await connection.execute(MOVES.delete().where(later))
        if rows := [move_values(game, move) for move in record.moves[record.unsaved_from :]]:
            await connection.execute(MOVES.insert(), rows)
    if record.chats:
        await connection.execute(CHATS.insert(), [_chat_values(chat) for chat in record.chats])
    if record.rated is not None:
        await _write_rating(connection, record.rated)


async def write_challenge(connection: AsyncConnection, fact: ChallengeJudged | ChallengeGone) -> None:
    if isinstance(fact, ChallengeJudged):
        await connection.execute(CHALLENGES.insert().values(_challenge_values(fact)))
    else:
        rows = CHALLENGES.c.challenge == fact.challenge
        await connection.execute(CHALLENGES.update().where(rows).values(gone=plain(fact.why)))


async def _write_rating(connection: AsyncConnection, fact: GameRated) -> None:
    await connection.execute(RATINGS.delete().where(RATINGS.c.game == fact.game))
    before = (GAMES.c.id == fact.game) & GAMES.c.our_rating.is_not(None)
    found = await connection.execute(select(GAMES.c.perf, GAMES.c.our_rating).where(before))
    for perf, rating in found.all():
        after = {"rating": rating + fact.rating_diff, "diff": fact.rating_diff, "when_ms": fact.when_ms}
        await connection.execute(RATINGS.insert().values({"game": fact.game, "perf": perf} | after))


def _chat_values(chat: ChatHeard) -> dict[str, Any]:
    words = {"room": plain(chat.room), "name": plain(chat.name), "text": plain(chat.text)}
    return {"game": chat.game, "when_ms": chat.when_ms} | words


def _challenge_values(fact: ChallengeJudged) -> dict[str, Any]:
    challenge, who = fact.challenge, fact.challenge.challenger
    words = {
        "challenge": challenge.id,
        "challenger": (who.id if who else None) or "",
        "challenger_name": who.name if who else "Anonymous",
        "kind": kind_of(who) if who else "anonymous",
        "variant": challenge.variant,
        "control": str(challenge.control),
        "color": challenge.color,
        "verdict": fact.verdict,
        "reason": fact.reason,
        "why": fact.why,
    }
    rest = {"rating": who.rating if who else None, "rated": challenge.rated, "when_ms": fact.when_ms}
    return {name: plain(value) for name, value in words.items()} | rest
