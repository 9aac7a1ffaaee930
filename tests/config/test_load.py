"""Files and variables to one configuration: who beats whom, where each value comes from, what is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.load import Loaded, load
from bot.config.model import Config, require_token
from bot.config.settings import keys, settings, variables
from bot.errors import ConfigError

ROOT = Path(__file__).parents[2]


class Desk:
    """A folder of settings, and what `load` makes of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, toml: str = "", dotenv: str = "", **environ: str) -> Loaded:
        file, env = self.folder / "krait.toml", self.folder / ".env"
        file.write_text(toml, encoding="utf-8")
        env.write_text(dotenv, encoding="utf-8")
        return load(file, environ, env)

    def complaint(self, toml: str = "", dotenv: str = "", **environ: str) -> str:
        with pytest.raises(ConfigError) as refused:
            self.load(toml, dotenv, **environ)
        return str(refused.value).replace(f"{self.folder}/", "")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_nothing_at_all_is_a_configuration() -> None:
    assert load(None, {}, None).config == Config()


def test_every_setting_has_an_origin_and_it_is_the_default_unless_somebody_spoke() -> None:
    assert set(load(None, {}, None).origins.values()) == {"default"}
    assert load(None, {}, None).origins.keys() >= {setting.key for setting in settings()}


def test_the_environment_beats_the_env_file_and_that_beats_the_toml(desk: Desk) -> None:
    toml = "[games]\nmax_games = 3\nmax_correspondence = 3\nreserved_for_humans = 3"
    dotenv = "KRAIT_GAMES__MAX_GAMES=4\nKRAIT_GAMES__MAX_CORRESPONDENCE=4"
    loaded = desk.load(toml, dotenv, KRAIT_GAMES__MAX_GAMES="5")
    games = loaded.config.games
    assert (games.max_games, games.max_correspondence, games.reserved_for_humans) == (5, 4, 3)
    assert loaded.origins["games.max_games"] == "KRAIT_GAMES__MAX_GAMES"
    assert loaded.origins["games.max_correspondence"] == ".env"
    assert loaded.origins["games.reserved_for_humans"].endswith("krait.toml")
    assert loaded.origins["games.drain"] == "default"


def test_a_variable_holds_a_list_with_commas_or_as_json(desk: Desk) -> None:
    assert desk.load(KRAIT_CHALLENGES__MODES="casual, rated").config.challenges.modes == ("casual", "rated")
    assert desk.load(KRAIT_CHALLENGES__MODES='["casual"]').config.challenges.modes == ("casual",)
    hours = desk.load(KRAIT_CHALLENGES__HOURS="sat,sun; mon 18:00-20:00").config.challenges.hours
    assert hours == ("sat,sun", "mon 18:00-20:00")


def test_a_variable_reaches_the_rules_of_one_kind_and_whole_tables(desk: Desk) -> None:
    loaded = desk.load(
        KRAIT_CHALLENGES__BOT__MODES="rated", KRAIT_ENGINES='[{"name": "sf", "command": "stockfish -q"}]'
    )
    assert loaded.config.challenges.rules_for("bot").modes == ("rated",)
    assert loaded.config.engines[0].command == ("stockfish", "-q")
    assert loaded.origins["engines[].command"] == "KRAIT_ENGINES"


def test_the_server_has_a_short_name(desk: Desk) -> None:
    loaded = desk.load(KRAIT_LICHESS_URL="http://127.0.0.1:8080/")
    assert loaded.config.lichess.url == "http://127.0.0.1:8080"
    assert loaded.origins["lichess.url"] == "KRAIT_LICHESS_URL"


def test_an_empty_line_of_chat_is_silence(desk: Desk) -> None:
    assert not desk.load(KRAIT_CHAT__GREETING="").config.chat.greeting


def test_the_state_directory_follows_xdg_until_it_is_set(desk: Desk) -> None:
    loaded = desk.load(XDG_STATE_HOME="/var/state")
    assert loaded.config.state_dir == Path("/var/state/krait")
    assert loaded.origins["state_dir"] == "XDG_STATE_HOME"
    assert desk.load('state_dir = "/srv/bot"', XDG_STATE_HOME="/x").config.state_dir == Path("/srv/bot")
    assert desk.load('state_dir = "~/bot"').config.state_dir == Path.home() / "bot"


def test_the_file_is_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("krait.toml").write_text("games.max_games = 3", encoding="utf-8")
    Path("other.toml").write_text("games.max_games = 4", encoding="utf-8")
    Path(".env").write_text("KRAIT_CONFIG=other.toml", encoding="utf-8")
    assert load(None, {}, None).config.games.max_games == 3
    assert load(None, {"KRAIT_CONFIG": "other.toml"}, None).config.games.max_games == 4
    assert load(None, {}).config.games.max_games == 4
    assert load(Path("krait.toml"), {"KRAIT_CONFIG": "other.toml"}, None).config.games.max_games == 3


def test_a_file_that_was_named_must_be_there_and_be_toml(tmp_path: Path, desk: Desk) -> None:
    with pytest.raises(ConfigError, match="no such file; `krait init` writes one"):
        load(tmp_path / "none.toml", {}, None)
    assert "krait.toml: this is not TOML" in desk.complaint("games = ")
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path, {}, None)


# --- what is refused


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("[games]\nmax_game = 3", "krait.toml: games.max_game is unknown: did you mean games.max_games?"),
        ("max_games = 3", "krait.toml: max_games is unknown: did you mean games.max_games?"),
        ("[game]\nmax_games = 3", "krait.toml: game is unknown: did you mean games?"),
        (
            "[challenges.human]\nrating_mn = 3",
            "krait.toml: challenges.human.rating_mn is unknown: did you mean challenges.human.rating_min?",
        ),
        ("[[engines]]\nnme = 'x'", "krait.toml: engines[0].nme is unknown: did you mean engines.name?"),
    ],
)
def test_an_unknown_key_is_named_with_its_file_and_the_nearest_right_one(
    desk: Desk, toml: str, said: str
) -> None:
    assert desk.complaint(toml) == said


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("games.max_games = 0", "krait.toml: games.max_games = 0: must be greater than or equal to 1"),
        ("games.drain = 'stop'", "krait.toml: games.drain = 'stop': must be 'finish' or 'leave'"),
        ("games.max_games = 'x'", "krait.toml: games.max_games = 'x': must be a valid integer ("),
        ("lichess.url = 'lichess'", "krait.toml: lichess.url: an address such as https://lichess.org"),
        ("challenges.time_controls = ['3+x']", "krait.toml: challenges.time_controls: time control '3+x'"),
        ("challenges.hours = ['noon']", "krait.toml: challenges.hours: hours 'noon'"),
        ("challenges.block = ['a b']", "krait.toml: challenges.block: 'a b' is neither a name"),
        ("chat.commands = ['dance']", "krait.toml: chat.commands: there is no chat command 'dance'"),
        (
            "engines = [{options = {A = [1]}}]",
            "krait.toml: engines[0].options.A = [1]: must be a valid string",
        ),
    ],
)
def test_a_wrong_value_is_told_with_what_is_allowed(desk: Desk, toml: str, said: str) -> None:
    complaint = desk.complaint(toml)
    assert complaint.startswith(said)
    assert "\n" not in complaint


def test_every_problem_has_a_line_of_its_own(desk: Desk) -> None:
    said = desk.complaint("[games]\nmax_game = 3\ndrain = 'x'", KRAIT_WEB__PORT="port", KRAIT_TOCKEN="x")
    assert len(said.splitlines()) == 4
    assert "KRAIT_WEB__PORT: web.port = 'port'" in said


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("KRAIT_MAX_GAMES", "KRAIT_GAMES__MAX_GAMES"),
        ("KRAIT_TOKN", "KRAIT_TOKEN"),
        ("KRAIT_URL", "KRAIT_LICHESS__URL"),
    ],
)
def test_an_unknown_variable_is_named_with_the_nearest_right_one(desk: Desk, name: str, meant: str) -> None:
    assert desk.complaint(**{name: "1"}) == f"{name} is unknown: did you mean {meant}?"
    assert desk.complaint(dotenv=f"{name}=1") == f".env: {name} is unknown: did you mean {meant}?"


def test_other_peoples_variables_are_none_of_our_business(desk: Desk) -> None:
    """Kubernetes makes KRAIT_PORT and KRAIT_SERVICE_HOST up for a service of our name."""
    desk.load(dotenv="POSTGRES_PASSWORD=x", HOME="/", KRAIT_PORT="tcp://1", KRAIT_SERVICE_HOST="x")


# --- the token


SECRET = "lip_AbCdEf123456"  # noqa: S105  - nobody's


def test_the_token_comes_from_the_environment_the_env_file_or_a_file_of_its_own(desk: Desk) -> None:
    file = desk.folder / "secret"
    file.write_text(f"{SECRET}\n", encoding="utf-8")
    for loaded, origin in (
        (desk.load(KRAIT_TOKEN=SECRET), "KRAIT_TOKEN"),
        (desk.load(dotenv=f"KRAIT_TOKEN={SECRET}"), ".env"),
        (desk.load(KRAIT_TOKEN_FILE=str(file)), str(file)),
        (desk.load(f"token_file = '{file}'"), str(file)),
        (desk.load(f"token_file = '{file}'", KRAIT_TOKEN=""), str(file)),
    ):
        assert require_token(loaded.config) == SECRET
        assert loaded.origins["token"] == origin


def test_a_systemd_credential_is_found_by_itself(desk: Desk) -> None:
    (desk.folder / "krait_token").write_text(SECRET, encoding="utf-8")
    assert require_token(desk.load(CREDENTIALS_DIRECTORY=str(desk.folder)).config) == SECRET


def test_a_token_from_the_environment_beats_one_in_a_file(desk: Desk) -> None:
    assert require_token(desk.load("token_file = '/nowhere'", KRAIT_TOKEN=SECRET).config) == SECRET


@pytest.mark.parametrize(
    "toml", [f"token = '{SECRET}'", f"lichess.token = '{SECRET}'", f"chat.greeting = 'I am {SECRET}'"]
)
def test_a_token_in_the_toml_is_refused_with_the_reason_and_not_repeated(desk: Desk, toml: str) -> None:
    said = desk.complaint(toml)
    assert "copied and shown around" in said
    assert "KRAIT_TOKEN" in said
    assert SECRET not in said


def test_a_token_file_must_hold_a_token(desk: Desk) -> None:
    empty = desk.folder / "empty"
    empty.touch()
    assert "is empty" in desk.complaint(KRAIT_TOKEN_FILE=str(empty))
    assert "cannot be read" in desk.complaint(KRAIT_TOKEN_FILE=str(desk.folder / "none"))
    said = desk.complaint(KRAIT_TOKEN=f"{SECRET}+")
    assert said == "KRAIT_TOKEN: the token has characters that no token of Lichess has; copy it anew"


def test_the_token_is_in_no_repr_and_no_complaint(desk: Desk) -> None:
    assert SECRET not in repr(desk.load(KRAIT_TOKEN=SECRET))
    said = desk.complaint(KRAIT_TOKEN=SECRET, KRAIT_GAMES__DRAIN=SECRET, KRAIT_LICHESS_URL=f"x{SECRET}")
    assert SECRET not in said
    assert "games.drain" in said


def test_without_a_token_one_is_told_where_to_get_it() -> None:
    with pytest.raises(ConfigError, match=r"bot:play at https://lichess\.org/account/oauth/token"):
        require_token(Config())


# --- the names


def test_the_example_of_the_environment_is_a_configuration_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text((ROOT / ".env.example").read_text(encoding="utf-8"), encoding="utf-8")
    assert load(None, {}, tmp_path / ".env").config == Config()


def test_each_variable_of_the_example_is_understood(tmp_path: Path) -> None:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    shown = [line.removeprefix("# ") for line in lines if line.startswith("# KRAIT_")]
    (tmp_path / ".env").write_text(
        "\n".join(line for line in shown if not line.startswith(("KRAIT_TOKEN", "KRAIT_CONFIG"))),
        encoding="utf-8",
    )
    assert load(None, {}, tmp_path / ".env").config.games.max_games == 4


@given(st.sampled_from(sorted(keys())), st.data())
def test_a_slip_in_a_key_never_goes_unnoticed(key: str, data: st.DataObject) -> None:
    bare = key.replace("[]", "")
    at = data.draw(st.integers(0, len(bare)))
    wrong = f"{bare[:at]}z{bare[at:]}"
    variable = f"KRAIT_{wrong.upper().replace('.', '__')}"
    if variable in variables():
        return
    with pytest.raises(ConfigError):
        load(None, {variable: "1"}, None)
