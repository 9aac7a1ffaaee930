"""`krait-engine`, also `python -m engine`: a UCI engine, and two errands beside it."""

import argparse
import sys

from engine import startup


def main() -> int:
    command = _arguments().command
    if command == "warm":
        cold = startup.warm(on_cold=lambda: None)
        startup.note(f"krait: the kernels {'are compiled' if cold else 'were compiled before'}")
        return 0
    if command == "bench":
        return _bench()
    from engine import uci  # noqa: PLC0415  - it is most of the program, and the errands do not need it

    return uci.main()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="krait-engine", description="Krait's chess engine. It speaks UCI.")
    parser.add_argument("--version", action="version", version=f"Krait {startup.version()}")
    parser.add_argument(
        "command",
        nargs="?",
        choices=("uci", "warm", "bench"),
        default="uci",
        help="uci: talk on stdin and stdout (the default); warm: compile the kernels now, so that the first "
        "game need not wait; bench: search fixed positions and print the node count, the engine's signature",
    )
    return parser.parse_args()


def _bench() -> int:
    startup.warm(on_cold=lambda: None)
    from engine import bench  # noqa: PLC0415  - loads Numba, which --help and --version do not need

    result = bench.run()
    print(f"Bench: {result.nodes}\nnps {result.nps}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
