"""Import arrows: who may know whom. A wrong arrow is found here before it becomes a habit."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {  # the longest room that fits a file decides; the standard library is open to all
    "engine/core": {"numpy", "numba", "llvmlite", "engine.core"},  # compiled, pure
    "engine/lab": {"engine", "numpy", "chess", "typer", "rich", "scipy", "torch", "matplotlib", "zstandard"},
    "engine": {"engine", "numpy", "chess", "rich"},  # the player; never the bot
    "bot/sandbox": {
        "bot.sandbox",
        "aiohttp",
        "chess",
        "rich",
    },  # any bot's playground: it knows no engine of ours
    "bot/game": {"bot.game", "chess"},  # decides and never does
    "bot/lichess": {"bot.lichess", "bot.game", "bot.errors", "berserk", "requests", "urllib3"},
    "bot/engines": {"bot.engines", "bot.game", "bot.errors", "chess"},
    "bot/sources": {"bot.sources", "bot.game", "bot.errors", "chess"},
    "bot/play": {"bot", "chess", "structlog"},  # the shell: knows every door, and no server of ours
    "bot/store": {"bot.store", "bot.game", "bot.errors", "chess", "sqlalchemy", "aiosqlite"},
    "bot/dashboard": {"bot", "chess", "aiohttp", "prometheus_client"},  # only looks
    "bot/demo": {"bot", "chess", "aiohttp", "rich"},  # a Lichess and a bot in one process
    "bot/config": {"bot", "pydantic", "pydantic_core", "pydantic_settings", "rich", "yaml"},
    "bot": {
        "bot",
        "engine",
        "chess",
        "rich",
        "typer",
        "structlog",
    },
}
TIMELESS = {
    "time",
    "datetime",
    "threading",
    "asyncio",
    "random",
    "socket",
}  # a kernel has no clock and no dice
FILES = sorted(
    path.relative_to(ROOT).as_posix() for room in ("bot", "engine") for path in ROOT.glob(f"{room}/**/*.py")
)


def imports(file: str) -> Iterator[str]:
    """Every module `file` imports, at its head or inside a function; relative imports are named with dots."""
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            # `from engine import lab` names a module as much as `import engine.lab` does
            is_package = (ROOT / module.replace(".", "/") / "__init__.py").exists()
            yield from (f"{module}.{alias.name}" for alias in node.names) if is_package else (module,)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def room_of(file: str) -> str:
    return max((room for room in ALLOWED if file.startswith(f"{room}/")), key=len)


@pytest.mark.parametrize("file", FILES)
def test_a_file_imports_only_what_its_room_may_know(file: str) -> None:
    allowed = ALLOWED[room_of(file)]
    foreign = {
        module
        for module in imports(file)
        if module.partition(".")[0] not in sys.stdlib_module_names
        and not any(within(module, package) for package in allowed)
    }
    assert not foreign


@pytest.mark.parametrize("file", [file for file in FILES if not file.startswith("engine/lab/")])
def test_nothing_that_plays_depends_on_the_lab(file: str) -> None:
    mounts_the_lab = file == "bot/__main__.py"
    assert mounts_the_lab or not [module for module in imports(file) if within(module, "engine.lab")]


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("engine/core/")])
def test_a_kernel_has_no_clock_and_no_dice(file: str) -> None:
    is_the_compilers_keeper = (
        file == "engine/core/jit.py"
    )  # it drops machine code nobody has used for a month
    assert is_the_compilers_keeper or not TIMELESS & set(imports(file))


def test_one_file_of_the_player_knows_the_endgame_tables() -> None:
    knowing = {file for file in FILES if any(within(module, "chess.syzygy") for module in imports(file))}
    engines = {file for file in knowing if file.startswith("engine/") and room_of(file) != "engine/lab"}
    assert engines <= {"engine/syzygy.py"}


def test_there_is_something_to_check() -> None:
    assert {room_of(file) for file in FILES} == set(ALLOWED)


SERVICE = (
    "bot/game/",
    "bot/lichess/",
    "bot/engines/",
    "bot/sources/",
    "bot/play/",
    "bot/store/",
    "bot/config/",
)


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith(SERVICE) or file == "bot/app.py"])
def test_the_service_reaches_the_engine_by_starting_it_never_by_importing_it(file: str) -> None:
    assert not [module for module in imports(file) if within(module, "engine")]


WIRE = {"bot/lichess/wire.py", "bot/lichess/wire_rest.py", "bot/lichess/wire_values.py"}


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("bot/") and file not in WIRE])
def test_only_the_wire_knows_what_lichess_calls_things(file: str) -> None:
    """The sandbox is Lichess, and has to know; the page speaks to the sandbox."""
    text = (ROOT / file).read_text(encoding="utf-8")
    if not file.startswith(("bot/sandbox/", "bot/demo/", "bot/dashboard/")):
        assert not [key for key in ('"gameFull"', '"wtime"', '"challenger"]', '"nowPlaying"') if key in text]
