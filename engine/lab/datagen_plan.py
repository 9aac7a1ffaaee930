"""From the words of `krait lab datagen` to what its workers and its file must know."""

import os
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

from engine.lab.farm import Contract
from engine.lab.gamefile import Settings
from engine.lab.players import OwnPlayer, UciPlayer
from engine.lab.selfplay import Game, Recipe
from engine.lab.settings import EngineSpec, Limit, SettingError
from engine.lab.uci_client import Patience
from engine.workers import warm

FORMAT = 1  # to be counted up when the same settings begin to mean other games
SIGNATURE_NODES = 20_000
OWN = "krait"
REFUSED_OPTIONS = {
    "multipv": "the last score said would be of another line",
    "uci_chess960": "the file knows no castling but that of chess",
}


class Words(NamedTuple):
    """The command line as it was typed; the meaning of each is in the help of `krait lab datagen`."""

    out: Path
    engine: str
    options: list[str]
    hash_mb: int
    nodes: int
    games: int | None
    positions: int | None
    seed: int
    processes: int
    max_plies: int
    patience_s: float


class Plan(NamedTuple):
    contract: Contract
    settings: Settings  # all that the games depend on


def plan_of(words: Words, wake: int) -> Plan:
    """SettingError, StartError: what cannot work is refused before a file is touched.

    The engine is started once, for its name. Our own is compiled here, so that workers only load it.
    """
    if (words.games is None) == (words.positions is None):
        raise SettingError("give either --games or --positions")
    if words.out.suffix == ".xz":
        raise SettingError(f"{words.out}: games are written plain; `xz` the file when it is full")
    recipe = Recipe(nodes=words.nodes, rules=Recipe().rules._replace(max_plies=words.max_plies))
    patience = Patience(search_s=words.patience_s)
    spec = None if words.engine == OWN else _spec(words)
    if spec is None:
        name, options = _own(words), {"Hash": str(words.hash_mb)}
    else:
        spec, name = _introduced(spec, words.hash_mb, wake, patience)
        options = dict(spec.options)
    method = {**recipe._asdict(), "rules": recipe.rules._asdict()}
    settings = {
        "format": FORMAT, "seed": words.seed, "engine": {"name": name, "options": options}, "recipe": method
    }  # fmt: skip
    return Plan(Contract(recipe, words.seed, spec, words.hash_mb, patience), settings)


def _own(words: Words) -> str:
    if words.options:
        raise SettingError("--option is for UCI engines; our own has --hash")
    warm()
    return f"{OWN} {signature():x}"


def signature() -> int:
    """A number that changes when our engine begins to play otherwise, whatever the reason."""
    player = OwnPlayer(1)
    thought = player.think(Game(), SIGNATURE_NODES)
    return player.nodes << 16 | thought.move


def _spec(words: Words) -> EngineSpec:
    command = command_of(words.engine)
    return EngineSpec(Path(command[0]).name, command, None, tuple(map(_option, words.options)), Limit())


def _introduced(spec: EngineSpec, hash_mb: int, wake: int, patience: Patience) -> tuple[EngineSpec, str]:
    """The engine with the size of its table, if it has one, and what it calls itself."""
    player = UciPlayer(spec, wake, patience)
    player.close()
    options = dict(spec.options)
    if "hash" in player.options and "hash" not in map(str.lower, options):
        options["Hash"] = str(hash_mb)
    return spec._replace(options=tuple(sorted(options.items()))), player.title or spec.name


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise SettingError(f"--option {text!r}: expected NAME=VALUE")
    if name.lower() in REFUSED_OPTIONS:
        raise SettingError(f"--option {name}: {REFUSED_OPTIONS[name.lower()]}")
    return name, value


def command_of(engine: str) -> tuple[str, ...]:
    """A path, a name on the search path (or where Debian keeps games), or either of them with arguments."""
    if Path(engine).is_file():
        return (str(Path(engine).absolute()),)
    try:
        program, *arguments = shlex.split(engine)
    except ValueError as error:
        raise SettingError(f"--engine {engine!r}: {error}") from None
    found = shutil.which(program, path=f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/games")
    if found is None:
        raise SettingError(f"--engine {engine!r}: there is no program {program!r}")
    return (found, *arguments)
