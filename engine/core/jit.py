"""The one place that knows Numba's options and its cache. Kernels say `@kernel` and nothing else.

Numba re-uses a cached caller even when a callee in another file has changed, so the cache directory carries a
digest of every kernel source, of Numba's version and of the processor. It is set before the first decorator
runs.
"""

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding
import numba
import numba.extending

F = TypeVar("F", bound=Callable[..., Any])
Record = Any  # a NumPy record of one of the layouts in `layout.py`: one pointer for the compiled code

UNUSED_DAYS = 30
_STAMP = "warm"


def _digest() -> str:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    versions = f"{numba.__version__} {llvmlite.__version__} {sys.version_info[:2]}"
    host = f"{versions} {llvmlite.binding.get_host_cpu_name()}"
    return sha256(b"".join(p.read_bytes() for p in sources) + host.encode()).hexdigest()[:16]


def _cache_root() -> Path:
    named = os.environ.get("KRAIT_CACHE_DIR")
    if named:
        return Path(named).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base).absolute() / "krait"
    try:
        return Path.home() / ".cache" / "krait"
    except RuntimeError:  # a container whose user has no name and no home
        return _temporary_root()


def _temporary_root() -> Path:
    return Path(tempfile.gettempdir()) / f"krait-{os.getuid() if hasattr(os, 'getuid') else 0}"


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _choose_cache_dir() -> Path:
    wanted = _cache_root() / "kernels" / _digest()
    # A read-only directory that is already warm serves as it is: Numba only reads from it.
    if (wanted / _STAMP).exists() or _usable(wanted):
        return wanted
    spare = _temporary_root() / "kernels" / _digest()
    if _usable(spare):
        sys.stderr.write(
            f"krait: cannot write {wanted}; compiled code goes to {spare} (set KRAIT_CACHE_DIR)\n"
        )
        return spare
    sys.stderr.write(
        f"krait: cannot write {wanted} nor {spare}; every start will compile (set KRAIT_CACHE_DIR)\n"
    )
    return wanted


CACHE_DIR = _choose_cache_dir()
_CACHES = (CACHE_DIR / _STAMP).exists() or _usable(CACHE_DIR)
numba.config.CACHE_DIR = str(CACHE_DIR)


def kernel(function: F) -> F:
    """Compile `function` on its first call, without the interpreter's lock, and keep the machine code on
    disk.
    """
    return cast("F", numba.njit(cache=_CACHES, nogil=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """A kernel too small to be worth a call: its body is pasted into the caller before typing."""
    return cast("F", numba.njit(cache=_CACHES, nogil=True, error_model="numpy", inline="always")(function))


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that writes LLVM's instructions itself, called from kernels with machine values only."""
    written: Callable[..., Any] = numba.extending.intrinsic(function)
    return written


def is_warm() -> bool:
    """Whether the cache on disk already holds every kernel."""
    return (CACHE_DIR / _STAMP).exists()


@contextlib.contextmanager
def sole_compiler() -> Iterator[None]:
    """Hold a file lock: of several processes that start cold, one compiles and the others load its work."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, OSError):  # Windows, or a cache that cannot be written
            import fcntl  # noqa: PLC0415  - does not exist everywhere

            fcntl.flock(stack.enter_context((CACHE_DIR / "lock").open("w")), fcntl.LOCK_EX)
        yield


def warm(
    steps: list[tuple[str, Callable[[], object]]], progress: Callable[[str, int, int], None] | None
) -> None:
    """Run every step, which compiles or loads one entry kernel; tell `progress` (name, done, total)."""
    with contextlib.nullcontext() if is_warm() else sole_compiler():
        for done, (name, step) in enumerate(steps):
            if progress:
                progress(name, done, len(steps))
            step()
        if progress:
            progress("ready", len(steps), len(steps))
        with contextlib.suppress(OSError):  # a read-only cache has its stamp, or never will have
            (CACHE_DIR / _STAMP).touch()
    _drop_unused()


def _drop_unused() -> None:
    """Forget the machine code of versions that nobody has started for a month."""
    oldest = time.time() - UNUSED_DAYS * 86_400
    for folder in CACHE_DIR.parent.glob("[0-9a-f]" * 16):
        with contextlib.suppress(OSError):
            stamp = folder / _STAMP
            if folder != CACHE_DIR and (stamp if stamp.exists() else folder).stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
