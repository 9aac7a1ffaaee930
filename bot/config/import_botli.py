"""BotLi's `config.yml` in our words."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot.config.draft import LIP, Draft
from bot.config.import_common import (
    NO_BULLET_WITHOUT_INCREMENT,
    SELECTIONS,
    SPEEDS,
    VARIANTS,
    chat,
    engine_path,
    limits,
    options,
    variant,
    variants,
)
from bot.config.values import CHESS

_REASONS = {
    "matchmaking": "Krait does not look for opponents by itself yet",
    "online_moves": "Krait has no online sources of moves yet",
    "opening_explorer": "Krait has no online sources of moves yet",
    "lichess_cloud": "Krait has no online sources of moves yet",
    "chessdb": "Krait has no online sources of moves yet",
    "online_egtb": "Krait has no online sources of moves yet",
    "gaviota": "Krait reads Syzygy tables, not Gaviota's",
    "opening_books": "switched off there",
    "opening_books.priority": "a book comes before the engine, always",
    "opening_books.read_learn": "Krait does not read a book's learning data",
    "books": "no book of the opening_books section uses it",
    "offer_draw.min_rating": "draws do not depend on the opponent's rating",
    "resign.min_rating": "resigning does not depend on the opponent's rating",
}
_ENGINE_REASONS = {
    "silence_stderr": "what an engine writes to stderr never disturbs Krait",
    "move_overhead_multiplier": "the way to Lichess is measured in each game; clock.overhead_ms comes on top",
    "limits": "an engine thinks by the clock; give it a limit with its own options",
}
_BOOK_REASONS = {
    "max_moves": "a book is followed up to book.max_ply",
    "allow_repetitions": "a book move that repeats the position is judged by Krait itself",
}
_INCREMENT_ONLY = "bullet_with_increment_only"  # the older form means bots
_TIMES = ("min_initial", "max_initial", "min_increment", "max_increment")


def translate(draft: Draft) -> None:
    draft.reasons = dict(sorted(_REASONS.items(), key=lambda item: -len(item[0])))
    if draft.get("token"):
        draft.leave("token", LIP)
    draft.move("url", "lichess.url", lambda url: str(url).rstrip("/"))
    draft.move("challenge.concurrency", "games.max_games", int)
    draft.move("challenge.max_takebacks", "takeback.max_a_game", int)
    _people(draft)
    _challenges(draft)
    _engines(draft)
    _books(draft)
    _tables(draft)
    _manners(draft)


def _people(draft: Draft) -> None:
    draft.move("whitelist", "challenges.welcome", lambda names: [str(name) for name in names])
    blocked = [*draft.names("blacklist"), *draft.names("online_blacklists")]
    for theirs in ("blacklist", "online_blacklists"):
        if draft.get(theirs):
            draft.put(theirs, "challenges.block", blocked)


def _challenges(draft: Draft) -> None:
    """Their older form has one set of rules, the newer one set for humans and one for bots."""
    _rules(draft, "challenge", "challenges")
    for kind in ("human", "bot"):
        _rules(draft, f"challenge.{kind}", f"challenges.{kind}")
        draft.move(f"challenge.{kind}_modes", f"challenges.{kind}.modes", list)
    _refused_kinds(draft)


def _rules(draft: Draft, theirs: str, ours: str) -> None:
    draft.move(f"{theirs}.variants", f"{ours}.variants", variants)
    draft.move(f"{theirs}.modes", f"{ours}.modes", list)
    draft.move(f"{theirs}.max_estimated_game_duration", f"{ours}.max_minutes", float)
    words = [word for word in draft.names(f"{theirs}.time_controls") if word in SPEEDS or "+" in word]
    if not words:
        return
    bounds = {key: draft.number(f"{theirs}.{key}") or None for key in _TIMES}  # 0 means "not set" there
    said = [*words, *limits(*bounds.values())]
    keys = ["time_controls", *(key for key, bound in bounds.items() if bound is not None)]
    if draft.get(f"{theirs}.{_INCREMENT_ONLY}") and ours == "challenges":
        own = [*said, NO_BULLET_WITHOUT_INCREMENT]
        draft.put(f"{theirs}.{_INCREMENT_ONLY}", "challenges.bot.time_controls", own)
    elif draft.get(f"{theirs}.{_INCREMENT_ONLY}"):
        said.append(NO_BULLET_WITHOUT_INCREMENT)
        keys.append(_INCREMENT_ONLY)
    for key in keys:
        draft.put(f"{theirs}.{key}", f"{ours}.time_controls", said)


def _refused_kinds(draft: Draft) -> None:
    """An empty list means there: nobody of this kind."""
    rules = draft.tree.get("challenges", {})
    accepted = []
    for kind in ("human", "bot"):
        lists = ("variants", "time_controls", "modes")
        if any(draft.get(f"challenge.{kind}.{name}") == [] for name in lists):
            rules.pop(kind, None)
            draft.note(f"challenge.{kind}", "challenges.accept")
        else:
            accepted += [kind, "anonymous"] if kind == "human" else [kind]
    if accepted and len(accepted) < 3:
        draft.tree.setdefault("challenges", {})["accept"] = accepted


def _engines(draft: Draft) -> None:
    """Each of theirs is for a variant, a speed or the rest; Krait, too, takes the most specific that fits."""
    engines: list[dict[str, Any]] = []
    for key, given in draft.table("engines").items():
        theirs = f"engines.{key}"
        fits = _played_by(str(key))
        if fits is None or not isinstance(given, Mapping) or not given.get("name"):
            draft.leave(theirs, "Krait chooses engines by variant and speed only")
            continue
        engine = {"name": f"{given['name']}"[:30], "command": [engine_path(given.get("dir"), given["name"])]}
        if any(engine["name"] == other["name"] for other in engines):
            engine["name"] = f"{engine['name']} {key}"[:40]
        engines.append({**engine, **fits, **dict(_extras(draft, theirs))})
        draft.note(f"{theirs}.dir", "engines.command")
        draft.note(f"{theirs}.name", "engines.command")
    if engines:
        draft.tree["engines"] = engines
        _only_what_is_played(draft, {name for engine in engines for name in engine["variants"]})


def _played_by(key: str) -> dict[str, Any] | None:
    if key == "standard":
        return {"variants": list(CHESS)}
    if key == "variants":
        return {"variants": [name for name in VARIANTS if name not in CHESS]}
    if key in SPEEDS:
        return {"variants": list(CHESS), "speeds": [key]}
    try:
        return {"variants": [variant(key)]}
    except KeyError:
        return None


def _extras(draft: Draft, theirs: str) -> Iterator[tuple[str, Any]]:
    if (ponder := draft.get(f"{theirs}.ponder")) is not None:
        draft.note(f"{theirs}.ponder", "engines.ponder")
        yield "ponder", bool(ponder)
    if said := options(draft.get(f"{theirs}.uci_options")):
        draft.note(f"{theirs}.uci_options", "engines.options")
        yield "options", said
    for name, why in _ENGINE_REASONS.items():
        if draft.get(f"{theirs}.{name}") is not None:
            draft.leave(f"{theirs}.{name}", why)


def _only_what_is_played(draft: Draft, played: set[str]) -> None:
    rules = draft.tree.get("challenges", {})
    for table in (rules, rules.get("human", {}), rules.get("bot", {})):
        if "variants" in table:
            table["variants"] = [name for name in table["variants"] if name in played]


def _books(draft: Draft) -> None:
    if not draft.get("opening_books.enabled"):
        return
    draft.note("opening_books.enabled", "book.files")
    paths = draft.table("books")
    for key, given in draft.table("opening_books.books").items():
        theirs = f"opening_books.books.{key}"
        fits = _played_by(str(key))
        if fits is None or "speeds" in fits or key == "variants" or not isinstance(given, Mapping):
            draft.leave(theirs, "Krait chooses books by variant only")
            continue
        names = draft.names(f"{theirs}.names")
        files = [str(paths[name]) for name in names if name in paths]
        draft.put(f"{theirs}.names", f"book.files.{fits['variants'][0]}", files)
        for name in names:
            draft.note(f"books.{name}", "book.files")
        draft.move(f"{theirs}.selection", "book.selection", SELECTIONS.__getitem__)
        draft.move(f"{theirs}.max_depth", "book.max_ply", int)
        for name, why in _BOOK_REASONS.items():
            if draft.get(f"{theirs}.{name}") is not None:
                draft.leave(f"{theirs}.{name}", why)


def _tables(draft: Draft) -> None:
    folders: list[str] = []
    for key, given in draft.table("syzygy").items():
        theirs = f"syzygy.{key}"
        if not isinstance(given, Mapping) or not given.get("enabled"):
            draft.leave(theirs, "switched off there")
            continue
        folders += draft.names(f"{theirs}.paths")
        draft.put(f"{theirs}.paths", "tablebase.paths", folders)
        draft.note(f"{theirs}.enabled", "tablebase.paths")
        draft.move(f"{theirs}.max_pieces", "tablebase.max_pieces", int)
        if given.get("instant_play") is not None:
            draft.leave(f"{theirs}.instant_play", "a table's move is always played at once")


def _manners(draft: Draft) -> None:
    for name in ("greeting", "goodbye", "greeting_spectators", "goodbye_spectators"):
        chat(draft, f"messages.{name}", f"chat.{name}")
    for theirs, ours in (("offer_draw", "draw"), ("resign", "resign")):
        draft.move(f"{theirs}.enabled", f"{ours}.enabled", bool)
        draft.move(f"{theirs}.score", f"{ours}.score_cp", lambda score: abs(int(score)))
        draft.move(f"{theirs}.consecutive_moves", f"{ours}.moves", int)
    draft.move("offer_draw.min_game_length", "draw.from_move", int)
    draft.move("offer_draw.against_humans", "draw.offer_to_humans", bool)
    draft.move("resign.against_humans", "resign.to_humans", bool)
