"""Everything a player can do in a game, and what the streams then carry. Games are kept in `shelf.py`."""

from collections.abc import Mapping
from typing import Any

import chess

from bot.sandbox.chatroom import read_line
from bot.sandbox.match import Match
from bot.sandbox.offers import Answer, answer_draw, answer_takeback, claim, claim_threefold, settle_after_move
from bot.sandbox.refusal import Json, refuse
from bot.sandbox.seats import color_name
from bot.sandbox.shelf import Shelf
from bot.sandbox.variants import Status, check_uci
from bot.sandbox.views import chat_line

LEAST_GIFT_S, MOST_GIFT_S = 5, 60
MAX_GIVEN_MS = 7_200_000  # nobody is given time who has two hours
_TRUEISH = frozenset({"yes", "true", "True", "1", "on"})


def parse_accept(text: str) -> bool:
    """The last part of a draw or takeback path: what is not a yes is a no."""
    return text in _TRUEISH


def parse_bool(text: str | None) -> bool:
    """A boolean of the query, as strict as Lichess's: small letters or a digit. Not there is false."""
    if text is None or text in {"false", "0"}:
        return False
    if text in {"true", "1"}:
        return True
    raise refuse("Cannot parse parameter as Boolean: should be true, false, 0 or 1")


class Games(Shelf):
    """Each method raises 404 `No such game` or `Not your game` first."""

    def move(self, game_id: str, user_id: str, uci: str, *, offering_draw: bool = False) -> None:
        """Play `uci`. A draw offered with it comes first; if that ends the game the move is not played."""
        match, side = self.mine(game_id, user_id)
        check_uci(uci)
        offers = offering_draw and not match.is_over and side is match.turn
        if not offers or not self._draw(match, side, accept=True):
            self._play(match, side, uci)

    def ai_move(self, game_id: str, uci: str, *, ply: int | None = None) -> None:
        """The built-in AI's move. One that comes too late, or for a position taken back, is ignored."""
        match = self._at(game_id)
        if match.ai_to_move and ply in {None, match.ply}:
            self._play(match, match.turn, uci)

    def _play(self, match: Match, side: chess.Color, uci: str) -> None:
        ply = match.ply
        match.play(side, uci, self._now())
        if match.ply > ply:
            self._told("move", match)
        if match.is_over:
            self._close(match)
            return
        self._push_state(match)
        if settle_after_move(match, side, self._now()):
            self._announce(match, "Takeback declined", lasting=False)
            self._push_state(match)
        if claim_threefold(match, self._now()):
            self._close(match)
        else:
            self._call_ai(match)

    def say(self, game_id: str, user_id: str, form: Mapping[str, Any]) -> bool:
        """Say something; False when it was dropped, which Lichess answers with 200 as well."""
        match, _ = self.mine(game_id, user_id)
        account = self._core.accounts.require(user_id)
        line = self.chatroom.admit(account, read_line(form, account.name), self._now())
        if line is None or match.is_mandatory:
            return False
        self.chatroom.keep(match.id, line)
        self._hear(match, line.room, chat_line(line))
        return True

    def chat(self, game_id: str, user_id: str | None = None) -> list[Json]:
        """What the players said to each other, or, for nobody in particular, the spectators' room."""
        if user_id is None:
            return self.chatroom.read(self.get(game_id).id, "spectator")
        match, _ = self.mine(game_id, user_id)
        return self.chatroom.read(match.id, "player")

    def abort(self, game_id: str, user_id: str) -> None:
        match, _ = self.mine(game_id, user_id)
        match.abort(self._now())
        self._close(match)

    def abort_for_both(self, match: Match) -> None:
        """Both players' tokens were shown: the game is gone at any ply."""
        match.finish(Status.ABORTED, None, self._now())
        self._close(match)

    def resign(self, game_id: str, user_id: str) -> None:
        match, side = self.mine(game_id, user_id)
        match.resign(side, self._now())
        self._close(match)

    def draw(self, game_id: str, user_id: str, accept: bool) -> None:
        """Offer, accept or decline; what is out of place is silently ignored."""
        match, side = self.mine(game_id, user_id)
        self._draw(match, side, accept=accept)

    def _draw(self, match: Match, side: chess.Color, *, accept: bool) -> bool:
        """True when it ended the game."""
        who = color_name(side).title()
        match answer_draw(match, side, accept, self._now()):
            case Answer.OFFERED:
                self._announce(match, f"{who} offers draw")
                self._push_state(match)
            case Answer.DECLINED:  # as on Lichess, nothing is pushed for it
                self._announce(match, f"{who} declines draw")
            case Answer.ACCEPTED:
                self._announce(match, "Draw offer accepted")
                self._close(match)
            case Answer.CLAIMED:
                self._close(match)
        return match.is_over

    def takeback(self, game_id: str, user_id: str, accept: bool) -> None:
        """Propose, accept or decline; ignored unless both players' preferences allow takebacks."""
        match, side = self.mine(game_id, user_id)
        allowed = all(account is None or account.takebacks for account in self._players(match))
        answer = answer_takeback(match, side, accept, self._now(), allowed=allowed)
        if answer is Answer.IGNORED:
            return
        done = {Answer.OFFERED: "sent", Answer.ACCEPTED: "accepted", Answer.DECLINED: "declined"}
        self._announce(match, f"Takeback {done.get(answer, 'canceled')}", lasting=answer is Answer.ACCEPTED)
        self._push_state(match)
        if answer is Answer.ACCEPTED:
            self._call_ai(match)

    def claim_victory(self, game_id: str, user_id: str) -> None:
        self._claim(game_id, user_id, victory=True)

    def claim_draw(self, game_id: str, user_id: str) -> None:
        self._claim(game_id, user_id, victory=False)

    def _claim(self, game_id: str, user_id: str, *, victory: bool) -> None:
        match, side = self.mine(game_id, user_id)
        waits_ms = self._core.presence.ms_to_claim(match, not side)
        try:
            claim(match, side, self._now(), is_gone=waits_ms is not None and waits_ms <= 0, victory=victory)
        finally:
            self._close(match)  # a claim that is refused may have ended the game all the same

    def berserk(self, game_id: str, user_id: str) -> None:
        """Outside an arena nobody may, and in one no bot."""
        self.mine(game_id, user_id)
        raise refuse("Cannot berserk")

    def add_time(self, game_id: str, user_id: str, seconds: int) -> None:
        """Give the opponent 5 to 60 s, or its days anew; the API asks neither preferences nor rules."""
        match, side = self.mine(game_id, user_id)
        if match.is_over or match.is_mandatory or match.control.is_unlimited:
            raise refuse("This game doesn't allow giving time")
        who = color_name(not side).title()
        if match.clock is None:
            match.last_move_at_ms = self._now()
            self._announce(match, f"{who} gets more time", lasting=False)
        elif match.clock.left[not side] < MAX_GIVEN_MS:
            given_s = min(MOST_GIFT_S, max(LEAST_GIFT_S, seconds))
            match.clock.give(not side, given_s * 1000)
            self._announce(match, f"{who} + {given_s} seconds", lasting=False)
        self._push_state(match)

    def start_clock(self, match: Match) -> None:
        """Let the clock of the side to move run, though fewer than two plies are played."""
        if match.clock is not None and match.clock.ticking is None and not match.is_over:
            match.clock.run(match.turn, self._now())
            self._push_state(match)

    def restart_bonus(self, ms: int) -> None:
        """What Lichess gives everybody whose game a restart of the server has disturbed."""
        for match in self.ongoing():
            if match.clock is not None:
                for side in chess.COLORS:
                    match.clock.give(side, ms)
                self._push_state(match)
