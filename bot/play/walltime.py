"""The time of day, for rows and logs and never for a deadline: it may jump."""

import time


def wall_ms() -> int:
    return time.time_ns() // 1_000_000
