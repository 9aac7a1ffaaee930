"""From files and variables to one checked `Config`, and for each setting where its value comes from.

Later beats earlier: defaults, `krait.toml`, `.env`, the environment. Everything that is wrong is told at
once, a line for each problem.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError

from bot.config.complaints import complaints
from bot.config.model import Config
from bot.config.secret import checked, refuse_tokens, token_from_file
from bot.config.settings import settings
from bot.config.variables import name_of, tree_of, unknown, written_in
from bot.errors import ConfigError

Tree = dict[str, Any]
DEFAULT = "default"
DOTENV = Path(".env")
FILE = Path("krait.toml")


@dataclass(frozen=True, slots=True)
class Loaded:
    """`origins` by key: default, the file, .env, or the name of the variable."""

    config: Config
    origins: Mapping[str, str]


def load(path: Path | None, environ: Mapping[str, str], dotenv: Path | None = DOTENV) -> Loaded:
    """Raise ConfigError with a line for each problem.

    `path` None: the file that KRAIT_CONFIG names, else krait.toml if there is one.
    """
    written, given = written_in(dotenv), {name.upper(): value for name, value in environ.items()}
    layers = _Layers()
    if state_home := given.get("XDG_STATE_HOME"):
        layers.lay({"state_dir": f"{state_home}/krait"}, lambda _: "XDG_STATE_HOME")
    if file := path or _usual_file(given.get("KRAIT_CONFIG") or written.get("KRAIT_CONFIG")):
        layers.lay(_read_toml(file), lambda _: str(file))
    layers.lay(tree_of(written), lambda _: ".env")
    layers.lay(tree_of(given), lambda key: name_of(key, given))
    layers.add_token(given)
    problems = [*unknown(written, ".env: "), *unknown(given, "")]
    return _checked(layers, problems)


def _checked(layers: "_Layers", problems: list[str]) -> Loaded:
    try:
        config = Config.model_validate(layers.tree)
    except ValidationError as error:
        problems += complaints(error, layers.tree, layers.origin)
        raise ConfigError("\n".join(problems)) from None
    if problems:
        raise ConfigError("\n".join(problems))
    return Loaded(config, {each.key: layers.origin(each.key) for each in settings()} | layers.origins)


class _Layers:
    """Trees laid one over the other; who said what last is remembered by key."""

    def __init__(self) -> None:
        self.tree: Tree = {}
        self.origins: dict[str, str] = {}

    def lay(self, tree: Tree, origin: Callable[[str], str]) -> None:
        self._lay(self.tree, tree, "", origin)

    def _lay(self, below: Tree, above: Tree, prefix: str, origin: Callable[[str], str]) -> None:
        for name, value in above.items():
            key = f"{prefix}{name}"
            if isinstance(value, dict) and isinstance(below.get(name, {}), dict):
                self._lay(below.setdefault(name, {}), value, f"{key}.", origin)
            else:
                below[name] = value
                self.origins[key] = origin(key)

    def origin(self, key: str) -> str:
        """Of the setting itself, of the table it stands in, or of what stands in it."""
        parts = re.sub(r"\[\d*\]", "", key).split(".")
        for length in range(len(parts), 0, -1):
            if found := self.origins.get(".".join(parts[:length])):
                return found
        inside = (origin for name, origin in self.origins.items() if name.startswith(f"{key}."))
        return next(inside, DEFAULT)

    def add_token(self, environ: Mapping[str, str]) -> None:
        """One from the environment or from .env beats one in a file."""
        token = str(self.tree.get("token", "")).strip()
        if not token:
            self.origins.pop("token", None)
            token, file = token_from_file(str(self.tree.get("token_file", "")), environ)
            self.lay({"token": token} if token else {}, lambda _: file)
        self.tree["token"] = SecretStr(checked(token, self.origin("token")))


def _usual_file(named: str | None) -> Path | None:
    if named:
        return Path(named)
    return FILE if FILE.exists() else None


def _read_toml(file: Path) -> Tree:
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{file}: there is no such file; `krait init` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: this is not TOML: {error}") from None
    refuse_tokens(tree, file)
    return tree
