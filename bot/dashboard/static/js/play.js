/** The page to play on: form, board, seats, list, coach and server brought together. */

import { Api } from "./api.js";
import { Board } from "./board.js";
import { Chat } from "./chat.js";
import { Coach } from "./coach.js";
import { Controls } from "./controls.js";
import { Game } from "./game.js";
import { prey } from "./material.js";
import { MoveList } from "./moves.js";
import { Seat } from "./seats.js";
import { Setup } from "./setup.js";
import { Sound } from "./sound.js";
import { endOf, spokenMove } from "./spoken.js";
import { other, readFen } from "./squares.js";
import { Refused } from "./stream.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const LOOK_AGAIN_MS = 400; // at the start, for how far it is
const NO_CLOCK_LOW = 0.1; // a clock is low below this part of its beginning
const $ = (id) => document.getElementById(id);

class Page {
  constructor() {
    this.api = new Api();
    this.sound = new Sound();
    this.game = null;
    this.wish = null;
    this.board = new Board($("board"), { label: "Chess board", onMove: (uci) => this.game?.move(uci) });
    this.board.set({ fen: START });
    const ears = { onLow: () => this.sound.play("warning"), onPocket: (letter) => this.#pocket(letter) };
    this.seats = { top: new Seat($("seat-top")), bottom: new Seat($("seat-bottom"), ears) };
    this.moves = new MoveList($("moves"), (ply) => this.game?.look(ply));
    this.chat = new Chat((text) => this.game && this.api.say(this.game.id, text));
    this.coach = new Coach({
      onLine: () => {},
      onPick: (ply) => this.game?.look(ply),
      onVerdict: (ply, verdict) => {
        this.moves.judge(ply, verdict);
        this.moves.show(this.game);
      },
    });
    this.controls = new Controls(this);
  }

  async begin() {
    const status = await this.#warm();
    this.bot = status.bot;
    this.setup = new Setup(status, (wish) => this.#challenge(wish));
    this.#sitDown("setup");
    await this.#enter();
    const running = await this.api.running();
    if (running) this.open(running);
  }

  set phase(phase) {
    document.body.dataset.phase = phase;
  }

  /** Back to the form; the board stays as it is. */
  toSetup() {
    this.#leave();
    this.#sitDown("setup");
    $("start").focus();
  }

  /** The same again with colours changed. */
  rematch() {
    if (!this.wish) {
      this.toSetup();
      return;
    }
    const color = { white: "black", black: "white" }[this.game?.mine] ?? "random";
    this.#challenge({ ...this.wish, challenge: { ...this.wish.challenge, color } });
  }

  toast(text) {
    clearTimeout(this.toasting);
    $("toast").textContent = text;
    $("toast").hidden = false;
    this.toasting = setTimeout(() => ($("toast").hidden = true), 4000);
  }

  open(id) {
    this.#leave();
    this.moves.clear();
    this.chat.clear();
    this.board.cancelPremove();
    $("result").close();
    this.game = new Game(this.api, id, {
      onState: (news) => this.#onState(news),
      onChange: () => this.draw(),
      onChat: (line) => this.chat.add(line),
      onLost: () => this.#banner("The connection is lost. Trying again…"),
      onFound: () => this.#banner(""),
      onRefused: (error) => this.toast(error.message),
      onGone: (error) => this.#onGone(error),
    });
  }

  /** Everything that is to be seen follows from the game. */
  draw() {
    const { game } = this;
    if (!game?.start) return;
    const { shown, mine } = game;
    const mayMove = game.isLive && !game.isOver;
    this.board.set({
      fen: shown.fen,
      lastMove: shown.uci ?? null,
      check: shown.check,
      legal: mayMove && game.turn === mine ? game.legal : [],
      side: mayMove ? mine : null,
    });
    this.#drawSeats();
    this.moves.show(game);
    this.coach.look(game.ply);
    this.controls.draw(game);
  }

  #sitDown(phase) {
    this.phase = phase;
    this.seats.top.setName(this.bot, "");
    this.seats.bottom.setName("You", "");
  }

  #leave() {
    this.game?.close();
    this.game = null;
    this.coach.attend(null);
    for (const seat of Object.values(this.seats)) seat.clock.stop();
  }

  async #warm() {
    for (;;) {
      try {
        const status = await this.api.status();
        if (status.ready) return status;
        this.#drawWarming(status);
      } catch {
        $("warming-text").textContent = "The server does not answer. Is the demo still running?";
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  #drawWarming({ progress }) {
    if (!progress) return;
    const { done, total, what } = progress;
    $("warming-bar").max = total;
    $("warming-bar").value = done;
    const isDone = done === total;
    $("warming-text").textContent = isDone ? "Starting the engine…" : `Compiling ${what}, step ${done + 1} of ${total}.`;
  }

  async #enter() {
    for (;;) {
      try {
        await this.api.enter();
        this.#banner("");
        return;
      } catch (error) {
        if (error instanceof Refused) throw error;
        this.#banner("The connection is lost. Trying again…");
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  async #challenge(wish) {
    this.wish = wish;
    this.setup.busy = true;
    try {
      await this.api.enter();
      await this.api.strength(wish.elo);
      const id = await this.api.challenge(this.bot, wish.challenge);
      this.coach.turn(wish.coach || (this.game !== null && this.coach.isOn));
      this.open(id);
      this.sound.play("start");
    } catch (error) {
      const text = error instanceof Refused ? readable(error.message) : "The server does not answer. Is the demo still running?";
      this.setup.complain(text);
      if (this.game) this.toast(text);
    } finally {
      this.setup.busy = false;
    }
  }

  #onState({ isAnew, grewBy }) {
    const { game } = this;
    const isFirst = document.body.dataset.phase !== "playing" || this.attended !== game;
    if (isFirst) {
      this.attended = game;
      this.phase = "playing";
      this.board.orientation = game.mine;
      this.coach.attend(game);
      this.draw();
      this.board.focus(game.mine === "white" ? "e2" : "e7"); // the form it was begun with is gone
      scrollTo(0, 0);
    }
    if (grewBy > 0 && !isFirst) this.#tellMove(game.last.san);
    $("evalbar").classList.toggle("turned", this.board.orientation === "black");
    this.draw();
    if (game.isOver) this.#onEnd(isAnew && isFirst);
  }

  #tellMove(san) {
    const { game } = this;
    this.sound.move(san);
    const who = game.turn === game.mine ? this.bot : "You";
    this.board.announce(`${who}: ${spokenMove(san)}`);
  }

  #onEnd(wasOverBefore) {
    this.phase = "over";
    const { title, text } = endOf(this.game.state, this.game.mine, this.bot);
    this.board.cancelPremove();
    this.coach.finish();
    this.draw();
    this.sound.play("end");
    this.board.announce(`${title} ${text}`);
    if (!wasOverBefore) this.controls.showResult(title, text);
  }

  /** The server knows neither the game nor us: it was started anew. */
  async #onGone(error) {
    if (!(error instanceof Refused)) throw error;
    this.#banner("");
    this.toSetup();
    this.setup.complain("That game is gone: the server was started anew.");
    await this.#enter();
  }

  #drawSeats() {
    const { game } = this;
    const [start, now] = [readFen(game.start.fen), readFen(game.shown.fen)];
    const bottom = this.board.orientation;
    const hasPockets = game.full.variant.key === "crazyhouse";
    for (const [seat, side] of [[this.seats.bottom, bottom], [this.seats.top, other(bottom)]]) {
      const isMine = side === game.mine;
      const player = game.full[side];
      seat.setName(isMine ? "You" : player.name, isMine ? "" : this.#aboutBot());
      seat.setPrey(hasPockets ? { taken: [], ahead: 0 } : prey(start.pieces, now.pieces, side));
      const enabled = isMine && game.isLive && !game.isOver;
      seat.setPocket(hasPockets ? now.pocket[side] : null, side, { enabled, selected: this.board.selected });
      const passed = game.running === side ? performance.now() - game.told : 0;
      const leftMs = game.leftMs(side);
      const lowMs = Math.min(30_000, (game.full.clock?.initial ?? 0) * NO_CLOCK_LOW);
      seat.clock.set({ leftMs: leftMs === null ? null : Math.max(0, leftMs - passed), running: game.running === side, lowMs });
    }
  }

  #aboutBot() {
    const { full } = this.game;
    const hasLevels = this.wish && this.setup.hasLevels(full.variant.key);
    const elo = hasLevels ? (this.wish.elo ? `${this.wish.elo} Elo` : "full strength") : "";
    const kind = full.variant.key === "standard" ? "" : full.variant.name;
    return [elo, kind, full.rated ? "rated" : "casual"].filter(Boolean).join(" · ");
  }

  #pocket(letter) {
    const what = `${letter}@`;
    this.board.select(this.board.selected === what ? null : what);
    this.#drawSeats();
  }

  #banner(text) {
    $("banner").textContent = text;
    $("banner").hidden = !text;
  }
}

const readable = (text) => (text === "invalidFen" ? "That position cannot be played: check the FEN." : text);

new Page().begin();
