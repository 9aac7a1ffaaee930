"""The way over from other bots: their `config.yml` to our `krait.toml`, and what becomes of each key.

What they assume where a key is missing is not taken over: there our own defaults hold.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import yaml
from pydantic import ValidationError

from bot.config.draft import Draft
from bot.config.import_botli import translate as from_botli
from bot.config.import_lichess_bot import translate as from_lichess_bot
from bot.config.model import Config
from bot.errors import ConfigError

Bot = Literal["lichess-bot", "botli"]

_TRANSLATORS: Mapping[str, Callable[[Draft], None]] = {"lichess-bot": from_lichess_bot, "botli": from_botli}
_ROUNDS = 50  # each takes at least one setting out


@dataclass(frozen=True, slots=True)
class Imported:
    """`mapped`: their key and ours. `unmapped`: their key and why it has no place here."""

    toml_text: str
    mapped: list[tuple[str, str]]
    unmapped: list[tuple[str, str]]


def import_config(bot: Bot, yaml_text: str) -> Imported:
    """Raise ConfigError if it is no configuration at all; what Krait would refuse is left out and named."""
    draft = Draft(_read(yaml_text))
    _TRANSLATORS[bot](draft)
    _drop_what_is_refused(draft)
    draft.finish()
    return Imported(draft.render(bot), draft.mapped, draft.unmapped)


def _read(yaml_text: str) -> dict[str, Any]:
    try:
        tree = yaml.safe_load(yaml_text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise ConfigError(f"this is not YAML{place}: {problem}") from None
    if not isinstance(tree, dict):
        raise ConfigError("this is not a configuration: there are no `key: value` lines at its top level")
    return tree


def _drop_what_is_refused(draft: Draft) -> None:
    for _ in range(_ROUNDS):
        try:
            Config.model_validate(draft.tree)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                why = detail["msg"].removeprefix("Value error, ")
                draft.drop(_guilty(detail["loc"], why), why)
        else:
            return
    raise ConfigError("this configuration cannot be translated; `krait init` writes one to begin with")


def _guilty(loc: tuple[int | str, ...], why: str) -> tuple[int | str, ...]:
    """A rule over several settings names the guilty one first: `chat.greeting: …`, `rating_min (3) is …`."""
    named = re.match(r"([a-z_]+(?:\.[a-z_]+)*)(?::| \(| accepts)", why)
    return (*loc, *named[1].split(".")) if named and len(loc) <= 1 else loc
