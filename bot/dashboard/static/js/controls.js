/** The buttons of a game, its status line, offers, and the dialog at its end. */

import { pgnOf } from "./pgn.js";
import { other } from "./squares.js";

const SURE_MS = 3000; // how long a button asks whether one is sure
const $ = (id) => document.getElementById(id);

export class Controls {
  /** @param {object} page */
  constructor(page) {
    this.page = page;
    const deeds = { takeback: "takeback/yes", draw: "draw/yes", abort: "abort", claim: "claim-victory" };
    for (const [id, deed] of Object.entries(deeds)) $(id).addEventListener("click", () => this.#act(deed));
    $("resign").addEventListener("click", () => this.#resign());
    $("offer-yes").addEventListener("click", () => this.#act(`${this.offered}/yes`));
    $("offer-no").addEventListener("click", () => this.#act(`${this.offered}/no`));
    $("flip").addEventListener("click", () => this.#flip());
    $("sound").addEventListener("click", () => this.#sound(page.sound.toggle()));
    $("copy-fen").addEventListener("click", () => this.#copy("FEN", async () => page.game.shown.fen));
    $("copy-pgn").addEventListener("click", () => this.#copy("PGN", async () => pgnOf(page.game)));
    for (const id of ["rematch", "result-rematch"]) $(id).addEventListener("click", () => this.#leaveResult(() => page.rematch()));
    for (const id of ["new", "result-new"]) $(id).addEventListener("click", () => this.#leaveResult(() => page.toSetup()));
    $("result-close").addEventListener("click", () => $("result").close());
    this.#walk();
    this.#sound(page.sound.on);
  }

  /** @param {import("./game.js").Game} game */
  draw(game) {
    const { mine } = game;
    $("situation").textContent = situation(game, this.page.bot);
    document.title = `${$("situation").textContent} – ${this.page.bot}`;
    $("takeback").disabled = game.madeBy(mine) === 0 || game.offers("takeback", mine);
    $("takeback").textContent = game.offers("takeback", mine) ? "Asked…" : "Take back";
    $("draw").disabled = game.offers("draw", mine) || game.steps.length < 2;
    $("draw").textContent = game.offers("draw", mine) ? "Offered…" : "Draw";
    $("abort").hidden = game.steps.length >= 2;
    $("resign").hidden = game.steps.length < 2;
    this.#drawOffer(game);
    this.#drawClaim(game);
    $("first").disabled = $("back").disabled = game.ply === 0;
    $("last").disabled = $("forward").disabled = game.isLive;
  }

  showResult(title, text) {
    $("result-title").textContent = title;
    $("result-text").textContent = text;
    if (!$("result").open) $("result").showModal();
  }

  #drawOffer(game) {
    const theirs = other(game.mine);
    this.offered = ["draw", "takeback"].find((what) => game.offers(what, theirs)) ?? null;
    $("offer").hidden = !this.offered || game.isOver;
    $("offer-text").textContent = `${this.page.bot} ${this.offered === "draw" ? "offers a draw" : "asks for a takeback"}`;
  }

  #drawClaim(game) {
    clearTimeout(this.claiming);
    const waitMs = game.goneUntil === null ? Infinity : game.goneUntil - performance.now();
    $("claim").hidden = waitMs > 0 || game.isOver;
    if (waitMs > 0 && waitMs < Infinity) this.claiming = setTimeout(() => this.draw(game), waitMs + 50);
  }

  async #act(deed) {
    const { game, api } = this.page;
    if (!game) return;
    try {
      await api.act(game.id, deed);
    } catch (error) {
      this.page.toast(error.message);
    }
  }

  /** Twice: once could be a slip. */
  #resign() {
    const button = $("resign");
    const isSure = button.dataset.sure === "yes";
    clearTimeout(this.resigning);
    button.dataset.sure = isSure ? "" : "yes";
    button.textContent = isSure ? "Resign" : "Really resign?";
    if (isSure) this.#act("resign");
    else this.resigning = setTimeout(() => ((button.dataset.sure = ""), (button.textContent = "Resign")), SURE_MS);
  }

  #flip() {
    this.page.board.flip();
    $("evalbar").classList.toggle("turned", this.page.board.orientation === "black");
    this.page.draw();
  }

  #sound(on) {
    $("sound").setAttribute("aria-pressed", String(on));
  }

  async #copy(what, read) {
    try {
      await navigator.clipboard.writeText(await read());
      this.page.toast(`${what} copied`);
    } catch {
      this.page.toast(`${what} could not be copied`);
    }
  }

  #leaveResult(go) {
    $("result").close();
    go();
  }

  #walk() {
    const steps = {
      first: () => 0,
      back: ({ ply }) => ply - 1,
      forward: ({ ply }) => ply + 1,
      last: (game) => game.steps.length,
    };
    const go = (name) => this.page.game?.look(steps[name](this.page.game));
    for (const name of Object.keys(steps)) $(name).addEventListener("click", () => go(name));
    const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.closest("input, select, textarea, dialog, [role=grid]");
      if (isTyping || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "f") this.#flip();
      if (!(event.key in keys) || !this.page.game) return;
      event.preventDefault();
      go(keys[event.key]);
    });
  }
}

function situation(game, bot) {
  if (game.isOver) return game.isLive ? "The game is over." : `Position ${game.ply} of ${game.steps.length}`;
  if (!game.isLive) return `Looking back: position ${game.ply} of ${game.steps.length}`;
  if (game.goneUntil !== null) return `${bot} has left the game.`;
  if (game.turn !== game.mine) return `${bot} is thinking…`;
  return game.last.check ? "You are in check." : "Your move.";
}
