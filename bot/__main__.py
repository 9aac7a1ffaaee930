"""`krait`: play the engine in the terminal, look into its judgement, measure it.

Imports live inside the commands, so that `krait --help` answers without loading Numba. Whatever the user got
wrong is one line on stderr and exit code 2; a traceback is a fault of ours.
"""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.errors import BotError

if TYPE_CHECKING:
    from bot.lichess.lines import Account
    from engine.driver import Engine

app = typer.Typer(
    name="krait",
    help="Krait, a chess engine in Python: play it, question it, measure it. `krait-engine` speaks UCI.",
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

DEFAULT_MOVETIME_MS = 1000
DEFAULT_SUITE_SECONDS = 1.0


Config = Annotated[
    Path | None, typer.Option("--config", help="the file with the settings (krait.toml)", metavar="FILE")
]


class Side(StrEnum):
    WHITE = "white"
    BLACK = "black"
    RANDOM = "random"


class Bot(StrEnum):
    LICHESS_BOT = "lichess-bot"
    BOTLI = "botli"


@app.callback(invoke_without_command=True)
def krait(
    version: Annotated[bool, typer.Option("--version", help="print the version and leave")] = False,
) -> None:
    if version:
        from engine.startup import version as installed

        print(f"Krait {installed()}")
        raise typer.Exit


@app.command()
def play(
    color: Annotated[Side, typer.Option(help="the side you play")] = Side.WHITE,
    elo: Annotated[
        int | None, typer.Option(help="how strong Krait plays; without it, as well as it can")
    ] = None,
    fen: Annotated[str | None, typer.Option(help="the position to start from")] = None,
    movetime: Annotated[
        int, typer.Option(min=1, max=600_000, help="milliseconds Krait takes for a move")
    ] = DEFAULT_MOVETIME_MS,
    clock: Annotated[
        str | None, typer.Option(help="play by clock: minutes+seconds, as in 5+3", metavar="M+S")
    ] = None,
    chess960: Annotated[bool, typer.Option("--chess960", help="shuffle the back rank")] = False,
) -> None:
    """Play against Krait in this terminal."""
    from bot.terminal.seating import Wishes, sit_down

    try:
        table = sit_down(Wishes(color.value, elo, fen, movetime, clock, chess960))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    table.run()


@app.command("eval")
def evaluate(
    fen: Annotated[
        list[str] | None, typer.Argument(help="the position; the starting position if left out")
    ] = None,
) -> None:
    """Show how a position is judged, term by term, White and Black side by side."""
    from engine.notation import START_FEN, NotationError

    text = " ".join(fen or ())
    engine = _engine()
    try:
        engine.set_position(START_FEN if text in {"", "startpos"} else text, ())
    except NotationError as error:
        raise typer.BadParameter(str(error)) from error
    print(engine.breakdown())


@app.command()
def bench(
    compare: Annotated[
        bool,
        typer.Option("--compare", help="perft too, and Stockfish on the same positions where it is found"),
    ] = False,
    threads: Annotated[int, typer.Option(min=1, max=256, help="cores to think with")] = 1,
) -> None:
    """Search fixed positions: prints the node signature and, as the last line, the speed."""
    from bot.measure import run_bench

    run_bench(_engine(), threads, compare=compare)


@app.command()
def suite(
    file: Annotated[Path, typer.Argument(help="EPD with bm, am or dm operations", metavar="FILE.epd")],
    time: Annotated[
        float | None, typer.Option(min=0.001, help="seconds for a position (1 without --nodes)")
    ] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="nodes for a position")] = None,
    threads: Annotated[int, typer.Option(min=1, max=256, help="cores to think with")] = 1,
    hash_mb: Annotated[int, typer.Option("--hash", min=1, max=32_768, help="megabytes for the table")] = 64,
    chess960: Annotated[bool, typer.Option("--chess960", help="the positions are of Chess960")] = False,
) -> None:
    """Solve a suite of test positions; prints the failures and, as the last line, the count."""
    from bot.measure import run_suite
    from engine.suite import SuiteError, load

    if time is None and nodes is None:
        time = DEFAULT_SUITE_SECONDS
    try:
        load(file, chess960)  # before anything is compiled: a wrong file is told at once
    except SuiteError as error:
        raise typer.BadParameter(str(error)) from error
    engine = _engine()
    try:
        engine.resize(hash_mb)
    except MemoryError as error:
        raise typer.BadParameter(f"there is no memory for a table of {hash_mb} MB") from error
    engine.set_threads(threads)
    engine.chess960 = chess960
    run_suite(file, engine, movetime_ms=None if time is None else max(1, round(time * 1000)), nodes=nodes)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
)
def lab(context: typer.Context) -> None:
    """Matches, tournaments, tuning: `krait lab --help`."""
    try:
        from engine.lab.cli import lab as laboratory
    except ModuleNotFoundError as error:
        raise typer.TyperException(f"the lab needs {error.name}: pip install 'krait[lab]'") from error
    code = laboratory(args=context.args, prog_name="krait lab", standalone_mode=False)
    raise typer.Exit(code if isinstance(code, int) else 0)


@app.command()
def sandbox(
    opponents: Annotated[
        str,
        typer.Option(help="comma list of: random, ENGINE, ENGINE:ELO, script:MOVES, silent:N, leaver:N"),
    ] = "random",
    challenge_every: Annotated[
        str, typer.Option(help="how often an opponent challenges a bot that is online: 10s, 2m, never")
    ] = "10s",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 takes a free one")] = 8080,
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
    time_control: Annotated[
        str,
        typer.Option(help="what they ask for: minutes+seconds, days (2d) or unlimited", metavar="M+S"),
    ] = "3+2",
    variant: Annotated[str, typer.Option(help="standard, chess960, crazyhouse, atomic …")] = "standard",
    rated: Annotated[bool, typer.Option("--rated", help="they ask for rated games")] = False,
    pace: Annotated[str, typer.Option(help="how fast they move: instant or human")] = "instant",
    as_bots: Annotated[
        bool, typer.Option("--as-bots", help="opponents are BOT accounts, for a bot that looks for bots")
    ] = False,
    token: Annotated[
        list[str] | None,
        typer.Option(
            help="the token of the bot account made for you; again for a second bot", metavar="[NAME=]TOKEN"
        ),
    ] = None,
    control: Annotated[bool, typer.Option("--control", help="open the control API under /sandbox")] = False,
    state: Annotated[
        Path | None, typer.Option(help="keep the world in this file from one run to the next", metavar="FILE")
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(help="make something go wrong: drop@game,after=3  502@move,times=3  …", metavar="FAULT"),
    ] = None,
) -> None:
    """Run a local Lichess with opponents, to try any bot offline."""
    from bot.sandbox.cli import run_sandbox
    from bot.sandbox.wishes import WishError, Wishes

    wishes = Wishes(
        opponents=opponents,
        challenge_every=challenge_every,
        host=host,
        port=port,
        time_control=time_control,
        variant=variant,
        rated=rated,
        tokens=tuple(token or ()),
        control=control,
        state=state,
        faults=tuple(fault or ()),
        pace=pace,
        as_bots=as_bots,
    )
    try:
        run_sandbox(wishes)
    except WishError as error:
        raise typer.TyperException(str(error)) from error


@app.command()
def run(
    config: Config = None,
    once: Annotated[bool, typer.Option("--once", help="leave after one game")] = False,
) -> None:
    """Run the bot: accept challenges on Lichess and play them, until Ctrl-C or SIGTERM."""
    from bot.serving import run_service

    run_service(config, once=once)


@app.command()
def demo(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="the next free one if it is taken")] = 8080,
    browser: Annotated[bool, typer.Option(help="open the page in the browser, where there is one")] = True,
    auto: Annotated[
        int | None,
        typer.Option(min=1, help="no page: play so many games, print the results and leave", metavar="N"),
    ] = None,
    tc: Annotated[str, typer.Option(help="--auto: seconds and seconds a move", metavar="S+S")] = "60+1",
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="--auto: games at once")] = 2,
    opponent: Annotated[
        str, typer.Option(help="--auto: random, a UCI engine, or one with an Elo: stockfish:1500")
    ] = "random",
) -> None:
    """Play against the bot in the browser, on a local Lichess: no token, no network, nothing to set up."""
    from rich.console import Console

    if auto is None:
        from bot.demo.house import Parlour
        from bot.demo.parlour import Wish, run_parlour

        run_parlour(Wish(port, browser), Console(), Parlour())
        return
    from bot.demo.auto import Plan, parse_tc, run_demo

    try:
        plan = Plan(auto, parse_tc(tc), concurrency, opponent)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    raise typer.Exit(0 if run_demo(plan, Console()) else 1)


@app.command()
def check(
    config: Config = None,
    changed: Annotated[
        bool, typer.Option("--changed", help="show only what differs from the defaults")
    ] = False,
) -> None:
    """Show the settings in force and where each comes from; try token, engines, book, tables and database."""
    import os

    from rich.console import Console

    from bot.config.cli import check as look
    from bot.probes import PROBES

    raise typer.Exit(look(Console(), config, os.environ, PROBES, changed_only=changed))


@app.command()
def init(
    file: Annotated[Path, typer.Argument(help="where to write it")] = Path("krait.toml"),
    force: Annotated[bool, typer.Option("--force", help="write over a file that is there")] = False,
) -> None:
    """Write a file with every setting, explained, at its default."""
    from rich.console import Console

    from bot.config.cli import init as write

    raise typer.Exit(write(Console(), file, force=force))


@app.command("import-config")
def import_config(
    bot: Annotated[Bot, typer.Argument(help="whose file it is")],
    file: Annotated[Path, typer.Argument(help="their config.yml; - reads standard input")],
    out: Annotated[Path, typer.Option(help="where to write ours")] = Path("krait.toml"),
    force: Annotated[bool, typer.Option("--force", help="write over a file that is there")] = False,
) -> None:
    """Write krait.toml from the settings of lichess-bot or BotLi; list what maps and what does not."""
    from rich.console import Console

    from bot.config.cli import import_settings

    raise typer.Exit(import_settings(Console(), bot.value, file, out, force=force))


@app.command()
def upgrade(config: Config = None) -> None:
    """Turn the account of the token into a bot account. This cannot be undone."""
    from bot.serving import upgrade as turn

    def confirm(account: "Account") -> bool:
        print(f"{account.name} becomes a bot account for good: it can never play as a human again.")
        return bool(
            typer.prompt("Type the account's name to go on", default="", show_default=False) == account.name
        )

    print(turn(config, confirm))


@app.command()
def challenge(
    user: Annotated[str, typer.Argument(help="whom to ask for a game")],
    clock: Annotated[
        str, typer.Option(help='"3+2", "1/2+0", "correspondence 3" or "unlimited"', metavar="CLOCK")
    ] = "3+2",
    rated: Annotated[bool, typer.Option("--rated", help="for rating points")] = False,
    color: Annotated[Side, typer.Option(help="the side we play")] = Side.RANDOM,
    variant: Annotated[str, typer.Option(help="standard, chess960, atomic …")] = "standard",
    fen: Annotated[str | None, typer.Option(help="the position to start from")] = None,
    config: Config = None,
) -> None:
    """Ask somebody on Lichess for a game; the bot that runs (`krait run`) plays it."""
    from bot.game.timecontrol import parse_control
    from bot.serving import challenge as ask

    try:
        control = parse_control(clock)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    if fen is not None and variant == "standard":
        variant = "fromPosition"
    accepted, text = ask(
        config, user, control, {"rated": rated, "color": color.value, "variant": variant, "fen": fen}
    )
    print(text)
    raise typer.Exit(0 if accepted else 1)


def _engine() -> "Engine":
    """An engine whose kernels are compiled; the first start says on stderr how far it is."""
    from engine.startup import make_engine

    return make_engine(lambda: None)


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Without a command, the list of commands is the answer."""
    words = list(sys.argv[1:] if args is None else args)
    try:
        code = app(args=words or ["--help"], prog_name="krait", standalone_mode=False)
    except typer.TyperException as error:
        sys.stderr.write(f"krait: {' '.join(error.format_message().split())}\n")
        return 2
    except BotError as error:
        sys.stderr.writelines(f"krait: {line}\n" for line in str(error).splitlines())
        return 2
    except typer.Abort:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has left, and there is nobody to tell
        return 1
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    sys.exit(main())
