"""The table at which a person plays the engine: reads lines, shows boards, lets the engine think.

What a line means, how a board looks and when a game is over are decided next door, in pure code.
"""

import datetime as dt
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Protocol

import chess
from rich.columns import Columns
from rich.console import Console
from rich.text import Text

from bot.terminal.clocks import Clocks, TimeControl
from bot.terminal.picture import Ink, table_view
from bot.terminal.record import Ending, ending_on_board, flag_fall, pgn, takeback, win_for
from bot.terminal.thought import score_text, shown, thought_text
from bot.terminal.words import MEANING, Order, Refused, interpret
from engine.driver import Answer, Info, Limits
from engine.strength import Strength
from engine.timeman import Clock

HINT_MS = 1000
SIDES = {chess.WHITE: "White", chess.BLACK: "Black"}


class Opponent(Protocol):
    """What the table needs of `engine.driver.Engine`."""

    strength: Strength | None

    def new_game(self) -> None: ...
    def set_position(self, fen: str, moves: Sequence[str]) -> None: ...
    def search(self, limits: Limits, on_info: Callable[[Info], None] = ...) -> Answer: ...
    def stop(self) -> None: ...
    def breakdown(self) -> str: ...


class Rules(NamedTuple):
    """What was agreed before the first move. Without a clock the engine takes `movetime_ms` for each move."""

    start: chess.Board
    player: chess.Color
    movetime_ms: int
    control: TimeControl | None
    engine_name: str


class Table:
    """One evening: games by the same rules until the player leaves."""

    def __init__(
        self,
        opponent: Opponent,
        rules: Rules,
        console: Console,
        read: Callable[[str], str],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.opponent, self.rules, self.console, self.read, self.now = opponent, rules, console, read, now
        self.ink = _ink(console)
        self.seen_by = rules.player
        self._begin()

    def run(self) -> None:
        """Play until the player leaves, by word, Ctrl-D or Ctrl-C."""
        self._show()
        self._say(f"You play {SIDES[self.rules.player]}. Type a move (e4, Nf3, e2e4) or help.")
        try:
            while self._turn():
                pass
        except (EOFError, KeyboardInterrupt):
            self.console.print()
        if self.ending is None and self.board.move_stack:
            self._print_pgn()
        self._say("Good-bye.")

    def _begin(self) -> None:
        self.board = self.rules.start.copy()
        self.clocks = Clocks(self.rules.control) if self.rules.control else None
        self.ending: Ending | None = ending_on_board(self.board)
        self.last_thought = ""
        self.opponent.new_game()
        self.turn_began = self.now()

    def _turn(self) -> bool:
        """One move of the engine or one line of the player; False when the player leaves."""
        if self.ending is None and self.board.turn is not self.rules.player:
            self._engine_moves()
            return True
        typed = interpret(self.read(self._prompt()), self.board)
        match typed:
            case Order():
                return self._obey(typed)
            case chess.Move() | Refused() if self.ending:
                self._say(f"The game is over: {Order.NEW} or {Order.QUIT}?", "yellow")
            case chess.Move():
                self._make(typed)
            case Refused(why):
                self._say(why, "yellow")
        return True

    def _prompt(self) -> str:
        if self.ending:
            return "new or quit? "
        clock = f" {self.clocks.face(self.rules.player)}" if self.clocks else ""
        return f"{SIDES[self.board.turn]}{clock} > "

    def _engine_moves(self) -> None:
        side = self.board.turn
        if self.clocks:
            limits = Limits(clock=Clock(self.clocks.left_ms[side], self.clocks.control.inc_ms, None))
        else:
            limits = Limits(movetime_ms=self.rules.movetime_ms)
        answer = self._search(limits)
        assert answer.move is not None, "the game would be over"
        move = self.board.parse_uci(answer.move)
        text = f"{self.rules.engine_name} plays {self.board.san(move)}"
        self._make(move)
        self._say(text, "bold")

    def _make(self, move: chess.Move) -> None:
        """Play `move` unless the flag of the side to move has fallen meanwhile."""
        side = self.board.turn
        spent_ms = round((self.now() - self.turn_began) * 1000)
        in_time = not self.clocks or self.clocks.spend(side, spent_ms)
        self.turn_began += spent_ms / 1000
        if in_time:
            self.board.push(move)
        self.ending = ending_on_board(self.board) if in_time else flag_fall(self.board, side)
        if self.ending or side is not self.rules.player:
            self._show()
        if self.ending:
            self._announce()

    def _search(self, limits: Limits) -> Answer:
        """Think in a thread, so that Ctrl-C is heard at once and ends the search."""
        self._place()
        with ThreadPoolExecutor(1) as thread, self.console.status("thinking") as status:

            def tell(info: Info) -> None:
                self.last_thought = thought_text(self.board, info)
                status.update(Text(self.last_thought, no_wrap=True, overflow="ellipsis"))

            try:
                return thread.submit(self.opponent.search, limits, tell).result()
            except BaseException:
                self.opponent.stop()
                raise

    def _place(self) -> None:
        root = self.board.root()
        start = root.shredder_fen() if root.chess960 else root.fen()
        self.opponent.set_position(start, [move.uci() for move in self.board.move_stack])

    def _obey(self, order: Order) -> bool:
        match order:
            case Order.QUIT:
                return False
            case Order.HELP:
                for word, meaning in MEANING.items():
                    self._say(f"  {word:<8}{meaning}")
            case Order.UNDO:
                self._take_back()
            case Order.NEW:
                self._begin()
                self._show()
            case Order.FLIP:
                self.seen_by = not self.seen_by
                self._show()
            case Order.PGN:
                self._print_pgn()
            case Order.MOVES:
                self._list_moves()
            case _ if self.ending:
                self._say("The game is over.", "yellow")
            case Order.HINT:
                self._hint()
            case Order.EVAL:
                self._place()
                self.console.print(Text(self.opponent.breakdown()), soft_wrap=True)
            case Order.RESIGN:
                self.ending = Ending(win_for(not self.rules.player), "resignation")
                self._announce()
        return True

    def _take_back(self) -> None:
        if not takeback(self.board, self.rules.player):
            self._say("There is no move of yours to take back.", "yellow")
            return
        self.ending = None
        self.turn_began = self.now()
        self._show()

    def _list_moves(self) -> None:
        moves = sorted(self.board.san(move) for move in self.board.legal_moves)
        self.console.print(Columns(moves) if moves else "There is no legal move.")

    def _hint(self) -> None:
        """Always at full strength: a weakened opponent is still an honest friend."""
        strength, thought = self.opponent.strength, self.last_thought
        self.opponent.strength = None
        try:
            answer = self._search(Limits(movetime_ms=HINT_MS))
        finally:
            self.opponent.strength, self.last_thought = strength, thought
        if answer.move:
            san = self.board.san(self.board.parse_uci(answer.move))
            self._say(f"Krait would play {san} ({score_text(shown(self.board, answer.score))}).", "cyan")

    def _announce(self) -> None:
        assert self.ending is not None
        winner = {win_for(self.rules.player): "You win", "1/2-1/2": "Draw"}.get(self.ending.result)
        self._say(f"{winner or f'{self.rules.engine_name} wins'}: {self.ending.why}.", "bold green")
        self._print_pgn()

    def _print_pgn(self) -> None:
        names = {self.rules.player: "You", not self.rules.player: self.rules.engine_name}
        day = dt.datetime.now(tz=dt.UTC).astimezone().date()
        text = pgn(self.board, names[chess.WHITE], names[chess.BLACK], self.ending, day)
        self.console.print(Text(f"\n{text}\n"), soft_wrap=True)

    def _show(self) -> None:
        notes = [f"{self.rules.engine_name}  {self.last_thought}".rstrip()]
        if self.clocks:
            notes.append(f"White {self.clocks.face(chess.WHITE)}   Black {self.clocks.face(chess.BLACK)}")
        self.console.print()
        self.console.print(table_view(self.board, self.seen_by, self.ink, notes))

    def _say(self, text: str, style: str = "") -> None:
        self.console.print(Text(text, style))


def _ink(console: Console) -> Ink:
    if console.is_terminal and console.color_system and not console.no_color:
        return Ink.COLOUR
    try:
        "♞♘".encode(console.encoding)
    except UnicodeEncodeError:
        return Ink.LETTERS
    return Ink.PLAIN
