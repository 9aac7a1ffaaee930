/**
 * One game as this page knows it: told by the stream, never guessed. What it shows follows from what it was
 * told last; a move that did not reach the server is sent again when the server is back.
 */

import { other, readFen } from "./squares.js";
import { Refused } from "./stream.js";

const AGAIN_MS = 500;

export class Game {
  full = null;
  state = null;
  start = null; // {fen, check}
  steps = []; // {san, uci, fen, check} after each ply
  legal = [];
  ply = 0; // the position that is looked at
  chat = [];
  goneUntil = null; // when victory may be claimed, as performance.now()
  told = 0; // when the state arrived
  #unsent = null;
  #asked = 0;

  /** @param {import("./api.js").Api} api @param {string} id @param {object} ears called as things happen */
  constructor(api, id, ears) {
    this.api = api;
    this.id = id;
    this.ears = ears;
    this.following = api.game(id, {
      onLine: (line) => this.#hear(line),
      isOver: () => this.isOver,
      onLost: () => ears.onLost(),
      onFound: () => ears.onFound(),
    });
    this.following.done.catch((error) => ears.onGone(error));
  }

  get isOver() {
    return Boolean(this.state) && !["created", "started"].includes(this.state.status);
  }

  get mine() {
    return this.full.white.id === this.api.guest.name.toLowerCase() ? "white" : "black";
  }

  get turn() {
    return readFen(this.last.fen).turn;
  }

  /** The newest position. */
  get last() {
    return this.steps.at(-1) ?? this.start;
  }

  /** The position that is looked at. */
  get shown() {
    return this.ply ? this.steps[this.ply - 1] : this.start;
  }

  get isLive() {
    return this.ply === this.steps.length;
  }

  get blackBegan() {
    return readFen(this.start.fen).turn === "black";
  }

  /** The number of the first move: a position that was set up may have a past. */
  get firstNumber() {
    return Number(this.start.fen.split(" ").at(-1)) || 1;
  }

  /** The number of a ply, as in "12." or, for Black, "12…". */
  numberOf(ply) {
    const count = ply + (this.blackBegan ? 1 : 0);
    return `${this.firstNumber + Math.ceil(count / 2) - 1}${count % 2 ? "." : "…"}`;
  }

  /** Whether one of the two has offered this: "draw" or "takeback". */
  offers(what, side) {
    return Boolean(this.state?.[side[0] + what]);
  }

  /** How many plies `side` has made. */
  madeBy(side) {
    const first = this.blackBegan ? "black" : "white";
    return side === first ? Math.ceil(this.steps.length / 2) : Math.floor(this.steps.length / 2);
  }

  look(ply) {
    this.ply = Math.max(0, Math.min(this.steps.length, ply));
    this.ears.onChange();
  }

  async move(uci) {
    const sent = { uci, ply: this.steps.length };
    this.#unsent = sent;
    try {
      await this.api.act(this.id, `move/${uci}`);
      if (this.#unsent === sent) this.#unsent = null;
    } catch (error) {
      if (!(error instanceof Refused)) return; // it goes again when the stream is back
      this.#unsent = null;
      this.ears.onRefused(error);
      this.ears.onChange();
    }
  }

  close() {
    this.#asked++;
    this.following.stop();
  }

  #hear(line) {
    if (line.type === "gameFull") {
      this.full = line;
      this.#see(line.state, true);
    } else if (line.type === "gameState") {
      this.#see(line, false);
    } else if (line.type === "chatLine" && line.room === "player") {
      this.chat.push(line);
      this.ears.onChat(line);
    } else if (line.type === "opponentGone") {
      this.goneUntil = line.gone ? performance.now() + (line.claimWinInSeconds ?? 0) * 1000 : null;
      this.ears.onChange();
    }
  }

  /** The list of moves is turned into positions by the server; an answer that came too late is dropped. */
  async #see(state, isAnew) {
    this.state = state;
    this.told = performance.now();
    const number = ++this.#asked;
    const fen = this.full.initialFen === "startpos" ? null : this.full.initialFen;
    let read = null;
    while (!read && number === this.#asked) {
      try {
        read = await this.api.rules(this.full.variant.key, fen, state.moves);
      } catch (error) {
        if (error instanceof Refused) {
          this.ears.onRefused(error);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
    if (number !== this.#asked) return; // there is newer news, or nobody looks any more
    const wasLive = this.isLive || this.steps.length > read.steps.length;
    const before = this.steps.length;
    Object.assign(this, read);
    if (wasLive) this.ply = this.steps.length;
    this.ears.onState({ isAnew, grewBy: this.steps.length - before });
    if (isAnew) this.#sendAgain();
  }

  #sendAgain() {
    const unsent = this.#unsent;
    if (unsent && unsent.ply === this.steps.length && !this.isOver) this.move(unsent.uci);
    else this.#unsent = null;
  }

  /** Whose clock runs: nobody's before both have moved, and nobody's at the end. */
  get running() {
    return this.full.clock && this.steps.length >= 2 && !this.isOver ? this.turn : null;
  }

  leftMs(side) {
    return this.full.clock ? this.state[side === "white" ? "wtime" : "btime"] : null;
  }

  get opponent() {
    return this.full[other(this.mine)];
  }
}
