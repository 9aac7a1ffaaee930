"""Where the token comes from: the environment, `.env` or a file made for it; never from `krait.toml`."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bot.errors import ConfigError

_CHARACTERS = re.compile(r"[A-Za-z0-9_]+")
_LOOKS_LIKE_ONE = re.compile(r"lip_\w{8,}")
_USUAL_FILES = ("{CREDENTIALS_DIRECTORY}/krait_token", "/run/secrets/krait_token")  # systemd, Docker


def refuse_tokens(tree: Mapping[str, Any], file: Path) -> None:
    for key in _tokens(tree):
        raise ConfigError(
            f"{file}: {key} holds a token, and such a file is copied and shown around: delete it there, and "
            "put it into .env as KRAIT_TOKEN=…, into the environment, or into a file named by token_file"
        )


def _tokens(tree: Any, key: str = "") -> Iterator[str]:
    """Where a token was written: by its name, or by its looks."""
    match tree:
        case dict():
            for name, value in tree.items():
                if name.lower().endswith("token"):
                    yield f"{key}{name}"
                yield from _tokens(value, f"{key}{name}.")
        case list():
            for item in tree:
                yield from _tokens(item, key)
        case str() if _LOOKS_LIKE_ONE.search(tree):
            yield key.rstrip(".")


def token_from_file(named: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """(token, file) of the file that was named, else of the first usual one that exists; else nothing."""
    credentials = environ.get("CREDENTIALS_DIRECTORY", "")
    usual = [file.format(CREDENTIALS_DIRECTORY=credentials) for file in _USUAL_FILES]
    file = named or next((file for file in usual if Path(file).is_file()), "")
    return (_read(Path(file).expanduser()), file) if file else ("", "")


def _read(file: Path) -> str:
    try:
        token = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(f"token_file: {file} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"token_file: {file} is not text") from None
    if not token:
        raise ConfigError(f"token_file: {file} is empty; it should hold the token and nothing else")
    return token


def checked(token: str, origin: str) -> str:
    if token and not _CHARACTERS.fullmatch(token):
        raise ConfigError(f"{origin}: the token has characters that no token of Lichess has; copy it anew")
    return token
