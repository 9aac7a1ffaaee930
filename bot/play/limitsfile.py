"""What Lichess has told us to leave alone, kept over restarts: a small JSON file in the state directory."""

import asyncio
import json
from pathlib import Path

from bot.game.facts import Trouble, Witness
from bot.lichess.limits import Limits
from bot.play.walltime import wall_ms

EVERY_S = 5.0


class LimitsFile:
    def __init__(self, path: Path, tell: Witness) -> None:
        self._path, self._tell = path, tell
        self._written = ""
        self.limits = self._read()

    def _read(self) -> Limits:
        """A file that cannot be read is told of and begun anew: it costs a request too many at worst."""
        try:
            self._written = self._path.read_text(encoding="utf-8")
            return Limits.from_json(json.loads(self._written))
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            self._tell(Trouble("limits_unreadable", f"{self._path}: {error}", wall_ms()))
        return Limits()

    def save(self) -> None:
        """If anything has changed: whole, or not at all."""
        text = json.dumps(self.limits.to_json())
        if text == self._written:
            return
        part = self._path.with_suffix(".part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(text, encoding="utf-8")
            part.replace(self._path)
        except OSError as error:
            self._tell(Trouble("limits_unsaved", f"{self._path}: {error.strerror}", wall_ms()))
        else:
            self._written = text

    async def keep(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(EVERY_S)
            self.save()
