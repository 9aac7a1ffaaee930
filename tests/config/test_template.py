"""`krait init`: the file says every default, and says it right."""

import re
import tomllib
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from bot.config import toml
from bot.config.load import load
from bot.config.model import Config
from bot.config.settings import settings
from bot.config.template import render


def uncommented() -> str:
    return re.sub(r"^#(?=\S)", "", render(), flags=re.MULTILINE)


def read(text: str, folder: Path) -> Config:
    (folder / "krait.toml").write_text(text, encoding="utf-8")
    return load(folder / "krait.toml", {}, None).config


def test_the_template_changes_nothing(tmp_path: Path) -> None:
    assert read(render(), tmp_path) == Config()


def test_the_template_without_its_signs_is_the_defaults(tmp_path: Path) -> None:
    assert read(uncommented(), tmp_path) == Config()


def test_the_template_has_every_setting_with_its_description_just_before() -> None:
    tree = tomllib.loads(uncommented())
    flat = render().replace("\n# ", " ")
    for setting in settings():
        if setting.is_for_files:
            table = setting.table.removesuffix("[]")
            place = tree if not table else tree[table][0] if "[]" in setting.key else tree[table]
            assert place[setting.name] == setting.default
            assert f"{setting.description}\n#{setting.name} = " in flat


def test_the_template_has_no_place_for_the_token() -> None:
    assert not re.search(r"^#?token =", render(), re.MULTILINE)


def test_each_line_of_the_template_changes_something_when_it_is_wrong() -> None:
    """A line of prose has a blank after its sign, a setting has none: nobody can mix them up."""
    for line in render().splitlines():
        assert re.fullmatch(r"|# .+|#[a-z_]+ = .+|\[[a-z.]+\]|\[\[engines\]\]", line)


SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=8,
)


@example('\x00\x1f\x7f\u2028"\\')
@given(VALUES)
def test_what_is_written_as_toml_is_read_as_the_same(value: object) -> None:
    assert tomllib.loads(f"it = {toml.value(value)}") == {"it": value}
