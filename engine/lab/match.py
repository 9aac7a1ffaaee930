"""`krait lab match`: from the words of the command line to a plan, and from the plan to a result."""

import contextlib
import os
import random
import signal
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

import chess
import chess.syzygy
from rich.console import Console

from engine.lab import openings, pgn, report
from engine.lab.adjudicate import BLACK, DRAW, WHITE, Ending
from engine.lab.elo import Sprt
from engine.lab.game import Terms
from engine.lab.openings import OpeningError
from engine.lab.settings import EngineSpec, Limit, SettingError, adjudication, engine_spec, numbers
from engine.lab.tournament import Finished, Plan, Tournament
from engine.lab.uci_client import Patience

# Slots are short of time only when they wake: let a waking one have the interpreter soon.
SWITCH_S = 0.0005


class Words(NamedTuple):
    """The command line as it was typed; the meaning of each is in the help of `krait lab match`."""

    engines: list[str]
    each: str
    tc: str | None
    nodes: int | None
    depth: int | None
    movetime_ms: int | None
    games: int
    concurrency: int
    openings: Path | None
    order: str
    seed: int | None
    start: int
    chess960: bool
    sprt: str | None
    resign: str | None
    draw: str | None
    max_plies: int
    tablebases: str | None
    margin_ms: int
    patience_s: float
    grace_s: float
    search_s: float
    pgn: Path | None
    json: Path | None
    report: int


def run(words: Words) -> int:
    """Play the match and print it; the exit code: 0 played, 1 could not go on, 2 refused, 128 + signal."""
    console, errors = Console(), Console(stderr=True)
    with contextlib.ExitStack() as stack:
        try:
            plan = plan_of(words, stack)
            games = stack.enter_context(words.pgn.open("a")) if words.pgn else None
        except (SettingError, OpeningError, OSError) as error:
            errors.print(f"krait lab match: {error}", style="red", markup=False, highlight=False)
            return 2
        if words.concurrency > (os.cpu_count() or 1):
            errors.print("more games at once than processors: the clocks will not be fair", style="yellow")
        _announce(console, plan, words)
        return _play(console, plan, words, games)


def _play(console: Console, plan: Plan, words: Words, games: IO[str] | None) -> int:
    sys.setswitchinterval(SWITCH_S)
    tournament = Tournament(plan)
    with (
        report.watching(console, tournament.tally, plan.games, words.report) as watch,
        signals(tournament.interrupt),
    ):

        def on_game(finished: Finished) -> None:
            if games:
                games.write(_pgn(plan, finished))
                games.flush()
            watch(finished)

        tournament.run(on_game)
    ended_by = tournament.ended_by
    report.say(console, report.summary(tournament.tally, ended_by))
    if words.json:
        used = str(words.openings) if words.openings else None
        report.write_json(words.json, report.as_dict(plan, tournament.tally, ended_by, used))
    return 128 + ended_by if isinstance(ended_by, int) else int(isinstance(ended_by, Exception))


def _announce(console: Console, plan: Plan, words: Words) -> None:
    first, second = plan.specs
    limits = str(first.limit) if first.limit == second.limit else f"{first.limit} against {second.limit}"
    order = "in order" if plan.seed is None else f"seed {plan.seed}"
    book = f"{words.openings} ({len(plan.book)}, {order})" if plan.book else "none: every game from the start"
    report.say(console, f"{first.name} vs {second.name}  {limits}  openings {book}")


def _pgn(plan: Plan, finished: Finished) -> str:
    white, black = plan.specs[finished.white], plan.specs[1 - finished.white]
    return pgn.to_pgn(finished.played, finished.number, white, black, plan.terms.chess960)


def plan_of(words: Words, stack: contextlib.ExitStack) -> Plan:
    """SettingError or OpeningError: the words do not make a match. Tables are closed with the stack."""
    if words.order not in {"random", "sequential"}:
        raise SettingError(f"--order must be random or sequential, not {words.order!r}")
    drawn = random.SystemRandom().randrange(1 << 32) if words.seed is None else words.seed
    probe = _tablebase(words.tablebases, stack) if words.tablebases else lambda _: None
    return Plan(
        specs=_specs(words),
        games=words.games,
        concurrency=min(words.concurrency, words.games),
        book=openings.load(words.openings, words.chess960) if words.openings else None,
        seed=drawn if words.order == "random" else None,
        start=words.start - 1,
        terms=Terms(
            adjudication(words.resign, words.draw, words.max_plies), words.margin_ms, words.chess960, probe
        ),
        patience=Patience(words.patience_s, words.grace_s, words.search_s),
        sprt=_sprt(words.sprt) if words.sprt is not None else None,
    )


def _specs(words: Words) -> tuple[EngineSpec, EngineSpec]:
    if len(words.engines) != 2:
        raise SettingError(f"--engine must be given twice, not {len(words.engines)} times")
    given = words.tc or words.nodes or words.depth or words.movetime_ms
    common = Limit.parse(words.tc, words.nodes, words.depth, words.movetime_ms) if given else None
    first, second = (engine_spec(text, words.each, common) for text in words.engines)
    if first.name == second.name:
        first, second = first._replace(name=f"{first.name}-1"), second._replace(name=f"{second.name}-2")
    return first, second


def _sprt(text: str) -> Sprt:
    sprt = Sprt(**numbers(text, {"elo0": 0, "elo1": 5, "alpha": 0.05, "beta": 0.05}))
    if sprt.elo0 >= sprt.elo1 or not (0 < sprt.alpha < 0.5 and 0 < sprt.beta < 0.5):
        raise SettingError(f"SPRT {text!r}: elo0 must be below elo1, alpha and beta between 0 and 0.5")
    return sprt


def _tablebase(folder: str, stack: contextlib.ExitStack) -> Callable[[chess.Board], Ending | None]:
    """Win, draw or loss by the tables right after a capture or pawn move, where they are exact under
    the fifty-move rule.
    """
    tables = stack.enter_context(chess.syzygy.open_tablebase(folder))
    if not tables.wdl:
        raise SettingError(f"{folder}: no Syzygy tables (*.rtbw) in it")
    largest = max(name.count("v") * -1 + len(name) for name in tables.wdl)

    def probe(board: chess.Board) -> Ending | None:
        if board.halfmove_clock or board.castling_rights or chess.popcount(board.occupied) > largest:
            return None
        wdl = tables.get_wdl(board)
        if wdl is None:
            return None
        winner = DRAW if abs(wdl) < 2 else WHITE if (wdl > 0) == board.turn else BLACK
        return Ending(winner, "adjudication: tablebase")

    return probe


@contextlib.contextmanager
def signals(interrupt: Callable[[int], None]) -> Iterator[None]:
    """The first SIGINT or SIGTERM is told to `interrupt`; a second one does what it usually does."""
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in usual.items():
            signal.signal(number, handler)

    def caught(number: int, _: types.FrameType | None) -> None:
        restore()
        interrupt(number)

    for number in usual:
        signal.signal(number, caught)
    try:
        yield
    finally:
        restore()
