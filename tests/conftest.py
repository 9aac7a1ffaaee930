"""What every test may rely on: compiled kernels, and property tests that are never failed for being slow."""

import sys

import pytest
from hypothesis import settings

settings.register_profile("krait", deadline=None)  # the first call of a kernel loads or compiles it
settings.load_profile("krait")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compile before the first test, where no timeout runs, and only if a collected test needs the engine."""
    driver = sys.modules.get("engine.driver")
    if driver is None or not session.items or session.config.option.collectonly:
        return
    from engine.core import jit

    if not jit.is_warm():
        driver.warm(None)
