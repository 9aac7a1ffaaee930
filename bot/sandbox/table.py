"""What a person sees of a running sandbox: how to point a bot at it, a live table, or plain lines."""

from collections.abc import Iterable, Sequence
from itertools import chain, islice

import chess
from rich import box
from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from bot.sandbox.match import NO_CLOCK_MS, Match
from bot.sandbox.seats import Seat
from bot.sandbox.wishes import Guest, Wishes
from bot.sandbox.world import World

ROWS = 16
SPARE_LINES = 12  # of the terminal, for what is not a row


def how_to_join(url: str, guests: Sequence[Guest], wishes: Wishes, opponents: Sequence[str]) -> str:
    first = guests[0]
    sections = [
        f"The sandbox listens on {url} (Ctrl-C stops it).",
        *(f"  bot account {guest.name}, token {guest.token}" for guest in guests),
        _opponents(opponents, wishes),
        "",
        "Point your bot at it:",
        f"  krait         KRAIT_LICHESS_URL={url} KRAIT_TOKEN={first.token} krait run",
        f'  lichess-bot   in config.yml  token: "{first.token}"  and  url: "{url}/"',
        f'  BotLi         in config.yml  token: "{first.token}"  and, as a top-level line,  url: "{url}"',
        f'  berserk       berserk.Client(berserk.TokenSession("{first.token}"), base_url="{url}")',
    ]
    if wishes.control:
        sections.append(f"  control API   curl {url}/sandbox")
    return "\n".join([*sections, ""])


def _opponents(names: Sequence[str], wishes: Wishes) -> str:
    if not names:
        return "  no opponents: bots may challenge each other, and the AI"
    listed = ", ".join(names)
    if wishes.challenge_every == "never":
        return f"  opponents {listed} wait to be challenged"
    kind = f"{wishes.variant} {wishes.time_control} {'rated' if wishes.rated else 'casual'}"
    return f"  opponents {listed}: one challenges every {wishes.challenge_every} ({kind})"


def rows_that_fit(terminal_lines: int) -> int:
    return max(3, min(ROWS, terminal_lines - SPARE_LINES))


def overview(world: World, remarks: Sequence[str], rows: int) -> RenderableType:
    """The running games, the newest finished ones while there is room, and the last remarks."""
    matches = sorted(world.games.all(), key=lambda match: match.created_at_ms, reverse=True)
    running = [match for match in matches if not match.is_over]
    over = [match for match in matches if match.is_over]
    online = [account.name for account in world.accounts.all() if world.is_online(account.id)]
    title = f"{world.site}: {len(running)} running, {len(over)} finished"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for heading, justify in _COLUMNS:
        table.add_column(heading, justify=justify, no_wrap=True)
    for match in islice(chain(running, over), rows):
        table.add_row(*row(match, world.now_ms()), style="dim" if match.is_over else None)
    last = [f"online: {', '.join(online) or 'nobody'}", *remarks]
    return Group(table, *(Text(line) for line in last))


_COLUMNS: tuple[tuple[str, JustifyMethod], ...] = (
    ("game", "left"),
    ("White", "left"),
    ("Black", "left"),
    ("played", "left"),
    ("move", "right"),
    ("last", "left"),
    ("clocks", "right"),
    ("stands", "left"),
)


def row(match: Match, now_ms: int) -> Iterable[str]:
    white, black = (clock_text(match.left_ms(side, now_ms)) for side in (chess.WHITE, chess.BLACK))
    return (
        match.id,
        seat_text(match.seats[chess.WHITE]),
        seat_text(match.seats[chess.BLACK]),
        kind_text(match),
        str((match.ply + 1) // 2),
        match.moves[-1] if match.moves else "",
        f"{white} {black}".strip(),
        result_text(match),
    )


def seat_text(seat: Seat) -> str:
    if seat.ai_level is not None:
        return f"AI level {seat.ai_level}"
    return " ".join(filter(None, (seat.title, seat.name, str(seat.rating or ""))))


def kind_text(match: Match) -> str:
    """`3+2 rated`, `atomic 1+0 casual`, `2d casual`."""
    control = match.control
    time = control.show if control.is_clock else f"{control.days}d" if control.days else "unlimited"
    variant = "" if match.variant.key == "standard" else match.variant.key
    return " ".join(filter(None, (variant, time, "rated" if match.rated else "casual")))


def clock_text(left_ms: int) -> str:
    """`2:59`, `0:09.4`, `2d 03h`; nothing where nobody is timed."""
    if left_ms == NO_CLOCK_MS:
        return ""
    seconds = left_ms // 1000
    if seconds >= 86_400:
        return f"{seconds // 86_400}d {seconds % 86_400 // 3600:02d}h"
    tenths = f".{left_ms % 1000 // 100}" if seconds < 10 else ""
    return f"{seconds // 60}:{seconds % 60:02d}{tenths}"


def result_text(match: Match) -> str:
    """`running`, `1-0 mate`, `1/2-1/2 draw`, `aborted`."""
    if not match.is_over:
        return "running"
    if match.status.label in {"aborted", "noStart"}:
        return match.status.label
    score = "1/2-1/2" if match.winner is None else "1-0" if match.winner else "0-1"
    return f"{score} {match.status.label}"


def news_text(kind: str, match: Match) -> str | None:
    """A line about what has happened, for where there is no table; None: not worth one."""
    players = f"{seat_text(match.seats[chess.WHITE])} - {seat_text(match.seats[chess.BLACK])}"
    if kind == "gameStart":
        return f"{match.id} begins: {players}, {kind_text(match)}"
    if kind == "gameFinish":
        return f"{match.id} is over: {players}, {result_text(match)} after {match.ply} plies"
    return None
