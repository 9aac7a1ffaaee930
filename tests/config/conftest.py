"""Every test here stands in an empty folder: nobody's own krait.toml or .env is read."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("empty")
    monkeypatch.chdir(folder)
    return folder
