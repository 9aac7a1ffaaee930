"""Getting the compiled code ready, and saying so on stderr: stdout belongs to UCI.

The first start on a machine compiles, and shows how far it is; every later start says nothing.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.driver import Engine

Progress = Callable[[str, int, int], None]  # what is being compiled, steps done, steps in all

_PLAIN_LINES = 4  # in a log file, a line for each quarter of the way is enough


def version() -> str:
    from importlib import metadata  # noqa: PLC0415  - slow to load, and only asked for by name

    try:
        return metadata.version("krait")
    except metadata.PackageNotFoundError:
        return "(not installed)"  # run from a checkout


def note(text: str) -> None:
    """Write to stderr, which may be closed or a broken pipe: a program must not die of what it has to say."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def restore_terminal() -> None:
    """Undo what an unfinished progress bar leaves behind: a hidden cursor."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if sys.stderr.isatty():
            sys.stderr.write("\x1b[?25h\n")
            sys.stderr.flush()


@contextlib.contextmanager
def progress() -> Iterator[Progress]:
    """A bar on a terminal, a few plain lines anywhere else."""
    if sys.stderr is not None and sys.stderr.isatty():
        with _bar() as tell:
            yield tell
    else:
        yield _plain()


def _plain() -> Progress:
    told = -1

    def tell(name: str, done: int, total: int) -> None:
        nonlocal told
        quarter = done * _PLAIN_LINES // max(total, 1)
        if told < quarter < _PLAIN_LINES:
            told = quarter
            note(f"krait: compiling {name} ({done + 1}/{total})…")

    return tell


@contextlib.contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console  # noqa: PLC0415  - most starts show no bar and need not load it
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (
        TextColumn("krait: compiling (first start only)"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    console = Console(stderr=True)
    # rich would put itself in front of stdout, which is not ours to touch
    with Bar(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task("")
        yield lambda name, done, total: bar.update(task, description=name, completed=done, total=total)


def warm(on_cold: Callable[[], None]) -> bool:
    """Compile or load every kernel; `on_cold` is called first if they must be compiled. True: they were."""
    from engine.core import jit  # noqa: PLC0415  - loads Numba, for which `uci` need not wait

    cold = not jit.is_warm()
    if cold:
        on_cold()
    with progress() if cold else contextlib.nullcontext() as tell:
        from engine import driver  # noqa: PLC0415  - as above; and the import itself may compile

        driver.warm(tell)
    return cold


def make_engine(on_cold: Callable[[], None]) -> "Engine":
    """An engine whose kernels are all compiled."""
    warm(on_cold)
    from engine.driver import Engine  # noqa: PLC0415  - as in `warm`

    return Engine()
