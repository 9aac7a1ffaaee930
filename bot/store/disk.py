"""Text on a disk, whole or not at all, whatever stops us half way."""

import errno
import os
import re
from io import RawIOBase
from pathlib import Path

_PART = ".part"


def write_whole(target: Path, text: str) -> None:
    """Afterwards `target` holds `text`; whoever looks meanwhile sees what was there before, or all of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}{_PART}")
    _write(part, text)
    part.replace(target)
    _sync_folder(target.parent)


def append_whole(target: Path, text: str, key: str) -> None:
    """Add `text` to the end of `target`. Stopped half way, `recover` finishes it; `key` keeps two apart."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}~{safe(key)}{_PART}")
    _write(part, text)
    _sync_folder(target.parent)
    _append(target, text)
    part.unlink()


def recover(folder: Path) -> None:
    """Finish every addition that was begun in `folder`, and drop what never got whole."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in sorted(folder.glob(f".*{_PART}")):
        name, is_addition, _ = part.name[1:].partition("~")
        if is_addition:
            text, target = part.read_text(encoding="utf-8"), folder / name
            if text.endswith("\n\n"):  # the text itself was whole
                _cut_half(target, text)
                _append(target, text)
        part.unlink()


def holds(file: Path, words: str) -> bool:
    return file.exists() and words.encode() in file.read_bytes()


def safe(name: str) -> str:
    """`name` as a part of a file's name on any system."""
    return re.sub(r"[^\w-]", "-", name)[:40] or "-"


def _append(target: Path, text: str) -> None:
    data = text.encode("utf-8", "replace")
    with target.open("ab", buffering=0) as file:
        start = file.tell()
        try:
            _put_all(file, data)
        except OSError:
            file.truncate(start)
            raise


def _put_all(file: RawIOBase, data: bytes) -> None:
    if file.write(data) != len(data):
        raise OSError(errno.ENOSPC, "no space left for all of it")
    os.fsync(file.fileno())


def _cut_half(target: Path, text: str) -> None:
    """Take off the end of `target` what it has of `text`: all, a first part, or nothing."""
    if not target.exists():
        return
    data, whole = target.read_bytes(), text.encode("utf-8", "replace")
    most = min(len(data), len(whole))
    half = next((size for size in range(most, 0, -1) if data.endswith(whole[:size])), 0)
    if half:
        os.truncate(target, len(data) - half)


def _write(file: Path, text: str) -> None:
    with file.open("wb") as part:
        part.write(text.encode("utf-8", "replace"))
        part.flush()
        os.fsync(part.fileno())


def _sync_folder(folder: Path) -> None:
    """A new name is safe only when its folder is; not every system lets one say so."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
