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


@lab.command()
def datagen(
    out: Annotated[Path, typer.Option(dir_okay=False, help="Games go here, settings beside it (.json).")],
    engine: Annotated[
        str, typer.Option(help="krait: our own, in process. Else a UCI engine: name, path or command.")
    ] = "krait",
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE for the UCI engine.")] = None,
    hash_mb: Annotated[int, typer.Option("--hash", min=1, max=1024, help="Table, megabytes.")] = 4,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes a move, ±20 %.")] = 500,
    games: Annotated[int | None, typer.Option(min=1, help="Games in the file at the end.")] = None,
    positions: Annotated[int | None, typer.Option(min=1, help="Or: scored positions, at least.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Other seeds, other games.")] = 1,
    processes: Annotated[int, typer.Option("--processes", "-p", min=1, max=512, help="At once.")] = 1,
    max_plies: Annotated[int, typer.Option(min=20, max=10_000, help="A draw at this length.")] = 400,
    patience: Annotated[float, typer.Option(min=0.1, help="Seconds for one search.")] = 60.0,
) -> None:
    """Let an engine play itself and write every move with its score.

    Random openings of 5 to 12 plies that the first search calls balanced; adjudicated at ±2000 cp held for 8
    plies, and as drawn at 12 plies within ±5 cp after ply 80. The file depends on the settings alone, not on
    the number of processes. Ctrl-C, SIGTERM or a kill loses no more than the games under way: the same
    command line goes on. `xz` the file when it is full; every lab command reads .bin and .bin.xz.

    krait lab datagen --engine stockfish --processes 4 --positions 1000000 --out games.bin
    """
    from rich.console import Console

    from engine.lab import datagen as command

    words = command.Words(
        out=out, engine=engine, options=option or [], hash_mb=hash_mb, nodes=nodes, games=games,
        positions=positions, seed=seed, processes=processes, max_plies=max_plies, patience_s=patience,
    )  # fmt: skip
    raise typer.Exit(command.run(words, Console(stderr=True)))


STATE = "Where the run lives; a run that is already there goes on."
PARAMS = "Names and groups (lmr, nmp, qs…) of engine/params.py, with commas; all: every one but switches."
PERTURBATION = "How far the last iteration tries, in steps; a step is a twentieth of the range, at least 1."
RATE = "How much of that the last iteration moves, if one side wins all its games."


@lab.command()
def tune(
    show: Annotated[Path | None, typer.Option(help="Only print what this state file holds.")] = None,
    state: Annotated[Path, typer.Option(help=STATE)] = Path("tune.json"),
    openings: Annotated[
        Path | None, typer.Option("--openings", "-o", help="EPD or PGN, plain, .zip or .gz.")
    ] = None,
    params: Annotated[str, typer.Option(help=PARAMS)] = "all",
    iterations: Annotated[int, typer.Option(min=1, help="In all, with those already done.")] = 2_500,
    pairs: Annotated[int, typer.Option(min=1, help="Openings an iteration, each with both colours.")] = 4,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a move; 10000 without --tc.")] = None,
    tc: Annotated[str | None, typer.Option(help=TC)] = None,
    hash_mb: Annotated[int, typer.Option("--hash", min=1, help="Megabytes, each side.")] = 16,
    processes: Annotated[int, typer.Option("--processes", "-p", min=1, help="Iterations at once.")] = 1,
    seed: Annotated[int | None, typer.Option(min=0, help="Of everything; drawn when not given.")] = None,
    perturbation: Annotated[float, typer.Option(min=0.01, help=PERTURBATION)] = 1.0,
    rate: Annotated[float, typer.Option(min=1e-6, help=RATE)] = 0.02,
    resign: Annotated[str, typer.Option(help="As in a match; '': off.")] = "moves=4,score=600",
    draw: Annotated[str, typer.Option(help="As in a match; '': off.")] = "after=40,moves=8,score=10",
    max_plies: Annotated[int, typer.Option(min=0, help="Adjudicate a draw at this length; 0: never.")] = 400,
    report: Annotated[int, typer.Option(min=1, help="The table, every so many iterations.")] = 100,
    png: Annotated[Path | None, typer.Option(help="Draw the paths into this file at the end.")] = None,
) -> None:
    """Tune the search's numbers by games of the engine against itself (SPSA).

    Ctrl-C, SIGTERM or a kill loses only the iterations under way; the same words go on from the state file.

    krait lab tune -o 8moves_v3.pgn.zip -p 2 --params lmr,nmp --state lmr.json --png lmr.png
    """
    from engine.lab import tune as command
    from engine.lab.tune_plan import Words as TuneWords

    if show:
        raise typer.Exit(command.show(show, png))
    if openings is None:
        raise typer.BadParameter("a book is needed", param_hint="--openings")
    words = TuneWords(
        state=state, openings=openings, params=params, iterations=iterations, pairs=pairs, tc=tc, nodes=nodes,
        hash_mb=hash_mb, processes=processes, seed=seed, perturbation=perturbation, rate=rate, resign=resign,
        draw=draw, max_plies=max_plies, report=report, png=png,
    )  # fmt: skip
    raise typer.Exit(command.run(words))


@lab.command()
def train(
    games: Annotated[
        list[Path], typer.Argument(exists=True, dir_okay=False, help="Scored games, .bin or .bin.xz.")
    ],
    out: Annotated[Path, typer.Option(file_okay=False, help="The run's folder.")],
    hidden: Annotated[int, typer.Option(min=16, max=4096, help="Neurons of each view.")] = 256,
    king_buckets: Annotated[str, typer.Option(help="Layout: one, two, four or eight.")] = "one",
    output_buckets: Annotated[int, typer.Option(help="By the number of men: 1, 2, 4 or 8.")] = 8,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the positions.")] = 10,
    batch: Annotated[int, typer.Option(min=1, help="Positions to a step.")] = 16_384,
    rate: Annotated[float, typer.Option(min=1e-7, help="AdamW's, at its highest.")] = 0.001,
    decay: Annotated[float, typer.Option(min=0, help="AdamW's, of the weights.")] = 0.01,
    share: Annotated[
        float, typer.Option(min=0, max=1, help="Of the score in the target; rest: result.")
    ] = 0.75,
    score_scale: Annotated[float, typer.Option(min=1, help="Centipawns to a unit of log-odds.")] = 300.0,
    power: Annotated[float, typer.Option(min=1, max=4, help="Of the error in the loss.")] = 2.0,
    max_score: Annotated[int, typer.Option(min=1, help="Leave out what is more decided.")] = 2_500,
    noisy: Annotated[
        bool, typer.Option("--noisy", help="Train also in check and where a capture is best.")
    ] = False,
    validation: Annotated[float, typer.Option(min=0.0001, max=0.4, help="Share of the games.")] = 0.04,
    test: Annotated[float, typer.Option(min=0.0001, max=0.4, help="Share kept for `quantise`.")] = 0.04,
    seed: Annotated[int, typer.Option(min=0, help="Of the first weights and of the order.")] = 1,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Part of the recipe: sums depend on it.")] = 2,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
) -> None:
    """Train a net on scored games. Needs PyTorch.

    The folder holds config.json (options, hashes of the data, versions), checkpoint.pt after every epoch,
    history.csv and curves.png. Ctrl-C or SIGTERM leaves a checkpoint; the same command with --resume ends in
    the same net as a run that was never stopped.

    krait lab train ../shared/data/games/a.bin.xz ../shared/data/games/b.bin.xz --out runs/first
    """
    from rich.console import Console

    from engine.lab import train as command
    from engine.lab.runfolder import Options
    from engine.lab.shape import Shape

    options = Options(
        files=tuple(games), out=out, shape=Shape(hidden, king_buckets, output_buckets), epochs=epochs,
        batch=batch, rate=rate, decay=decay, share=share, score_scale=score_scale, power=power,
        max_score=max_score, noisy=noisy, validation=validation, test=test, seed=seed, threads=threads,
    )  # fmt: skip
    try:
        trainer = command.run(options, resume, Console(stderr=True))
    except ValueError as error:
        typer.echo(f"krait: {error}", err=True)
        raise typer.Exit(2) from None
    raise typer.Exit(130 if trainer.done < trainer.steps else 0)


@lab.command()
def quantise(
    run: Annotated[Path, typer.Argument(exists=True, help="A folder of `train`, or a checkpoint in one.")],
    out: Annotated[Path, typer.Option(dir_okay=False, help="The net file.")],
) -> None:
    """Write a trained net in whole numbers, as the engine plays it.

    Proves that no sum overflows on any legal position, measures what rounding costs on the games kept for
    validation and for the test, and refuses a net that could overflow.

    krait lab quantise runs/first --out first.nnue
    """
    from rich.console import Console

    from engine.lab import quantise as command

    try:
        command.run(run, out, Console(stderr=True))
    except (ValueError, OSError) as error:
        typer.echo(f"krait: {error}", err=True)
        raise typer.Exit(2) from None


@lab.command()
def wdl(
    games: Annotated[
        list[Path], typer.Argument(exists=True, dir_okay=False, help="Scored games, .bin or .bin.xz.")
    ],
    max_score: Annotated[int, typer.Option(min=1, help="Leave out what is more decided, centipawns.")] = 800,
    positions: Annotated[int, typer.Option(min=1, help="At most, drawn from all.")] = 1_000_000,
) -> None:
    """Fit what a score means: chances of win, draw and loss, from games with scores and results.

    The games should be the engine's own (krait lab datagen): krait lab wdl ours.bin
    """
    from rich.console import Console

    from engine.lab import wdl_report as command

    try:
        command.run(games, max_score, positions, Console())
    except ValueError as error:
        typer.echo(f"krait: {error}", err=True)
        raise typer.Exit(2) from None


@lab.command()
def label(
    games: Annotated[
        list[Path], typer.Argument(exists=True, dir_okay=False, help="Scored games, .bin or .bin.xz.")
    ],
    out: Annotated[Path, typer.Option(dir_okay=False, help="Positions go here (.pos), notes beside it.")],
    engine: Annotated[str, typer.Option(help="The UCI engine that scores: name or path.")] = "stockfish",
    nodes: Annotated[
        int, typer.Option(min=0, help="For each position; 0: the word of Stockfish's net, not searched.")
    ] = 20,
    share: Annotated[
        float, typer.Option(min=0.001, max=1, help="Of the games' plies to leave by random moves.")
    ] = 1.0,
    moves: Annotated[int, typer.Option(min=1, max=8, help="At most so many of them, at least one.")] = 1,
    line: Annotated[int, typer.Option(min=1, max=8, help="Quiet positions of each foretold line.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Other seeds, other moves.")] = 1,
    processes: Annotated[int, typer.Option("--processes", "-p", min=1, max=512, help="At once.")] = 1,
    positions: Annotated[int | None, typer.Option(min=1, help="Enough; all if left out.")] = None,
) -> None:
    """Leave games by random moves, and let an engine score where that leads.

    A search looks at bad moves most of the time, and games show good ones: a net trained with such positions
    is the stronger for it. With --nodes 0 the net inside Stockfish 15 is asked itself, twenty times as fast,
    and exchanges that win something are played out before.

    Ctrl-C or a kill loses the blocks under way: the same command line goes on. The file depends on the
    settings alone, not on the number of processes.

    krait lab label ../shared/data/games/a.bin.xz --out branches.pos --moves 2 -p 2
    """
    from rich.console import Console

    from engine.lab import label as command
    from engine.lab.datagen_plan import command_of

    try:
        options = command.Options(
            tuple(games), out, command_of(engine), nodes, share, moves, line, seed, processes, positions
        )
        total = command.run(options, Console(stderr=True))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except (ValueError, OSError) as error:
        typer.echo(f"krait: {error}", err=True)
        raise typer.Exit(2) from None
    typer.echo(f"{out}: {total:,} positions")
