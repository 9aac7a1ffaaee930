"""lichess-bot's `config.yml` in our words."""

import math
from typing import Any

from bot.config.draft import LIP, Draft
from bot.config.import_common import (
    NO_BULLET_WITHOUT_INCREMENT,
    SELECTIONS,
    SPEEDS,
    chat,
    engine_path,
    limits,
    options,
    variant,
    variants,
)

_ENGINE, _CHALLENGE, _END = "engine.", "challenge.", "engine.draw_or_resign."
_BOOK, _SYZYGY = "engine.polyglot.", "engine.lichess_bot_tbs.syzygy."
_BOUNDS = ("min_base", "max_base", "min_increment", "max_increment")
_REASONS = {
    "matchmaking": "Krait does not look for opponents by itself yet",
    "engine.online_moves": "Krait has no online sources of moves yet",
    "engine.lichess_bot_tbs.gaviota": "Krait reads Syzygy tables, not Gaviota's",
    "engine.lichess_bot_tbs.syzygy.move_quality": "the best move is played",
    "engine.polyglot": "switched off there",
    "engine.lichess_bot_tbs.syzygy": "switched off there",
    "engine.polyglot.normalization": "weights are taken as the book has them",
    "engine.draw_or_resign.resign_for_egtb_minus_two": "a table's word always counts",
    "engine.draw_or_resign.offer_draw_for_egtb_zero": "a table's word always counts",
    "engine.uci_options.go_commands": "an engine thinks by the clock; give it a limit with its own options",
    "engine.xboard_options.go_commands": "an engine thinks by the clock",
    "engine.homemade_options": "an engine is a program of its own here",
    "engine.debug": "Krait's log tells what matters of an engine",
    "engine.silence_stderr": "what an engine writes to stderr never disturbs Krait",
    "fake_think_time": "Krait does not pretend to think",
    "rate_limiting_delay": "Krait keeps below the limits of Lichess by itself",
    "move_overhead": "the way to Lichess is measured in each game; clock.overhead_ms comes on top of it",
    "correspondence.disconnect_time": "correspondence games sleep without a connection",
    "correspondence.ponder": "engines do not ponder in correspondence games",
}


def translate(draft: Draft) -> None:
    draft.reasons = dict(sorted(_REASONS.items(), key=lambda item: -len(item[0])))
    if draft.get("token"):
        draft.leave("token", LIP)
    draft.move("url", "lichess.url", lambda url: str(url).rstrip("/"))
    _games(draft)
    _challenges(draft)
    _time_controls(draft)
    _engine(draft)
    _sources(draft)
    _manners(draft)


def _games(draft: Draft) -> None:
    draft.move("challenge.concurrency", "games.max_games", int)
    draft.move("challenge.games_reserved_for_humans", "games.reserved_for_humans", int)
    draft.move("correspondence.checkin_period", "games.correspondence_check_s", int)
    draft.move("correspondence.move_time", "clock.correspondence_move_s", int)
    draft.move("quit_after_all_games_finish", "games.drain", lambda wait: "finish" if wait else "leave")
    draft.move("abort_time", "games.abort_after_human_s", int)
    draft.move("abort_time", "games.abort_after_bot_s", int)
    draft.move("max_takebacks_accepted", "takeback.max_a_game", int)
    draft.move("pgn_directory", "pgn.folder", str)
    draft.move("pgn_file_grouping", "pgn.per", {"game": "game"}.__getitem__)


def _challenges(draft: Draft) -> None:
    draft.move("challenge.variants", "challenges.variants", variants)
    draft.move("challenge.modes", "challenges.modes", list)
    draft.move("challenge.min_rating", "challenges.rating_min", int)
    draft.move("challenge.max_rating", "challenges.rating_max", int)
    draft.move("challenge.rating_difference", "challenges.below_ours", int)
    draft.move("challenge.rating_difference", "challenges.above_ours", int)
    draft.move("challenge.max_simultaneous_games_per_user", "challenges.per_user_at_once", int)
    draft.move("challenge.allow_list", "challenges.only", list)
    blocked = [*draft.names("challenge.block_list"), *draft.names("challenge.online_block_list")]
    for theirs in ("challenge.block_list", "challenge.online_block_list"):
        if draft.get(theirs):
            draft.put(theirs, "challenges.block", blocked)
    _kinds(draft)
    _order(draft)
    age_s = draft.number("challenge.recent_bot_challenge_age")
    if age_s:
        cap = "per_user_day" if age_s > 6 * 3600 else "per_user_hour"
        draft.move("challenge.max_recent_bot_challenges", f"challenges.bot.{cap}", int)
        draft.note("challenge.recent_bot_challenge_age", f"challenges.bot.{cap}")


def _kinds(draft: Draft) -> None:
    bots_only, bots = draft.get("challenge.only_bot"), draft.get("challenge.accept_bot")
    if bots_only:
        draft.put("challenge.only_bot", "challenges.accept", ["bot"])
    elif bots is False:
        draft.put("challenge.accept_bot", "challenges.accept", ["human", "anonymous"])
    for theirs in ("challenge.only_bot", "challenge.accept_bot"):
        if draft.get(theirs) is not None:
            draft.note(theirs, "challenges.accept")


def _order(draft: Draft) -> None:
    draft.move("challenge.sort_by", "challenges.sort", str)
    match draft.get("challenge.preference"):
        case "human":
            draft.put("challenge.preference", "challenges.sort", "humans")
        case None:
            pass
        case "none":
            draft.note("challenge.preference", "challenges.sort")
        case _:
            draft.leave("challenge.preference", "bots are never taken before humans")


def _time_controls(draft: Draft) -> None:
    """Their speeds, with their bounds as exclusions; days a turn are a range of their own."""
    named = draft.names("challenge.time_controls")
    bounds = {key: draft.number(f"{_CHALLENGE}{key}") for key in _BOUNDS}
    days = {key: draft.number(f"{_CHALLENGE}{key}") for key in ("min_days", "max_days")}
    said = [word for word in named if word in SPEEDS]
    said += limits(*bounds.values()) if said else []
    said += _days(*days.values()) if "correspondence" in named else []
    if not said:
        return
    known = [key for key, bound in (bounds | days).items() if bound is not None]
    for key in ("time_controls", *known):
        draft.put(f"{_CHALLENGE}{key}", "challenges.time_controls", said)
    if draft.get("challenge.bullet_requires_increment"):
        own = [*said, NO_BULLET_WITHOUT_INCREMENT]
        draft.put("challenge.bullet_requires_increment", "challenges.bot.time_controls", own)


def _days(least: float | None, most: float | None) -> list[str]:
    first = int(min(max(least or 1, 1), 14))
    if most is None or math.isinf(most):
        return [f"correspondence {first}..14", "unlimited"]
    return [f"correspondence {first}..{int(most)}"]


def _engine(draft: Draft) -> None:
    given = draft.table("engine")
    if not given.get("name"):
        return
    protocol = str(given.get("protocol", "uci"))
    if protocol not in {"uci", "xboard"}:
        draft.leave("engine", f"a {protocol} engine is no program to be started: make it speak UCI")
        return
    arguments = [f"--{name}={value}" for name, value in options(given.get("engine_options")).items()]
    before = [*draft.names("engine.interpreter"), *draft.names("engine.interpreter_options")]
    engine: dict[str, Any] = {"name": str(given["name"])[:40]}
    engine["command"] = [*filter(None, before), engine_path(given.get("dir"), given["name"]), *arguments]
    engine |= {"protocol": protocol} if protocol != "uci" else {}
    engine |= {"cwd": str(given["working_dir"])} if given.get("working_dir") else {}
    engine |= {"ponder": bool(given["ponder"])} if given.get("ponder") is not None else {}
    engine |= {"options": said} if (said := _options(draft, protocol)) else {}
    if "variants" in draft.tree.get("challenges", {}):
        engine["variants"] = draft.tree["challenges"]["variants"]
    draft.tree["engines"] = [engine]
    _note_engine(draft)


def _note_engine(draft: Draft) -> None:
    for theirs in ("dir", "name", "interpreter", "interpreter_options", "engine_options"):
        if draft.get(f"{_ENGINE}{theirs}"):
            draft.note(f"{_ENGINE}{theirs}", "engines.command")
    for theirs, ours in (("working_dir", "cwd"), ("protocol", "protocol"), ("ponder", "ponder")):
        if draft.get(f"{_ENGINE}{theirs}") is not None:
            draft.note(f"{_ENGINE}{theirs}", f"engines.{ours}")


def _options(draft: Draft, protocol: str) -> dict[str, Any]:
    table = f"engine.{protocol}_options"
    paths = {f"egtpath {kind}": path for kind, path in options(draft.get(f"{table}.egtpath")).items()}
    for kind in options(draft.get(f"{table}.egtpath")):
        draft.note(f"{table}.egtpath.{kind}", "engines.options")
    plain = options(draft.get(table))
    for name in plain:
        draft.note(f"{table}.{name}", "engines.options")
    return plain | paths


def _sources(draft: Draft) -> None:
    if draft.get("engine.polyglot.enabled"):
        draft.note("engine.polyglot.enabled", "book.files")
        for name in draft.table("engine.polyglot.book"):
            draft.move(f"{_BOOK}book.{name}", f"book.files.{_variant_or(str(name))}", _listed)
        draft.move("engine.polyglot.selection", "book.selection", SELECTIONS.__getitem__)
        draft.move("engine.polyglot.min_weight", "book.min_weight", int)
        draft.move("engine.polyglot.max_depth", "book.max_ply", lambda moves: 2 * int(moves))
    if draft.get(f"{_SYZYGY}enabled"):
        draft.note(f"{_SYZYGY}enabled", "tablebase.paths")
        draft.move(f"{_SYZYGY}paths", "tablebase.paths", _listed)
        draft.move(f"{_SYZYGY}max_pieces", "tablebase.max_pieces", int)


def _variant_or(name: str) -> str:
    try:
        return variant(name)
    except KeyError:
        return name  # the model will say what is wrong with it


def _listed(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _manners(draft: Draft) -> None:
    for theirs, ours in (("hello", "greeting"), ("goodbye", "goodbye")):
        chat(draft, f"greeting.{theirs}", f"chat.{ours}")
        chat(draft, f"greeting.{theirs}_spectators", f"chat.{ours}_spectators")
    draft.move(f"{_END}resign_enabled", "resign.enabled", bool)
    draft.move(f"{_END}resign_score", "resign.score_cp", lambda score: abs(int(score)))
    draft.move(f"{_END}resign_moves", "resign.moves", int)
    draft.move(f"{_END}offer_draw_enabled", "draw.enabled", bool)
    draft.move(f"{_END}offer_draw_score", "draw.score_cp", lambda score: abs(int(score)))
    draft.move(f"{_END}offer_draw_moves", "draw.moves", int)
    draft.move(f"{_END}offer_draw_pieces", "draw.max_pieces", int)
