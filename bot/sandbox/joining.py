"""How to point a bot at a running sandbox: the text a user reads first. Pure."""

from collections.abc import Sequence

from bot.sandbox.wishes import Guest, Wishes


def how_to_join(url: str, guests: Sequence[Guest], wishes: Wishes, opponents: Sequence[str]) -> str:
    first = guests[0]
    sections = [
        f"The sandbox listens on {url} (Ctrl-C stops it).",
        *(f"  bot account {guest.name}, token {guest.token}" for guest in guests),
        _opponents(opponents, wishes),
        "",
        "Point your bot at it:",
        f"  krait         KRAIT_LICHESS_URL={url} KRAIT_TOKEN={first.token} krait run",
        f'  lichess-bot   in config.yml  token: "{first.token}"  and  url: "{url}/"',
        f'  BotLi         in config.yml  token: "{first.token}"  and, as a top-level line,  url: "{url}"',
        f'  berserk       berserk.Client(berserk.TokenSession("{first.token}"), base_url="{url}")',
    ]
    if wishes.control:
        sections.append(f"  control API   curl {url}/sandbox")
    return "\n".join([*sections, ""])


def _opponents(names: Sequence[str], wishes: Wishes) -> str:
    if not names:
        return "  no opponents: bots may challenge each other, and the AI"
    listed = ", ".join(names)
    if wishes.challenge_every == "never":
        return f"  opponents {listed} wait to be challenged"
    kind = f"{wishes.variant} {wishes.time_control} {'rated' if wishes.rated else 'casual'}"
    return f"  opponents {listed}: one challenges every {wishes.challenge_every} ({kind})"
