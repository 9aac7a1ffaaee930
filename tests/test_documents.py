"""What a document states, a test reads: trees, targets, commands, options, variables, locks."""

import re
import tomllib
from pathlib import Path

import pytest

from bot.__main__ import app
from engine.options import OPTIONS, Option

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-lab.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def rooms_drawn() -> set[str]:
    """The folders in the tree of ARCHITECTURE.md, as paths."""
    tree = re.search(r"## Rooms\n+```\n(.*?)```", read("ARCHITECTURE.md"), re.DOTALL)
    assert tree
    rooms, path = set(), list[str]()
    for indent, name in re.findall(r"^( *)(\w+)/ ", tree[1], re.MULTILINE):
        path = [*path[: len(indent) // 2], name]
        rooms.add("/".join(path))
    return rooms


def rooms_built() -> set[str]:
    """The folders on disk that hold a file; below tests, only the first level is drawn."""
    folders = {
        file.parent.relative_to(ROOT)
        for top in ("bot", "engine", "tests", "deploy")
        for file in ROOT.glob(f"{top}/**/*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    return {folder.as_posix() for folder in folders if folder.parts[0] != "tests" or len(folder.parts) <= 2}


def test_the_tree_in_the_architecture_is_the_tree_on_disk() -> None:
    assert rooms_drawn() == rooms_built()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_file_that_a_document_names_exists(document: str) -> None:
    named = set(re.findall(r"`((?:bot|engine|tests)/[\w/.]+)`", read(document)))
    assert not {name for name in named if not (ROOT / name).exists()}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_target_that_a_document_names_exists(document: str) -> None:
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", read(document), re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_that_a_document_names_exists(document: str) -> None:
    named = set(re.findall(r"(?:`|bin/)krait ([a-z-]+)", read(document)))
    commands = {c.name or c.callback.__name__ for c in app.registered_commands if c.callback}
    assert named <= commands


def test_readme_names_every_command() -> None:
    commands = {c.name or c.callback.__name__ for c in app.registered_commands if c.callback}
    assert not {name for name in commands if f"krait {name}" not in read("README.md")}


def test_the_environment_file_names_every_variable_of_the_code_and_none_that_means_nothing() -> None:
    """Variables with two underscores are settings of krait.toml: the file shows a few of them."""
    from bot.config.settings import variables

    named = set(re.findall(r"^#? ?(KRAIT_[A-Z0-9_]+)=", read(".env.example"), re.MULTILINE))
    sources = [
        path.read_text(encoding="utf-8")
        for room in ("bot", "engine")
        for path in ROOT.glob(f"{room}/**/*.py")
    ]
    in_code = {name for text in sources for name in re.findall(r"KRAIT_[A-Z0-9_]+", text)}
    assert named | in_code <= variables()
    assert {name for name in named if "__" not in name} == {name for name in in_code if "__" not in name}


def values_of(option: Option) -> str:
    match option.default:
        case None:
            return "button"
        case bool():
            return "check"
        case int():
            return f"{option.low} to {option.high}"
        case str():
            return "string"


def test_the_option_table_in_the_readme_is_what_the_engine_offers() -> None:
    rows = re.findall(r"^\| `([\w ]+)` \| ([^|]+) \| ([^|]*)\|", read("README.md"), re.MULTILINE)
    offered = [
        (option.name, values_of(option), "" if option.default is None else str(option.default).lower())
        for option in OPTIONS
    ]
    assert [(name, values.strip(), default.strip()) for name, values, default in rows] == offered


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_index(lock: str) -> None:
    assert not re.search(r"https?:|file:|--index|--extra-index|--find-links| @ ", read(lock))


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_of_a_lock_is_pinned_and_hashed(lock: str) -> None:
    entries = re.split(r"\n(?=\w)", re.sub(r"^#.*\n", "", read(lock), flags=re.MULTILINE).strip())
    assert not [entry for entry in entries if not re.match(r"[\w.-]+==\S+[^\n]*\\\n\s+--hash=sha256:", entry)]


def pins(lock: str) -> set[str]:
    return set(re.findall(r"^[\w.-]+==\S+(?: ; [^\\\n]+)?", read(lock), re.MULTILINE))


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_all_locks_agree_on_what_runs(lock: str) -> None:
    assert pins("requirements.lock") <= pins(lock)


def test_the_locks_hold_what_the_project_asks_for() -> None:
    def names(requirements: list[str]) -> set[str]:
        return {re.split(r"[\[=><]", requirement)[0] for requirement in requirements}

    locked = {lock: {pin.partition("==")[0] for pin in pins(lock)} for lock in LOCKS}
    extras = PROJECT["optional-dependencies"]
    assert names(PROJECT["dependencies"]) <= locked["requirements.lock"]
    assert names(extras["dev"]) <= locked["requirements-dev.lock"]
    assert names(extras["lab"]) - {"torch"} <= locked["requirements-lab.lock"]


def test_the_lab_without_a_lock_is_told_how_to_get_torch() -> None:
    (torch,) = (
        requirement for requirement in PROJECT["optional-dependencies"]["lab"] if "torch" in requirement
    )
    assert f"pip install {torch}" in read("CONTRIBUTING.md")


def test_the_changelog_knows_this_version() -> None:
    assert f"## [{PROJECT['version']}]" in read("CHANGELOG.md")


def test_the_licence_is_the_one_the_project_declares() -> None:
    assert PROJECT["license"] == "GPL-3.0-or-later"
    assert read("LICENSE").split(maxsplit=6)[:6] == ["GNU", "GENERAL", "PUBLIC", "LICENSE", "Version", "3,"]
