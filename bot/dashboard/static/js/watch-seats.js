/** The two players of a game with their clocks, above and below a board. */

import { el, setText } from "./watch-dom.js";
import { clock, other, playerName } from "./watch-words.js";

/** A player's name and clock in one line. */
export class Seat {
  constructor(root = el("div", { class: "seat" })) {
    this.root = root;
    this.name = el("span", { class: "name" });
    this.rating = el("span", { class: "rating" });
    this.clock = el("span", { class: "clock" });
    root.replaceChildren(this.name, this.rating, this.clock);
  }

  set(game, side) {
    const player = game[side];
    setText(this.name, playerName({ ...player, rating: undefined }));
    setText(this.rating, player.rating === undefined ? "" : `${player.rating}${player.provisional ? "?" : ""}`);
    this.root.classList.toggle("us", game.we === side);
    this.root.classList.toggle("white-side", side === "white");
    this.root.classList.toggle("won", Boolean(game.result) && game.winner === side);
    this.root.classList.toggle("ticking", game.ticking === side);
  }

  tick(ms) {
    this.clock.hidden = ms === null;
    setText(this.clock, ms === null ? "" : clock(ms));
    this.clock.classList.toggle("low", ms !== null && ms < 10_000);
  }
}

/** What is on a side's clock now: the state's, less what has passed since if it is running. */
export function left(game, side, nowMs) {
  if (!game.clocks) return null;
  const passed = game.ticking === side ? Math.max(0, nowMs - game.seen_ms) : 0;
  return Math.max(0, game.clocks[side] - passed);
}

/** Both seats: `set` when the game changed, `tick` as often as one likes. */
export class Seats {
  constructor(top, bottom) {
    this.top = new Seat(top);
    this.bottom = new Seat(bottom);
    this.orientation = "white";
  }

  set(game, orientation) {
    this.game = game;
    this.orientation = orientation;
    this.top.set(game, other(orientation));
    this.bottom.set(game, orientation);
  }

  tick(nowMs) {
    if (!this.game) return;
    this.top.tick(left(this.game, other(this.orientation), nowMs));
    this.bottom.tick(left(this.game, this.orientation, nowMs));
  }
}
