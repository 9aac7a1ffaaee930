"""The cache of compiled code: where it is kept, and several processes starting at once on an empty one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def start(cache: Path, code: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"KRAIT_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(cache: Path, code: str) -> tuple[str, str]:
    out, err = start(cache, code).communicate(timeout=600)
    return out, err


WHERE = "from engine.core import jit; print(jit.CACHE_DIR)"
PLAY = (
    "from engine import driver; driver.warm(lambda *told: print(told[0]));"
    "print(driver.Engine().search(driver.Limits(depth=5)).nodes)"
)


def test_the_cache_is_kept_where_the_environment_says(tmp_path: Path) -> None:
    out, err = run(tmp_path, WHERE)
    assert Path(out.strip()).parent == tmp_path / "kernels"
    assert not err


def test_a_cache_that_cannot_be_written_is_replaced_with_a_warning(tmp_path: Path) -> None:
    """A file in the place of the folder: even root cannot write there."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    out, err = run(blocked, WHERE)
    assert not Path(out.strip()).is_relative_to(blocked)
    assert "KRAIT_CACHE_DIR" in err
    assert str(blocked) in err


def test_a_change_of_any_kernel_is_another_cache(tmp_path: Path) -> None:
    """Numba itself would go on using a caller's old code when only a callee in another file has changed."""
    changed = "from pathlib import Path; read = Path.read_bytes; Path.read_bytes = lambda p: read(p) + b'#';"
    assert run(tmp_path, WHERE)[0] != run(tmp_path, changed + WHERE)[0]


@pytest.mark.slow
def test_processes_that_start_together_on_an_empty_cache_all_play(tmp_path: Path) -> None:
    both = [start(tmp_path, PLAY) for _ in range(3)]
    outs = [process.communicate(timeout=600)[0].split() for process in both]
    assert len({out[-1] for out in outs}) == 1
    assert [process.returncode for process in both] == [0, 0, 0]
    assert run(tmp_path, PLAY)[0].split()[-1] == outs[0][-1]  # and a later one loads what they have left
