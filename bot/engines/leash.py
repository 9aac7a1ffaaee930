"""Run a command that dies with its parent: `python -I -S leash.py PARENT_PID COMMAND [ARGUMENT ...]`.

Linux kills the engine when the thread that started it ends, whatever ended it. The wish survives `exec`, so
nothing of this program is left once the engine runs. It is set here, after the fork and in a program of its
own, because Python code between fork and exec of a threaded process may hang. Imports nothing of ours: it
must start in an instant and from any folder.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
CANNOT_RUN = 127


def main(parent: int, command: list[str]) -> None:
    """Does not return. Exit code 127 and a line on stderr: the command cannot be run."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before the wish was heard
        sys.exit(CANNOT_RUN)
    try:
        os.execvp(command[0], command)  # noqa: S606 - running the operator's engine is the purpose
    except OSError as error:
        print(f"cannot run {command[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(CANNOT_RUN)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
