/** One game: the board at any of its positions, evaluation, time, moves and chat; live while it is played. */

import { Board } from "./board.js";
import { factsOf, isOursFirst } from "./watch-board.js";
import { EvalGraph, TimeBars } from "./watch-charts.js";
import { byId, el, setText } from "./watch-dom.js";
import { MoveList } from "./watch-moves.js";
import { Seats } from "./watch-seats.js";
import { many, moment, other, playerName, resultWord, score, spent, statusWord } from "./watch-words.js";

export class GamePage {
  #ply = 0;
  #isAtEnd = true; // follows a game that is being played

  constructor(live) {
    this.live = live;
    this.board = new Board(byId("game-squares"), { interactive: false, coordinates: true });
    this.seats = new Seats(byId("game-top"), byId("game-bottom"));
    this.evaluation = new EvalGraph(byId("game-eval"), { pick: (ply) => this.go(ply) });
    this.times = new TimeBars(byId("game-time"));
    this.moves = new MoveList(byId("game-moves"), (ply) => this.go(ply));
    for (const [id, step] of Object.entries({ "go-back": -1, "go-on": 1, "go-first": -Infinity, "go-last": Infinity })) {
      byId(id).addEventListener("click", () => this.go(this.#ply + step));
    }
    byId("go-flip").addEventListener("click", () => this.flip());
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  async enter(id) {
    Object.assign(this, { id, game: null });
    this.#isAtEnd = true;
    byId("game-body").hidden = true;
    byId("game-error").hidden = true;
    setText(byId("game-title"), "Game");
    setText(byId("game-facts"), "");
    try {
      const answer = await fetch(`api/games/${encodeURIComponent(id)}`);
      const found = await answer.json();
      if (this.id !== id) return; // somebody has gone on meanwhile
      if (answer.ok) this.set(found);
      else this.#sorry(found.error);
    } catch {
      this.#sorry("The service does not answer.");
    }
  }

  /** Its newest state, if it is told of. */
  show(names) {
    const { [`moves/${this.id}`]: whole, [`game/${this.id}`]: board } = this.live.sections;
    if (names.has(`moves/${this.id}`)) this.set({ ...whole, ...board });
    else if (this.game && board && names.has(`game/${this.id}`)) this.set({ ...this.game, thought: undefined, ...board });
  }

  set(game) {
    const isFirst = !this.game;
    const before = this.game?.plies ?? 0;
    this.game = game;
    if (isFirst) this.board.orientation = game.we;
    byId("game-error").hidden = true;
    byId("game-body").hidden = false;
    this.#head();
    this.moves.set(game);
    this.times.set(game.spent, isOursFirst(game));
    this.#chat();
    this.#links();
    this.go(this.#isAtEnd ? Infinity : this.#ply);
    if (!isFirst && game.plies > before) setText(byId("game-said"), `${game.moves.at(-1).san}`);
  }

  /** To the position after so many plies. */
  go(ply) {
    if (!this.game) return;
    const last = this.game.fens.length - 1;
    this.#ply = Math.min(last, Math.max(0, ply));
    this.#isAtEnd = this.#ply === last;
    this.#draw();
  }

  flip() {
    this.board.flip();
    this.#draw();
  }

  tick() {
    if (this.#isAtEnd && this.game?.clocks) this.seats.tick(this.live.now());
  }

  #draw() {
    const { game } = this;
    const ply = this.#ply;
    const move = game.moves[ply - 1];
    const fen = game.fens[ply] || game.fens.findLast(Boolean) || "";
    const check = this.#isAtEnd ? game.check : /[+#]$/.test(move?.san ?? "");
    if (fen) this.board.set({ fen, lastMove: move?.uci ?? null, check });
    this.seats.set(game, this.board.orientation);
    if (this.#isAtEnd && game.clocks) this.seats.tick(this.live.now());
    else this.#oldClocks();
    this.evaluation.set(game.scores, ply);
    this.moves.mark(ply, this.#isAtEnd);
    setText(byId("game-thought"), this.#isAtEnd && game.thought ? thoughtText(game.thought, "thinks") : thoughtText(move));
    byId("go-first").disabled = byId("go-back").disabled = ply === 0;
    byId("go-on").disabled = byId("go-last").disabled = this.#isAtEnd;
  }

  /** What both had left when the position arose. */
  #oldClocks() {
    const near = this.game.moves.slice(0, this.#ply).slice(-2);
    const bySide = {};
    for (const move of near) bySide[move.ours ? this.game.we : other(this.game.we)] = move.clock_ms ?? null;
    const bottom = this.board.orientation;
    this.seats.bottom.tick(bySide[bottom] ?? null);
    this.seats.top.tick(bySide[other(bottom)] ?? null);
  }

  #head() {
    const { white, black, result, status, began_ms: began } = this.game;
    const title = `${playerName(white)} – ${playerName(black)}`;
    setText(byId("game-title"), title);
    document.title = `Krait: ${white.name} – ${black.name}`;
    const end = result ? `we ${result === "draw" ? "drew" : resultWord(result)} (${statusWord(status)})` : "being played";
    setText(byId("game-facts"), [factsOf(this.game), end, moment(began)].join(" · "));
    const lag = this.game.lag_ms;
    setText(byId("game-lag"), lag === undefined ? "" : `· round trip ${lag} ms`);
  }

  #chat() {
    const { chat } = this.game;
    byId("chat-empty").hidden = chat.length > 0;
    const list = byId("game-chat");
    list.hidden = !chat.length;
    if (list.children.length === chat.length) return;
    list.replaceChildren(
      ...chat.map(({ room, name, text }) =>
        el("li", {}, el("strong", {}, name), room === "spectator" ? " (spectators' room): " : ": ", text),
      ),
    );
    list.scrollTop = list.scrollHeight;
  }

  #links() {
    const site = this.live.sections.service?.site;
    const links = [];
    if (this.game.result) links.push(el("a", { href: `api/games/${this.game.id}.pgn`, download: "" }, "Download PGN"));
    if (site && !/^https?:\/\/(127\.|localhost|\[::1\])/.test(site)) {
      links.push(el("a", { href: `${site}/${this.game.id}`, rel: "noreferrer" }, "On Lichess"));
    }
    byId("game-links").replaceChildren(...links);
  }

  #sorry(text) {
    byId("game-body").hidden = true;
    setText(byId("game-error"), text);
    byId("game-error").hidden = false;
  }

  #key(event) {
    const isTyping = event.target.closest?.("input, select, textarea, .chat");
    if (byId("game").hidden || isTyping || event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    if (event.key === "f") this.flip();
    else if (event.key in steps) this.go(this.#ply + steps[event.key]);
    else return;
    event.preventDefault();
  }
}

function thoughtText(move, verb = "thought") {
  if (!move) return "Before the first move.";
  if (!move.source) return move.ours === false ? "The opponent's move." : "Nothing is known of this move.";
  const words = [`${move.source} ${verb}`];
  if (move.score) words.push(`${score(move.score)} for White`);
  if (move.depth) words.push(`depth ${move.depth}`);
  if (move.nodes) words.push(`${many(move.nodes)} nodes`);
  if (move.nps) words.push(`${many(move.nps)} a second`);
  if (move.spent_ms !== undefined) words.push(`${spent(move.spent_ms)} in all`);
  if (move.lag_ms !== undefined) words.push(`lag ${move.lag_ms} ms`);
  return words.join(" · ") + (move.line ? ` · ${move.line}` : "");
}

