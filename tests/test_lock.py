"""One instance for each token on a host."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.lock import lock_file, only_instance

SECRET = "lip_AbCdEf123456"  # noqa: S105  - nobody's
HOLDER = """
import sys
from pathlib import Path
from bot.lock import only_instance
with only_instance(Path(sys.argv[1]), sys.stdin.readline().strip()):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds the lock until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(f"{SECRET}\n")
        process.stdin.flush()
        assert process.stdout.readline() == "held\n"
        yield process


def test_a_second_instance_is_refused_with_the_pid_of_the_first(
    tmp_path: Path, holder: "subprocess.Popen[str]"
) -> None:
    said = rf"already runs .* \(pid {holder.pid},"
    with pytest.raises(ConfigError, match=said), only_instance(tmp_path, SECRET):
        pass


def test_another_token_is_another_matter(tmp_path: Path, holder: "subprocess.Popen[str]") -> None:
    with only_instance(tmp_path, f"{SECRET}7"):
        pass


def test_what_a_killed_instance_left_is_no_obstacle(tmp_path: Path, holder: "subprocess.Popen[str]") -> None:
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert lock_file(tmp_path, SECRET).read_text(encoding="utf-8") == f"{holder.pid}\n"
    with only_instance(tmp_path, SECRET) as file:
        assert file.read_text(encoding="utf-8") == f"{os.getpid()}\n"


def test_whoever_leaves_lets_the_next_one_in(tmp_path: Path) -> None:
    for _ in range(2):
        with only_instance(tmp_path / "deep" / "state", SECRET):
            pass


def test_a_refused_instance_does_not_rub_out_the_pid(tmp_path: Path) -> None:
    with only_instance(tmp_path, SECRET) as file:
        with pytest.raises(ConfigError), only_instance(tmp_path, SECRET):
            pass
        assert file.read_text(encoding="utf-8") == f"{os.getpid()}\n"


def test_the_token_is_neither_in_the_name_nor_in_the_file_nor_in_the_refusal(tmp_path: Path) -> None:
    with only_instance(tmp_path, SECRET) as file:
        with pytest.raises(ConfigError) as refused, only_instance(tmp_path, SECRET):
            pass
        assert SECRET[4:] not in f"{file}{file.read_text(encoding='utf-8')}{refused.value}"
        assert file.stat().st_mode & 0o777 == 0o600


def test_the_lock_does_not_outlive_us_in_a_child(tmp_path: Path) -> None:
    """An engine that is still dying must not keep the next instance out."""
    child = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with only_instance(tmp_path, SECRET):
        process = subprocess.Popen(child, stdin=subprocess.PIPE, close_fds=False)
    with process, only_instance(tmp_path, SECRET):
        pass


def test_a_state_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="set state_dir"), only_instance(tmp_path / "file" / "x", SECRET):
        pass
