"""Other bots' files in our words: what is taken over means the same, and nothing is lost in silence."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.config.imports import Bot, Imported, import_config
from bot.config.load import load
from bot.config.model import Config
from bot.config.slices import policy_of
from bot.errors import ConfigError
from bot.game.nouns import TimeControl
from bot.game.timecontrol import accepts

LICHESS_BOT = """
token: "lip_somebodystoken"
url: "https://lichess.org/"
engine:
  dir: "/opt/engines/"
  name: "stockfish"
  interpreter: "nice"
  interpreter_options: ["-n", "5"]
  working_dir: "/srv/engine"
  protocol: "uci"
  ponder: false
  debug: false
  silence_stderr: false
  engine_options: {cpuct: 3.1}
  homemade_options: {Hash: 256}
  uci_options: {Move Overhead: 100, Threads: 2, Hash: 256, SyzygyPath: "/tb", go_commands: {depth: 5}}
  polyglot:
    enabled: true
    book: {standard: [a.bin, b.bin], 3check: [t.bin], giveaway: [g.bin]}
    min_weight: 5
    selection: uniform_random
    normalization: none
    max_depth: 12
  draw_or_resign:
    resign_enabled: true
    resign_score: -900
    resign_for_egtb_minus_two: true
    resign_moves: 4
    offer_draw_enabled: false
    offer_draw_score: 5
    offer_draw_for_egtb_zero: true
    offer_draw_moves: 8
    offer_draw_pieces: 12
  online_moves:
    max_out_of_book_moves: 10
    max_retries: 2
    chessdb_book: {enabled: true, min_time: 20, max_time: 10800, move_quality: good, min_depth: 20}
    lichess_cloud_analysis: {enabled: false, min_depth: 20, min_knodes: 0, max_score_difference: 50}
    lichess_opening_explorer: {enabled: false, source: masters, sort: winrate, min_games: 10}
    online_egtb: {enabled: false, source: lichess, max_pieces: 8, move_quality: best}
  lichess_bot_tbs:
    syzygy: {enabled: true, paths: [/tb/a, /tb/b], max_pieces: 6, move_quality: best}
    gaviota: {enabled: false, paths: [/g], max_pieces: 5, min_dtm_to_consider_as_wdl_1: 120}
abort_time: 45
fake_think_time: false
rate_limiting_delay: 0
move_overhead: 2000
max_takebacks_accepted: 1
quit_after_all_games_finish: true
correspondence: {move_time: 20, checkin_period: 300, disconnect_time: 150, ponder: false}
challenge:
  concurrency: 3
  games_reserved_for_humans: 1
  sort_by: first
  preference: human
  accept_bot: true
  only_bot: false
  min_increment: 0
  max_increment: 20
  min_base: 60
  max_base: 1800
  min_days: 2
  max_days: 7
  variants: [standard, fromPosition, threeCheck]
  time_controls: [bullet, blitz, rapid, correspondence]
  modes: [rated]
  bullet_requires_increment: true
  block_list: [badguy]
  online_block_list: ["https://example.org/list.txt"]
  allow_list: [friend]
  recent_bot_challenge_age: 3600
  max_recent_bot_challenges: 2
  max_simultaneous_games_per_user: 5
  min_rating: 600
  max_rating: 4000
  rating_difference: 300
greeting: {hello: "Hi, I'm {me}.", goodbye: "Bye!", hello_spectators: "", goodbye_spectators: "Thanks"}
pgn_directory: game_records
pgn_file_grouping: game
matchmaking: {allow_matchmaking: true, challenge_timeout: 30, block_list: [x], overrides: {a: {b: 1}}}
"""
BOTLI = """
token: "lip_somebodystoken"
url: "http://127.0.0.1:8080"
engines:
  standard:
    dir: "./engines"
    name: "stockfish"
    ponder: false
    silence_stderr: false
    move_overhead_multiplier: 1.0
    uci_options: {Threads: 4, Hash: 256, Move Overhead: 100}
    limits: {time: 5.0}
  variants: {dir: "./engines", name: "fairy", ponder: true, uci_options: }
  bullet: {dir: "./engines", name: "stockfish"}
  standard_white: {dir: "./engines", name: "other"}
syzygy:
  standard: {enabled: true, paths: [/tb/std], max_pieces: 6, instant_play: true}
  atomic: {enabled: false, paths: [/tb/a], max_pieces: 6, instant_play: true}
gaviota: {enabled: false, paths: [/g], max_pieces: 5}
opening_books:
  enabled: true
  priority: 400
  read_learn: false
  books:
    standard: {selection: best_move, max_depth: 16, max_moves: 8, allow_repetitions: false, names: [Main]}
    blitz: {selection: best_move, names: [Other]}
books: {Main: /b/main.bin, Other: /b/other.bin}
opening_explorer: {enabled: true, priority: 300, anti: false, only_with_wins: false, min_games: 5, timeout: 5}
lichess_cloud: {enabled: false, min_eval_depth: 10, trust_eval: true}
chessdb: {enabled: false, best_move: true, trust_eval: false}
online_egtb: {enabled: false, min_time: 5}
offer_draw: {enabled: true, score: 15, consecutive_moves: 7, min_game_length: 30, against_humans: false}
resign: {enabled: true, score: -800, consecutive_moves: 4, against_humans: false, min_rating: 2300}
challenge:
  concurrency: 4
  max_takebacks: 2
  human:
    variants: [standard, chess960, antichess]
    time_controls: [blitz, 15+10]
    modes: [casual, rated]
    max_estimated_game_duration: 60
  bot:
    bullet_with_increment_only: true
    min_increment: 1
    max_initial: 600
    variants: [standard]
    time_controls: [bullet, blitz]
    modes: [rated]
matchmaking: {delay: 480, timeout: 5, selection: cyclic, types: {b: {tc: 1+1, rated: true, weight: 1}}}
messages:
  greeting: "{engine} on {cpu}"
  goodbye: "Bye {opponent}"
  greeting_spectators:
  goodbye_spectators: Thanks
whitelist: [friend]
blacklist: [foe]
online_blacklists: ["https://example.org/list.txt"]
"""
SAMPLES: dict[Bot, str] = {"lichess-bot": LICHESS_BOT, "botli": BOTLI}


def read(imported: Imported, folder: Path) -> Config:
    file = folder / "krait.toml"
    file.write_text(imported.toml_text, encoding="utf-8")
    return load(file, {}, None).config


@pytest.fixture
def from_lichess_bot(tmp_path: Path) -> Config:
    return read(import_config("lichess-bot", LICHESS_BOT), tmp_path)


@pytest.fixture
def from_botli(tmp_path: Path) -> Config:
    return read(import_config("botli", BOTLI), tmp_path)


def leaves(tree: Any, prefix: str = "") -> list[str]:
    found = []
    for name, value in tree.items():
        if isinstance(value, dict):
            found += leaves(value, f"{prefix}{name}.")
        elif value is not None:
            found.append(f"{prefix}{name}")
    return found


@pytest.mark.parametrize("bot", SAMPLES)
def test_every_key_is_taken_over_or_named_with_a_reason(bot: Bot) -> None:
    imported = import_config(bot, SAMPLES[bot])
    told = [theirs for theirs, _ in imported.mapped + imported.unmapped]
    for key in leaves(yaml.safe_load(SAMPLES[bot])):
        assert any(f"{key}.".startswith(f"{known}.") for known in told), key
    assert all(why for _, why in imported.unmapped)


@pytest.mark.parametrize("bot", SAMPLES)
def test_no_key_of_theirs_is_a_mystery(bot: Bot) -> None:
    """The samples hold every key that PEERS names: each is understood, or left for a reason of its own."""
    assert not [pair for pair in import_config(bot, SAMPLES[bot]).unmapped if "nothing like it" in pair[1]]


@pytest.mark.parametrize("bot", SAMPLES)
def test_the_token_is_not_written_but_its_place_is_told(bot: Bot) -> None:
    imported = import_config(bot, SAMPLES[bot])
    assert "somebodystoken" not in repr(imported)
    assert any(theirs == "token" and "KRAIT_TOKEN" in why for theirs, why in imported.unmapped)


def test_an_engine_of_lichess_bot_is_started_the_same_way(from_lichess_bot: Config) -> None:
    (engine,) = from_lichess_bot.engines
    assert engine.command == ("nice", "-n", "5", "/opt/engines/stockfish", "--cpuct=3.1")
    assert engine.options == {"Move Overhead": 100, "Threads": 2, "Hash": 256, "SyzygyPath": "/tb"}
    assert (engine.cwd, engine.ponder, engine.protocol) == ("/srv/engine", False, "uci")
    assert (
        engine.variants == from_lichess_bot.challenges.variants == ("standard", "fromPosition", "threeCheck")
    )


def test_the_time_controls_of_lichess_bot_accept_the_same_games(from_lichess_bot: Config) -> None:
    policy = policy_of(from_lichess_bot)
    human = policy.human.time_controls
    for control in (TimeControl(60), TimeControl(180, 2), TimeControl(900, 10), TimeControl(days=7)):
        assert accepts(human, control)
    for control in (
        TimeControl(45, 3),  # below min_base
        TimeControl(1860),  # above max_base, and classical
        TimeControl(60, 21),  # above max_increment
        TimeControl(days=1),
        TimeControl(days=14),
        TimeControl(),
    ):
        assert not accepts(human, control)
    assert accepts(human, TimeControl(120))
    assert not accepts(policy.bot.time_controls, TimeControl(120))
    assert accepts(policy.bot.time_controls, TimeControl(120, 1))
    assert accepts(policy.bot.time_controls, TimeControl(180))


def test_the_rest_of_lichess_bot_finds_its_place(from_lichess_bot: Config) -> None:
    config, rules = from_lichess_bot, from_lichess_bot.challenges
    assert (config.games.max_games, config.games.reserved_for_humans, config.games.drain) == (3, 1, "finish")
    assert (config.games.abort_after_human_s, config.games.abort_after_bot_s) == (45, 45)
    assert (config.games.correspondence_check_s, config.clock.correspondence_move_s) == (300, 20)
    assert (rules.sort, rules.modes, rules.per_user_at_once) == ("humans", ("rated",), 5)
    assert (rules.rating_min, rules.below_ours, rules.above_ours) == (600, 300, 300)
    assert (rules.only, rules.block) == (("friend",), ("badguy", "https://example.org/list.txt"))
    assert rules.rules_for("bot").per_user_hour == 2
    assert config.book.files.keys() == {"standard", "threeCheck", "antichess"}
    assert (config.book.selection, config.book.min_weight, config.book.max_ply) == ("uniform", 5, 24)
    assert (config.tablebase.paths, config.tablebase.max_pieces) == ((Path("/tb/a"), Path("/tb/b")), 6)
    assert (config.resign.enabled, config.resign.score_cp, config.resign.moves) == (True, 900, 4)
    assert (config.draw.enabled, config.draw.score_cp, config.draw.moves) == (False, 5, 8)
    assert (config.draw.max_pieces, config.takeback.max_a_game) == (12, 1)
    assert (config.chat.greeting, config.chat.greeting_spectators) == ("Hi, I'm {me}.", "")
    assert (config.pgn.folder, config.pgn.per) == ("game_records", "game")


def test_the_engines_of_botli_keep_their_variants_and_speeds(from_botli: Config) -> None:
    main, variants, bullet = from_botli.engines
    assert main.command == bullet.command == ("engines/stockfish",)
    assert (main.ponder, main.options["Threads"], main.speeds) == (False, 4, ())
    assert bullet.speeds == ("bullet",)
    assert "antichess" in variants.variants
    assert "standard" not in variants.variants


def test_the_rest_of_botli_finds_its_place(from_botli: Config) -> None:
    config, human, bot = from_botli, *map(from_botli.challenges.rules_for, ("human", "bot"))
    assert (config.games.max_games, config.takeback.max_a_game) == (4, 2)
    assert config.lichess.url == "http://127.0.0.1:8080"
    assert (human.time_controls, human.max_minutes) == (("blitz", "15+10"), 60)
    assert (bot.modes, bot.variants) == (("rated",), ("standard",))
    times = policy_of(config).bot.time_controls
    assert accepts(times, TimeControl(60, 1))
    assert not accepts(times, TimeControl(60))
    assert not accepts(times, TimeControl(180))
    assert (config.challenges.welcome, config.challenges.block) == (
        ("friend",),
        ("foe", "https://example.org/list.txt"),
    )
    assert config.book.files == {"standard": (Path("/b/main.bin"),)}
    assert (config.book.selection, config.book.max_ply) == ("best", 16)
    assert config.tablebase.paths == (Path("/tb/std"),)
    assert (config.draw.score_cp, config.draw.moves, config.draw.from_move) == (15, 7, 30)
    assert not config.draw.offer_to_humans
    assert (config.resign.enabled, config.resign.score_cp, config.resign.to_humans) == (True, 800, False)
    assert config.chat.goodbye == "Bye {opponent}"


def test_the_older_form_of_botli_is_read_too(tmp_path: Path) -> None:
    text = """
    challenge:
      bullet_with_increment_only: true
      time_controls: [bullet, blitz]
      variants: [standard]
      bot_modes: [rated]
      human_modes: [casual]
    """
    rules = read(import_config("botli", text), tmp_path).challenges
    assert (rules.rules_for("human").modes, rules.rules_for("bot").modes) == (("casual",), ("rated",))
    assert rules.rules_for("human").time_controls == ("bullet", "blitz")
    assert rules.rules_for("bot").time_controls == ("bullet", "blitz", "!..2+0")


def test_a_kind_that_botli_refuses_is_not_accepted(tmp_path: Path) -> None:
    text = (
        "challenge: {human: {variants: [standard], time_controls: [blitz], modes: [rated]}, bot: {modes: []}}"
    )
    assert read(import_config("botli", text), tmp_path).challenges.accept == ("human", "anonymous")


def test_bots_only_and_no_bots_are_kept(tmp_path: Path) -> None:
    def accepted(line: str) -> tuple[str, ...]:
        return read(import_config("lichess-bot", f"challenge: {{{line}}}"), tmp_path).challenges.accept

    assert accepted("accept_bot: false") == ("human", "anonymous")
    assert accepted("accept_bot: true, only_bot: true") == ("bot",)
    assert accepted("accept_bot: true") == ("human", "bot", "anonymous")


def test_an_xboard_engine_keeps_its_options(tmp_path: Path) -> None:
    text = """
    engine:
      name: crafty
      protocol: xboard
      xboard_options: {cores: "4", memory: "4096", egtpath: {syzygy: /tb}}
    """
    (engine,) = read(import_config("lichess-bot", text), tmp_path).engines
    assert (engine.protocol, engine.command) == ("xboard", ("./crafty",))
    assert engine.options == {"cores": "4", "memory": "4096", "egtpath syzygy": "/tb"}


def test_a_homemade_engine_is_left_with_the_reason(tmp_path: Path) -> None:
    imported = import_config("lichess-bot", "engine: {name: Mine, protocol: homemade}")
    assert read(imported, tmp_path) == Config()
    assert imported.unmapped == [
        ("engine", "a homemade engine is no program to be started: make it speak UCI")
    ]


def test_what_krait_would_refuse_is_left_out_and_named(tmp_path: Path) -> None:
    text = """
    challenge: {concurrency: 0, variants: [standard, duck], games_reserved_for_humans: 9, modes: [rated]}
    greeting: {hello: "%s", goodbye: "Bye {friend}"}
    """
    imported = import_config("lichess-bot", text % ("x" * 141))
    assert read(imported, tmp_path).challenges.modes == ("rated",)
    assert {theirs for theirs, _ in imported.unmapped} == {
        "challenge.concurrency",
        "challenge.variants",
        "challenge.games_reserved_for_humans",
        "greeting.hello",
        "greeting.goodbye",
    }


def test_what_is_our_default_anyway_is_not_written() -> None:
    assert "[games]" not in import_config("lichess-bot", "challenge: {concurrency: 2}").toml_text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1", "this is not YAML in line"),
        ("- a\n- b", "no `key: value` lines"),
        ("", "no `key: value` lines"),
    ],
)
def test_what_is_no_configuration_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as refused:
        import_config("botli", text)
    assert "\n" not in str(refused.value)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("bot", SAMPLES)
@settings(max_examples=30)
@given(data=st.data())
def test_a_key_with_nonsense_in_it_never_makes_a_file_that_krait_refuses(
    bot: Bot, data: st.DataObject
) -> None:
    tree = yaml.safe_load(SAMPLES[bot])
    *path, last = data.draw(st.sampled_from(leaves(tree))).split(".")
    place = tree
    for part in path:
        place = place[part]
    place[last] = data.draw(ANYTHING)
    imported = import_config(bot, yaml.safe_dump(tree))
    assert Config.model_validate(tomllib.loads(imported.toml_text))
