"""What the commands that need the engine do. One thread runs them, one after another, in the order they came.

Every command returns what is to be printed when it is over, "" for nothing; `info` lines go out on the way.
"""

import traceback
from collections.abc import Callable, Sequence

import chess

from engine import bench, meaning
from engine.console import Console
from engine.driver import MATE, MATE_BOUND, Engine, Info
from engine.golimits import Asked
from engine.meaning import Meaning
from engine.notation import START_FEN, NotationError
from engine.options import OptionError, Settings
from engine.startup import note
from engine.ticket import Ticket

_MOST_COMPLAINTS = 3  # about one line: a megabyte of nonsense is not answered with two
_DEEPEST_PERFT = 30


def score_text(score: int) -> str:
    """Centipawns, or moves (not plies) to mate: negative when we are the one mated, 0 when we are already."""
    if score >= MATE_BOUND:
        return f"mate {(MATE - score + 1) // 2}"
    if score <= -MATE_BOUND:
        return f"mate {-((MATE + score + 1) // 2)}"
    return f"cp {score}"


def info_text(info: Info, means: Meaning, *, show_wdl: bool) -> str:
    words = [f"info depth {info.depth} seldepth {info.seldepth} multipv {info.multipv}"]
    words.append(f"score {score_text(means.shown(info.score))}")
    if info.bound:
        words.append(info.bound)
    if show_wdl:
        words.append("wdl {} {} {}".format(*means.wdl(info.score)))
    words.append(f"nodes {info.nodes} nps {info.nps} hashfull {info.hashfull} tbhits {info.tbhits}")
    words.append(f"time {info.time_ms}")
    if info.pv:
        words.append(f"pv {' '.join(info.pv)}")
    return " ".join(words)


class Player:
    def __init__(self, engine: Engine, console: Console) -> None:
        self.engine = engine
        self.settings = Settings()
        self._console = console

    def set_option(self, line: str) -> str:
        try:
            remark = self.settings.obey(line, self.engine)
        except OptionError as why:
            remark = f"error {why}"
        if remark:
            self._console.remark(remark)
        return ""

    def new_game(self) -> str:
        self.engine.new_game()
        return ""

    def position(self, words: Sequence[str]) -> str:
        """Set up the position. What is wrong with it is said, and the last good position kept."""
        split = words.index("moves") if "moves" in words else len(words)
        kind, fen, moves = words[:1], " ".join(words[1:split]), words[split + 1 :]
        if kind == ["startpos"] and not fen:
            fen = START_FEN
        elif kind != ["fen"]:
            self._console.remark("position reads: position (startpos | fen <FEN>) [moves <move> ...]")
            return ""
        try:
            self.engine.set_position(fen, moves)
        except NotationError as why:
            self._console.remark(f"position kept as it was: {why}")
        return ""

    def go(self, ticket: Ticket) -> str:
        """Search; return the `bestmove` line. Whatever breaks inside, a legal move comes out."""
        latest: list[str] = []
        means = meaning.of(self.engine.board["pieces"])

        def on_info(info: Info) -> None:
            ticket.heard()
            if info.multipv == 1 and info.pv:
                latest[:] = info.pv[:1]
            self._console.write(info_text(info, means, show_wdl=bool(self.settings.values["UCI_ShowWDL"])))

        try:
            limits = self._asked(ticket.words).limits(white=self.engine.fen().split()[1] == "w")
            answer = self.engine.search(ticket.begin(self.engine, limits), on_info)
        except Exception as error:  # noqa: BLE001  - a move we regret is better than a game forfeited
            self._report(error)
            return f"bestmove {(latest or self._any_move() or ['(none)'])[0]}"
        finally:
            ticket.end()
        return f"bestmove {answer.move or '(none)'}" + (f" ponder {answer.ponder}" if answer.ponder else "")

    def perft(self, words: Sequence[str]) -> str:
        depth = min(self._asked(words).limit("perft") or 1, _DEEPEST_PERFT)
        counts = self.engine.perft(depth)
        lines = [f"{move}: {count}" for move, count in counts.items()]
        return "\n".join([*lines, "", f"Nodes searched: {sum(counts.values())}"])

    def show(self) -> str:
        return self.engine.describe()

    def evaluate(self) -> str:
        return self.engine.breakdown()

    def bench(self) -> str:
        result = bench.run()
        return f"Bench: {result.nodes}\nnps {result.nps}"

    def attempt(self, command: Callable[["Player"], str]) -> str:
        """Run `command`; should it break, say so on one line, and go on living."""
        try:
            return command(self)
        except Exception as error:  # noqa: BLE001  - the boundary: nothing a GUI sends may end the program
            self._report(error)
            return ""

    def _report(self, error: Exception) -> None:
        self._console.remark(f"error {type(error).__name__}: {error}")
        note("".join(traceback.format_exception(error)))

    def _asked(self, words: Sequence[str]) -> Asked:
        asked = Asked(words)
        for complaint in asked.complaints[:_MOST_COMPLAINTS]:
            self._console.remark(complaint)
        return asked

    def _any_move(self) -> list[str]:
        """A legal move found without our own kernels, which may be what has broken."""
        board = chess.Board(self.engine.fen(), chess960=self.engine.chess960)
        return [board.uci(move) for move in board.legal_moves][:1]
