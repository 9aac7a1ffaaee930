"""`krait lab`: the commands. What a command needs is imported inside it, so that help is quick."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from engine.lab.match import Words

lab = typer.Typer(
    help="Measure the engine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # a traceback is a fault of ours, and is shown as it is
)


@lab.callback()
def _lab() -> None:
    """Measure the engine."""


ENGINE = """An engine, given twice; the result is the first one's. Words: cmd='program args' (the only one
needed), name=…, dir=FOLDER (cmd is relative to it), option.NAME=VALUE, and tc= nodes= depth= movetime= to
override the common limit."""
TC = "Clock in seconds: BASE+INC, or MOVES/BASE+INC for so many moves."
SPRT = "Stop when decided: elo0=0,elo1=5,alpha=0.05,beta=0.05 (what is left out is as here)."
RESIGN = "Adjudicate a win: moves=4,score=600: both engines agree on at least so many centipawns that long."
DRAW = (
    "Adjudicate a draw: after=40,moves=8,score=10: both within so many centipawns that long, from move 40 on."
)
SEED = "Seed of the random order of openings; drawn and printed when not given."
MARGIN = "Milliseconds over the clock that are forgiven."
PATIENCE = "Seconds to wait for an engine's first answer; the first start of a compiled engine compiles."


@lab.command()
def match(
    engine: Annotated[list[str], typer.Option("--engine", "-e", help=ENGINE)],
    each: Annotated[
        str, typer.Option(help="Words for both engines: 'option.Hash=16 option.Threads=1'.")
    ] = "",
    tc: Annotated[str | None, typer.Option(help=TC)] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a move.")] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Depth of each search.")] = None,
    movetime: Annotated[int | None, typer.Option(min=1, help="Milliseconds a move.")] = None,
    games: Annotated[int, typer.Option(min=1, help="At most so many; every opening is played twice.")] = 200,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1, help="Games at once.")] = 1,
    openings: Annotated[
        Path | None, typer.Option("--openings", "-o", help="EPD or PGN, plain, .zip or .gz.")
    ] = None,
    order: Annotated[str, typer.Option(help="random or sequential.")] = "random",
    seed: Annotated[int | None, typer.Option(help=SEED)] = None,
    start: Annotated[int, typer.Option(min=1, help="First opening, with --order sequential.")] = 1,
    chess960: Annotated[bool, typer.Option("--chess960", help="Fischer's random chess.")] = False,
    sprt: Annotated[str | None, typer.Option(help=SPRT)] = None,
    resign: Annotated[str | None, typer.Option(help=RESIGN)] = None,
    draw: Annotated[str | None, typer.Option(help=DRAW)] = None,
    max_plies: Annotated[int, typer.Option(min=0, help="Adjudicate a draw at this length; 0: never.")] = 0,
    tablebases: Annotated[str | None, typer.Option(help="Folder of Syzygy tables to adjudicate by.")] = None,
    margin: Annotated[int, typer.Option(min=0, help=MARGIN)] = 20,
    patience: Annotated[float, typer.Option(min=0, help=PATIENCE)] = 120.0,
    grace: Annotated[
        float, typer.Option(min=0, help="Seconds to wait for readyok, or bestmove after stop.")
    ] = 10.0,
    search_patience: Annotated[
        float, typer.Option(min=0, help="Longest search with no clock, seconds.")
    ] = 300.0,
    pgn: Annotated[Path | None, typer.Option(help="Append every game to this file.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the result to this file.")] = None,
    report: Annotated[int, typer.Option(min=1, help="Off a terminal: a line every so many games.")] = 10,
) -> None:
    """Play two UCI engines against each other and print the difference in Elo.

    Ctrl-C or SIGTERM ends the match with the result so far (exit code 130 or 143). Crashes, hangs, illegal
    moves and time forfeits lose the game, are named in the summary, and the engine is started anew.

    krait lab match -e "name=krait cmd=.venv/bin/krait-engine" -e "cmd=/usr/games/stockfish" --tc 10+0.1
    """
    from engine.lab import match as command

    words: Words = command.Words(
        engines=engine, each=each, tc=tc, nodes=nodes, depth=depth, movetime_ms=movetime, games=games,
        concurrency=concurrency, openings=openings, order=order, seed=seed, start=start, chess960=chess960,
        sprt=sprt, resign=resign, draw=draw, max_plies=max_plies, tablebases=tablebases, margin_ms=margin,
        patience_s=patience, grace_s=grace, search_s=search_patience, pgn=pgn, json=json, report=report,
    )  # fmt: skip
    raise typer.Exit(command.run(words))


@lab.command(name="tune-eval")
def tune_eval(
    games: Annotated[
        list[Path], typer.Argument(exists=True, dir_okay=False, help="Scored games, .bin or .bin.xz.")
    ],
    out: Annotated[Path, typer.Option(help="Where the weights go.")] = Path("engine/nets/classical.txt"),
    positions: Annotated[int, typer.Option(min=1, help="To train with, at most.")] = 6_000_000,
    validation: Annotated[float, typer.Option(min=0.0001, max=0.9, help="Share of the games.")] = 0.04,
    max_score: Annotated[
        int, typer.Option(min=1, help="Leave out what is more decided, centipawns.")
    ] = 2_000,
    share: Annotated[
        float, typer.Option(min=0, max=1, help="Of the score in the target; rest: result.")
    ] = 0.7,
    scale: Annotated[
        float | None, typer.Option(min=1, help="Of the scores, centipawns; else fitted.")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the positions.")] = 20,
    rate: Annotated[float, typer.Option(min=1e-6, help="Adam's, at the start.")] = 0.01,
    seed: Annotated[int, typer.Option(min=0, help="Of the sample and of the order.")] = 1,
) -> None:
    """Fit the classical evaluation's weights to scored games.

    krait lab tune-eval ../shared/data/games/a.bin.xz ../shared/data/games/b.bin.xz
    """
    from rich.console import Console

    from engine.lab import tune_eval as command
    from engine.lab.logistic import Settings

    settings = Settings(epochs=epochs, rate=rate, seed=seed)
    options = command.Options(
        tuple(games), out, positions, validation, max_score, share, scale, settings
    )  # fmt: skip
    try:
        command.run(options, Console(stderr=True))
    except ValueError as error:
        typer.echo(f"krait: {error}", err=True)
        raise typer.Exit(2) from None
