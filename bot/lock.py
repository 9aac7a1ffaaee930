"""One instance for each token on a host: two would take each other's event stream away, again and again."""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import ConfigError


def lock_file(state_dir: Path, token: str) -> Path:
    """Named by a digest: whoever lists the folder learns nothing of the token."""
    return state_dir / f"instance-{hashlib.sha256(token.encode()).hexdigest()[:16]}.lock"


@contextmanager
def only_instance(state_dir: Path, token: str) -> Iterator[Path]:
    """Hold the lock, or raise ConfigError with the pid of who does.

    The kernel gives the lock back when its holder dies, however it dies. The file stays: to delete it would
    let two instances lock two files of one name.
    """
    file = lock_file(state_dir, token)
    try:
        state_dir.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ConfigError(
            f"{file}: cannot be written ({error.strerror}); set state_dir to a folder of yours"
        ) from None
    try:
        _lock(handle, file)
        try:
            yield file
        finally:
            os.ftruncate(handle, 0)
            fcntl.flock(handle, fcntl.LOCK_UN)  # a child between fork and exec still has our handle
    finally:
        os.close(handle)


def _lock(handle: int, file: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = os.pread(handle, 20, 0).decode(errors="replace").strip() or "unknown"
        raise ConfigError(
            f"Krait already runs with this token on this machine (pid {pid}, {file}): stop that one first"
        ) from None
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
